"""Commands about the pool and its nodes: status, capacity, canary, drain, undrain, notice."""

from __future__ import annotations

import argparse
import os
import secrets
import shlex
import time
from typing import Any

from fleet_pool import settings
from fleet_pool.operate import bench_command
from fleet_pool.operate.options import (
    client,
    formats,
    note_writer,
    positive,
    reachable_client,
    seconds,
    timeout,
    verb,
    whole,
    write,
)
from fleet_pool.operate.table import counted
from fleet_pool.problems import Code, UsageProblem

STATUS_LIMIT_S = 20.0
EACH_S = 5.0  # a healthy daemon answers in milliseconds
LARGEST_CANARY_MIB = 100  # uploaded in one piece; larger objects go up in parts


def add(verbs: Any) -> None:
    about = "Check every daemon. Exit code 13 if a target or drive is missing, full, faulty or silent."
    found = verb(verbs, "status", _status, about)
    found.add_argument("--targets", type=whole, metavar="N", help="number of targets that must be active")
    found.add_argument("--drives", type=whole, metavar="N", help="number of drives that each target must have")
    timeout(found, STATUS_LIMIT_S, "stop asking after S seconds")
    found.add_argument(
        "--each-s",
        type=seconds,
        default=EACH_S,
        metavar="S",
        help=f"time limit of each daemon [default: {EACH_S:g}]",
    )
    formats(found)

    about = "Show how much the pool guarantees to hold, and how fast S3 may fill it. Exit code 10 if too little."
    found = verb(verbs, "capacity", _capacity, about)
    found.add_argument("--hot-tb", type=positive, metavar="TB", help="training data that must fit")
    found.add_argument("--cold-gb-per-s", type=positive, metavar="GB/S", help="S3 read rate that must be sustained")
    found.add_argument("--watch-s", type=seconds, metavar="S", help="measure the S3 rate for S seconds, 20 or more")
    formats(found)

    about = "Write an object through every target, find it in S3, read it. Exit code 13 if bytes differ or are missing."
    found = verb(verbs, "canary", _canary, about)
    found.add_argument("bucket", metavar="BUCKET", help="a registered bucket")
    found.add_argument("--size-mib", type=positive, default=1.0, metavar="MIB", help="size of the object [default: 1]")
    found.add_argument("--each-s", type=seconds, default=30.0, metavar="S", help="limit of each step [default: 30]")
    formats(found)

    about = "One node's part of a measurement of the pool that all nodes make at once; `planner acceptance` starts it."
    found = verb(verbs, "bench", _bench, about)
    found.add_argument("bucket", metavar="BUCKET", help="a registered bucket")
    bench_command.arguments(found)

    found = verb(verbs, "drain", _drain, "Take nodes out of the pool without errors at clients.")
    found.add_argument("ids", metavar="ID", nargs="+", help="daemon ids from `status`; they leave in one change")
    found.add_argument("--stop", metavar="UNIT", default="", help="then stop this systemd unit on this machine")
    timeout(found, settings.NOTICE_S / 2)

    found = verb(verbs, "undrain", _undrain, "Return drained nodes, whose daemons still run, to the pool.")
    found.add_argument("ids", metavar="ID", nargs="+", help="daemon ids")
    timeout(found, settings.NOTICE_S / 2)

    about = "Wait for a spot interruption or scale-in notice for this instance, then drain and stop its daemon in time."
    found = verb(verbs, "notice", _notice, about)
    found.add_argument("ids", metavar="ID", nargs="+", help="daemon ids of this node")
    found.add_argument("--stop", metavar="UNIT", default="", help="systemd unit of the daemon, stopped after the drain")
    found.add_argument("--before", metavar="COMMAND", default="", help="runs first, to notify the job; no shell")
    found.add_argument(
        "--after",
        metavar="COMMAND",
        default="",
        help="runs last, to complete the lifecycle action; no shell",
    )
    found.add_argument(
        "--ask-control",
        action="store_true",
        help="ask the control nodes for the drain, since this node has no administrator's token",
    )
    poll = settings.NOTICE_POLL_S
    found.add_argument("--poll-s", type=seconds, default=poll, metavar="S", help=f"check every S s [default: {poll}]")


def _status(given: argparse.Namespace) -> int:
    from fleet_pool.operate.status import Expected, status
    from fleet_pool.operate.status_text import as_data, as_text

    expected = Expected(targets=given.targets, drives=given.drives)
    pool = client(given, attempt_s=given.each_s)
    found = status(pool, expected, limit_s=given.timeout_s, each_s=given.each_s)
    write(given, as_text(found), as_data(found))
    return Code.OK if found.healthy else Code.BLOCKER


def _capacity(given: argparse.Namespace) -> int:
    from fleet_pool.operate.capacity import as_data, as_text, capacity, excesses, rules
    from fleet_pool.operate.members import cluster_map
    from fleet_pool.operate.nodes import nodes

    pool = client(given)
    targets = [target for target in cluster_map(pool).targets if not target.leaving]
    rule = rules(pool)
    before = after = nodes(pool, targets, limit_s=STATUS_LIMIT_S, each_s=EACH_S)
    if given.watch_s:
        time.sleep(given.watch_s)
        after = nodes(pool, targets, limit_s=STATUS_LIMIT_S, each_s=EACH_S)
    found = capacity(rule, before, after)
    wrong = excesses(found, given.hot_tb, given.cold_gb_per_s)
    write(given, as_text(found, rule, wrong), as_data(found, rule, wrong))
    return Code.GATE if any(excess.demanded for excess in wrong) else Code.OK


def _canary(given: argparse.Namespace) -> int:
    from fleet_pool.operate import canary, s3
    from fleet_pool.operate.buckets import registered
    from fleet_pool.operate.imds import Metadata

    if given.size_mib > LARGEST_CANARY_MIB:
        raise UsageProblem(f"--size-mib {given.size_mib:g} is too large: at most {LARGEST_CANARY_MIB} MiB")
    metadata = Metadata.of(os.environ)
    where, who = s3.place(os.environ, metadata), s3.credentials(os.environ, metadata)
    pool = reachable_client(given, attempt_s=given.each_s)
    registered(pool, given.bucket)
    run = canary.run_canary(
        pool,
        given.bucket,
        os.urandom(int(given.size_mib * 2**20)),
        f"{int(time.time())}-{secrets.token_hex(8)}",
        lambda bucket, key: s3.get(where, who, bucket, key, limit_s=given.each_s),
        each_s=given.each_s,
    )
    write(given, canary.as_text(run), canary.as_data(run))
    return Code.OK if run.passed else Code.BLOCKER


def _bench(given: argparse.Namespace) -> int:
    return bench_command.measure(given, bench_command.pool(given))


def _drain(given: argparse.Namespace) -> int:
    from fleet_pool.operate.drain import check_ids, drain, stop_unit
    from fleet_pool.operate.members import cluster_map

    pool, tell = client(given), note_writer(given)
    check_ids(cluster_map(pool, given.timeout_s), given.ids)
    done = drain(pool, given.ids, patience_s=given.timeout_s)
    print(f"{', '.join(done.left)}: drained; {counted(done.active, 'active target')} left")
    if not done.active:
        tell("no target is left: the pool serves nothing until one returns; S3 has every object")
    if given.stop:
        stop_unit(given.stop)
        print(f"{given.stop}: stopped")
    return Code.OK


def _undrain(given: argparse.Namespace) -> int:
    from fleet_pool.operate.drain import undrain

    undrain(client(given), given.ids, patience_s=given.timeout_s)
    print(f"{', '.join(given.ids)}: back in the pool")
    return Code.OK


def _notice(given: argparse.Namespace) -> int:
    from fleet_pool.operate.imds import Metadata
    from fleet_pool.operate.notice import wait
    from fleet_pool.operate.shutdown import ShutdownSteps, shut_down

    tell = note_writer(given)
    steps = ShutdownSteps(
        ids=tuple(given.ids),
        unit=given.stop,
        before=_words(given.before),
        after=_words(given.after),
        ask=_ask_control if given.ask_control else None,
    )
    pool = client(given)
    notice = wait(Metadata.of(os.environ), tell, poll_s=given.poll_s)
    return Code.OK if shut_down(pool, steps, notice, tell) else Code.AWS


def _ask_control() -> None:
    """Raises PoolProblem."""
    from fleet_pool.node.facts import BadFacts, node_of
    from fleet_pool.node.requests import LEAVE, Asker

    try:
        Asker.of(node_of(os.environ), os.environ).ask(LEAVE)
    except BadFacts as error:
        raise UsageProblem(f"--ask-control is for a node of a stack: {error}") from None


def _words(command: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(command))
    except ValueError as error:
        raise UsageProblem(f"{command!r} is not a valid command line: {error}") from None
