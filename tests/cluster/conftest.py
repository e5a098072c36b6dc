"""One cluster for all tests that need no other: eight nodes, two projects."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fleet_pool.slurm import command
from fleet_pool.slurm.settings import Cluster as Settings
from fleet_pool.slurm.settings import Project

from planner.stack.spec import ClusterSpec
from tests.cluster.cluster import Cluster, cluster, lacking
from tests.cluster.specs import SCHEDULER, USD_PER_NODE_HOUR, slurm_spec

SETTINGS = Settings(
    # the jobs of the tests run as root, who is no user of a stack's projects
    projects=tuple(
        Project(name=one.name, share=one.share, max_nodes=one.max_nodes, users=(*one.users, "root"))
        for one in SCHEDULER.projects
    ),
    blocks=(),
    usd_per_node_hour={"p5-48xlarge": USD_PER_NODE_HOUR},
    gpus_per_node=8,
)
_needs = [
    pytest.mark.real,
    pytest.mark.skipif(
        bool(lacking()), reason=f"no {', '.join(lacking())} here (apt-get install slurmdbd mariadb-server)"
    ),
    pytest.mark.skipif(os.geteuid() != 0, reason="Slurm's daemons run as root here"),
]
# two workers mostly wait for jobs and leave others the processor; each further one would start clusters of its own
needs_slurm = [pytest.mark.xdist_group("slurm"), *_needs]
own_cluster = [pytest.mark.xdist_group("slurm-of-its-own"), *_needs]


@contextmanager
def standing(
    folder: Path, spec: ClusterSpec, settings: Settings = SETTINGS, health: str = "/bin/true", new: str = ""
) -> Iterator[Cluster]:
    """With the accounts of its settings, which `planner-slurm` made."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{os.environ['PATH']}:/usr/sbin:/sbin")
        with cluster(folder, spec, health, new) as found:
            patch.setenv("SLURM_CONF", str(found.folder / "slurm.conf"))
            assert command.apply(settings) == 0
            yield found


def cancel_all(slurm: Cluster) -> None:
    """Until the queue is empty."""
    for account in (one.name for one in SETTINGS.projects):
        slurm.run("scancel", f"--account={account}")
    slurm.wait("an empty queue", lambda: not slurm.run("squeue", "--noheader").strip())


def wait_until_idle(slurm: Cluster) -> None:
    slurm.wait("all nodes idle", lambda: set(slurm.states().values()) == {"idle"})


@pytest.fixture(scope="package")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with standing(tmp_path_factory.mktemp("slurm"), slurm_spec()) as found:
        yield found


@pytest.fixture
def quiet(slurm: Cluster) -> Iterator[Cluster]:
    """Without jobs at the start and the end."""
    yield slurm
    cancel_all(slurm)
    wait_until_idle(slurm)
