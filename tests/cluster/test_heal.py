"""A node goes sick in the middle of a gang: out of work with its reason and its dollars, replaced; the gang goes on."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.bucket import Bucket, bucket, launcher
from tests.cluster.cluster import Cluster
from tests.cluster.conftest import own_cluster, standing
from tests.cluster.specs import USD_PER_NODE_HOUR, slurm_spec
from tests.pool.health import recordings as say
from tests.pool.health.node import FakeNode
from tests.pool.health.slurm import health_program
from tests.pool.health.test_slurm import SMI

pytestmark = own_cluster
NODES = 8
WORK = f"{sys.executable} {Path(__file__).with_name('work.py')}"
# of a new instance: other GPUs, an empty kernel log, no state of the old one
NEW = "rm -rf {folder}/sick/$n {folder}/health/$n; : > {folder}/kmsg.$n"


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """Its HealthCheckProgram is planner-health; nodes may be powered down, as those of AWS PCS."""
    folder = tmp_path_factory.mktemp("heal")  # a short path: Slurm's sockets are in it
    fake = FakeNode(tmp_path_factory.mktemp("node"))
    (folder / "sick").mkdir()
    (folder / "bin").symlink_to(fake.bin)
    (folder / "well.xml").write_text(say.WELL_SMI)
    (folder / "sick.xml").write_text(say.smi(*map(say.gpu, say.BUSES[1:])))
    (folder / "links").write_text(say.WELL_LINKS)
    fake.script("nvidia-smi", SMI.format(folder=folder))
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:/usr/sbin:/sbin")
    health = str(health_program(folder, f"{USD_PER_NODE_HOUR}"))
    with standing(folder, slurm_spec(nodes=NODES), health=health, new=NEW.format(folder=folder)) as found:
        yield found


@pytest.fixture
def data() -> Iterator[Bucket]:
    with bucket() as made:
        yield made


def test_the_node_is_drained_and_replaced_and_the_gang_ends_as_if_nothing_had_been(cluster: Cluster, data: Bucket):
    cluster.environment.update(
        {**data.environment(), "SICK": f"{cluster.folder}/sick", "ENOUGH": f"{cluster.folder}/enough"}
    )
    words = ("--account=speech", "--gres=gpu:h100:8", "--time=60", "--nodes=4")
    gang = cluster.sbatch(f"{launcher(cluster.folder)} -- {WORK} 100000 0.1", *words, name="gang")
    cluster.wait("a commit", lambda: len(data.commits(f"slurm-{gang}")) > 1, 60)
    first = cluster.run("scontrol", "show", "hostnames", cluster.of_job(gang, "NodeList")).split()
    sick = first[-1]

    # a GPU falls off the bus: the kernel says so, nvidia-smi has lost it, the rank on it fails
    with (cluster.folder / f"kmsg.{sick}").open("a") as log:
        log.write(f"{say.record(7, say.xid(79, 'GPU has fallen off the bus.'))}\n")
    (cluster.folder / "sick" / sick).touch()
    seen: dict[str, str] = {}  # one look: a moment later the instance may be gone
    cluster.wait("the drain", lambda: seen.update(cluster.reasons()) or sick in seen, 60)
    reason = seen[sick]
    assert reason.startswith("planner-health: "), reason
    assert "xid 79 on 0000:53:00 (GPU has fallen off the bus)" in reason or "gpu-count" in reason
    assert reason.endswith(f"gang of {NODES} waits: ${NODES * USD_PER_NODE_HOUR:,.0f}/h")

    cluster.wait("its next start", lambda: cluster.of_job(gang, "Restarts") == "1", 90)
    cluster.wait("the instance ends", lambda: sick not in cluster.states() or "~" in cluster.states()[sick], 60)
    cluster.run("scontrol", "update", f"NodeName={sick}", "State=POWER_UP")  # AWS PCS keeps the size of its groups
    cluster.wait("another", lambda: cluster.states().get(sick) == "idle", 90)
    assert (cluster.folder / "launched").read_text().split() == [sick]
    assert sick not in cluster.reasons()

    (cluster.folder / "enough").touch()
    cluster.is_(gang, "COMPLETED")
    assert cluster.of_job(gang, "Restarts") == "1"
    assert sick not in cluster.run("scontrol", "show", "hostnames", cluster.of_job(gang, "NodeList")).split()
    out = cluster.output("gang")
    assert f"{sick} is out of work ({reason})" in out
    begins = [int(step) for step in re.findall(r"rank 0 of 4 begins at step (\d+)", out)]
    assert begins[0] == 0
    assert 20 <= begins[-1] < data.ends_whole(f"slurm-{gang}")
    after = cluster.sbatch("true", *words[:3], f"--nodelist={sick}", name="after")
    cluster.is_(after, "COMPLETED")
