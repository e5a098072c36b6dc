"""GPU fleet planner: what a finished training run on AWS costs, on every purchase option and storage layout."""

__version__ = "0.1.0"
