"""`planner sensitivity`: what a cost depends on, what would change the recommendation, how often one is cheaper."""

from __future__ import annotations

import click

from planner.api.arguments import named
from planner.cli.options import (
    OUT,
    Asked,
    book_of,
    common,
    format_option,
    priced_plan,
    scenario_option,
    top_option,
    worker_pool_in,
)
from planner.cli.output import format_of, room_of, say, write_result
from planner.cli.progress import PRICING, STUDY, counted, progress
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
    which another scenario becomes the cheapest; then how often each scenario is the cheapest when everything varies
    at once. Every value is recalculated, none is interpolated. Of the plan of a worker pool, every choice is simulated
    again at each end: 20 runs, or as many as --draws says.
    """
    style = format_of(style, out, ("table", "json", "svg"))
    loaded, pool = worker_pool_in(asked.plan, asked.overrides)
    if pool is not None:
        from planner.cli import worker_pool_sensitivity

        return worker_pool_sensitivity.sensitivity(
            pool, asked, scenario, against, of, style, out, top=top, color=color, quiet=quiet
        )
    assert loaded is not None  # it is one or the other
    from planner.api.sensitivities import sensitivity_of
    from planner.decide.compare import compare

    request = asked.request_of(loaded, book_of(loaded, asked.prices, asked.as_of), derivations=False)
    with progress(PRICING, quiet=quiet) as shown:
        comparison = compare(request, counted(shown))
    chosen = named(comparison, scenario) if scenario else comparison.best
    if chosen is None:
        say("gate (10): no scenario is both feasible and completely priced; `planner compare` shows the reasons")
        return ExitCode.GATE
    other = named(comparison, against) if against else None
    with progress(STUDY, quiet=quiet) as shown:
        found = sensitivity_of(
            *(request, comparison, chosen, other),
            best="--scenario best",
            against="--against",
            listing="`planner compare` shows all",
            each=counted(shown),
        )
    if style == "table":
        room = room_of(out)
        text = found.text(
            width=room.width,
            ascii_only=room.ascii_only,
            top=top,
            of="cost_usd" if of == "cost" else "days",
            plan_path=asked.plan,
            again=asked.again,
        )
    elif style == "json":
        from planner.report.data.sensitivity_json import render as render_json

        text = render_json(found.comparison, found.study, found.against)
    else:
        from planner.report.pictures.tornado import alone

        text = alone(found.study)
    write_result(text, out)
    return ExitCode.OK
