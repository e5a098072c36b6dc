"""`planner optimize`: the fleet, layout and purchase with the least cost under a deadline, or the earliest finish."""

from __future__ import annotations

from dataclasses import replace

import click

from planner.cli.next_step import APPROVE, after_row, cheapest_change
from planner.cli.options import OUT, Asked, Limit, check_format, common, format_option, look_of, priced_plan
from planner.cli.output import format_of, warn_of_prices, write_result
from planner.cli.progress import Watched
from planner.errors import ExitCode

ROWS = 12  # of the frontier


@click.command()
@priced_plan
@click.option(
    "--minimize",
    type=click.Choice(["cost", "time"]),
    default="cost",
    show_default=True,
    help="The cost (by the plan's decision.rank_by), or the days to the finish at P50.",
)
@click.option(
    "--deadline", metavar="DURATION", help="Finish within this time, such as 30d; the same as --set run.deadline."
)
@click.option(
    "--budget",
    type=Limit(0, min_open=True),
    metavar="USD",
    help="Maximum cost; the same as --set constraints.max_cost_usd.",
)
@click.option(
    "--top", type=click.IntRange(0), default=ROWS, show_default=True, help="Rows of the frontier; 0 shows all."
)
@format_option(["table", "json", "md"], "md fits a pull request comment. [default: by FILE's ending, else table]")
@OUT
@common
def command(
    asked: Asked,
    minimize: str,
    deadline: str | None,
    budget: float | None,
    top: int,
    style: str | None,
    out: str | None,
    color: str,
    quiet: bool,
    debug: bool,
) -> int:
    """Search node counts, spare nodes, instance types, layouts and purchase options for the best one.

    Every count of the plan's range, or around its only one, with up to two spares, is priced in all simulated outcomes.
    What is recommended keeps the deadline and the budget in 9 of 10 of them (decision.confidence). The frontier lists
    what else can be had, from the shortest to the cheapest run. Exit 10 if nothing keeps a limit that was given with
    --deadline or --budget, or nothing is feasible; else, as `compare` without a gate, 0.
    """
    from planner.answer.gates import Gates, violations

    style = format_of(style, out, ("table", "json", "md"))
    limits = [f"run.deadline={deadline}"] if deadline is not None else []
    limits += [f"constraints.max_cost_usd={budget:.15g}"] if budget is not None else []
    asked = replace(asked, overrides=(*asked.overrides, *limits))
    ask = asked.ask()
    sizes = ask.loaded.kind.part("sizes")
    check_format(style, sizes.FORMATS, ask.loaded.kind)
    found = sizes.searched(ask, minimize, Watched(quiet))
    write_result(sizes.written(found, style, look_of(asked, out, color, top=top)), out)
    warn_of_prices(found.comparison, asked.prices, style, quiet, color)
    best, settings = sizes.best(found)
    change = () if best else cheapest_change(found.comparison)
    after_row(asked, best, style, step=APPROVE, quiet=quiet, settings=settings, change=change)
    refused = bool(limits) or bool(violations(found.comparison, Gates()))
    return ExitCode.GATE if refused and not best else ExitCode.OK
