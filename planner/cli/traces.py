"""`planner traces`: what recordings of spot capacity say of a market."""

from __future__ import annotations

import click

from planner.cli.options import OUT, common, format_option
from planner.cli.output import format_of, room_of, write_result


@click.group(name="traces")
def command() -> None:
    """Read recordings of spot capacity: how much could be had, how often it was lost, how long it took to come back."""


@command.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILE...")
@click.option(
    "--nodes",
    type=click.IntRange(1),
    metavar="N",
    help="Size of the gang: all of its nodes must be available at once. [default: the most that each file shows]",
)
@format_option(["table", "json"], "[default: by FILE's ending, else table]")
@OUT
@common
def show(
    files: tuple[str, ...],
    nodes: int | None,
    style: str | None,
    out: str | None,
    color: str,
    quiet: bool,
    debug: bool,
) -> None:
    """Show the capacity, interruptions and waits of each FILE, and how well a generator fits it.

    A FILE is JSON as published in github skypilot-org/spot-traces: {"metadata": {"gap_seconds": 600}, "data": [1, 0]},
    the number of nodes that were available in each tick. Several files with the same tick are also taken as zones of
    one data set. MTBF is the mean time a complete gang runs between interruptions, Wait the mean time until it is
    complete again, First wait the same from a random moment.
    """
    from planner.spot.shown import recordings_of
    from planner.spot.trace_file import trace_in

    style = format_of(style, out, ("table", "json"))
    found = recordings_of([trace_in(file) for file in files], nodes)
    if style == "json":
        from planner.report.data.traces_json import render as render_json

        text = render_json(found)
    else:
        from planner.report.terminal.traces_text import render

        room = room_of(out, color)
        text = render(found, width=room.width, ascii_only=room.ascii_only)
    write_result(text, out)
