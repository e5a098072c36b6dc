"""`planner demand`: what a file of past demand says."""

from __future__ import annotations

import click

from planner.cli.options import OUT, common, format_option
from planner.cli.output import format_of, room_of, write_result


@click.group(name="demand")
def command() -> None:
    """Read past demand: the jobs of a Slurm cluster, or the instances of each hour."""


@command.command()
@click.argument("file", type=click.Path(), metavar="FILE")
@click.option(
    "--zone", metavar="ZONE", help="Time zone of sacct's times, such as Europe/Berlin, where they name no offset."
)
@format_option(["table", "json"], "[default: by FILE's ending, else table]")
@OUT
@common
def show(file: str, zone: str | None, style: str | None, out: str | None, color: str, quiet: bool, debug: bool) -> None:
    """Show what FILE contains, whether the old fleet limited it, and how far it can be trusted.

    FILE is what `sacct -a -X --parsable2 --format=JobID,Account,Partition,Submit,Eligible,Start,End,Elapsed,Timelimit,
    State,NNodes,AllocTRES,ReqTRES` prints, or what `planner mix` reads. Demand is censored where running and waiting
    jobs needed more than ever ran at once in at least 1 % of the time: what ran is then less than what was needed.
    Hours show no queue and cannot tell.
    """
    from planner.demand.read import shown_of

    style = format_of(style, out, ("table", "json"))
    shown = shown_of(file, zone)
    if style == "json":
        from planner.report.data.demand_json import render as render_json

        text = render_json(shown)
    else:
        from planner.report.terminal.demand_text import render

        room = room_of(out, color)
        text = render(shown, file, width=room.width, ascii_only=room.ascii_only)
    write_result(text, out)
