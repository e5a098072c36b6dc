"""The slow node by halving, against trying all pairs; pairs; earlier passes."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from fleet_pool.health.collective import avg_bus_gb_s, keep, kept
from fleet_pool.health.halving import (
    Pass,
    Usual,
    bus_gb_s,
    rounds,
    slow_in_pairs,
    slow_nodes,
    usual,
)
from fleet_pool.health.limits import LIMITS
from fleet_pool.node.machine import NotReady
from hypothesis import given
from hypothesis import strategies as st

from tests.pool.health.recordings import NCCL


class Fleet:
    """A set runs at the pace of its slowest node. passes: sets that were measured."""

    def __init__(self, slow: set[int], nodes: int) -> None:
        self.names = tuple(f"n{number:03d}" for number in range(nodes))
        self.slow = {self.names[number] for number in slow}
        self.passes: list[tuple[str, ...]] = []

    def fast(self, some: tuple[str, ...]) -> bool:
        assert len(some) >= 2
        assert len(set(some)) == len(some)
        self.passes.append(some)
        return not self.slow & set(some)


@given(st.integers(2, 40).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, n - 1)))))
def test_halving_finds_what_all_pairs_find(case: tuple[int, set[int]]):
    nodes, slow = case
    fleet = Fleet(slow, nodes)
    found = slow_nodes(fleet.names, fleet.fast)
    # the long way: a node is well if it is fast with any other
    well = {node for pair in combinations(fleet.names, 2) if not fleet.slow & set(pair) for node in pair}
    if well or not slow:
        assert (set(found.slow), found.unclear) == (set(fleet.names) - well if slow else set(), ())
    else:
        assert (found.slow, found.unclear) == ((), fleet.names), "no two are fast: nobody is accused"


@given(st.integers(3, 300).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n - 1))))
def test_one_slow_node_takes_logarithmically_many_passes(case: tuple[int, int]):
    nodes, number = case
    fleet = Fleet({number}, nodes)
    assert slow_nodes(fleet.names, fleet.fast).slow == (fleet.names[number],)
    assert len(fleet.passes) <= 2 * math.ceil(math.log2(nodes)) + 4


def test_a_well_fleet_takes_one_pass_and_one_bad_pass_accuses_nobody():
    fleet = Fleet(set(), 64)
    assert slow_nodes(fleet.names, fleet.fast).slow == ()
    assert len(fleet.passes) == 1
    # n0 is slow in the halves and with its first witness n3, and well with its second, n4: a hiccup
    tries = iter([False, False, True, False, False, True] + [True] * 99)
    assert slow_nodes(("n0", "n1", "n2", "n3", "n4"), lambda _: next(tries)).slow == ()


@given(st.integers(2, 33), st.integers(1, 5))
def test_in_each_round_every_node_has_one_other_partner(nodes: int, number: int):
    names = [f"n{each}" for each in range(nodes)]
    found = rounds(names, number)
    every = [frozenset(pair) for one in found for pair in one]
    assert len(set(every)) == len(every)
    for one in found:
        used = [node for pair in one for node in pair]
        assert len(set(used)) == len(used) == nodes - nodes % 2


@given(st.integers(6, 40).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, n - 1), max_size=n // 6))))
def test_pairs_name_the_slow_nodes_and_not_their_partners(case: tuple[int, set[int]]):
    nodes, slow = case
    names = [f"n{each}" for each in range(nodes)]
    bad = {names[each] for each in slow}
    speeds = {p: 10.0 if bad & set(p) else 40.0 + len(p[0]) for one in rounds(names, nodes) for p in one}
    assert set(slow_in_pairs(speeds, LIMITS["pair"].most)) == bad


def test_a_fleet_that_differs_a_little_has_no_slow_node():
    names = [f"n{each}" for each in range(16)]
    speeds = {pair: 30.0 + hash(pair) % 15 for one in rounds(names, 3) for pair in one}
    assert slow_in_pairs(speeds, LIMITS["pair"].most) == ()
    assert slow_in_pairs({}, 0.5) == ()


def passes(*speeds: float, nodes: int = 4, program: str = "all_reduce_perf") -> list[Pass]:
    names = tuple(f"n{each}" for each in range(nodes))
    return [Pass(at_s=1.0, program=program, nodes=names, gb_s=speed) for speed in speeds]


def test_median_and_p5_are_of_passes_alike():
    log = passes(40, 42, 44, 41, 43) + passes(400, nodes=2) + passes(1, 1, program="torch.distributed") + passes(0)
    # sorted 40 ... 44: the median is 42, the 5th percentile a fifth of the way from 40 to 41
    assert usual(log, "all_reduce_perf", 4) == Usual(passes=5, median=42, p5=pytest.approx(40.2))
    assert usual(log, "all_reduce_perf", 8) is None
    assert usual(passes(40, 42), "all_reduce_perf", 4) is None, "two passes are no habit"


def test_the_log_outlives_lines_of_others(tmp_path):
    log = tmp_path / "new" / "passes.jsonl"
    assert kept(log) == []
    for one in passes(40, 41):
        keep(log, one)
    log.write_text(log.read_text() + "garbage\n{}\n")
    assert kept(log) == passes(40, 41)


def test_bandwidth_is_that_of_nccl_tests():
    # nccl-tests, PERFORMANCE.md: 1 GB in 1 s on 8 ranks is 1 GB/s of algorithm, 1.75 GB/s of the bus
    assert bus_gb_s(1e9, 1.0, 8) == pytest.approx(1.75)
    assert avg_bus_gb_s(NCCL.format(0, "41.6967")) == 41.6967
    assert avg_bus_gb_s(NCCL.format(3, "41.6967")) == 0, "sums that are wrong are no speed"
    with pytest.raises(NotReady, match="did not end: Test NCCL failure"):
        avg_bus_gb_s("...\nTest NCCL failure common.cu:1041 'unhandled system error'")
