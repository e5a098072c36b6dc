"""What AWS billed for a stack, read from its cost exports and set beside the plan."""
