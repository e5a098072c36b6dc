"""What `optimize`, `sensitivity`, `explain` and `diff` print with `-f json`, in every form that they have."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from planner.cli.main import command
from tests.typed import FEW, ROOT, SMALL

ON_DEMAND, SPOT = "converged/p4d.24xlarge/on-demand", "converged/p4d.24xlarge/spot"
STABILITY = str(ROOT / "examples" / "stability-converged.yaml")
UNKNOWN = "sp-3y-compute-no-upfront"  # of a p4d, in every book


def _printed(*words: str) -> dict[str, Any]:
    done = CliRunner().invoke(command, [*words, "-f", "json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@cache
def optima() -> tuple[dict[str, Any], ...]:
    """With alternatives and a tie, by time within a budget, and without an answer."""
    few = ("optimize", SMALL, "--draws", "40", "--set", "storage.layouts=[s3-stream, converged]")
    found = [_printed(*few), _printed(*few, "--minimize", "time", "--budget", "20000", "--set", "fleet.nodes=3..6")]
    return (*found, _printed(*few, "--set", "fleet.nodes=20"), _printed(*few, "--deadline", "1h"))


@cache
def sensitivities() -> tuple[dict[str, Any], ...]:
    """With a second scenario and without, with draws and without, and one that runs out of feasible scenarios."""
    few = ("sensitivity", SMALL, *FEW)
    return (
        _printed(*few, "--draws", "100", "--scenario", ON_DEMAND, "--against", SPOT),
        _printed(*few, "--draws", "0", "--set", "reliability.spot_reclaims_per_node_day=0.002"),
        _printed(*few, "--draws", "50", "--set", "constraints.max_days=40"),
    )


FALLING_BACK = ("--set", "purchase.options=[on-demand, spot-fallback]")  # of the last `--set` of a key


@cache
def explanations() -> tuple[dict[str, Any], ...]:
    """The list, a scenario, numbers of every kind (draws, none, simulated runs), a line without a price."""
    few = ("explain", SMALL, *FEW, "--draws", "50")
    only = ("--set", "storage.layouts=[s3-stream]", "--set", f"purchase.options=[{UNKNOWN}]", "--draws", "0")
    return (
        _printed(*few),
        *(_printed(*few, *words) for words in ((ON_DEMAND,), (ON_DEMAND, "cost_usd"), (SPOT, "days.p90"))),
        _printed(*few, ON_DEMAND, "storage.s3.standard"),
        _printed("explain", SMALL, *FEW, "--draws", "0", ON_DEMAND, "storage.usable_tb"),
        _printed(*few, *FALLING_BACK, f"{SPOT}-fallback", "cost_usd"),
        *(
            _printed("explain", STABILITY, *only, f"s3-stream/p4d.24xlarge/{UNKNOWN}", *line)
            for line in ((), ("fleet.compute",))
        ),
    )


@cache
def diffs() -> tuple[dict[str, Any], ...]:
    """Two plans, two price books, something that comes and something that goes, two saved documents."""
    few = ("diff", SMALL, "--draws", "50")
    found = [
        _printed(*few, SMALL, *FEW, "--set-b", "fleet.nodes=8", "--set-b", "assumptions.goodput.restart_minutes=20"),
        _printed(*few, *FEW, "--prices-a", "2025-05-31", "--prices-b", "2026-09-01"),
        _printed(*few, SMALL, "--set-a", "purchase.options=[spot]", "--set-b", "purchase.options=[on-demand]"),
        _printed(*few, SMALL, "--set-b", "region=eu-west-1"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        sides = [str(Path(folder) / f"{name}.json") for name in "ab"]
        for path, more in zip(sides, ((), ("--set", "fleet.nodes=8")), strict=True):
            CliRunner().invoke(command, ["compare", SMALL, *FEW, *more, "--draws", "50", "-o", path])
        found.append(_printed("diff", *sides))
    return tuple(found)
