"""Break the pool at random for a long time: python -m tests.pool.soak --minutes 60.

The same faults and the same judgement as the campaign's, in random order, until the time is over; at the end every
write that was ever acknowledged is judged once more.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.pool.campaign import OFTEN, campaign
from tests.pool.machine import missing, stoppable
from tools.gotools import ROOT


def endless(seed: int) -> Iterator[str]:
    """Names of faults, each as often as the campaign has it."""
    rng = random.Random(seed)
    names, weights = list(OFTEN), list(OFTEN.values())
    while True:
        yield rng.choices(names, weights)[0]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.pool.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--nodes", type=int, default=6)
    parser.add_argument(
        "--seed", type=int, default=time.time_ns() % 100_000, help="printed, so that a run can be had again"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "pool-soak")
    asked = parser.parse_args()
    lacking = missing()
    if lacking:
        print("this machine cannot stand a pool up; it lacks: " + "; ".join(lacking), file=sys.stderr)
        return 2
    command = f"python -m tests.pool.soak --minutes {asked.minutes:g} --nodes {asked.nodes} --seed {asked.seed}"
    print(command, flush=True)
    end_s = time.monotonic() + asked.minutes * 60
    found = campaign(
        endless(asked.seed), command=command, nodes=asked.nodes, seed=asked.seed, out=asked.out, until_s=end_s
    )
    print(f"{len(found.rows)} faults, {found.judged_again:,} writes acknowledged: {asked.out}.md")
    return 0 if found.good else 1


if __name__ == "__main__":
    stoppable(main)
