"""A training plan against a price book."""

from planner.api.books import check_book

__all__ = ["check_book"]
