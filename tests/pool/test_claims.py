"""docs/pool-faults.md claims what its campaign found: enough faults, of every kind, nothing lost, windows kept."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from tests.pool.campaign import OFTEN, order
from tests.pool.faults import FAULTS
from tests.pool.record import BEGIN, END, PAGE, Campaign, Row, publish, results

RESULTS = PAGE.read_text().split(BEGIN)[1].split(END)[0]
TOTALS = dict(re.findall(r"^\| ([a-z ]+) \| ([\d,]+) \|$", RESULTS, flags=re.MULTILINE))


@dataclass(frozen=True, kw_only=True)
class Line:
    """One kind of fault in the page's table."""

    fault: str
    times: int
    median_s: float
    longest_s: float
    allowed_s: float
    return_s: float
    acknowledged: int
    lost: int
    wrong: int
    undone: int


def lines(page: str = RESULTS) -> list[Line]:
    row = (
        r"^\| (.+?) \| (\d+) \| ([\d.]+), ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| ([\d,]+) \| "
        + r"(\d+) \| (\d+) \| (\d+) \| .+ \|$"
    )
    found = []
    for cells in re.findall(row, page, flags=re.MULTILINE):
        name, *numbers = cells
        times, median, longest, allowed, back, acknowledged, lost, wrong, undone = (
            float(number.replace(",", "")) for number in numbers
        )
        found.append(
            Line(
                fault=name,
                times=int(times),
                median_s=median,
                longest_s=longest,
                allowed_s=allowed,
                return_s=back,
                acknowledged=int(acknowledged),
                lost=int(lost),
                wrong=int(wrong),
                undone=int(undone),
            )
        )
    return found


def total(name: str) -> int:
    return int(TOTALS[name].replace(",", ""))


def test_fifty_faults_and_nothing_acknowledged_was_lost_or_wrong():
    assert total("faults injected") >= 50
    assert total("writes acknowledged under them") > 5000
    assert total("acknowledged writes compared once more at the end") >= total("writes acknowledged under them")
    assert total("acknowledged and lost") == 0
    assert total("acknowledged and wrong") == 0
    assert all(line.lost == line.wrong == line.undone == 0 for line in lines(PAGE.read_text()))


def test_the_table_adds_up():
    assert sum(line.times for line in lines()) == total("faults injected")
    assert sum(line.acknowledged for line in lines()) == total("writes acknowledged under them")
    assert 0 < total("requests that failed") < total("requests") / 2


def test_every_fault_that_is_known_was_tried():
    assert {line.fault for line in lines(PAGE.read_text())} == {fault.name for fault in FAULTS.values()}
    groups = {fault.group for fault in FAULTS.values()}
    assert {"node", "drive", "primary", "all targets", "30 % at once", "link cut", "drain"} <= groups
    assert {"sick node", "power loss", "bytes"} <= groups
    assert {"S3 down", "S3 slow", "S3 restarted", "S3 refusing"} <= groups


@pytest.mark.parametrize(
    ("name", "limit_s"),
    [("target_killed", 15), ("target_replaced", 15), ("primary_and_target_killed", 30), ("primary_killed", 30)],
)
def test_windows_after_a_kill(name: str, limit_s: float):
    line = next(line for line in lines() if line.fault == FAULTS[name].name)
    assert line.longest_s <= line.allowed_s == limit_s


def test_windows_of_all_faults_and_no_rule_broken():
    assert all(line.longest_s <= line.allowed_s for line in lines())
    assert "Not as it must be" not in RESULTS


def test_a_drain_has_no_error():
    drained = [line for line in lines() if "drained" in line.fault]
    assert len(drained) == 2
    assert all(line.longest_s == 0 for line in drained)


def test_the_campaign_injects_every_fault_and_at_least_fifty():
    names = order(OFTEN, seed=1)
    assert set(names) == set(FAULTS)
    assert len(names) == sum(OFTEN.values()) >= 50
    assert set(names[: len(FAULTS)]) == set(FAULTS), "each once before any is repeated"
    assert order(OFTEN, seed=1) == names != order(OFTEN, seed=2)


def test_a_campaign_is_published_between_the_marks_of_a_page(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nolder\n{END}\nafter\n")
    row = Row(
        fault="node: gone",
        group="node",
        error_s=1.5,
        return_error_s=0.0,
        limit_s=15.0,
        read_errors=1,
        write_errors=2,
        requests=10,
        acknowledged=7,
        lost=(),
        wrong=(),
        undone=("again/3 in S3",),
        doors=("S3", "GET"),
        notes=("a mount saw more",),
        broken_rules=(),
        said=(),
    )
    found = Campaign(
        command="it", date="2026-11-22", machine="here", nodes=3, drives=2, minutes=1.0,
        rows=(row,), judged_again=7, lost=0, wrong=0, undone=0,
    )  # fmt: skip
    publish(found, page)
    assert page.read_text() == f"before\n{BEGIN}\n{results(found)}{END}\nafter\n"
    assert "| node: gone | 1 | 1.5, 1.5 | 15 | 0.0 | 7 | 0 | 0 | 1 | S3; GET |\n" in page.read_text()
    assert "\n- node: gone: a mount saw more\n" in page.read_text()
    assert not found.good
