"""A job over a pool of which one node of four is sick: it reads on, and the operator's command names the node."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator

import pytest
from fleet_pool.client import Store, open_store
from fleet_pool.operate.command import main
from fleet_pool.problems import Code

from tests.pool.client.conftest import endpoints
from tests.pool.cluster import Cluster, Shape, standing
from tests.pool.daemon import wait_until
from tests.pool.grey import SICK, without_s3
from tests.pool.s3 import REGION

pytestmark = pytest.mark.real

OBJECTS, MB, STEP_S, HEALTHY_S, LEARNING_S, MEASURED_S = 64, 10**6, 0.05, 6.0, 10.0, 12.0
NAMED_WITHIN_S = 60.0
SICKNESSES = {**SICK, "without S3": without_s3}


@pytest.fixture(scope="module")
def four(pool_machine: None, environment: dict[str, str]) -> Iterator[Cluster]:
    with standing(Shape(nodes=4, drives=1)) as cluster, pytest.MonkeyPatch.context() as patch:
        for name, value in cluster.s3.environment.items():
            patch.setenv(name, value)
        s3 = cluster.s3.client()
        for number in range(OBJECTS):
            s3.put_object(Bucket="train", Key=f"grey/{number}", Body=os.urandom(MB))
        yield cluster


@pytest.fixture
def whole(four: Cluster, tmp_path, monkeypatch) -> Iterator[Cluster]:
    monkeypatch.setenv("PLANNER_POOL_SHARED", str(tmp_path / "shared"))
    yield four
    four.mend()


def opened(cluster: Cluster) -> Store:
    return open_store(
        "s3://train",
        pool=endpoints(cluster),
        region=REGION,
        s3_endpoint_url=cluster.s3.endpoint,
        environment=os.environ,
    )


class Job:
    """Threads that read an object and then compute for a while, as a loader's workers do."""

    def __init__(self, store: Store, threads: int = 2) -> None:
        self.store, self.ended_at_s, self.longest_s = store, [], 0.0
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(number,)) for number in range(threads)]

    def __enter__(self) -> Job:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _run(self, number: int) -> None:
        turn = number * OBJECTS // 2
        while not self._over.is_set():
            began = time.monotonic()
            assert len(self.store.read(f"grey/{turn % OBJECTS}")) == MB
            self.ended_at_s.append(time.monotonic())
            self.longest_s = max(self.longest_s, time.monotonic() - began)
            turn += 1
            time.sleep(STEP_S)

    def rate(self, seconds: float) -> float:
        """Reads a second over the next `seconds`."""
        began = time.monotonic()
        time.sleep(seconds)
        return sum(began <= at < began + seconds for at in list(self.ended_at_s)) / seconds


@pytest.mark.parametrize("sickness", SICKNESSES)
def test_a_sick_node_costs_a_job_less_than_a_third_of_its_reads(whole, sickness):
    store = opened(whole)
    for number in range(OBJECTS):
        store.read(f"grey/{number}")
    with Job(store) as job:
        healthy = job.rate(HEALTHY_S)
        with SICKNESSES[sickness](whole, whole.nodes[1]):
            time.sleep(LEARNING_S)
            sick = job.rate(MEASURED_S)
    print(f"{sickness}: {healthy:.1f} reads/s well, {sick:.1f} sick, longest {job.longest_s:.1f} s, {store.counts}")
    assert sick >= 0.7 * healthy


@pytest.mark.parametrize("sickness", SICKNESSES)
def test_status_names_the_sick_node_and_the_command_that_drains_it(whole, sickness, capsys):
    store, node, command = opened(whole), whole.nodes[2], ["--endpoint", ",".join(endpoints(whole))]
    for number in range(OBJECTS):
        store.read(f"grey/{number}")

    def well() -> bool:
        return main(["status", *command, "--targets", "4"], program="planner pool") == Code.OK

    wait_until(well, "a pool that has recovered from the last sickness", 120)
    with SICKNESSES[sickness](whole, node):
        began, code = time.monotonic(), 0
        while code != Code.BLOCKER and time.monotonic() - began < NAMED_WITHIN_S:
            capsys.readouterr()
            code = main(["status", *command, "--targets", "4", "--json"], program="planner pool")
        seconds = time.monotonic() - began
    findings = json.loads(capsys.readouterr().out)["findings"]
    print(f"{sickness}: {seconds:.1f} s, {findings}")
    assert code == Code.BLOCKER
    assert seconds < NAMED_WITHIN_S
    errors = [finding for finding in findings if finding["severity"] == "error"]
    assert {finding["where"] for finding in errors} <= {node.id, "pool"}
    named = [finding for finding in errors if finding["where"] == node.id]
    assert any(f"planner pool drain {node.id}" in finding["remedy"] for finding in named)
