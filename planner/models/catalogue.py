"""Every family of equations: importing this module registers them all."""

from planner.models import capacity, compute, datapath, goodput, metered, people, workload

__all__ = ["capacity", "compute", "datapath", "goodput", "metered", "people", "workload"]
