"""What `make test` checks of lint, and what only `make test-real` does: the rest is marked `thorough`.

A mistake is made in two graphs: `make test` makes one of each rule in one of them, another one in turn. Of correct
graphs it checks each purchase option with two instance types, profiles and layouts, not every second combination.
"""

from __future__ import annotations

from collections import defaultdict

import pytest

from planner.stack.spec import NIC_PROFILES
from tests.lint.graphs import BUYING, CARDS, LAYOUTS

COMBINED = {
    "instance_type": tuple(CARDS),
    "profile": tuple(NIC_PROFILES),
    "buying": tuple(BUYING),
    "layout": LAYOUTS,
}


def combined(values: dict[str, object]) -> bool:
    """Whether this is one of the combinations that `make test` checks."""
    kind, profile, buying, layout = (names.index(values[name]) for name, names in COMBINED.items())
    return (
        kind != buying % len(CARDS)
        and profile == (kind + buying) % len(COMBINED["profile"])
        and layout == (kind + len(CARDS) * buying) % len(LAYOUTS)
    )


@pytest.hookimpl(tryfirst=True)  # before pytest deselects by mark
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        values = getattr(getattr(item, "callspec", None), "params", {})
        if not item.nodeid.startswith("tests/lint/test_mistakes.py::") or not isinstance(item, pytest.Function):
            continue
        if "mistake" in values:
            cases[f"{item.originalname} {values['mistake'].caught}"].append(item)
        elif values.keys() == COMBINED.keys() and not combined(values):
            item.add_marker(pytest.mark.thorough)
    for turn, graphs in enumerate(cases.values()):
        for place, item in enumerate(graphs):
            if place != turn % len(graphs):
                item.add_marker(pytest.mark.thorough)
