"""Does a decision, in this order: evidence, drain, a second look at the group, then restart or replacement."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from fleet_pool.compat import frozen
from fleet_pool.health.decide import Decision, Group, Past, costs, decision, keeps_its_drain
from fleet_pool.health.doer import Doer
from fleet_pool.health.judge import Finding
from fleet_pool.health.limits import Action
from fleet_pool.health.records import FOLDER, OUT, Out, Records, boot_id, out_of, write
from fleet_pool.node.machine import NotReady
from fleet_pool.problems import PoolProblem

SETTLE_S = 3.0  # so that nodes that fail at the same moment see one another
EVIDENCE = "evidence"
KEPT_EVIDENCE = 20


@frozen
class Acting:
    """place: of this node among replacements. usd_per_hour: of one node, None where nobody knows. page: tells a person.
    ship: the evidence to where it outlives the node. busy: whether a process computes on the GPUs."""

    doer: Doer
    records: Records
    place: Callable[[tuple[Past, ...]], str]
    usd_per_hour: float | None
    page: Callable[[str], None]
    ship: Callable[[str], None]
    busy: bool = True
    state: Path = FOLDER
    dry_run: bool = False
    settle_s: float = SETTLE_S
    say: Callable[[str], None] = print


def act(acting: Acting, findings: tuple[Finding, ...], evidence: dict[str, str]) -> Out | None:
    """Why this node is out after this; None if it is not. What fails on the way is said, and what was done remains."""
    doer, now_s = acting.doer, time.time()
    before = out_of(doer.name, acting.state)
    worst = max((each.action for each in findings), default=Action.OK)
    if before and before.action is Action.RESTART and before.boot == boot_id() and doer.tries_again:
        acting.say(f"planner-health: {doer.restart(acting.busy)}")
    again = bool(before and before.action is Action.RESTART and before.boot != boot_id())
    if worst <= Action.REPORT or (before and before.action >= worst and not again):
        return before  # nothing new
    group = Group(nodes=0, out=0)
    past: tuple[Past, ...] = ()
    try:
        past = acting.records.past(now_s)
        group = doer.group(acting.records, now_s)
    except (NotReady, PoolProblem, OSError) as problem:
        acting.say(f"planner-health: the group is not known: {problem}")
    place = acting.place(past)
    decided = decision(findings, past, place, group, now_s)
    reason = "; ".join(word for word in (decided.reason, costs(group.nodes, acting.usd_per_hour)) if word)
    if acting.dry_run:
        acting.say(f"planner-health: would {decided.action.name.lower()}: {reason}{_because(decided)}")
        return before
    if decided.page:
        acting.page(f"{doer.name}: {reason}: {decided.page}")
    if decided.action <= Action.REPORT:
        acting.say(f"planner-health: {reason}{_because(decided)}")
        return before
    _keep_evidence(acting, reason, findings, evidence)
    if not _drained(acting, decided, reason, place, now_s, group, before):
        return before
    return _ended(acting, decided, reason)


def _because(decided: Decision) -> str:
    return f" ({decided.page})" if decided.page else ""


def _drained(
    acting: Acting, decided: Decision, reason: str, place: str, now_s: float, group: Group, before: Out | None
) -> bool:
    """Drains, looks whether too many did at the same moment, and takes it back if so. The records come first: a drain
    that nobody can see would not count."""
    doer = acting.doer

    def record(action: Action, at_s: float) -> None:
        acting.records.add(Past(at_s=at_s, place=place, instance=doer.name, action=action, check=decided.check))

    try:
        record(decided.action, now_s)
        doer.drain(reason)
        if not before:
            time.sleep(acting.settle_s)
            mine, others = doer.ranks(acting.records, time.time())
            if not keeps_its_drain(mine, others, group.nodes):
                record(Action.OK, time.time())
                doer.back(Action.DRAIN)
                acting.page(
                    f"{doer.name}: {reason}: not drained: too many nodes of its group failed at the same moment"
                )
                return False
    except (NotReady, PoolProblem, OSError) as problem:
        with suppress(PoolProblem, OSError):
            record(Action.OK, time.time())  # else it would count as out
        acting.page(f"{doer.name}: {reason}: not drained: {problem}")
        return False
    acting.say(f"planner-health: drained: {reason}")
    return True


def _ended(acting: Acting, decided: Decision, reason: str) -> Out:
    out = Out(
        instance=acting.doer.name,
        boot=boot_id(),
        at_s=time.time(),
        action=decided.action,
        check=decided.check,
        reason=reason,
    )
    write(acting.state / OUT, vars(out))
    try:
        if decided.action is Action.RESTART:
            acting.say(f"planner-health: {acting.doer.restart(acting.busy)}")
        elif decided.action is Action.REPLACE:
            acting.say(f"planner-health: {acting.doer.replace()}")
    except NotReady as problem:
        acting.say(f"planner-health: drained, and that is all: {problem}")
        done = "restarted" if decided.action is Action.RESTART else "replaced"
        acting.page(f"{acting.doer.name}: {reason}: drained, but not {done}: {problem}")
    return out


def _keep_evidence(acting: Acting, reason: str, findings: tuple[Finding, ...], evidence: dict[str, str]) -> None:
    """A reset clears error counters, so it is kept before anything is done; it never keeps a sick node in."""
    parts = {"findings": "\n".join([reason, *map(str, findings)]), **evidence}
    text = "".join(f"==> {name} <==\n{part.rstrip()}\n\n" for name, part in parts.items())
    folder = acting.state / EVIDENCE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{int(time.time()):d}.txt").write_text(text, encoding="utf-8")
        for old in sorted(folder.glob("*.txt"))[:-KEPT_EVIDENCE]:
            old.unlink()
        acting.ship(text)
    except (OSError, PoolProblem) as problem:
        acting.say(f"planner-health: the evidence is not kept everywhere: {problem}")


def back(acting: Acting) -> bool:
    """Brings the node back. False if it was not out. Raises NotReady, PoolProblem."""
    before = out_of(acting.doer.name, acting.state)
    if not before:
        return False
    now_s = time.time()
    place = acting.place(acting.records.past(now_s))
    acting.doer.back(before.action)
    acting.records.add(Past(at_s=now_s, place=place, instance=acting.doer.name, action=Action.OK, check=before.check))
    (acting.state / OUT).unlink(missing_ok=True)
    return True


def returned(acting: Acting) -> bool:
    """Whether somebody has brought the node back past this program: in Slurm, or Slurm itself after a restart. Its
    record is gone then, and the caller forgets the errors that the kernel has logged. Raises NotReady."""
    if not out_of(acting.doer.name, acting.state) or acting.doer.is_out():
        return False
    (acting.state / OUT).unlink()
    return True


def restarted_well(acting: Acting, findings: tuple[Finding, ...]) -> bool:
    """Whether a restart of ours has mended the node: the next boot's full look finds nothing to act on."""
    before = out_of(acting.doer.name, acting.state)
    well = max((each.action for each in findings), default=Action.OK) <= Action.REPORT
    return bool(before and before.action is Action.RESTART and before.boot != boot_id() and well)
