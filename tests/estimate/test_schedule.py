"""Time that people lose: off unless the plan asks for it, then in the range and not in the planned figures."""

from __future__ import annotations

import pytest

from tests.builders import compared, plan_of

PEOPLE = {"run.schedule_factor": {"value": 1, "low": 1, "high": 1.5}}


def _one(**changes):
    plan = plan_of(purchase={"options": ["on-demand"]}, storage={"layouts": ["s3-stream"]}, **changes)
    comparison = compared(plan, draws=2000)
    return comparison, comparison.scenarios[0]


def test_it_is_off_and_said():
    comparison, _ = _one()
    assert any("people, bugs and bad restarts" in note for note in comparison.notes)
    assert "run.schedule_factor" not in {entry.key for entry in comparison.assumptions}


def test_in_the_range_and_not_in_the_plan():
    """A factor whose 95th percentile is 1.5: its 90th is 1.5 ** (1.2816 / 1.6449) = 1.37, of what is not waiting."""
    comparison, with_people = _one(assumptions=PEOPLE)
    _, without = _one()
    assert with_people.days.plan == pytest.approx(without.days.plan)
    assert with_people.days.p90 / without.days.p90 == pytest.approx(1.35, abs=0.04)
    assert with_people.days.p10 == pytest.approx(without.days.p10, rel=0.01)
    assert not any("people, bugs" in note for note in comparison.notes)


def test_a_held_fleet_has_no_schedule_to_miss():
    held = {"work": {"gpu_hours": None, "days": 30}}
    comparison, scenario = _one(run=held, assumptions=PEOPLE)
    assert scenario.days.p90 == pytest.approx(30, rel=1e-6)
    assert not any("people, bugs" in note for note in comparison.notes)
