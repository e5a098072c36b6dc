"""`python -m fleet_pool.launch`: the same as `planner-launch`."""

import sys

from fleet_pool.launch.command import main

if __name__ == "__main__":
    sys.exit(main())
