"""What pages are made of: a kind of plan composes blocks and has their words, and each format renders a block once."""
