"""Past demand, as a scheduler's jobs or as hours by instance type: what a file says of it, and what it cannot say."""
