"""`planner node`: one node of a gang."""

from __future__ import annotations

import click

from planner.cli.options import common
from planner.cli.output import say, write_result
from planner.cli.stack_shared import stack_path
from planner.errors import UsageProblem


@click.group(short_help="Replace one node of a gang.")
def command() -> None:
    """One node of a stack's gang."""


@command.command()
@click.option("--stack", metavar="NAME", required=True, help="Name of the Pulumi stack.")
@click.option("--node", metavar="ID", required=True, help="The instance that ends, like i-0123456789abcdef0.")
@click.option("--limit-min", type=click.FloatRange(1), default=60, show_default=True, help="Wait at most so long.")
@common
def swap(stack: str, node: str, limit_min: float, color: str, quiet: bool, debug: bool) -> None:
    """End one node of the stack's gang and wait for the one that replaces it. Its job stops and has to start again from
    its newest checkpoint; the pool loses copies, and S3 has every object.
    """
    from planner.account import aws_client
    from planner.account.swap import Swap
    from planner.stack.file import read
    from planner.stack.names import scaling_groups

    path = stack_path(stack)
    if not path.is_file():
        raise UsageProblem(f"there is no {path}: run this where the stack file is")
    spec = read(path)
    came = Swap(
        groups=scaling_groups(spec),
        region=spec.region,
        make=aws_client.client,
        say=lambda text: say(text, quiet),
        limit_s=limit_min * 60,
    ).of(node)
    write_result(f"{came}\n", None)
    say("Next: planner acceptance PLAN --stack " + stack, quiet)
