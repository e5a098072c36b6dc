"""What was published of the fleet that examples/case-study-year.yaml has the shape of, and a verdict on each claim."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.errors import PlanProblems
from planner.evidence.case import cases_in
from planner.evidence.replay import CONTRADICTED, NOT_ASKED, REPRODUCED, backtest
from tests.evidence.cases import cases_of, row

EXAMPLES = Path(__file__).parents[2] / "examples"
ANOTHER = {
    "YEAR-95-125": (CONTRADICTED, "costliest tier"),
    "YEAR-93": (CONTRADICTED, "inside training jobs"),
    "YEAR-35": (NOT_ASKED, "disagree"),
    "YEAR-100k": (NOT_ASKED, "how many TB"),
    "YEAR-548": (NOT_ASKED, "not public"),
}


def test_each_claim_of_the_case_study_has_its_verdict() -> None:
    found = backtest(cases_in(EXAMPLES / "case-study-claims.csv")).results
    assert len(found) == 13
    for one in found:
        verdict, why = ANOTHER.get(one.case.id, (REPRODUCED, ""))
        assert (one.case.id, one.verdict) == (one.case.id, verdict)
        assert why in one.why
    by_id = {one.case.id: one for one in found}
    assert by_id["YEAR-flash"].low == pytest.approx(400 * 8 * 1.0 * 0.99 * 0.7)
    assert "256 instances" in by_id["YEAR-block"].said


def test_what_is_no_figure_of_a_fleet_is_said(tmp_path: Path) -> None:
    plan = f"file={EXAMPLES / 'case-study-year.yaml'}; read=days"
    with pytest.raises(PlanProblems, match="no figure of a fleet"):
        backtest(cases_of(tmp_path, row("plan", plan, "3")))
