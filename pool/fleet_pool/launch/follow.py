"""What a person sees of a run from any node: its news and the output of rank 0, up to its exit code."""

from __future__ import annotations

import sys
import time

from fleet_pool.launch import records
from fleet_pool.launch.bucket import Bucket
from fleet_pool.launch.job import CONSOLE
from fleet_pool.launch.ranks import Member
from fleet_pool.launch.records import Run
from fleet_pool.launch.runs import Found, Records
from fleet_pool.problems import Code, PoolProblem


class Follower:
    """One run. The run does not need it: it goes on when this is interrupted."""

    def __init__(self, bucket: Bucket, number: int, pace_s: float) -> None:
        self._bucket, self._number, self._pace_s = bucket, number, pace_s
        self._records = Records(bucket)
        self._attempt = 1
        self._pieces = 0
        self._told: set[tuple[int, str]] = set()

    def to_the_end(self) -> int:
        """The run's exit code."""
        while True:
            try:
                code = self._look()
            except PoolProblem as problem:
                _say(str(problem))
                code = None
            if code is not None:
                return code
            time.sleep(self._pace_s)

    def _look(self) -> int | None:
        found = self._records.look(self._number, self._attempt)
        if found.attempt != self._attempt:
            self._output()
            earlier = self._records.result(self._number, self._attempt)
            if earlier:
                self._tell("result", f"attempt {self._attempt} {earlier.kind}: {earlier.why}")
            self._attempt, self._pieces = found.attempt, 0
        if found.plan is None:
            came = ", ".join(sorted({member.instance for member in found.offers})) or "none yet"
            self._tell(f"came {came}", f"attempt {self._attempt}: nodes that came: {came}")
        else:
            commit = "the beginning" if found.plan.commit is None else f"COMMIT of step {found.plan.commit}"
            self._tell("plan", f"attempt {self._attempt} from {commit}; ranks {found.plan.why}:")
            for rank, member in enumerate(found.plan.members):
                self._tell(f"rank {rank}", f"  {row(rank, member)}")
        self._output()
        if found.ended is None:
            return None
        if found.result:
            self._tell("result", f"attempt {self._attempt} {found.result.kind}: {found.result.why}")
        _say(f"run {self._number} ended with exit code {found.ended['code']}: {found.ended['why']}")
        return int(found.ended["code"])

    def _output(self) -> None:
        """New output of rank 0."""
        prefix = f"{records.logs_prefix(self._number, self._attempt, 0)}{CONSOLE}."
        after = f"{prefix}{self._pieces - 1:05d}" if self._pieces else ""
        for key in self._bucket.list(prefix, after=after).keys:
            sys.stdout.write((self._bucket.read(key) or b"").decode("utf-8", "replace"))
            sys.stdout.flush()
            self._pieces += 1

    def _tell(self, what: str, text: str) -> None:
        if (self._attempt, what) not in self._told:
            self._told.add((self._attempt, what))
            _say(text)


def row(rank: int, member: Member) -> str:
    """A node in the list of ranks."""
    layers = "/".join(member.layers) if member.layers else f"no network layers: {member.unknown}"
    return f"{rank:>4}  {member.instance}  {member.address:<15}  {layers}"


def described(run: Run, found: Found) -> str:
    """A run in some lines."""
    lines = [f"run {run.number}: {' '.join(run.command)}", f"nodes: {run.nodes}, checkpoints: {run.checkpoints}"]
    if found.ended:
        lines.append(f"ended with exit code {found.ended['code']}: {found.ended['why']}")
    elif found.plan is None:
        lines.append(f"attempt {found.attempt} waits for nodes: {len(found.offers)} offered themselves")
    else:
        lines.append(f"attempt {found.attempt} runs; {len(found.exits)} of {run.nodes} ranks have ended")
    lines.append(f"last record {found.idle_s / 60:.0f} min ago")
    return "\n".join(lines)


def listed(found: Found) -> str:
    """The nodes in the order of ranks, or those that offered themselves."""
    if found.plan is None:
        rows = [f"   -  {member.instance}  {member.address}" for member in found.offers]
        return "\n".join(["no ranks yet; offered:", *rows])
    return "\n".join([f"ranks {found.plan.why}", *(row(n, each) for n, each in enumerate(found.plan.members))])


def ask_to_stop(bucket: Bucket, number: int) -> None:
    bucket.write_once(f"{records.run_prefix(number)}stop.json", {"why": "on request"})


def _say(text: str) -> None:
    print(f"planner-launch: {text}", file=sys.stderr, flush=True)


def interrupted(follower: Follower, bucket: Bucket, number: int) -> int:
    """After Ctrl-C: asks the run to end, and waits for it. A second Ctrl-C leaves it to end alone."""
    _say(f"stopping run {number} on all nodes; Ctrl-C again leaves it to stop alone")
    try:
        ask_to_stop(bucket, number)
        return follower.to_the_end()
    except KeyboardInterrupt:
        return Code.INTERRUPTED
