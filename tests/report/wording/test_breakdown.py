"""Where the money goes: parts that leave nothing out and count nothing twice."""

from __future__ import annotations

import pytest

from planner.models.bill_lines import bill_line
from planner.report.wording.breakdown import parts_of, sentence
from planner.report.wording.figures import plan_usd
from tests.builders import compared, plan_of
from tests.report.scenes import small


def test_the_parts_are_the_planned_cost() -> None:
    for scenario in small().scenarios:
        if not scenario.feasible:
            continue
        parts = parts_of(scenario)
        assert sum(part.usd for part in parts) == pytest.approx(plan_usd(scenario))
        assert sum(part.share for part in parts) == pytest.approx(1)
        assert [part.usd for part in parts] == sorted((part.usd for part in parts), reverse=True)


def test_people_stand_apart_from_machines() -> None:
    people = {"engineers": 2, "experiments": True, "preprocessing": {"gpu_hours": 100}}
    best = compared(plan_of(people=people)).best
    assert best is not None
    names = {part.name for part in parts_of(best)}
    assert names >= {"GPU nodes", "salaries", "experiments", "preprocessing", "storage"}


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("fleet.compute", "GPU nodes"),
        ("fleet.commitment-unused", "unused commitment"),
        ("fleet.ebs", "network, volumes, alarms"),
        ("pool.control-nodes", "storage"),
        ("storage.s3.standard", "storage"),
        ("transfer.ingest", "network, volumes, alarms"),
    ],
)
def test_a_line_has_one_part(line: str, part: str) -> None:
    assert bill_line(line).part == part


def test_a_small_part_is_named_as_small() -> None:
    best = small().best
    assert best is not None
    # two parts that are small alone are one percent together
    assert sentence(best) == "GPU nodes 87%, unused block time 12%, the rest 1%"
