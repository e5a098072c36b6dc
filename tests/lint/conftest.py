"""What `make test` checks of lint, and what only `make test-real` does: the rest is marked `thorough`.

Most mistakes can be made in six graphs: `make test` makes each in one of them, another one for each mistake in turn. Of
correct graphs it checks every pair of instance type, network profile and purchase option, not every combination.
"""

from __future__ import annotations

from collections import defaultdict

import pytest

from planner.stack.spec import NIC_PROFILES
from tests.lint.graphs import BUYING, CARDS

COMBINED = {"instance_type": tuple(CARDS), "profile": tuple(NIC_PROFILES), "buying": tuple(BUYING)}


@pytest.hookimpl(tryfirst=True)  # before pytest deselects by mark
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        values = getattr(getattr(item, "callspec", None), "params", {})
        if not item.nodeid.startswith("tests/lint/test_mistakes.py::") or not isinstance(item, pytest.Function):
            continue
        if "mistake" in values:
            cases[f"{item.originalname} {values['mistake'].name}"].append(item)
        elif values.keys() == COMBINED.keys() and sum(COMBINED[key].index(values[key]) for key in COMBINED) % 3:
            item.add_marker(pytest.mark.thorough)
    for turn, graphs in enumerate(cases.values()):
        for place, item in enumerate(graphs):
            if place != turn % len(graphs):
                item.add_marker(pytest.mark.thorough)
