"""The terms of the planner's outputs, from which docs/nomenclature.md and the published schemas are generated."""
