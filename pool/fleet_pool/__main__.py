"""`python -m fleet_pool`: the same commands as `fleet-pool`."""

import sys

from fleet_pool.operate.command import main

if __name__ == "__main__":
    sys.exit(main())
