"""p4d and p5 side by side: a job for either type lands on it, no gang is on both, and each costs what its nodes do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from fleet_pool.slurm import command, jobs

from tests.cluster.cluster import Cluster
from tests.cluster.conftest import SETTINGS, needs_slurm, standing
from tests.cluster.specs import P4D_USD, USD_PER_NODE_HOUR, mixed_spec

pytestmark = needs_slurm
P5 = "normal-p5-48xlarge"
BOTH = f"--partition=normal,{P5}"
SIDE_BY_SIDE = replace(SETTINGS, usd_per_node_hour={"p4d-24xlarge": P4D_USD, "p5-48xlarge": USD_PER_NODE_HOUR})
WORDS = ("--account=speech", "--time=10", "--ntasks-per-node=1")


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with standing(tmp_path_factory.mktemp("types"), mixed_spec(), SIDE_BY_SIDE) as found:
        yield found


def nodes_of(slurm: Cluster, job: str) -> list[str]:
    return slurm.run("scontrol", "show", "hostnames", slurm.of_job(job, "NodeList")).split()


def _rates() -> dict[str, float | None]:
    return {one.name: one.usd_per_hour for one in jobs.ran(command.run(*jobs.SACCT), SIDE_BY_SIDE)}


def test_a_job_lands_on_the_type_that_it_asks_for_and_a_gang_of_both_on_one(slurm: Cluster):
    plain = slurm.sbatch("sleep 60", "--nodes=3", "--gres=gpu:8", *WORDS, name="plain")
    slurm.is_(plain, "RUNNING")
    assert nodes_of(slurm, plain) == [f"p4d-24xlarge-{n}" for n in (1, 2, 3)], "the default queue has the first type"
    # one p4d and two p5 are free: two nodes of one type, not one of each
    gang = slurm.sbatch("sleep 60", "--nodes=2", "--gres=gpu:8", BOTH, *WORDS, name="gang")
    slurm.is_(gang, "RUNNING")
    assert nodes_of(slurm, gang) == ["p5-48xlarge-1", "p5-48xlarge-2"]
    last = slurm.sbatch("sleep 60", "--nodes=1", "--gres=gpu:a100:8", *WORDS, name="last")
    slurm.is_(last, "RUNNING")
    assert nodes_of(slurm, last) == ["p4d-24xlarge-4"]
    waits = slurm.sbatch("sleep 1", "--nodes=1", "--gres=gpu:h100:8", f"--partition={P5}", *WORDS, name="waits")
    assert slurm.state(waits) == "PENDING"
    slurm.wait("the database knows both", lambda: {"plain", "gang"} <= set(_rates()), 60)
    assert _rates()["plain"] == pytest.approx(3 * P4D_USD)
    assert _rates()["gang"] == pytest.approx(2 * USD_PER_NODE_HOUR)
    slurm.run("scancel", gang)
    slurm.is_(waits, "RUNNING", "COMPLETED")
    with pytest.raises(AssertionError, match="not available"):
        slurm.sbatch("true", "--gres=gpu:h100:8", *WORDS, name="wrong")
