"""What a node does next, from what the bucket and the other nodes say. Pure: the agent looks and carries out.

Every node decides alone, from the same records. Where two decide differently the bucket keeps the record that came
first, and both follow it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Union

from fleet_pool.compat import frozen
from fleet_pool.launch.outcome import DONE, FAILED, HUNG, LOST, SHORT, STOPPED, Exit, all_done, worst
from fleet_pool.launch.ranks import Member, Order, rank_order
from fleet_pool.launch.records import Plan, Run

SETTLE_S = 15.0  # after the first failure: time for the exits of the others, so that the worst is the worst of all


@frozen
class View:
    """One look. joined: whether this node has offered itself. offers: nodes that did and answer. waited_s: since this
    node did. exits: by rank. rank, running, code: of this node's command, code None while it runs. silent_s: by
    instance, since it last answered. quiet_s: by instance, since its command last wrote. failed_s: since the first
    failure was seen. idle_s: since the run last gave a sign of life in the bucket, by S3's clock."""

    me: Member
    run: Run
    attempt: int
    joined: bool
    offers: Sequence[Member]
    waited_s: float
    plan: Plan | None
    exits: Mapping[int, Exit]
    stop: bool
    started: bool
    code: int | None
    silent_s: Mapping[str, float]
    quiet_s: Mapping[str, float]
    failed_s: float
    idle_s: float


@frozen
class Wait:
    """Nothing to do. why: what for."""

    why: str


@frozen
class Join:
    """Offer this node for the attempt."""


@frozen
class Propose:
    """Write the plan."""

    order: Order


@frozen
class Start:
    """Start the command here."""

    rank: int


@frozen
class Report:
    """Say how the command ended here."""

    rank: int


@frozen
class Declare:
    """Say how the attempt ended."""

    kind: str
    why: str


Step = Union[Wait, Join, Propose, Start, Report, Declare]


def decide(view: View) -> Step:
    """The next step of an attempt that has no result yet."""
    if view.stop:
        return Declare(kind=STOPPED, why="stopped on request")
    if view.plan is None:
        return _gather(view)
    rank = rank_of(view.plan, view.me.instance)
    if rank is None:
        return _spare(view, view.plan)
    if view.plan.members[rank].incarnation != view.me.incarnation:
        # this node was in the attempt in an earlier life: its command is gone
        if view.idle_s > view.run.resume_s:
            return _stale(view)
        return Declare(kind=LOST, why=f"{view.me.instance} (rank {rank}) or its agent was started again")
    if not view.started:
        return Start(rank=rank)
    if view.code is not None and rank not in view.exits:
        return Report(rank=rank)
    return _judge(view, view.plan, rank)


def rank_of(plan: Plan, instance: str) -> int | None:
    return next((rank for rank, member in enumerate(plan.members) if member.instance == instance), None)


def _gather(view: View) -> Step:
    run = view.run
    if not view.joined:
        return _stale(view) if view.idle_s > run.resume_s else Join()
    if len(view.offers) >= run.nodes:
        return Propose(order=rank_order(view.offers, run.nodes))
    came = ", ".join(sorted(member.instance for member in view.offers)) or "none"
    if view.waited_s > run.wait_s:
        return Declare(
            kind=SHORT, why=f"{len(view.offers)} of {run.nodes} nodes came within {run.wait_s / 60:g} min: {came}"
        )
    return Wait(why=f"{len(view.offers)} of {run.nodes} nodes are here: {came}")


def _spare(view: View, plan: Plan) -> Step:
    """A node that is not needed steps in only if the whole attempt is silent: whom it cannot reach alone may live."""
    silent = [view.silent_s.get(member.instance, 0.0) for member in plan.members]
    if min(silent) <= view.run.node_s:
        return Wait(why=f"attempt {view.attempt} runs on {len(plan.members)} other nodes")
    if view.idle_s > view.run.resume_s:
        return _stale(view)
    return Declare(kind=LOST, why=f"no node of attempt {view.attempt} answers")


def _stale(view: View) -> Step:
    days = view.idle_s / 86400
    return Wait(why=f"run {view.run.number} is stale: its last sign of life is {days:.1f} days old")


def _judge(view: View, plan: Plan, rank: int) -> Step:
    exits, nodes = view.exits, len(plan.members)
    if all_done(exits, nodes):
        return Declare(kind=DONE, why=f"{nodes} nodes succeeded")
    # rank 0 watches everybody, everybody watches rank 0: as many questions as nodes
    watched = [n for n in range(nodes) if n != rank and n not in exits and 0 in (n, rank)]
    silent = {n: view.silent_s.get(plan.members[n].instance, 0.0) for n in watched}
    longest = max(silent, key=lambda n: silent[n], default=rank)
    if any(each.code for each in exits.values()) and (len(exits) == nodes or view.failed_s > SETTLE_S):
        if silent.get(longest, 0.0) > SETTLE_S:
            return _lost(plan, longest, silent[longest])
        bad = worst(list(exits.values()))
        return Declare(kind=FAILED, why=f"rank {bad.rank} ({plan.members[bad.rank].instance}): exit code {bad.code}")
    if silent.get(longest, 0.0) > view.run.node_s:
        return _lost(plan, longest, silent[longest])
    if rank == 0 and view.run.hang_s:
        quiet = [view.quiet_s.get(member.instance, 0.0) for n, member in enumerate(plan.members) if n not in exits]
        if quiet and min(quiet) > view.run.hang_s:
            return Declare(kind=HUNG, why=f"no node has written output for {view.run.hang_s / 60:g} min")
    return Wait(why=f"attempt {view.attempt} runs")


def _lost(plan: Plan, rank: int, silent_s: float) -> Declare:
    return Declare(kind=LOST, why=f"{plan.members[rank].instance} (rank {rank}) has not answered for {silent_s:.0f} s")
