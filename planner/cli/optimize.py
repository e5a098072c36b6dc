"""`planner optimize`: the fleet, layout and purchase with the least cost under a deadline, or the earliest finish."""

from __future__ import annotations

from dataclasses import replace

import click

from planner.cli.next_step import APPROVE, after
from planner.cli.options import OUT, Asked, Limit, book_of, common, format_option, priced_plan, worker_pool_in
from planner.cli.output import format_of, room_of, warn_of_prices, write_result
from planner.cli.progress import SEARCHING, counted, progress
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
    what else can be had, from the shortest to the cheapest run. Exit 10 if nothing keeps the limits.
    """
    from planner.api.optima import optimum_of

    style = format_of(style, out, ("table", "json", "md"))
    limits = [f"run.deadline={deadline}"] if deadline is not None else []
    limits += [f"constraints.max_cost_usd={budget:.15g}"] if budget is not None else []
    asked = replace(asked, overrides=(*asked.overrides, *limits))
    loaded, pool = worker_pool_in(asked.plan, asked.overrides)
    if pool is not None:
        from planner.cli import worker_pool

        return worker_pool.optimize(pool, asked, minimize, style, out, color=color, quiet=quiet)
    assert loaded is not None  # one of the two
    book = book_of(loaded, asked.prices, asked.as_of)
    request = asked.request_of(loaded, book, derivations=False, spares=False)
    with progress(SEARCHING, quiet=quiet) as shown:
        found = optimum_of(request, minimize, counted(shown))
    if style == "table":
        from planner.report.terminal.optimum_text import render

        room = room_of(out, color)
        text = render(
            found,
            width=room.width,
            colour=room.colour,
            ascii_only=room.ascii_only,
            top=top,
            plan_path=asked.plan,
            again=asked.again,
        )
    elif style == "json":
        from planner.report.data.optimum_json import render as render_json

        text = render_json(found)
    else:
        from planner.report.markdown.optimum_markdown import render as render_markdown

        text = render_markdown(found, plan_path=asked.plan, again=asked.again)
    write_result(text, out)
    warn_of_prices(found.comparison, asked.prices, style, quiet, color)
    from planner.report.wording.optimum import settings

    chosen = found.recommended
    after(asked, found.comparison, style, step=APPROVE, quiet=quiet, settings=settings(chosen) if chosen else ())
    return ExitCode.OK if found.recommended else ExitCode.GATE
