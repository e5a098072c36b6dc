"""Which CPUs are kept for the pool: whole cores, evenly, from the far end, on p4d's and p5's and on any topology."""

from __future__ import annotations

from pathlib import Path

import pytest
from fleet_pool.node.cpus import SYSFS, cores_by_node, cpu_list, parse_cpu_list, reserved_cpus, training_cpus
from fleet_pool.settings import reserved_vcpu
from hypothesis import given
from hypothesis import strategies as st

from tests.pool.node.nodes import P4D_CORES, P5_CORES, topology


@pytest.mark.parametrize(
    ("cores", "vcpu", "count", "text"),
    [
        (P4D_CORES, 96, 8, "22-23,46-47,70-71,94-95"),
        (P5_CORES, 192, 12, "45-47,93-95,141-143,189-191"),
    ],
)
def test_the_last_cores_of_each_numa_node_with_their_threads(cores, vcpu, count, text):
    assert reserved_vcpu(vcpu) == count
    taken = reserved_cpus(cores, count)
    assert cpu_list(taken) == text
    assert 0 in training_cpus(cores, taken)
    assert len(training_cpus(cores, taken)) == vcpu - count


@given(
    sockets=st.integers(1, 4),
    nodes=st.integers(1, 4),
    cores=st.integers(1, 32),
    share=st.floats(0.01, 0.5),
)
def test_cores_stay_whole_and_no_numa_node_gives_more_than_one_more_than_another(sockets, nodes, cores, share):
    machine = topology(sockets, nodes, cores)
    every = sockets * nodes * cores * 2
    count = max(1, int(every * share))
    if count >= every - 1:  # nothing would be left
        return
    taken = set(reserved_cpus(machine, count))
    assert count <= len(taken) <= count + 1
    given_by = [sum(set(core) <= taken for core in entry) for entry in machine.values()]
    assert sum(given_by) * 2 == len(taken)  # no core is cut
    assert max(given_by) - min(given_by) <= 1
    assert taken.isdisjoint(training_cpus(machine, sorted(taken)))


@given(st.sets(st.integers(0, 300)))
def test_lists_are_read_as_they_are_written(cpus):
    assert set(parse_cpu_list(cpu_list(sorted(cpus)))) == cpus


def test_not_every_core_can_be_reserved():
    with pytest.raises(ValueError, match="leave a core to training"):
        reserved_cpus(topology(1, 1, 2), 4)
    with pytest.raises(ValueError, match="leave a core to training"):
        reserved_cpus(topology(1, 1, 1), 1)  # one core of two threads: half of it is all of it


def test_a_sysfs_tree_is_read(tmp_path: Path):
    for node, cpus in ((0, "0-1,4-5"), (1, "2-3,6-7")):
        (tmp_path / f"node/node{node}").mkdir(parents=True)
        (tmp_path / f"node/node{node}/cpulist").write_text(cpus + "\n")
    for cpu in range(8):
        folder = tmp_path / f"cpu/cpu{cpu}/topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(f"{cpu % 4},{cpu % 4 + 4}\n")
    assert dict(cores_by_node(tmp_path)) == topology(2, 1, 2)


def test_this_machine_s_own_cores_are_all_there():
    cores = cores_by_node(Path(SYSFS))
    if not cores:
        pytest.skip("no NUMA nodes in this machine's sysfs")
    assert {cpu for entry in cores.values() for core in entry for cpu in core} == set(
        parse_cpu_list(Path(SYSFS, "cpu/online").read_text())
    )
