"""`planner-health`: looks at this node's GPUs, network, drives and memory, and takes a sick node out of work."""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from fleet_pool.health import act as acts
from fleet_pool.health import collective, halving, look, passes, records
from fleet_pool.health.act import Acting, act, back, restarted_well
from fleet_pool.health.decide import place_of
from fleet_pool.health.doer import Alone, AutoScaling, Doer, Slurm, slurm_name
from fleet_pool.health.judge import of_kernel
from fleet_pool.health.kernel_log import Event, Stream
from fleet_pool.health.limits import LIMITS, SETTLED_S, SETTLING, Action
from fleet_pool.launch.bucket import Bucket
from fleet_pool.launch.here import bucket_of, settings_of
from fleet_pool.node import boot_log, ready, watch
from fleet_pool.node.facts import BadFacts, Expected, Node, expected_of, node_of
from fleet_pool.node.machine import Machine, NotReady
from fleet_pool.problems import Code, PoolProblem, UsageProblem

LEVELS = {"fast": 0, "start": 2, "deep": 3}
EVERY_S = 300.0  # between two fast looks of `watch`
SETTLE_PAUSE_S = 10.0
PASSES = records.FOLDER / "passes.jsonl"
VERBS = {
    "fast": "look for seconds: a Slurm prolog or HealthCheckProgram",
    "start": "look for two minutes, with DCGM level 2, before the node takes work",
    "deep": "look for a quarter of an hour, with DCGM level 3 (or 4): in a maintenance reservation",
    "watch": "follow the kernel log, and look fast every five minutes",
    "clear": "bring the node back after a person has looked at it",
    "pair": "measure the nodes of a job two by two, and name slow ones",
    "all-reduce": "measure all nodes of a job together, and find a slow one by halving",
}
EXITS = f"Exit codes: 0; 2 wrong arguments; 4 something cannot be asked; {int(Code.BLOCKER)} the node takes no jobs."


def main(words: Sequence[str] | None = None) -> int:
    """Runs one verb; its exit code."""
    given = parser().parse_args(words)
    environment = settings_of(os.environ)
    try:
        if given.verb in ("pair", "all-reduce"):
            return measured(given, environment)
        return {"watch": watched, "clear": cleared}.get(given.verb, looked)(given, environment)
    except (PoolProblem, BadFacts) as error:
        print(f"planner-health: {error}", file=sys.stderr)
        return error.code if isinstance(error, PoolProblem) else Code.USAGE
    except (NotReady, OSError) as error:
        print(f"planner-health: {error}", file=sys.stderr)
        return Code.AWS
    except KeyboardInterrupt:
        return Code.INTERRUPTED


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="planner-health", description=__doc__, epilog=EXITS, allow_abbrev=False)
    verbs = top.add_subparsers(dest="verb", required=True, metavar="VERB")
    for verb, about in VERBS.items():
        one = verbs.add_parser(verb, help=about, description=about, allow_abbrev=False)
        if verb in (*LEVELS, "watch"):
            one.add_argument("--dry-run", action="store_true", help="say what it would do")
        if verb == "deep":
            one.add_argument("--level", type=int, choices=(3, 4), default=3, help="of DCGM (default: 3)")
        if verb in ("pair", "all-reduce"):
            one.add_argument("--log", type=Path, default=PASSES, help=f"of all passes (default: {PASSES})")
            one.add_argument("--drain", action="store_true", help="drain slow nodes in Slurm (default: name them)")
    return top


def looked(given: argparse.Namespace, environment: Mapping[str, str]) -> int:
    expected, node = facts(environment)
    acting = acting_of(environment, node, dry_run=given.dry_run)
    if not given.dry_run and acts.returned(acting):
        _forget(environment)
    if given.verb == "start":
        _settle(_looker(environment, expected))
    seen = _looker(environment, expected, getattr(given, "level", LEVELS[given.verb])).look()
    for each in seen.findings:
        print(f"planner-health: {each}", flush=True)
    acting = replace(acting, busy=seen.busy)
    if given.verb == "start" and restarted_well(acting, seen.findings) and back(acting):
        print("planner-health: the restart has helped: the node is back", flush=True)
    out = act(acting, seen.findings, seen.evidence)
    sick = any(each.action > Action.REPORT for each in seen.findings)
    verdict = f"out: {out.reason}" if out else "takes jobs all the same" if sick else "takes jobs"
    print(f"planner-health: {verdict}", flush=True)
    return Code.BLOCKER if out else Code.OK


def watched(given: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Until it is stopped."""
    expected, node = facts(environment)
    if not expected.nvidia:
        print("planner-health: this node has no NVIDIA GPUs: nothing to watch", flush=True)
        return Code.OK
    stream, next_s = Stream(look.cleared(_state(environment))), time.monotonic() + EVERY_S
    events: list[Event] = []
    for line in look.records(look.KMSG, follow=True):
        events += stream.new([line])
        if line:
            continue
        # the log is quiet: one error may write many lines
        found = tuple(of_kernel(events))
        for each in found:
            print(f"planner-health: {each}", flush=True)
        if any(each.action > Action.REPORT for each in found):
            # what the GPUs say belongs to the evidence
            seen = _looker(environment, expected).look()
            acting = replace(acting_of(environment, node, dry_run=given.dry_run), busy=seen.busy)
            act(acting, tuple(dict.fromkeys((*found, *seen.findings))), seen.evidence)
        elif time.monotonic() >= next_s:
            looked(argparse.Namespace(verb="fast", dry_run=given.dry_run), environment)
            next_s = time.monotonic() + EVERY_S
        events = []
    return Code.OK


def _settle(looker: look.Looker) -> None:
    """Waits for what takes a while after a boot."""
    while ready.since_boot_s() < SETTLED_S and any(each.check in SETTLING for each in looker.look().findings):
        time.sleep(SETTLE_PAUSE_S)


def _forget(environment: Mapping[str, str]) -> None:
    """Errors that the kernel log has now do not count again."""
    if look.KMSG.exists():
        last = {"boot": records.boot_id(), "sequence": look.last_record(look.KMSG)}
        records.write(_state(environment) / look.CLEARED, last)


def cleared(given: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Brings the node back, and forgets what the kernel has logged."""
    _, node = facts(environment)
    _forget(environment)
    done = back(acting_of(environment, node, dry_run=False))
    print(f"planner-health: {'the node takes jobs again' if done else 'the node was not out'}", flush=True)
    return Code.OK


def measured(given: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """13 if a node is slow, or if no two nodes are fast together."""
    expected, node = facts(environment)
    using = collective.using(environment, expected.nvidia, Machine(look.FAST_S))
    program, nodes, reports, shared = using.program, using.nodes, using.reports, using.shared
    if len(nodes) < 2:
        raise UsageProblem("bandwidth between nodes needs two nodes at least")
    together = given.verb == "all-reduce"
    bucket = bucket_of(environment, node, look.FAST_S) if reports and together and node is not None else None
    earlier = _earlier(given.log, bucket, program, len(nodes)) if reports and together else ()

    def one(some: halving.Nodes) -> float:
        done = halving.Pass(at_s=time.time(), program=program, nodes=some, gb_s=using.measure(some))
        if reports:
            collective.keep(given.log, done)
            print(f"planner-health: {done.gb_s:9.3f} GB/s over {len(some)} nodes: {_short(some)}", flush=True)
        if bucket is not None and some == nodes and done.gb_s:
            try:
                passes.add(bucket, earlier, done)
            except PoolProblem as problem:
                print(f"planner-health: this pass is kept on this node alone: {problem}", flush=True)
        return done.gb_s

    if given.verb == "pair":
        speeds = {pair: one(pair) for some in halving.rounds(nodes, 3) for pair in some}
        found = halving.Searched(slow=halving.slow_in_pairs(speeds, LIMITS["pair"].most), unclear=())
    else:
        found = _by_halving(nodes, one, halving.usual(earlier, program, len(nodes)), shared, reports)
    if not reports:
        return Code.OK
    for node in found.slow:
        reason = f"{given.verb}: slow beside the others, see {given.log}"
        print(f"planner-health: {node}: {reason}", flush=True)
        if given.drain:
            Slurm(node, Machine(look.FAST_S)).drain(reason)
    if found.unclear:
        print(
            "planner-health: no two of these nodes are fast together: look at the network, or at the test", flush=True
        )
    return Code.BLOCKER if found.slow or found.unclear else Code.OK


def _earlier(log: Path, bucket: Bucket | None, program: str, nodes: int) -> Sequence[halving.Pass]:
    """Of the bucket, where nodes that are gone have kept theirs; of the log on a machine that no stack has made."""
    try:
        return collective.kept(log) if bucket is None else passes.read(bucket, program, nodes)
    except PoolProblem as problem:
        print(f"planner-health: passes in the data bucket are not known: {problem}", flush=True)
        return collective.kept(log)


def _by_halving(
    nodes: halving.Nodes,
    one: Callable[[halving.Nodes], float],
    usual: halving.Usual | None,
    shared: Callable[[float], float],
    reports: bool,
) -> halving.Searched:
    """Against earlier passes. Without enough of them, the pass is the start of the log and accuses nobody."""
    # in torch.distributed only the first rank reads the log, and all follow it
    limit = shared(LIMITS["all-reduce"].most * usual.median if usual else 0.0)
    if reports and usual:
        print(
            f"planner-health: usual: median {usual.median:.1f}, p5 {usual.p5:.1f} GB/s of {usual.passes} passes",
            flush=True,
        )
    elif reports:
        print(
            f"planner-health: fewer than {halving.FEWEST_PASSES} earlier passes: nothing to compare with yet",
            flush=True,
        )
    return halving.slow_nodes(nodes, lambda some: one(some) >= limit)


def facts(environment: Mapping[str, str]) -> tuple[Expected, Node | None]:
    """What this node has, and which it is; no node on a machine that no stack of ours has made. Raises BadFacts."""
    expected = expected_of(environment.get("PLANNER_EXPECTED", ""))
    return expected, node_of(environment) if environment.get("PLANNER_ROLE") else None


def _state(environment: Mapping[str, str]) -> Path:
    """Several nodes on one host, as tests of Slurm have them, need a folder each."""
    return Path(environment.get("STATE_DIRECTORY") or records.FOLDER)


def _looker(environment: Mapping[str, str], expected: Expected, level: int = 0) -> look.Looker:
    up_s = ready.since_boot_s
    return look.Looker(
        expected, Machine(look.FAST_S), level=level, state=_state(environment), kmsg=look.KMSG, up_s=up_s
    )


def acting_of(environment: Mapping[str, str], node: Node | None, *, dry_run: bool) -> Acting:
    machine, host = Machine(look.FAST_S), socket.gethostname().partition(".")[0]
    named = slurm_name(dict(environment), host, machine)
    grouped = node is not None and bool(node.group)
    doer: Doer
    if named:
        doer = Slurm(named, machine)
    elif node is not None and grouped:
        doer = AutoScaling(node, machine)
    else:
        doer = Alone(node.instance if node else host)
    kept: records.Records = records.InFolder(_state(environment) / "past")
    if node is not None and grouped:
        kept = records.InBucket(bucket_of(environment, node, look.FAST_S), node.group)
    launched_s = time.time() - ready.since_boot_s()

    def page(text: str) -> None:
        print(f"planner-health: a person has to look: {text}", flush=True)
        if node is not None and node.counted:
            try:
                watch.publish((watch.problems_of(node, 1),), node.region)
            except (OSError, subprocess.SubprocessError) as problem:
                print(f"planner-health: CloudWatch was not told: {problem}", flush=True)

    def ship(text: str) -> None:
        if node is not None:
            key = f"{boot_log.PREFIX}{node.instance}/health-{int(time.time())}.txt"
            bucket_of(environment, node, look.FAST_S).write(key, text.encode())

    price = environment.get(records.PRICE, "")
    return Acting(
        doer=doer,
        records=kept,
        place=lambda past: named or place_of(doer.name, launched_s, past),
        usd_per_hour=float(price) if price else None,
        page=page,
        ship=ship,
        state=_state(environment),
        dry_run=dry_run,
        settle_s=acts.SETTLE_S,
    )


def _short(nodes: Sequence[str]) -> str:
    return " ".join(nodes[:4]) + (f" and {len(nodes) - 4} more" if len(nodes) > 4 else "")


if __name__ == "__main__":
    sys.exit(main())
