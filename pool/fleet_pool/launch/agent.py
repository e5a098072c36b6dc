"""The agent on every GPU node: looks at the bucket and at the other nodes, decides, and carries it out."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from fleet_pool.launch import records
from fleet_pool.launch.decision import (
    Declare,
    Join,
    Propose,
    Report,
    Start,
    View,
    Wait,
    decide,
    rank_of,
)
from fleet_pool.launch.environment import of_checkpoints, of_fabric, of_logs, of_rendezvous
from fleet_pool.launch.here import OF_JOBS, Here
from fleet_pool.launch.job import Job, end_marked
from fleet_pool.launch.outcome import Exit, Result, code_of, result_of
from fleet_pool.launch.peers import Answering, Watch
from fleet_pool.launch.ranks import Member
from fleet_pool.launch.records import Plan, Run
from fleet_pool.launch.runs import Found, Records, newest_commit, newest_number
from fleet_pool.launch.shipping import Shipper
from fleet_pool.node.ready import why_not
from fleet_pool.problems import PoolProblem

SIGN_S = 600.0  # how often rank 0 leaves a sign of life in the bucket
IDLE_PACES = 2  # an idle node looks half as often


class Agent:
    """One node's part in the current run. base: environment of the command below what the launcher sets. unready: what
    the node's last look at itself found wrong, if anything."""

    def __init__(self, here: Here, base: Mapping[str, str], unready: Callable[[], str] = why_not) -> None:
        self._here, self._base, self._unready = here, base, unready
        self._records = Records(here.bucket)
        self._watch = Watch()
        self._run: Run | None = None
        self._over = 0  # the last run that has ended, or that this node leaves alone
        self._attempt = 1
        self._joined_at: float | None = None
        self._failed_at: float | None = None
        self._signed_at: float | None = None
        self._plan: Plan | None = None
        self.job: Job | None = None
        self._shipper: Shipper | None = None
        self._said = ""

    def forever(self) -> None:
        """Until it is stopped by a signal, which ends the command here."""
        killed = end_marked(f"{self._here.node.instance}/")
        if killed:
            self._say(f"ended {killed} processes of an earlier agent")
        answering = Answering(self._here.node.address, self.status)
        try:
            while True:
                try:
                    active = self.turn()
                except (PoolProblem, OSError) as problem:
                    self._say(str(problem))
                    active = True
                    self.fence()
                time.sleep(self._here.pace_s * (1 if active else IDLE_PACES))
        finally:
            self._give_up()
            answering.close()

    def status(self) -> Mapping[str, Any]:
        """The answer to other nodes."""
        me, job, shipper = self._here.member, self.job, self._shipper
        return {
            "instance": me.instance,
            "incarnation": me.incarnation,
            "run": self._run.number if self._run else 0,
            "attempt": self._attempt if job else 0,
            "quiet_s": shipper.quiet_s() if job and shipper else None,
        }

    def turn(self) -> bool:
        """One look and one step; whether a run is on."""
        number = newest_number(self._here.bucket, self._over)
        if number is None or number <= self._over:
            return False
        if self._run is None or self._run.number != number:
            self.leave()
            self._begin(number)
        run = self._run
        if run is None:
            return False
        found = self._records.look(run.number, self._attempt)
        if found.ended:
            self._end(run)
            return False
        if found.attempt != self._attempt:
            self._advance(found.attempt)
        if found.result is not None:
            self._follow(run, found.result)
            return True
        if self._plan is None:
            self._plan = found.plan
        view = self._view(run, found)
        step = decide(view)
        if isinstance(step, Wait):
            self._say(step.why)
        elif isinstance(step, Join):
            self._join(run)
        elif isinstance(step, Propose):
            self._propose(run, step)
        elif isinstance(step, Start):
            self._start(run, step.rank)
        elif isinstance(step, Report):
            assert self.job is not None
            self._report(run, step.rank, self.job)
        else:
            self._declare(run, step, found)
        if self._shipper:
            self._shipper.ship()
        self._sign(run, view.offers)
        return True

    def _view(self, run: Run, found: Found) -> View:
        plan, me = self._plan, self._here.member
        rank = rank_of(plan, me.instance) if plan else None
        asked: Sequence[Member]
        if plan is None:
            asked = [member for member in found.offers if member.instance != me.instance]
        elif rank:
            asked = plan.members[:1]
        else:
            asked = [member for member in plan.members if member.instance != me.instance]
        answers = self._watch.ask(asked)
        offers = [member for member in found.offers if member in answers or member == me]
        failed = any(each.code for each in found.exits.values())
        self._failed_at = (self._failed_at or time.monotonic()) if failed else None
        quiet = {member.instance: float(answer.get("quiet_s") or 0.0) for member, answer in answers.items()}
        if self._shipper:
            quiet[me.instance] = self._shipper.quiet_s()
        return View(
            me=me,
            run=run,
            attempt=self._attempt,
            joined=self._joined_at is not None,
            offers=offers,
            waited_s=_since(self._joined_at),
            plan=plan,
            exits=found.exits,
            stop=found.stop,
            started=self.job is not None,
            code=self.job.code if self.job else None,
            silent_s={member.instance: self._watch.silent_s(member) for member in asked},
            quiet_s=quiet,
            failed_s=_since(self._failed_at),
            idle_s=found.idle_s,
        )

    def _begin(self, number: int) -> None:
        self._run, self._attempt = self._records.run(number), 1
        self._advance(1)
        if self._run is not None:
            for earlier in self._here.state.glob("[0-9]*"):  # its output is in the bucket
                if earlier.name != self._run.name:
                    shutil.rmtree(earlier, ignore_errors=True)
            self._say(f"run {number}: {' '.join(self._run.command)}")

    def _advance(self, attempt: int) -> None:
        self._attempt, self._joined_at, self._failed_at, self._plan = attempt, None, None, None
        self._watch = Watch()

    def _join(self, run: Run) -> None:
        """Offers this node, unless its last look at itself found something wrong; planner-watch looks again."""
        if wrong := self._unready():
            self._say(f"offers itself to no attempt: {wrong}")
            return
        key = records.attempt_prefix(run.number, self._attempt) + records.join_name(self._here.member)
        self._here.bucket.write_once(key, records.to_json(self._here.member))
        self._joined_at = time.monotonic()
        self._say(f"offered this node for attempt {self._attempt} of run {run.number}")

    def _propose(self, run: Run, step: Propose) -> None:
        plan = Plan(
            members=step.order.members, why=step.order.why, commit=newest_commit(self._here.bucket, run.checkpoints)
        )
        key = f"{records.attempt_prefix(run.number, self._attempt)}plan.json"
        if self._here.bucket.write_once(key, records.to_json(plan)):
            ranks = " ".join(member.instance for member in plan.members)
            self._say(f"attempt {self._attempt}: ranks {plan.why}: {ranks}")

    def _start(self, run: Run, rank: int) -> None:
        assert self._plan is not None
        logs = self._here.state / run.name / f"{self._attempt:04d}"
        given = {
            **of_fabric(self._here.fabric),
            **run.environment,
            **of_logs(str(logs / "ranks")),
            **of_checkpoints(self._here.bucket.name, run.checkpoints, self._plan.commit),
            **of_rendezvous(self._plan.members, rank, run=run.name, attempt=self._attempt),
            "PLANNER_RUN": run.name,
            "PLANNER_ATTEMPT": str(self._attempt),
        }
        # for containers: docker run --network host --env-file
        told = {**{name: self._base[name] for name in OF_JOBS if name in self._base}, **given}
        Path(self._here.state, "job.env").write_text("".join(f"{name}={value}\n" for name, value in told.items()))
        commit = "from the beginning" if self._plan.commit is None else f"from COMMIT of step {self._plan.commit}"
        self._say(f"attempt {self._attempt}: rank {rank} starts {commit}")
        mark = f"{self._here.node.instance}/{run.name}/{self._attempt:04d}"
        self.job = Job(run.command, run.folder, {**self._base, **given}, logs, mark)
        self._shipper = Shipper(self._here.bucket, records.logs_prefix(run.number, self._attempt, rank), self.job.logs)

    def _report(self, run: Run, rank: int, job: Job) -> None:
        code = job.code or 0
        if self._shipper:
            self._shipper.ship(all_of_it=True)
        end_marked(job.mark)
        found = Exit(rank=rank, code=code, own=not job.stopped)
        key = records.attempt_prefix(run.number, self._attempt) + records.exit_name(rank)
        self._here.bucket.write_once(key, records.to_json(found))
        self._say(f"attempt {self._attempt}: rank {rank} ended with exit code {code}")

    def _declare(self, run: Run, step: Declare, found: Found) -> None:
        result = result_of(
            step.kind,
            code_of(step.kind, list(found.exits.values())),
            step.why,
            began=self._plan.commit if self._plan else None,
            commit=newest_commit(self._here.bucket, run.checkpoints),
            fruitless=self._records.fruitless(run.number, self._attempt - 1),
            restarts=run.restarts,
        )
        key = f"{records.attempt_prefix(run.number, self._attempt)}result.json"
        self._here.bucket.write_once(key, records.to_json(result))

    def _follow(self, run: Run, result: Result) -> None:
        """The attempt has ended: so does the command here, before this node offers itself again."""
        self.leave()
        self._say(f"attempt {self._attempt}: {result.kind}: {result.why}")
        if result.last:
            ended = {"code": result.code, "why": f"{result.kind}: {result.why}", "attempt": self._attempt}
            self._here.bucket.write_once(f"{records.run_prefix(run.number)}ended.json", ended)
            self._end(run)
        else:
            self._advance(self._attempt + 1)

    def _end(self, run: Run) -> None:
        self.leave()
        self._over = run.number
        self._say(f"run {run.number} has ended")

    def leave(self) -> None:
        """Ends the command here, and ships the rest of its output."""
        if self.job is not None:
            self.job.stop(self._run.grace_s if self._run else 0.0)
        if self._shipper is not None:
            with suppress(PoolProblem):
                self._shipper.ship(all_of_it=True)
        self.job = self._shipper = None

    def _sign(self, run: Run, offers: Sequence[Member]) -> None:
        """A run that computes or waits for days is not stale."""
        members = self._plan.members if self._plan else offers
        first = bool(members) and members[0] == self._here.member
        if first and (self._signed_at is None or time.monotonic() - self._signed_at > SIGN_S):
            self._here.bucket.write(f"{records.run_prefix(run.number)}sign-of-life", b"")
            self._signed_at = time.monotonic()

    def fence(self) -> None:
        """Without the bucket the others cannot be heard: a node that they do not answer either ends its command, since
        they go on without it."""
        plan, run, me = self._plan, self._run, self._here.member
        if self.job is None or plan is None or run is None:
            return
        others = [member for member in plan.members if member.instance != me.instance]
        self._watch.ask(others)
        if others and min(self._watch.silent_s(member) for member in others) > run.node_s:
            self._say("neither the bucket nor another node answers: ending the command here")
            self.job.stop(run.grace_s)

    def _give_up(self) -> None:
        """The agent is being stopped: by a reboot, by an interruption of the node, by hand. The others need not wait
        until this node stays silent."""
        job, run, plan = self.job, self._run, self._plan
        self.leave()
        rank = rank_of(plan, self._here.member.instance) if plan else None
        if job is not None and job.code is not None and run is not None and rank is not None:
            with suppress(PoolProblem):
                self._report(run, rank, job)

    def _say(self, text: str) -> None:
        if text != self._said:
            print(f"planner-launch: {text}", flush=True)
            self._said = text


def _since(at: float | None) -> float:
    return 0.0 if at is None else time.monotonic() - at
