"""`planner sensitivity`: what a cost depends on, what would change the recommendation, how often one is cheaper."""

from __future__ import annotations

import click

from planner.cli.options import (
    OUT,
    Asked,
    check_format,
    common,
    format_option,
    look_of,
    priced_plan,
    scenario_option,
    top_option,
)
from planner.cli.output import format_of, say, write_result
from planner.cli.progress import Watched
from planner.errors import ExitCode


@click.command()
@priced_plan
@scenario_option("The scenario to vary", default="best")
@click.option("--against", metavar="ID", help="Show how often the scenario costs less than this one.")
@click.option(
    "--of",
    type=click.Choice(["cost", "days"]),
    default="cost",
    show_default=True,
    help="What the table shows and sorts by.",
)
@top_option("Rows of the table; 0 shows all.")
@format_option(["table", "json", "svg"], "svg is the picture of the table. [default: by FILE's ending, else table]")
@OUT
@common
def command(
    asked: Asked,
    scenario: str | None,
    against: str | None,
    of: str,
    top: int,
    style: str | None,
    out: str | None,
    color: str,
    quiet: bool,
    debug: bool,
) -> int:
    """Vary every assumption of PLAN, one at a time, and show the effect.

    First the cost of one scenario with each assumption at its 5th and 95th percentile; then the break-even values at
    which another scenario becomes the recommended one; then how often each scenario is the cheapest when everything
    varies at once. Every value is recalculated, none is interpolated. Of the plan of a worker pool, every choice is
    simulated again at each end: 20 runs, or as many as --draws says.
    """
    style = format_of(style, out, ("table", "json", "svg"))
    ask = asked.ask()
    varied = ask.loaded.kind.part("varied")
    check_format(style, varied.FORMATS, ask.loaded.kind)
    found = varied.studied(ask, scenario, against, Watched(quiet))
    if found is None:
        say(f"gate (10): {varied.NOTHING}")
        return ExitCode.GATE
    look = look_of(asked, out, color, top=top, of="cost_usd" if of == "cost" else "days")
    write_result(varied.written(found, style, look), out)
    return ExitCode.OK
