"""Rules over a resource graph: pure functions of its JSON, without Pulumi and without the planner."""
