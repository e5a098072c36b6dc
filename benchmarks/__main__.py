"""Run every benchmark: python -m benchmarks.

Each anchor runs in a process of its own: a child's peak memory counts what its parent held when it was forked.
"""

import subprocess
import sys

for anchor in (
    "cold_start",
    "draws",
    "many_scenarios",
    "search",
    "render",
    "local_pool",
    "spot",
    "worker_pool",
    "price_files",
    "bills",
    "commitments",
    "fleet",
):
    subprocess.run([sys.executable, "-m", f"benchmarks.{anchor}"], check=True)
