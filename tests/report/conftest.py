"""One scenario with draws, for what explains its numbers."""

from __future__ import annotations

import pytest

from planner.decide.compare import Request, compare
from tests.builders import book_of, plan_of


@pytest.fixture(scope="module")
def request_():
    plan = plan_of(purchase={"options": ["spot"]}, storage={"layouts": ["converged"]})
    return Request(plan=plan, plan_sha256="0" * 64, book=book_of(), draws=100)


@pytest.fixture(scope="module")
def comparison(request_):
    return compare(request_)
