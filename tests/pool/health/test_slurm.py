"""`planner-health fast` as HealthCheckProgram of a real Slurm: who is drained, why, and how many at most."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.pool.health import recordings as say
from tests.pool.health.node import FakeNode
from tests.pool.health.slurm import Slurm, lacking, slurm

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(
        bool(lacking()), reason=f"no {', '.join(lacking())} here (apt-get install slurmctld slurmd munge)"
    ),
    pytest.mark.skipif(os.geteuid() != 0, reason="Slurm's daemons run as root here"),
]
# a node is sick while a file with its name is there
SMI = """#!/bin/sh
case "$1" in
  nvlink) cat {folder}/links ;;
  *) if [ -e {folder}/sick/$SLURMD_NODENAME ]; then cat {folder}/sick.xml; else cat {folder}/well.xml; fi ;;
esac
"""


@pytest.fixture
def fake_smi(fake: FakeNode, monkeypatch: pytest.MonkeyPatch) -> FakeNode:
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:/usr/sbin:/sbin")
    (fake.folder / "well.xml").write_text(say.WELL_SMI)
    (fake.folder / "sick.xml").write_text(say.smi(say.gpu(failed="Yes"), *map(say.gpu, say.BUSES[1:])))
    (fake.folder / "links").write_text(say.WELL_LINKS)
    (fake.folder / "sick").mkdir()
    fake.script("nvidia-smi", SMI.format(folder=fake.folder))
    return fake


def test_a_sick_node_is_drained_with_its_reason_and_the_others_work(fake_smi: FakeNode, tmp_path: Path):
    with slurm(tmp_path / "slurm", 6, fake_smi.bin) as cluster:
        (fake_smi.folder / "sick" / "n4").touch()
        cluster.wait("n4 drained", lambda: "n4" in cluster.reasons())
        reason = cluster.reasons()["n4"]
        assert reason.startswith("planner-health: row-remap-failed: GPU 00000000:53:00.0: a row of its memory")
        assert reason.endswith("gang of 6 waits (no price on this node)")
        assert [name for name, state in cluster.states().items() if state != "idle"] == ["n4"]
        # nodes that Slurm does not start and end itself are not replaced by it, and a person hears that
        log = cluster.folder / "health.n4.log"
        cluster.wait("a page", lambda: "drained, but not replaced: `scontrol update" in log.read_text())
        # a person mends it and brings it back the way of Slurm: it stays back
        (fake_smi.folder / "sick" / "n4").unlink()
        resumed(cluster, "n4")


def test_an_error_in_the_kernel_log_drains_once(fake_smi: FakeNode, tmp_path: Path):
    with slurm(tmp_path / "slurm", 2, fake_smi.bin) as cluster:
        with (cluster.folder / "kmsg.n2").open("a") as log:
            log.write(f"{say.record(5, say.xid(13))}\n{say.record(6, say.xid(79, 'GPU has fallen off the bus.'))}\n")
        cluster.wait("n2 drained", lambda: "n2" in cluster.reasons())
        assert cluster.reasons()["n2"].startswith(
            "planner-health: xid: xid 79 on 0000:53:00 (GPU has fallen off the bus)"
        )
        resumed(cluster, "n2")


def resumed(cluster: Slurm, name: str) -> None:
    """A person brings it back with scontrol, and the next looks leave it there."""
    log = cluster.folder / f"health.{name}.log"
    cluster.run("scontrol", "update", f"NodeName={name}", "State=RESUME")
    seen = log.read_text().count("takes jobs\n")
    cluster.wait("two more looks", lambda: log.read_text().count("takes jobs\n") >= seen + 2)
    assert set(cluster.states().values()) == {"idle"}


def test_a_fault_of_every_node_drains_as_many_as_may_be_and_no_more(fake_smi: FakeNode, tmp_path: Path):
    """Ten nodes fail in the same moment, since Slurm starts the program on all nodes at once: two may be out."""
    with slurm(tmp_path / "slurm", 10, fake_smi.bin) as cluster:
        for name in cluster.names:
            (fake_smi.folder / "sick" / name).touch()
        logs = [cluster.folder / f"health.{name}.log" for name in cluster.names]
        ends = ("planner-health: out: ", "takes jobs all the same")
        cluster.wait("a look of each", lambda: all(any(end in log.read_text() for end in ends) for log in logs))
        # those that were too many have taken their drain back by now, or are about to
        cluster.wait("two out", lambda: len(cluster.reasons()) == 2)
        assert {state for state in cluster.states().values() if "drain" not in state} == {"idle"}
        held = [log for log in logs if "not drained: " in log.read_text()]
        assert len(held) >= 8
