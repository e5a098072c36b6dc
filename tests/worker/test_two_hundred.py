"""200 real jobs on local processes over a real S3 server, with machines killed under them and one that spoils jobs."""

from __future__ import annotations

import json
import statistics
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fleet_pool.worker import exits
from fleet_pool.worker.command import main
from fleet_pool.worker.joblist import parsed
from fleet_pool.worker.status import Status, status_of

from infra.node.zipped import worker_file
from planner.worker_pool.model import Jobs, Nodes, Rules
from planner.worker_pool.simulation import simulate
from tests.pool.operate.answering import answering
from tests.pool.s3 import S3Server
from tests.worker.conftest import bucket_of
from tests.worker.service import Service

pytestmark = [pytest.mark.real, pytest.mark.xdist_group("worker")]

STEPS, STEP_S, EVERY = 30, 0.1, 10
BOOT_S = 0.5
COMMIT_S = 0.1  # the saver looks every 0.2 s; the upload itself is quick here


def result_of(index: int) -> int:
    """What a job comes to if every step is done once."""
    state = index
    for step in range(1, STEPS + 1):
        state = (state * 31 + step) % 1_000_003
    return state


class Campaign:
    """One list, served."""

    def __init__(self, s3: S3Server, environment: dict[str, str], folder: Path, name: str, **settings: Any) -> None:
        self.s3, self.folder, self.name = s3, folder, name
        (folder / "results").mkdir()
        (folder / "planner-worker.pyz").write_bytes(worker_file())
        self.environment = {
            **environment,
            "PLANNER_LIST": name,
            "PLANNER_WORKER_HOLD_S": "2",
            "TRACE": str(folder / "trace"),
            "RESULTS": str(folder / "results"),
        }
        job = str(Path(__file__).with_name("job.py"))
        command = [sys.executable, "-I", job, str(STEPS), str(STEP_S)]
        self.text = json.dumps({"name": name, "command": command, "every_steps": EVERY, **settings})
        (folder / "list.json").write_text(self.text)

    def serve(self, monkeypatch: pytest.MonkeyPatch, **how: Any) -> tuple[Service, float]:
        for name, value in self.environment.items():
            monkeypatch.setenv(name, value)
        assert main(["put", str(self.folder / "list.json")]) == 0
        made: list[Service] = []
        with answering(lambda asked: made[0].answer(asked)) as metadata:
            broken = how.pop("broken", frozenset())
            program = [str(self.folder / "planner-worker.pyz")]
            made.append(
                Service(program, self.environment, metadata.url, self.folder, boot_s=BOOT_S, broken=frozenset(broken))
            )
            return made[0], made[0].run(**how)

    @property
    def status(self) -> Status:
        return status_of(bucket_of(self.s3), parsed(self.text, "list"), beat_s=1)

    def results(self) -> dict[int, int]:
        return {int(path.name): int(path.read_text()) for path in (self.folder / "results").iterdir()}

    def tries(self) -> dict[int, list[dict[int, float]]]:
        """By job: for each of its tries in order, when each step ended; of the step that it began with, when it did."""
        found: dict[tuple[int, int], dict[int, float]] = {}
        for line in (self.folder / "trace").read_text().splitlines():
            index, number, _, step, at = line.split()
            found.setdefault((int(index), int(number)), {})[int(step)] = float(at)
        by_job = defaultdict(list)
        for (index, _), steps in sorted(found.items()):
            by_job[index].append(steps)
        return by_job


def losses_s(service: Service, jobs: Campaign) -> tuple[list[float], list[float], list[float]]:
    """Seconds of work that were done again: for each kill, for each notice. Then, for each interruption, from the start
    of the next try until the job goes on."""
    killed, noticed, begun = [], [], []
    tries = jobs.tries()
    for loss in service.losses:
        mine = tries[loss.index]
        after = next((n for n, steps in enumerate(mine) if min(steps.values()) > loss.at), None)
        if not after:
            continue  # the job had ended, or had not begun
        before, began = mine[after - 1], min(mine[after])
        end = max(before.values()) if loss.notice else loss.at
        (noticed if loss.notice else killed).append(end - before[began])
        start = max(at for index, *_, at in service.ends if index == loss.index and at < mine[after][began])
        begun.append(mine[after][began] - start)
    return killed, noticed, begun


def simulated_loss_s(kills: int) -> float:
    """Seconds of work that are done again for each kill, in the planner's simulation of the same pool, where a save is
    committed at once. Its hours are seconds here."""
    job_h = STEPS * STEP_S
    jobs = Jobs(count=200, work_hours=job_h, segment_hours=EVERY * STEP_S)
    nodes = Nodes(interruptions_per_hour=kills / (200 * job_h), boot_hours=BOOT_S)
    rules = Rules(least=8, most=8, heartbeat_hours=0.01, stalled_hours=0.01)
    runs = [simulate(jobs, nodes, rules, np.random.default_rng(seed)) for seed in range(20)]
    return sum(run.repeated_hours for run in runs) / sum(int(run.interruptions.sum()) for run in runs)


@pytest.fixture
def campaign(s3, environment, tmp_path):
    return lambda name, **settings: Campaign(s3, environment, tmp_path, name, **settings)


def test_two_hundred_jobs_end_although_machines_are_killed_and_one_spoils_jobs(campaign, monkeypatch, capsys):
    jobs = campaign("two-hundred", jobs=200)
    service, took_s = jobs.serve(
        monkeypatch, jobs=200, slots=8, losses=60, seed=1, every_s=1.0, limit_s=600, broken={"i-00003"}
    )
    status = jobs.status
    assert not service.given_up, [end for end in service.ends if end[0] in service.given_up]
    assert service.succeeded == set(range(200)) == set(status.done)
    assert not status.dead
    assert jobs.results() == {index: result_of(index) for index in range(200)}

    # the machine that spoils jobs is given back after three of them, and no other is
    assert status.out == ("i-00003",)
    assert set(service.given_back) == {"i-00003"}
    spoiled = [code for _, _, machine, code, _ in service.ends if machine == "i-00003"]
    assert len(spoiled) <= 5
    assert exits.CODES[exits.FAILED] in spoiled

    killed, noticed, begun = losses_s(service, jobs)
    # closed form: a kill comes at any time between two saves, and costs half of that in the mean; it takes a while
    # until a save is in the bucket, and until the next try goes on
    interval_s, commit_s, begin_s = EVERY * STEP_S, COMMIT_S, statistics.mean(begun)
    expected_s = interval_s / 2 + commit_s
    simulated_s = simulated_loss_s(len(killed)) + commit_s
    with capsys.disabled():
        print(
            f"\n200 jobs in {took_s:.0f} s. {len(killed)} kills: {statistics.mean(killed):.2f} s of work done again "
            f"each; {expected_s:.2f} s by half an interval, {simulated_s:.2f} s in the simulation. With the boot and "
            f"the start of the next try {statistics.mean(killed) + BOOT_S + begin_s:.2f} s, expected "
            f"{expected_s + BOOT_S + begin_s:.2f} s. {len(noticed)} notices: {statistics.mean(noticed):.2f} s"
        )
    assert min(len(killed), len(noticed)) >= 15
    assert max(noticed) < STEP_S  # a notice leaves time to save
    assert max(killed) < 2 * interval_s + 1
    assert statistics.mean(killed) == pytest.approx(expected_s, rel=0.4)
    assert statistics.mean(killed) == pytest.approx(simulated_s, rel=0.4)


def test_without_the_rule_for_bad_machines_one_of_them_ruins_jobs(campaign, monkeypatch):
    jobs = campaign("no-rule", jobs=60, machine_failures=10_000)
    service, _ = jobs.serve(
        monkeypatch, jobs=60, slots=6, losses=0, seed=1, every_s=1.0, limit_s=300, broken={"i-00003"}
    )
    status = jobs.status
    assert set(status.dead) == service.given_up
    # how many it ruins depends on how busy this computer is: each of them by three failures, all on this one machine
    assert status.dead
    wrong = (exits.CODES[exits.FAILED], exits.CODES[exits.DEAD])
    failed = [(index, machine) for index, _, machine, code, _ in service.ends if code in wrong]
    assert {machine for _, machine in failed} == {"i-00003"}
    tries = Counter(index for index, _ in failed)
    assert {index for index, count in tries.items() if count == 3} == set(status.dead)
    assert not service.given_back
