"""`planner jobs`."""
