"""`planner backtest`: published figures replayed through the planner's own equations and plans."""

from __future__ import annotations

from pathlib import Path

import click

from planner.cli.options import OUT, common, format_option
from planner.cli.output import format_of, room_of, write_result


@click.command()
@click.option(
    "--cases",
    type=click.Path(),
    metavar="FILE",
    help="A CSV file of other figures, one a row. [default: those that the planner brings]",
)
@format_option(["table", "json", "md"], "[default: by FILE's ending, else table]")
@OUT
@common
def command(cases: str | None, style: str | None, out: str | None, color: str, quiet: bool, debug: bool) -> None:
    """Replay published figures through the same equations and plans, and say which of them the planner reproduces.

    Each case fixes its inputs and the date of its prices. FILE has a first line with the columns id, published_result,
    equation and inputs; story, quantity, given_inputs, unit, tolerance, source_ref, date, prices and comment may be
    left out. equation is a name or number of `planner calc --list`, and inputs are its inputs as k=v; k=v. A price
    (price:p4d.24xlarge) needs the date of a price book in the column prices. published_result is a number, a range
    (0.29..0.49), a bound (<50000), or refused for what must not be answered. docs/evidence.md has the result.
    """
    from planner.evidence.case import cases_in, shipped_cases
    from planner.evidence.replay import backtest

    style = format_of(style, out, ("table", "json", "md"))
    found = backtest(shipped_cases() if cases is None else cases_in(Path(cases)))
    if style == "json":
        from planner.report.data.backtest_json import render as render_json

        text = render_json(found)
    elif style == "md":
        from planner.report.markdown.backtest_markdown import render as render_markdown

        text = render_markdown(found)
    else:
        from planner.report.terminal.backtest_text import render

        room = room_of(out, color)
        text = render(found, width=room.width, colour=room.colour, ascii_only=room.ascii_only)
    write_result(text, out)
