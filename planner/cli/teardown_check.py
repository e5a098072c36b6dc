"""`planner teardown-check`: what a stack still costs per day, and resources that its state does not know."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from planner.api.graphs import graph_of
from planner.cli.options import OUT, common, format_option
from planner.cli.output import format_of, room_of, say, write_result
from planner.cli.stack_shared import stack_path, text_of
from planner.errors import ExitCode, UsageProblem

if TYPE_CHECKING:
    from planner.stack.remaining_resources import Prices, Remaining
    from planner.stack.spec import ClusterSpec


@click.command()
@click.option("--stack", metavar="NAME", required=True, help="Name of the Pulumi stack.")
@click.option(
    "--state", type=click.Path(), metavar="FILE", help="Output of `pulumi stack export`; - is standard input."
)
@click.option(
    "--from-tags", is_flag=True, help="Search AWS for resources with the stack's tag. [default without --state]"
)
@click.option("--region", metavar="REGION", help="Region to search. [default: the stack file's]")
@format_option(["table", "json"], "[default: by FILE's ending]")
@OUT
@common
def command(
    stack: str,
    state: str | None,
    from_tags: bool,
    region: str | None,
    style: str | None,
    out: str | None,
    color: str,
    quiet: bool,
    debug: bool,
) -> int:
    """List what remains of a stack, with its cost per day at the plan's prices: in the state and on AWS, only on AWS
    (such as duplicates of an interrupted `up`), only in the state, and what was retained on purpose.

    Exits with 13 if anything remains that was not retained on purpose.
    """
    from planner.report.terminal.leftovers_text import as_json, table
    from planner.stack.deployed_resources import read_state
    from planner.stack.remaining_resources import remaining_resources

    style = format_of(style, out, ("table", "json"))
    known = None
    if state is not None:
        of, known = read_state(text_of(state), state)
        if of not in ("", stack):
            raise UsageProblem(f"{state} belongs to stack {of!r}, not {stack!r}")
    spec, why = _spec(stack)
    if why:
        say(f"{why}: costs are unknown", quiet)
    prices = prices_of(spec)
    tagged, where = None, ""
    if from_tags or state is None:
        from planner.account import aws_client
        from planner.account.stack_resources import stack_resources

        where = region or (spec.region if spec else "")
        if not where:
            raise UsageProblem("name a Region with --region, like us-east-1: there is no stack file to read it from")
        tagged = stack_resources(stack, where, aws_client.client)
    rows = remaining_resources(prices, known, tagged)
    if tagged is not None:
        rows = _counted(rows, where)
    if style == "json":
        found = as_json(stack, rows, state=known is not None, tags=tagged is not None)
        text = json.dumps(found, indent=2, ensure_ascii=False) + "\n"
    else:
        room = room_of(out)
        text = table(stack, rows, width=room.width, ascii_only=room.ascii_only)
    write_result(text, out)
    return ExitCode.BLOCKER if any(not row.retained for row in rows) else ExitCode.OK


def _counted(rows: tuple[Remaining, ...], region: str) -> tuple[Remaining, ...]:
    """Buckets with what lies in them."""
    from planner.account import aws_client
    from planner.account.bucket_size import stored_bytes
    from planner.cli.options import book_for
    from planner.stack.bucket_costs import BUCKET, with_stored

    now, listed = datetime.now(UTC), None
    found = []
    for row in rows:
        if row.kind == BUCKET and len(row.ids) == 1 and row.found != "state only":
            listed = listed or list(book_for(None).rows("metered"))
            row = with_stored(row, stored_bytes(row.ids[0], region, now, aws_client.client), listed, region)
        found.append(row)
    return tuple(found)


def prices_of(spec: ClusterSpec | None) -> Prices:
    """Dollars an hour of everything in a stack: those of the resource graph that `planner preview` shows."""
    from planner.stack.remaining_resources import Prices

    if spec is None:
        return Prices(spec=None, resources={})
    graph = graph_of(spec, "what each resource costs comes of")
    resources: dict[str, Any] = {entry["name"]: entry for entry in graph["resources"]}
    return Prices(spec=spec, resources=resources)


def _spec(stack: str) -> tuple[ClusterSpec | None, str]:
    """The cluster of the stack file, or why there is none: a stack without its file must be found all the same."""
    from planner.errors import PlanProblems
    from planner.stack.file import read

    path = stack_path(stack)
    if not path.is_file():
        return None, f"no {path} here"
    try:
        return read(path), ""
    except PlanProblems as error:
        return None, str(error)
