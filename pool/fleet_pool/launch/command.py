"""`planner-launch`: one command on every node of the fleet."""

from __future__ import annotations

import argparse
import math
import os
import re
import secrets
import signal
import sys
from collections.abc import Mapping, Sequence

from fleet_pool.launch import records, slurm
from fleet_pool.launch.agent import Agent
from fleet_pool.launch.bucket import Bucket
from fleet_pool.launch.follow import Follower, ask_to_stop, described, interrupted, listed
from fleet_pool.launch.here import bucket_of, checkpoints_prefix, here_of, settings_of
from fleet_pool.launch.peers import PORT
from fleet_pool.launch.records import Run
from fleet_pool.launch.runs import Records, newest_number
from fleet_pool.node.facts import BadFacts, Node, node_of
from fleet_pool.node.ready import why_not
from fleet_pool.problems import Blocked, Code, PoolProblem, UsageProblem

ABOUT = (
    "Starts one command on all nodes of the fleet, once on each, from any of them: "
    "planner-launch --nodes 4 -- torchrun --nproc-per-node 8 train.py. Nodes get ranks by their place in the network; "
    "torchrun finds rendezvous and NCCL settings in its environment. If a node is lost or a rank fails, the command "
    "starts again on all nodes once enough of them are there; it has to resume from the newest COMMIT below "
    "PLANNER_CHECKPOINTS."
)
LIMITS = (
    "This is a launcher, not a scheduler: one run at a time, no queue, no sharing, no priorities. In a job of Slurm, "
    "which has them, nodes, ranks and restarts are Slurm's. "
    "Exit codes: that of the worst rank (torchrun gives 1 for any failed rank); 2 usage error; 3 no credentials; 4 S3 "
    "does not answer; 13 nodes are missing, or another run is on; 130 stopped."
)
VERBS = ("start", "attach", "stop", "status", "nodes", "agent")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
PACE_S = 5.0
MOST_NODES = 999
LONGEST_GRACE_S = 100  # below TimeoutStopSec of planner-launch.service
LOWEST = {"wait_min": 0.1, "node_s": 2, "resume_h": 0.1}  # below these a busy node is taken for a lost one


def main(words: Sequence[str] | None = None) -> int:
    """Runs one verb; its exit code."""
    own, command = split(list(sys.argv[1:] if words is None else words))
    given = parser().parse_args(own)
    try:
        environment = settings_of(os.environ)
        if given.verb == "agent":
            return _agent(environment)
        own = slurm.allocation(os.environ)
        if own is not None and given.verb == "start":
            if not command:
                raise UsageProblem("no command: planner-launch -- torchrun --nproc-per-node 8 train.py")
            if slurm.in_step(os.environ):
                return slurm.one_rank(given, command, own, environment)
            return slurm.whole_job(given, list(sys.argv[1:] if words is None else words), own, environment)
        node = node_of(environment)
        bucket = bucket_of(environment, node)
        if given.verb == "start":
            return start(given, command, bucket, node)
        if command:
            raise UsageProblem(f"`{given.verb}` takes no command")
        return _look(given.verb, bucket)
    except (PoolProblem, BadFacts) as error:
        print(f"planner-launch: {error}", file=sys.stderr)
        return error.code if isinstance(error, PoolProblem) else Code.USAGE
    except KeyboardInterrupt:
        return Code.INTERRUPTED


def split(words: list[str]) -> tuple[list[str], list[str]]:
    """The launcher's words, and the command behind `--`."""
    return (words[: words.index("--")], words[words.index("--") + 1 :]) if "--" in words else (words, [])


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="planner-launch",
        usage="planner-launch [options] -- COMMAND...\n       planner-launch attach | stop | status | nodes",
        description=ABOUT,
        epilog=LIMITS,
        allow_abbrev=False,
    )
    top.add_argument("verb", nargs="?", choices=VERBS, default="start", metavar="VERB", help=", ".join(VERBS[1:]))
    top.add_argument("--nodes", type=int, help="how many nodes; others that are there stay spare")
    top.add_argument("--name", help="folder of its checkpoints (default: the run's number); the same name resumes")
    top.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="environment of the command")
    top.add_argument("--folder", default="", help="where the command starts, on every node (default: this folder)")
    top.add_argument("--restarts", type=int, default=3, help="in a row without a new COMMIT (default: 3)")
    top.add_argument("--wait-min", type=float, default=30, help="for all nodes to come (default: 30)")
    top.add_argument("--node-s", type=float, default=60, help="of silence until a node is lost (default: 60)")
    top.add_argument("--hang-min", type=float, default=30, help="without output of any node (default: 30; 0: never)")
    top.add_argument("--grace-s", type=float, default=60, help="between SIGTERM and SIGKILL (default: 60)")
    top.add_argument(
        "--resume-h", type=float, default=24, help="nodes ignore a run that is silent for so long (default: 24)"
    )
    top.add_argument("--detach", action="store_true", help="do not wait for the end")
    return top


def start(given: argparse.Namespace, command: Sequence[str], bucket: Bucket, node: Node) -> int:
    """Writes the run's record and follows it."""
    unready = why_not()
    if unready:
        print(f"planner-launch: this node takes no part in the run: {unready}", file=sys.stderr)
    number = 1
    newest = newest_number(bucket)
    if newest is not None:
        _make_way(bucket, newest)
        number = newest + 1
    run = run_of(given, command, number, f"{node.instance} {secrets.token_hex(4)}", checkpoints_prefix())
    if not bucket.write_once(f"{records.run_prefix(number)}run.json", records.to_json(run)):
        raise Blocked(f"another launch was first: it is run {number}; see `planner-launch status`")
    print(f"planner-launch: run {number} on {run.nodes} nodes, checkpoints below {run.checkpoints}", file=sys.stderr)
    if given.detach:
        return Code.OK
    follower = Follower(bucket, number, _pace_s())
    try:
        return follower.to_the_end()
    except KeyboardInterrupt:
        return interrupted(follower, bucket, number)


def run_of(given: argparse.Namespace, command: Sequence[str], number: int, launched_on: str, checkpoints: str) -> Run:
    """The record of a run. checkpoints: the prefix of every run's. Raises UsageProblem."""
    if not command:
        raise UsageProblem("no command: planner-launch --nodes 4 -- torchrun --nproc-per-node 8 train.py")
    if given.nodes is None or not 1 <= given.nodes <= MOST_NODES:
        raise UsageProblem(f"--nodes is needed: how many nodes start the command, from 1 to {MOST_NODES}")
    if given.name is not None and not NAME.fullmatch(given.name):
        raise UsageProblem(f"--name {given.name!r}: letters, digits, dot, dash and underscore, 63 at most")
    for option in ("wait_min", "node_s", "resume_h", "restarts", "hang_min", "grace_s"):
        value, lowest = getattr(given, option), LOWEST.get(option, 0)
        if not lowest <= value < math.inf:
            raise UsageProblem(f"--{option.replace('_', '-')} must be {lowest:g} or more, not {value:g}")
    if given.grace_s > LONGEST_GRACE_S:
        raise UsageProblem(f"--grace-s must be {LONGEST_GRACE_S} or less: systemd kills the agent after 120 s")
    return Run(
        number=number,
        command=tuple(command),
        nodes=given.nodes,
        folder=given.folder or os.getcwd(),
        environment=_pairs(given.env),
        checkpoints=f"{checkpoints}{given.name or f'run-{number:06d}'}",
        restarts=given.restarts,
        wait_s=given.wait_min * 60,
        node_s=given.node_s,
        hang_s=given.hang_min * 60,
        grace_s=given.grace_s,
        resume_s=given.resume_h * 3600,
        launched_on=launched_on,
    )


def _pairs(words: Sequence[str]) -> dict[str, str]:
    for word in words:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*=[^\n\0]*", word):
            raise UsageProblem(f"--env {word!r}: write NAME=VALUE, in one line")
    return {name: value for name, _, value in (word.partition("=") for word in words)}


def _make_way(bucket: Bucket, number: int) -> None:
    """Raises Blocked if that run is on; ends it if it is stale."""
    known = Records(bucket)
    run, found = known.run(number), known.look(number)
    if run is None or found.ended is not None:
        return
    if found.idle_s <= run.resume_s:
        command = " ".join(run.command)
        raise Blocked(f"run {number} has not ended ({command}): `planner-launch attach` shows it, `stop` ends it")
    why = f"stale: no sign of life for {found.idle_s / 3600:.0f} h"
    bucket.write_once(f"{records.run_prefix(number)}ended.json", {"code": int(Code.BLOCKER), "why": why, "attempt": 0})


def _look(verb: str, bucket: Bucket) -> int:
    number = newest_number(bucket)
    run = Records(bucket).run(number) if number is not None else None
    if run is None:
        print("planner-launch: no run yet", file=sys.stderr)
        return Code.OK
    if verb == "attach":
        return Follower(bucket, run.number, _pace_s()).to_the_end()
    if verb == "stop":
        ask_to_stop(bucket, run.number)
        return Follower(bucket, run.number, _pace_s()).to_the_end()
    found = Records(bucket).look(run.number)
    print(described(run, found) if verb == "status" else listed(found))
    return Code.OK


def _agent(environment: Mapping[str, str]) -> int:
    """Until SIGTERM, which ends the command here first."""

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    here = here_of(environment)
    here.state.mkdir(parents=True, exist_ok=True)
    try:
        Agent(here, environment).forever()
    except OSError as error:
        raise Blocked(
            f"cannot answer other nodes at {here.node.address}:{PORT}: {error}; is an agent running?"
        ) from None
    return Code.OK


def _pace_s() -> float:
    return float(os.environ.get("PLANNER_LAUNCH_PACE_S") or PACE_S)
