"""The plan of a fleet against a price book."""

from planner.fleet.check import check_book

__all__ = ["check_book"]
