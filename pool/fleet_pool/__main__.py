"""`python -m fleet_pool`, and what the file on the nodes runs."""

import sys

from fleet_pool.operate.command import main

if __name__ == "__main__":
    sys.exit(main())
