"""`planner report`: the comparison as one self-contained HTML page."""

from __future__ import annotations

import click

from planner.cli.options import Asked, common, priced_plan
from planner.cli.output import say, write_result
from planner.errors import ExitCode


@click.command(short_help="Write the comparison as one HTML page.")
@priced_plan
@click.option("-o", "--out", metavar="FILE", default="report.html", show_default=True, help="`-`: standard output.")
@common
def command(
    asked: Asked,
    out: str,
    color: str,
    quiet: bool,
    debug: bool,
) -> int:
    """Write one self-contained HTML page on PLAN: the answer, the comparison, every bill, every source."""
    from planner.decide.compare import compare
    from planner.report.as_html import render

    comparison = compare(asked.request())
    write_result(render(comparison), out)
    if out != "-":
        say(f"wrote {out}", quiet)
    if not any(scenario.feasible for scenario in comparison.scenarios):
        say("gate (10): no scenario is feasible")
        return ExitCode.GATE
    return ExitCode.OK
