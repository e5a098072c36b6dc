"""What stands, beside its plan: what was measured, whether it is within the plan's range, and what a miss costs."""
