"""E1: how long a person waits. The CLI's cold start beside Python itself and beside `import pandas`."""

from __future__ import annotations

import importlib.util

from benchmarks.measure import PLANNER, PYTHON, alternate, table

GOALS = {"planner --help": 0.060, "planner compare, one scenario": 0.300}
BOOK = """
from pricing.book import default_book
book = default_book()
book.on_demand("p4d.24xlarge", "us-east-1")
book.capacity_block("p4d.24xlarge", "us-east-1")
book.spot("p4d.24xlarge", "us-east-1")
book.interruption("p4d.24xlarge", "us-east-1")
book.metered("AmazonS3", "S3 Standard storage", "us-east-1")
"""
SLIPS = """
from planner.errors import PlanProblems
from planner.plan.load import load_text
try:
    load_text("name: small\\n" + "".join(f"k{number}: 1\\n" for number in range(9000)))
except PlanProblems:
    pass
else:
    raise SystemExit("nine thousand unknown keys were taken")
"""
ONE = ["examples/small.yaml", "-f", "json", "--set", "storage.layouts=[s3-stream]", "--set", "purchase.options=[spot]"]


def main() -> str:
    commands = {
        "python -c pass": [PYTHON, "-c", "pass"],
        "planner --help": [PLANNER, "--help"],
        "planner --version": [PLANNER, "--version"],
        "a price book, opened and asked": [PYTHON, "-c", BOOK],
        "a plan with 9,000 slips": [PYTHON, "-c", SLIPS],
        "planner calc S2 raw_tb=3200": [PLANNER, "calc", "S2", "raw_tb=3200"],
        "planner compare, one scenario": [PLANNER, "compare", *ONE],
        "planner compare, stability": [PLANNER, "compare", "examples/stability-converged.yaml"],
    }
    if importlib.util.find_spec("pandas"):
        commands["import pandas"] = [PYTHON, "-c", "import pandas"]
    text = table(alternate(commands), "python -c pass", GOALS)
    return text if "import pandas" in commands else text + "\n(import pandas: not installed here, not measured)"


if __name__ == "__main__":
    print(f"== {__doc__}\n{main()}\n")
