"""`planner spot`: whether a run should leave spot by the rule of its stack, and the move to On-Demand."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from planner.cli.leave import BY_LOGIN_NODE
from planner.cli.leave import command as leave
from planner.cli.options import OUT, common, format_option
from planner.cli.output import format_of, say, write_result
from planner.cli.stack_shared import stack_path
from planner.errors import ExitCode, UsageProblem

if TYPE_CHECKING:
    from planner.stack.spec import ClusterSpec, Fallback

STACK = click.option("--stack", metavar="NAME", required=True, help="Name of the Pulumi stack.")


@click.group(name="spot")
def command() -> None:
    """Watch what spot costs a run, and move it to On-Demand by the rule of its stack.

    A row on spot is recommended only where something shows that such a gang lasts: one node, a public record of the
    type, or your own count as reliability.spot_observed. Count it from CloudWatch, from EC2 Capacity Manager
    (interruptions by type and zone), from the starts of spot instances in a CUR, or from a recording (`planner traces
    show` has the line to write).
    """


@command.command()
@STACK
@format_option(["table", "json"], "[default: by FILE's ending]")
@OUT
@common
def watch(stack: str, style: str | None, out: str | None, color: str, quiet: bool, debug: bool) -> int:
    """Add up what spot has cost the run so far, from CloudWatch's records of its nodes, and compare it with the limit
    in the stack file.

    Exits with 15 if the rule moves the run to On-Demand now.
    """
    from planner.account import aws_client
    from planner.account.group_history import history_of
    from planner.report.terminal import spot_text
    from planner.stack.names import physical
    from planner.stack.spot_losses import losses_of

    style = format_of(style, out, ("table", "json"))
    spec, rule = _spec(stack)
    if spec.buying.kind == "on-demand":
        say(f"stack {stack} has left spot: nothing to watch", quiet)
        return ExitCode.OK
    now, group = datetime.now(UTC).replace(microsecond=0), physical(stack, "fleet-group")
    history = history_of(group, spec.region, now, aws_client.client)
    if history is None:
        raise UsageProblem(
            f"CloudWatch has no record of group {group} in {spec.region}: it does not exist yet, or has "
            "existed for less than a few minutes"
        )
    found = losses_of(history, rule)
    if style == "json":
        text = json.dumps(spot_text.document(stack, history, found, now), indent=2) + "\n"
    else:
        text = spot_text.lines(stack, history, found, rule)
    write_result(text, out)
    return ExitCode.MOVE if found.moves else ExitCode.OK


# another name of `planner leave`, which also leaves Capacity Blocks
command.add_command(leave)


def _spec(stack: str) -> tuple[ClusterSpec, Fallback]:
    """The cluster of a stack file and its rule. Raises UsageProblem for one without a rule."""
    from planner.stack.file import read

    path = stack_path(stack)
    if not path.is_file():
        raise UsageProblem(f"there is no {path}: `planner stack PLAN --stack {stack}` writes it")
    spec = read(path)
    if spec.scheduler and spec.scheduler.markets:
        raise UsageProblem(f"{path}: {BY_LOGIN_NODE}")
    if spec.fallback is None:
        raise UsageProblem(f"{path} is of {spec.scenario}, which has no rule that leaves spot; spot-fallback has one")
    return spec, spec.fallback
