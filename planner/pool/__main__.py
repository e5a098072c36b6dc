"""`python -m planner.pool`, and what the file on the nodes runs."""

import sys

from planner.pool.command import main

if __name__ == "__main__":
    sys.exit(main())
