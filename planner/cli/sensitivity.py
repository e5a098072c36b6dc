"""`planner sensitivity`: what a cost depends on, what would change the recommendation, how often one is cheaper."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
from planner.errors import ExitCode, UsageProblem

if TYPE_CHECKING:
    from planner.estimate.result import Scenario

MOST = 3  # unpriced lines named in a message


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
    from planner.decide.compare import compare
    from planner.decide.narrow import as_listed
    from planner.decide.probability import lower_cost_probability
    from planner.decide.study import study

    request = asked.request_of(loaded, book_of(loaded, asked.prices), derivations=False)
    with progress(PRICING, quiet=quiet) as shown:
        comparison = compare(request, counted(shown))
    chosen = named(comparison, scenario) if scenario else comparison.best
    if chosen is None:
        say("gate (10): no scenario is both feasible and completely priced; `planner compare` shows the reasons")
        return ExitCode.GATE
    other = named(comparison, against) if against else None
    if other is chosen:
        raise UsageProblem(f"--against {against} is the same scenario, {chosen.id}; name another one")
    request = as_listed(request, [s.nodes for s in comparison.scenarios])
    with progress(STUDY, quiet=quiet) as shown:
        found = study(request, comparison, chosen.id, grid=False, each=counted(shown))
    if found is None:
        other_one = "--scenario best, or name another one" if comparison.best else "`planner compare` shows all"
        raise UsageProblem(f"{chosen.id} cannot be varied: {_lacks(chosen)}; {other_one}")
    pair = lower_cost_probability(request, chosen.id, other.id) if other else None
    if other and pair is None:
        raise UsageProblem(f"{other.id} has no range to compare with: {_lacks(other)}; name another one with --against")
    if style == "table":
        from planner.report.terminal.sensitivity_text import render

        room = room_of(out)
        text = render(
            comparison,
            found,
            pair,
            width=room.width,
            ascii_only=room.ascii_only,
            top=top,
            of="cost_usd" if of == "cost" else "days",
            plan_path=asked.plan,
            again=asked.again,
        )
    elif style == "json":
        from planner.report.data.sensitivity_json import render as render_json

        text = render_json(comparison, found, pair)
    else:
        from planner.report.pictures.tornado import alone

        text = alone(found)
    write_result(text, out)
    return ExitCode.OK


def _lacks(scenario: Scenario) -> str:
    """Why a scenario has no range."""
    if not scenario.feasible:
        return "; ".join(scenario.why_not)
    missing = [f"{entry.line}: {entry.what}" for entry in scenario.unpriced]
    more = f" and {len(missing) - MOST} more" if len(missing) > MOST else ""
    return f"no price for {', '.join(missing[:MOST])}{more}" if missing else "nothing was drawn (--draws 0)"
