"""The plan of a worker pool against a price book."""

from planner.worker_pool.check import check_against_book as check_book

__all__ = ["check_book"]
