"""`planner report`: the comparison as one self-contained HTML page."""

from __future__ import annotations

from pathlib import Path

import click

from planner.cli.options import common, priced_plan, request_for
from planner.cli.output import say, write_result
from planner.errors import ExitCode


@click.command(short_help="Write the comparison as one HTML page.")
@priced_plan
@click.option("-o", "--out", metavar="FILE", default="report.html", show_default=True, help="`-`: standard output.")
@common
def command(
    plan: Path,
    overrides: tuple[str, ...],
    draws: int,
    seed: int,
    prices: str | None,
    as_of: str | None,
    max_price_age: int | None,
    out: str,
    color: str,
    quiet: bool,
    debug: bool,
) -> int:
    """Write one self-contained HTML page on PLAN: the answer, the comparison, every bill, every source."""
    from planner.decide.compare import compare
    from planner.report.as_html import render

    comparison = compare(request_for(plan, overrides, prices, as_of, seed, draws, max_price_age))
    write_result(render(comparison), out)
    if out != "-":
        say(f"wrote {out}", quiet)
    if not any(scenario.feasible for scenario in comparison.scenarios):
        say("gate (10): no scenario is feasible")
        return ExitCode.GATE
    return ExitCode.OK
