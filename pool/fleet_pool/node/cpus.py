"""Which CPUs of a GPU node are reserved for the pool: whole cores with their hyperthreads, spread over NUMA nodes.

Taken from the high end of each NUMA node, since interrupts and most schedulers start at the low end. Enforced by
cpuset; a CPU quota would throttle in bursts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

SYSFS = "/sys/devices/system"


def parse_cpu_list(text: str) -> tuple[int, ...]:
    """CPUs of a list in the kernel's format: 0-3,8 is 0, 1, 2, 3 and 8."""
    found: list[int] = []
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        if part:
            found += range(int(first), int(last or first) + 1)
    return tuple(found)


def cpu_list(cpus: Sequence[int]) -> str:
    """CPUs as a list in the kernel's format, in its shortest form."""
    runs = []
    for _, run in groupby(enumerate(sorted(cpus)), key=lambda entry: entry[1] - entry[0]):
        numbered = [cpu for _, cpu in run]
        runs.append(f"{numbered[0]}-{numbered[-1]}" if len(numbered) > 1 else str(numbered[0]))
    return ",".join(runs)


def cores_by_node(sysfs: Path) -> Mapping[int, tuple[tuple[int, ...], ...]]:
    """NUMA node -> its cores in order, each a tuple of its hyperthreads, from a sysfs tree."""
    found: dict[int, tuple[tuple[int, ...], ...]] = {}
    for node in sorted((sysfs / "node").glob("node[0-9]*"), key=lambda path: int(path.name[4:])):
        cores = []
        for cpu in parse_cpu_list((node / "cpulist").read_text()):
            siblings = parse_cpu_list((sysfs / f"cpu/cpu{cpu}/topology/thread_siblings_list").read_text())
            if cpu == min(siblings):
                cores.append(siblings)
        found[int(node.name[4:])] = tuple(cores)
    return found


def reserved_cpus(cores: Mapping[int, Sequence[Sequence[int]]], count: int) -> tuple[int, ...]:
    """`count` CPUs of these cores, or one more if a core would be split.

    Raises ValueError if no core would be left for training.
    """
    nodes = [list(entry) for entry in cores.values() if entry]
    every = sum(len(core) for entry in nodes for core in entry)
    none_left = f"cannot reserve {count} of {every} CPUs and leave a core to training"
    if not 0 < count < every:
        raise ValueError(none_left)
    found: list[int] = []
    turn = 0
    while len(found) < count:
        entry = nodes[turn % len(nodes)]
        found += entry.pop() if entry else ()
        turn += 1
    if len(found) == every:
        raise ValueError(none_left)
    return tuple(sorted(found))


def training_cpus(cores: Mapping[int, Sequence[Sequence[int]]], taken: Sequence[int]) -> tuple[int, ...]:
    """The CPUs left for training."""
    every = (cpu for entry in cores.values() for core in entry for cpu in core)
    return tuple(sorted(set(every) - set(taken)))
