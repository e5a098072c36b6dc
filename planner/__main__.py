"""`python -m planner`."""

from planner.cli.main import run

run()
