"""Two plans that were once told the costlier layout, as "within the uncertainty", and one that was told spot."""

from __future__ import annotations

from typing import Any

import pytest

from planner.answer.measure import ranked
from planner.decide.compare import compare
from planner.estimate.request import Request
from tests.builders import book_of, plan_of

TWELVE: dict[str, Any] = {
    "run": {"work": {"gpu_hours": 38_000}, "deadline": "21d"},
    "data": {"hot_dataset": "80TB", "read_per_gpu": None, "checkpoint": "140GB"},
    "fleet": {"instance_types": ["p5.48xlarge"], "nodes": "8..20"},
}
LARGE: dict[str, Any] = {
    "run": {"work": {"gpu_hours": 3_000_000}},
    "data": {"hot_dataset": "500TB", "read_per_gpu": None, "checkpoint": "1TB"},
    "fleet": {"instance_types": ["p5.48xlarge"], "nodes": [64, 128]},
}


@pytest.mark.parametrize("sections", [TWELVE, LARGE], ids=["twelve", "large"])
def test_no_tie_hides_a_layout_that_is_cheaper_in_nearly_every_draw(sections: dict[str, Any]) -> None:
    plan = plan_of(start="2026-12-07", **sections)
    found = compare(Request(plan=plan, plan_sha256="0" * 64, book=book_of(), draws=1000, derivations=False))
    best = found.best
    assert best is not None
    assert best.layout == "converged"
    alike = [s for s in found.complete if (s.nodes, s.purchase) == (best.nodes, best.purchase)]
    assert {s.layout for s in alike} > {"converged"}
    assert best is min(alike, key=lambda s: ranked(s, "p50"))


def test_sixteen_p5_on_spot_are_an_alternative() -> None:
    """6.5 days of work in seven days, tomorrow in us-east-2."""
    sections = {"run": {"work": {"gpu_hours": 18_500}, "deadline": "7d"}, "purchase": {"options": ["spot-fallback"]}}
    fleet = {"instance_types": ["p5.48xlarge"], "nodes": 16}
    plan = plan_of(region="us-east-2", start="2026-11-28", fleet=fleet, **sections)
    found = compare(Request(plan=plan, plan_sha256="0" * 64, book=book_of(), draws=500, derivations=False))
    assert found.best is None
    assert all(s.unproven for s in found.scenarios)
