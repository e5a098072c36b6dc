"""`planner quote`: one card, your way today against the plan."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planner.api.arguments import named
from planner.cli.options import OUT, Asked, common, format_option, priced_plan, scenario_option
from planner.cli.output import format_of, room_of, warn_of_prices, write_result
from planner.cli.progress import counted, progress
from planner.errors import UsageProblem
from planner.kinds.asking import PRICING

if TYPE_CHECKING:
    from planner.estimate.request import Request
    from pricing.book import PriceBook


@click.command()
@priced_plan
@click.option(
    "--vs",
    required=True,
    metavar="on-demand|FILE",
    help="Your way today: the plan's first On-Demand choice, or the recommended choice of another plan file.",
)
@scenario_option("The choice of PLAN", default="best")
@format_option(["text", "md", "svg"], "md for a message, svg for a slide. [default: by FILE's ending, else text]")
@OUT
@common
def command(
    asked: Asked,
    vs: str,
    scenario: str | None,
    style: str | None,
    out: str | None,
    color: str,
    quiet: bool,
    debug: bool,
) -> None:
    """Show on one card what PLAN saves against your way today, as a range.

    Both ways are simulated with the same draws and the same price book, so that the saving is known in each outcome.
    They have to do the same work. Where your way is as cheap, or cheaper, the card says so.
    """
    from planner.decide.compare import compare
    from planner.decide.quote import ON_DEMAND, Side, check_comparable, on_demand, quote, today
    from planner.kinds.training.answers import request_of
    from planner.report.wording.quote import card_of

    style = format_of(style, out, ("text", "md", "svg"))
    ask = asked.ask()
    request = request_of(ask, derivations=False)
    other = None
    if vs != ON_DEMAND:
        other = _today(vs, asked, ask.book)
        check_comparable(other, request)
    with progress(PRICING, quiet=quiet) as shown:
        comparison = compare(request, counted(shown))
        new = Side(scenario=named(comparison, scenario or "best"), comparison=comparison)
        if other is None:
            other, old = on_demand(request, comparison, counted(shown))
        else:
            old = today(compare(other, counted(shown)))
    card = card_of(quote((other, old), (request, new)))
    if style == "md":
        from planner.report.markdown.quote import render as render_markdown

        text = render_markdown(card)
    elif style == "svg":
        from planner.report.pictures.quote import svg

        text = svg(card)
    else:
        from planner.report.terminal.quote_text import render

        room = room_of(out)
        text = render(card, width=room.width, ascii_only=room.ascii_only)
    write_result(text, out)
    warn_of_prices(comparison, asked.prices, style, quiet, color)


def _today(file: str, asked: Asked, book: PriceBook) -> Request:
    """Another plan on the same price book. Raises PlanProblems or UsageProblem."""
    from planner.kinds.training.answers import request_of
    from planner.plan.load import load_plan

    if not Path(file).exists():
        raise UsageProblem(f"--vs {file}: no such file; write on-demand, or name the plan of your way today")
    return request_of(replace(asked, plan=file, overrides=()).ask_of(load_plan(file), book), derivations=False)
