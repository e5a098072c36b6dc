"""Many scenarios at the default draws: the comparison of 60 and the page of 324, beside Python itself."""

from __future__ import annotations

import tempfile

from benchmarks.measure import PLANNER, PYTHON, alternate, table

GOALS = {"planner compare, 60 scenarios": 1.0, "planner report, 324 scenarios": 5.0}
COUNTS = "fleet.nodes=[100, 150, 200, 250, 300, 350, 400, 450, 500]"
SIXTY = [
    "--set",
    "fleet.nodes=[100, 200, 300, 400]",
    "--set",
    "purchase.options=[on-demand, spot, ri-1y-standard-no-upfront, sp-1y-instance-no-upfront, capacity-block]",
    "--set",
    "storage.layouts=[converged, fsx-lustre]",
]


def main() -> str:
    plan = "examples/stability-converged.yaml"
    with tempfile.TemporaryDirectory() as folder:
        page = [PLANNER, "report", plan, "--set", COUNTS, "-q", "-o", f"{folder}/page.html"]
        commands = {
            "python -c pass": [PYTHON, "-c", "pass"],
            "planner compare, 60 scenarios": [PLANNER, "compare", plan, *SIXTY],
            "planner report, 324 scenarios": page,
        }
        return table(alternate(commands, runs=5), "python -c pass", GOALS)


if __name__ == "__main__":
    print(f"== {__doc__}\n{main()}\n")
