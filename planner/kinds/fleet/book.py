"""The plan of a fleet against a price book."""

from planner.fleet.bill import check_book

__all__ = ["check_book"]
