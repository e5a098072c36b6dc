"""Mistakes of newcomers, and what they are told."""

from __future__ import annotations

import pytest

from planner.errors import PlanProblems
from planner.plan.load import load_text


@pytest.mark.parametrize(
    ("work", "said"),
    [
        ("{gpu_hours: 100,000}", "no commas between its thousands"),
        ("{tokens: 2e12, parameters: 7e9}", "flop: 6 x parameters x tokens"),
    ],
)
def test_what_newcomers_write_of_the_work_is_answered(work, said):
    with pytest.raises(PlanProblems) as caught:
        load_text(f"apiVersion: planner/v1\nname: x\nrun: {{work: {work}}}\n")
    assert said in str(caught.value)
