"""128 node counts of a plan with 36 scenarios each: the whole command, with up to two spares and with none."""

from __future__ import annotations

from benchmarks.measure import PLANNER, PYTHON, alternate, table

PLAN = "examples/small.yaml"
COUNTS = ["--set", "fleet.nodes=65..192", "--set", "run.work.gpu_hours=300000"]
GOALS = {"planner compare, 128 counts": 3.0}


def main() -> str:
    commands = {
        "python -c pass": [PYTHON, "-c", "pass"],
        "planner compare, 128 counts": [PLANNER, "compare", PLAN, *COUNTS],
        "planner optimize, x 3 spares": [PLANNER, "optimize", PLAN, *COUNTS, "--deadline", "60d"],
    }
    return table(alternate(commands, runs=3), "python -c pass", GOALS)


if __name__ == "__main__":
    print(f"== {__doc__}\n{main()}\n")
