"""Sixty scenarios at the default draws: the whole command, beside Python itself."""

from __future__ import annotations

from benchmarks.measure import PLANNER, PYTHON, alternate, table

GOALS = {"planner compare, 60 scenarios": 1.0}
SIXTY = [
    "--set",
    "fleet.nodes=[100, 200, 300, 400]",
    "--set",
    "purchase.options=[on-demand, spot, ri-1y-standard-no-upfront, sp-1y-instance-no-upfront, capacity-block]",
    "--set",
    "storage.layouts=[converged, fsx-lustre]",
]


def main() -> str:
    commands = {
        "python -c pass": [PYTHON, "-c", "pass"],
        "planner compare, 60 scenarios": [PLANNER, "compare", "examples/stability-converged.yaml", *SIXTY],
    }
    return table(alternate(commands, runs=5), "python -c pass", GOALS)


if __name__ == "__main__":
    print(f"== {__doc__}\n{main()}\n")
