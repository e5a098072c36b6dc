"""What nodes measured, added up by hand; and the slow one among them."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from fleet_pool.operate.tally import Request, packed, percentile_s, told, unpacked

from planner.acceptance.found import parts_of, slow_nodes


def report(node: str, rates: dict[str, float], *, size: int = 1_000_000, seconds: float = 2.0) -> dict[str, Any]:
    """A node that reads from each target at so many bytes a second, ten objects each; it writes ten."""
    read = [Request(host=host, octets=size, seconds=size / rate) for host, rate in rates.items() for _ in range(10)]
    write = [Request(host="a", octets=size, seconds=0.1)] * 10
    part = {"name": str(size), "object_bytes": size, "write": told(write, seconds), "read": told(read, seconds)}
    return {"node": node, "parts": [part]}


def test_rates_of_all_nodes_add_up():
    reports = [report("one", {"a": 1e8, "b": 1e8}, seconds=2.0), report("two", {"a": 1e8}, seconds=4.0)]
    [part] = parts_of(reports)
    # reads end when the time is up: 20 MB in 2 s and 10 MB in 4 s
    assert part.read.gb_per_s == pytest.approx(0.010 + 0.0025)
    # writes end with the slowest: 10 MB + 10 MB in 4 s
    assert part.write.gb_per_s == pytest.approx(0.005)
    assert part.read.objects_per_s == pytest.approx(20 / 2 + 10 / 4)
    assert part.read.p50_ms == pytest.approx(10, rel=0.03)


def test_percentiles_of_several_nodes_are_those_of_all_requests():
    fast = told([Request(host="a", octets=1, seconds=0.001)] * 98, 1)
    slow = told([Request(host="a", octets=1, seconds=1.0)] * 2, 1)
    both = [fast["latency"], slow["latency"]]
    assert percentile_s(both, 0.5) == pytest.approx(0.001, rel=0.03)
    assert percentile_s(both, 0.99) == pytest.approx(1.0, rel=0.03)
    assert percentile_s([], 0.5) == 0.0


def test_failed_requests_are_counted_and_no_rate():
    said = told([Request(host="", octets=0, seconds=9, failed=True), Request(host="a", octets=5, seconds=1)], 1)
    assert (said["failed"], said["objects"], said["bytes"]) == (1, 1, 5)


def test_the_report_of_a_large_pool_fits_into_an_answer_of_systems_manager():
    """Three sizes, each read from all of 400 targets at a rate of its own: 24,000 characters are what
    GetCommandInvocation hands on."""
    draw = random.Random(1)
    rates = [{f"10.0.{n // 250}.{n % 250}": draw.uniform(1e6, 1e9) for n in range(400)} for _ in range(3)]
    whole = {"node": "i-1", "parts": [report("i-1", each)["parts"][0] for each in rates]}
    for part in whole["parts"]:
        del part["write"]["by_target"]
    line = packed(whole)
    assert len(line) <= 24_000 < len(json.dumps(whole))
    assert unpacked(line) == unpacked(json.dumps(whole)) == whole
    with pytest.raises(ValueError, match="not a report"):
        unpacked(line[:-10])


NODES = {"a": "one", "b": "two", "c": "three", "d": "four"}


@pytest.mark.parametrize("slow", [*NODES])
def test_a_node_with_a_slow_link_is_named_and_nobody_else(slow: str):
    """Its own reads are slow, and everybody's reads from it: no other node is accused of either."""
    reports = [
        report(node, {target: 1e6 if slow in (host, target) else 1e8 for target in NODES})
        for host, node in NODES.items()
    ]
    assert list(slow_nodes(reports, NODES)) == [NODES[slow]]


def test_a_node_with_slow_drives_is_named_by_what_it_serves():
    reports = [report(node, {host: 1e6 if host == "c" else 1e8 for host in NODES}) for node in NODES.values()]
    assert slow_nodes(reports, NODES) == {"three": "what it serves"}


def test_two_nodes_accuse_nobody():
    reports = [report("one", {"a": 1e8, "b": 1e6}), report("two", {"a": 1e8, "b": 1e6})]
    assert slow_nodes(reports, NODES) == {}
