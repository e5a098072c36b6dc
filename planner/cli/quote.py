"""`planner quote`: one card, your way today against the plan."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planner.cli.next_step import command_of
from planner.cli.options import OUT, Asked, common, format_option, priced_plan, scenario_option
from planner.cli.output import format_of, room_of, warn_of_prices, write_result
from planner.cli.progress import Watched
from planner.errors import UsageProblem

if TYPE_CHECKING:
    from planner.kinds.asking import Ask


@click.command()
@priced_plan
@click.option(
    "--vs",
    metavar="on-demand|FILE",
    help="Your way today: On-Demand nodes, or the recommended choice of another plan file. [required]",
)
@scenario_option("The choice of PLAN", default="best")
@format_option(["text", "md", "svg"], "md for a message, svg for a slide. [default: by FILE's ending, else text]")
@OUT
@common
def command(
    asked: Asked,
    vs: str | None,
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

    \b
    Examples:
      planner quote plan.yaml --vs on-demand
      planner quote plan.yaml --vs today.yaml -o card.svg
    """
    from planner.answer.quote import ON_DEMAND

    if vs is None:
        raise UsageProblem(
            "--vs is missing: it names your way today, which the card compares the plan with. Write\n"
            f"    {command_of('quote', asked, ['--vs', ON_DEMAND])}\n"
            "or, instead of on-demand, the file of the plan of your way today"
        )
    style = format_of(style, out, ("text", "md", "svg"))
    ask = asked.ask()
    other = None if vs == ON_DEMAND else _today(vs, asked, ask)
    card, comparison = ask.loaded.kind.part("quoted").quoted(ask, scenario or "best", other, Watched(quiet))
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


def _today(file: str, asked: Asked, new: Ask) -> Ask:
    """Another plan of the same kind on the same price book. Raises PlanProblems or UsageProblem."""
    from planner.plan.load import load_any

    if not Path(file).exists():
        raise UsageProblem(f"--vs {file}: no such file; write on-demand, or name the plan of your way today")
    loaded = load_any(file)
    if loaded.kind is not new.loaded.kind:
        raise UsageProblem(f"--vs {file} is {loaded.kind.title}, and PLAN is {new.loaded.kind.title}")
    return replace(asked, plan=file, overrides=()).ask_of(loaded, new.book)
