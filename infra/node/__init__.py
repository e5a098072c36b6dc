"""What does a node fetch and run? Files rendered from templates/node, the pool's commands as one file, the daemon."""
