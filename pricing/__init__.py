"""What AWS charges, as of a date. Imports the standard library only, and nothing of ours outside."""
