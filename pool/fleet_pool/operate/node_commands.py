"""Verbs that look at the pool and at its nodes: status, capacity, canary; drain, undrain, notice."""

from __future__ import annotations

import argparse
import os
import secrets
import shlex
import time
from typing import Any

from fleet_pool import settings
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
EACH_S = 5.0  # a daemon that is well answers in milliseconds
LARGEST_CANARY_MIB = 100  # in one piece; larger ones go up in parts


def add(verbs: Any) -> None:
    about = "Ask every daemon how it is. Exit code 13 where a target or drive is missing, full, faulty or silent."
    found = verb(verbs, "status", _status, about)
    found.add_argument("--targets", type=whole, metavar="N", help="how many must be active")
    found.add_argument("--drives", type=whole, metavar="N", help="how many each target must have")
    timeout(found, STATUS_LIMIT_S, "stop asking after")
    found.add_argument(
        "--each-s", type=seconds, default=EACH_S, metavar="S", help=f"for each daemon [default: {EACH_S:g}]"
    )
    formats(found)

    about = "What the pool keeps for sure, and how fast S3 may fill it. Exit code 10 where that is too little."
    found = verb(verbs, "capacity", _capacity, about)
    found.add_argument("--hot-tb", type=positive, metavar="TB", help="data that training reads, which must fit")
    found.add_argument("--cold-gb-per-s", type=positive, metavar="GB/S", help="reads from S3 that must go on for ever")
    found.add_argument("--watch-s", type=seconds, metavar="S", help="measure what comes from S3 so long; 20 or more")
    formats(found)

    about = "Write an object, find it in S3, read it at every gateway. Exit code 13 where bytes differ or are missing."
    found = verb(verbs, "canary", _canary, about)
    found.add_argument("bucket", metavar="BUCKET", help="a registered bucket")
    found.add_argument("--size-mib", type=positive, default=1.0, metavar="MIB", help="of the object [default: 1]")
    found.add_argument("--each-s", type=seconds, default=30.0, metavar="S", help="for each step [default: 30]")
    formats(found)

    found = verb(verbs, "drain", _drain, "Take nodes out of the pool without an error at any client.")
    found.add_argument("ids", metavar="ID", nargs="+", help="daemon ids, as `status` shows them; all in one change")
    found.add_argument("--stop", metavar="UNIT", default="", help="then stop this unit of systemd, on this machine")
    timeout(found, settings.NOTICE_S / 2)

    found = verb(verbs, "undrain", _undrain, "Take drained nodes, whose daemons still run, back into the pool.")
    found.add_argument("ids", metavar="ID", nargs="+", help="daemon ids")
    timeout(found, settings.NOTICE_S / 2)

    about = "Wait for the notice that this instance goes (spot, or its group shrinks), then drain and stop it in time."
    found = verb(verbs, "notice", _notice, about)
    found.add_argument("ids", metavar="ID", nargs="+", help="this node's daemon ids")
    found.add_argument("--stop", metavar="UNIT", default="", help="the daemon's unit of systemd, stopped once drained")
    found.add_argument("--before", metavar="COMMAND", default="", help="run first: tells the job, without a shell")
    found.add_argument("--after", metavar="COMMAND", default="", help="run last: completes the lifecycle action")
    poll = settings.NOTICE_POLL_S
    found.add_argument("--poll-s", type=seconds, default=poll, metavar="S", help=f"look every [default: {poll}]")


def _status(given: argparse.Namespace) -> int:
    from fleet_pool.operate.status import Expected, status
    from fleet_pool.operate.status_text import as_data, as_text

    wanted = Expected(targets=given.targets, drives=given.drives)
    pool = client(given, attempt_s=given.each_s)
    told = status(pool, wanted, limit_s=given.timeout_s, each_s=given.each_s)
    write(given, as_text(told), as_data(told))
    return Code.OK if told.well else Code.BLOCKER


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
        raise UsageProblem(f"--size-mib {given.size_mib:g}: a canary is {LARGEST_CANARY_MIB} MiB at most")
    metadata = Metadata.of(os.environ)
    where, who = s3.place(os.environ, metadata), s3.credentials(os.environ, metadata)
    pool = reachable_client(given, attempt_s=given.each_s)
    registered(pool, given.bucket)
    flight = canary.run_canary(
        pool,
        given.bucket,
        os.urandom(int(given.size_mib * 2**20)),
        f"{int(time.time())}-{secrets.token_hex(8)}",
        lambda bucket, key: s3.get(where, who, bucket, key, limit_s=given.each_s),
        each_s=given.each_s,
    )
    write(given, canary.as_text(flight), canary.as_data(flight))
    return Code.OK if flight.well else Code.BLOCKER


def _drain(given: argparse.Namespace) -> int:
    from fleet_pool.operate.drain import check_ids, drain, stop_unit
    from fleet_pool.operate.members import cluster_map

    pool, tell = client(given), note_writer(given)
    check_ids(cluster_map(pool, given.timeout_s), given.ids)
    done = drain(pool, given.ids, patience_s=given.timeout_s)
    print(f"{', '.join(done.left)}: out of the pool; {counted(done.active, 'active target')} left")
    if not done.active:
        tell("no target is left: the pool answers nothing until one comes back; S3 has every object")
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
    steps = ShutdownSteps(ids=tuple(given.ids), unit=given.stop, before=_words(given.before), after=_words(given.after))
    pool = client(given)
    notice = wait(Metadata.of(os.environ), tell, poll_s=given.poll_s)
    return Code.OK if shut_down(pool, steps, notice, tell) else Code.AWS


def _words(command: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(command))
    except ValueError as error:
        raise UsageProblem(f"{command!r} is no command: {error}") from None
