"""`planner explain`: any number of any output, traced to the plan, prices, catalogue and assumptions."""

from __future__ import annotations

import click

from planner.cli.next_step import APPROVE, after
from planner.cli.options import OUT, Asked, all_option, common, format_option, look_of, priced_plan
from planner.cli.output import format_of, write_result
from planner.cli.progress import Watched


@click.command()
@priced_plan
@click.argument("scenario", required=False)
@click.argument("number", metavar="[ID]", required=False)
@click.option(
    "--depth",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    metavar="N",
    help="Levels of inputs to expand; 0 expands all.",
)
@all_option("whole lists: every scenario, number, part and assumption")
@format_option(["text", "json"], "[default: by FILE's ending, else text]")
@OUT
@common
def command(
    asked: Asked,
    scenario: str | None,
    number: str | None,
    depth: int,
    everything: bool,
    style: str | None,
    out: str | None,
    color: str,
    quiet: bool,
    debug: bool,
) -> None:
    """Explain one number of one scenario of PLAN.

    SCENARIO is an id, a rank like 3, or best; if omitted, the scenarios are listed. ID is a bill line, such as
    storage.s3.standard, or any number of `compare -f json` by its path in the scenario, such as goodput.mtbf_hours or
    bill[0].list_cost, or the key of an assumption; if omitted, the numbers are listed. An ID without SCENARIO is of
    the recommended one.
    """
    style = format_of(style, out, ("text", "json"))
    ask = asked.ask()
    look = look_of(asked, out, depth=depth or None, everything=everything)
    told = ask.loaded.kind.part("numbers").told
    text, comparison = told(ask, scenario, number, style, look, Watched(quiet))
    write_result(text, out)
    after(asked, comparison, style, step=APPROVE, quiet=quiet)
