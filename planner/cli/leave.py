"""`planner leave`: the move of a run to On-Demand nodes, from spot by its rule or from a Capacity Block that ends."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from planner.cli.options import book_for, common
from planner.cli.output import columns, say, write_result
from planner.cli.stack_shared import stack_path
from planner.errors import UsageProblem

if TYPE_CHECKING:
    from planner.stack.spec import ClusterSpec


BY_LOGIN_NODE = (
    "the login node of its Slurm cluster sends each gang to spot or On-Demand nodes by itself; `sbatch "
    "--reservation=planner-on-demand` starts a job On-Demand"
)


@click.command(name="leave")
@click.option("--stack", metavar="NAME", required=True, help="Name of the Pulumi stack.")
@click.option(
    "--budget",
    type=click.FloatRange(min=0, min_open=True),
    metavar="USD",
    help="Budget of the stack from now on. [default: as it is]",
)
@common
def command(stack: str, budget: float | None, color: str, quiet: bool, debug: bool) -> None:
    """Write On-Demand into the stack file of a run that leaves spot or its Capacity Block; `pulumi up` then changes
    the group in place.

    Storage, network and bucket stay as they are. There is no way back to spot in the same run: the rule moves once.
    """
    from planner.cli.leave_words import next_steps
    from planner.stack.file import open_file, read, rendered, write
    from planner.stack.leaving import has_left, off_blocks, off_spot

    path = stack_path(stack)
    if not path.is_file():
        raise UsageProblem(f"there is no {path}: `planner stack PLAN --stack {stack}` writes it")
    spec = read(path)
    if has_left(spec) and budget is None:
        what = "its Capacity Block" if spec.buying.left_blocks else "spot"
        say(f"stack {stack} has left {what} already: {path} is unchanged", quiet)
        return
    moved = spec
    if not has_left(spec):
        _check(spec, str(path))
        moved = off_spot(spec) if spec.may_leave_spot else off_blocks(spec, _on_demand_usd(spec))
    if budget is not None:
        moved = replace(moved, guard=replace(moved.guard, budget_usd=budget))
    write(path, rendered(moved, open_file(path).text, where=str(path)))
    write_result(next_steps(spec, moved, columns()), None)
    say(f"Wrote {path}", quiet)


def _check(spec: ClusterSpec, path: str) -> None:
    """Raises UsageProblem for a stack that is in nothing that it could leave."""
    from planner.stack.reservations import bought

    scenario = f"{spec.scenario.rpartition('/')[0]}/on-demand"
    on_demand = f"`planner stack PLAN --scenario {scenario} --stack {spec.stack} --force`"
    if spec.scheduler and spec.scheduler.markets:
        raise UsageProblem(f"{path}: {BY_LOGIN_NODE}")
    if spec.buying.kind == "spot" and not spec.may_leave_spot:
        raise UsageProblem(
            f"{path} is of {spec.scenario}, which has no rule that leaves spot; spot-fallback has one. "
            f"{on_demand} moves it without a rule"
        )
    if spec.buying.kind == "capacity-block" and not bought(spec):
        raise UsageProblem(f"{path} has no Capacity Block that is bought, so there is none to leave: {on_demand}")
    if spec.buying.kind in ("on-demand", "reservation"):
        raise UsageProblem(f"{path} is of {spec.scenario}, whose nodes are On-Demand already: nothing to leave")


def _on_demand_usd(spec: ClusterSpec) -> float | None:
    """List price of all GPU nodes an hour, in the newest book; None, and a note, where it has none."""
    try:
        return book_for(None).on_demand(spec.fleet.instance_type, spec.region).usd * spec.fleet.nodes
    except LookupError as error:
        say(f"note: {error}; `planner prices add` takes your own")
        return None
