"""`python -m fleet_pool.worker`: the same as `planner-worker`."""

import sys

from fleet_pool.worker.command import main

if __name__ == "__main__":
    sys.exit(main())
