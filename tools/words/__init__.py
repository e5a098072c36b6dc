"""The words of the planner's outputs, each once: docs/nomenclature.md and the published schemas are made from here."""
