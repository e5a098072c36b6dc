"""Measured beside planned: the assumption that a rate contradicts, and the run again with it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest

from planner.acceptance.found import Found, Part, Rate
from planner.acceptance.judge import Accepted, lines_of
from planner.acceptance.knob import fixed, knob_of
from planner.acceptance.line import MISS, NOT_MEASURED, PASS, Line
from planner.acceptance.miss import NEVER, Change
from planner.acceptance.network import time_factor
from planner.acceptance.planned import QUANTITIES, evaluated, expected_of
from planner.acceptance.words import costs, number
from planner.acceptance.written import evidence, junit, next_plan
from planner.decide.compare import compare
from planner.estimate.request import Request
from planner.models.values import Values
from planner.plan.values_file import as_overrides
from planner.stack.spec import ClusterSpec, NvmeCluster
from tests.acceptance.plans import PLAN, SCENARIO, planned
from tests.cluster.specs import SCHEDULER

NODES = ("i-1", "i-2", "i-3", "i-4")


@pytest.fixture(scope="module")
def four(tmp_path_factory) -> tuple[Request, ClusterSpec]:
    """Four p4d that want 32 x 600 MB/s of 1 MB objects."""
    text = PLAN.replace("20MB/s", "600MB/s")
    return planned(tmp_path_factory.mktemp("plan"), text=text)


def rate(gb_per_s: float, seconds: float = 1.0) -> Rate:
    return Rate(gb_per_s=gb_per_s, objects_per_s=gb_per_s * 1000, seconds=seconds, p50_ms=1, p99_ms=2, failed=0)


def accepted(four: tuple[Request, ClusterSpec], found: Found) -> dict[str, Line]:
    request, spec = four
    return {line.id: line for line in lines_of(Accepted(request=request, scenario=SCENARIO, spec=spec, found=found))}


def reads(gb_per_s: float, size: int = 1_000_000) -> Found:
    return Found(nodes=NODES, parts=(Part(name=str(size), object_bytes=size, write=rate(1.0), read=rate(gb_per_s)),))


def test_reads_within_the_range_pass_and_change_nothing(four):
    line = accepted(four, reads(20.0))["read.1000000"]
    assert (line.state, line.change) == (PASS, None)
    assert line.low < 20.0 < line.high


def test_a_miss_costs_what_the_plan_costs_more_with_the_measured_value(four, tmp_path):
    """Second route: the plan itself with `--set`, at central values."""
    line = accepted(four, reads(3.0))["read.1000000"]
    assert line.state == MISS
    assert line.change is not None
    assert "13 % of plan" in line.said
    request, _ = four
    measured = {**request.plan.assumptions, line.assumption: line.value}
    one = replace(request, draws=0)
    other = replace(one, plan=request.plan.model_copy(update={"assumptions": measured}))
    [before], [after] = ([s for s in compare(each).scenarios if s.id == SCENARIO] for each in (one, other))
    assert after.storage.read_gb_per_s == pytest.approx(3.0, rel=0.01)
    p10, _, p90 = line.change.days
    assert p10 <= after.days.plan - before.days.plan <= p90
    low, middle, high = line.change.usd
    assert low <= after.cost_usd.plan - before.cost_usd.plan <= high
    # 19.2 GB/s are wanted and 3 are there: the steps take 6.4 times as long
    assert middle > 3 * before.cost_usd.plan


@pytest.mark.parametrize("scenario", [SCENARIO, SCENARIO.replace("converged", "s3-stream")])
@pytest.mark.parametrize("share", [0.9, 0.4, 0.05])
def test_the_assumption_found_gives_the_measured_rate(tmp_path, scenario, share):
    text = PLAN.replace("[converged]", "[converged, s3-stream]")
    request, _ = planned(tmp_path, text=text)
    entry, table = evaluated(request, scenario), request.central(recording=False).table
    for quantity in QUANTITIES:
        if quantity.of is None:
            continue
        wanted = share * float(quantity.of(entry.layout.service(Values(table=table, recording=False))))
        found = knob_of(quantity, entry, table, wanted)
        assert found is not None, quantity.id
        again = entry.layout.service(Values(table=fixed(table, *found), recording=False))
        assert float(quantity.of(again)) == pytest.approx(wanted, rel=0.01)


def test_objects_of_another_size_have_their_own_range_and_no_price(four):
    """100 KB objects are limited by requests: 4 targets x 5,600 a second x 100 KB = 2.24 GB/s."""
    line = accepted(four, reads(0.1, size=100_000))["read.100000"]
    assert line.planned == pytest.approx(4 * 5600 * 100_000 / 1e9)
    assert (line.state, line.change) == (MISS, None)


def test_a_checkpoint_is_judged_by_its_time(four):
    """40 MB at the plan's rates take milliseconds; two seconds are a miss, and so is the restore."""
    part = Part(name="checkpoint", object_bytes=10_000_000, write=rate(0.02, 2.0), read=rate(0.02, 2.0))
    lines = accepted(four, Found(nodes=NODES, parts=(part,)))
    save, restore = lines["checkpoint-save"], lines["checkpoint-restore"]
    assert (save.state, restore.state) == (MISS, MISS)
    assert save.assumption == "s3.write_gb_per_s_per_node"
    assert restore.assumption == "s3.read_gb_per_s_per_node"
    assert restore.value == pytest.approx(0.02 / 4, rel=0.01)


def test_a_measurement_whose_requests_fail_is_a_miss_and_no_value_of_a_plan(four):
    broken = replace(rate(20.0), failed=3)
    part = Part(name="1000000", object_bytes=1_000_000, write=rate(1.0), read=broken)
    line = accepted(four, Found(nodes=NODES, parts=(part,)))["read.1000000"]
    assert (line.state, line.assumption, line.change) == (MISS, "", None)
    assert "3 requests failed" in line.means


def test_starts_are_hours_of_the_plan(four):
    lines = accepted(four, replace(reads(20), boot_hours=3.0))
    assert (lines["boot"].state, lines["boot"].assumption, lines["boot"].value) == (
        MISS,
        "goodput.bring_up_hours",
        3.0,
    )
    # the run begins 2.5 h later, and every node bills them
    assert lines["boot"].change.days[1] == pytest.approx(2.5 / 24, rel=0.01)


def test_tcp_is_priced_without_a_measurement_and_by_one(four):
    """A quarter of the speed, and up to 61 % of a step that waits (1 - MFU of 0.39): 1 + 0.61 x 3 = 2.83 times."""
    assert time_factor(0.61, 50.0, 12.5) == pytest.approx(2.83)
    lines = accepted(four, reads(20.0))
    assert (lines["tcp"].state, lines["all-reduce"].state) == (NOT_MEASURED, NOT_MEASURED)
    assert "12.5 GB/s over TCP against 50 GB/s over EFA: line rates" in lines["tcp"].said
    cheap = lines["tcp"].change.usd[1]
    measured = accepted(four, replace(reads(20.0), all_reduce=29.6, tcp=2.96))
    assert (measured["all-reduce"].state, measured["tcp"].state) == (PASS, PASS)
    assert measured["tcp"].change.usd[1] > cheap > 0
    equal = accepted(four, replace(reads(20.0), all_reduce=5.0, tcp=5.1))
    assert (equal["all-reduce"].state, equal["tcp"].state) == (MISS, MISS)
    assert "EFA is not in use" in equal["tcp"].said


def test_a_node_that_is_not_ready_holds_the_gang(four):
    found = replace(reads(20.0), not_ready={"i-3": "gpus: 7 of 8"}, slow={"i-2": "what it serves"})
    lines = accepted(four, found)
    assert lines["ready"].state == MISS
    assert "3 of 4: i-3: gpus: 7 of 8" in lines["ready"].said
    assert "an hour while the job waits" in lines["ready"].means
    assert lines["slow-nodes"].mends == "planner node swap --stack four --node i-2"


def test_what_replaces_a_slow_node_depends_on_who_started_it(four):
    request, spec = four
    cluster = NvmeCluster(instance_type="i3en.24xlarge", nodes=4, spares=1, drives=8, root_volume_gib=100)

    def mends(of: ClusterSpec, slow: str) -> str:
        found = replace(reads(20.0), slow={slow: "what it serves"})
        lines = lines_of(Accepted(request=request, scenario=SCENARIO, spec=of, found=found))
        return next(line.mends for line in lines if line.id == "slow-nodes")

    assert mends(replace(spec, scheduler=SCHEDULER), "i-2") == "docs/day-2.md, swap a node: i-2"
    apart = replace(spec, nvme=cluster)
    assert mends(apart, "i-2") == "planner node swap --stack four --node i-2"
    assert mends(apart, "10.0.0.9").startswith("aws ec2 terminate-instances with the storage node at 10.0.0.9")


def test_a_restore_that_could_not_be_cold_is_not_measured_with_the_reason(four):
    part = Part(name="checkpoint", object_bytes=10_000_000, write=rate(20.0, 0.002), read=rate(20.0, 0.002))
    lines = accepted(four, Found(nodes=NODES, parts=(part,), why={"cold": "S3 does not have 3 of 8 files"}))
    assert lines["checkpoint-save"].state == PASS
    restore = lines["checkpoint-restore"]
    assert (restore.state, restore.said, restore.measured) == (NOT_MEASURED, "S3 does not have 3 of 8 files", None)


def test_nothing_measured_is_said_and_no_pass(four):
    lines = accepted(four, Found(nodes=(), why={"bench": "no node is in service"}))
    assert {line.state for line in lines.values()} == {MISS, NOT_MEASURED}
    assert lines["read"].said == "no node is in service"
    assert lines["read"].planned == pytest.approx(22.4)


def test_evidence_junit_and_the_next_plan(four, tmp_path: Path):
    request, spec = four
    found = replace(reads(3.0), boot_hours=3.0)
    lines = list(accepted(four, found).values())
    document = json.loads(evidence(lines, spec, found, datetime(2026, 11, 28, 9, tzinfo=UTC)))
    assert document["accepted_at"] == "2026-11-28T09:00:00Z"
    assert document["counts"] == {"miss": 2, "not measured": 4, "pass": 2}
    [read] = [line for line in document["lines"] if line["id"] == "read.1000000"]
    assert read["more_days"][1] > 0
    assert read["never_fraction"] == 0
    suite = ElementTree.fromstring(junit(lines, spec))
    assert (suite.get("failures"), suite.get("errors"), suite.get("tests")) == ("2", "4", "8")
    sections = next_plan(lines, request.central(recording=False), "acceptance of four")
    again, _ = planned(tmp_path, *as_overrides(sections), text=PLAN.replace("20MB/s", "600MB/s"))
    [expected] = [one for one in expected_of(again, evaluated(again, SCENARIO)) if one.quantity.id == "read"]
    assert expected.planned == pytest.approx(3.0, rel=0.01)
    assert again.table()["goodput.bring_up_hours"].value == 3.0


def test_a_run_that_never_ends_has_no_difference_and_evidence_says_so(four):
    """Reads at a millionth: the plan's least value of its assumption is a thousandth, so no assumption gives it."""
    _, spec = four
    line = Line(id="x", state=MISS, what="", said="", change=Change(days=NEVER, usd=NEVER, never_fraction=1.0))
    [said] = json.loads(evidence([line], spec, Found(nodes=NODES), datetime(2026, 11, 28, tzinfo=UTC)))["lines"]
    assert (said["more_days"], said["never_fraction"]) == (None, 1.0)
    assert costs(line.change) == "the run never ends"
    unreachable = accepted(four, reads(1e-6))["read.1000000"]
    assert (unreachable.state, unreachable.assumption) == (MISS, "")
    assert "its cost is not known" in unreachable.means


def test_numbers_have_three_digits():
    assert [number(x) for x in (0, 0.5234, 12.34, 216_667, 1_300_000, 99.96)] == [
        "0",
        "0.523",
        "12.3",
        "217,000",
        "1,300,000",
        "100",
    ]
