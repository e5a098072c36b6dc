"""One plan and one comparison for the tests of the Python interface."""

from __future__ import annotations

import pytest

import planner
from tests.typed import SMALL

SET = {"storage.layouts": ["s3-stream", "converged"], "purchase.options": ["on-demand", "spot"]}
DRAWS = 200


@pytest.fixture(scope="package")
def plan() -> planner.Plan:
    return planner.load(SMALL, set=SET)


@pytest.fixture(scope="package")
def comparison(plan: planner.Plan) -> planner.Comparison:
    return planner.compare(plan, draws=DRAWS)
