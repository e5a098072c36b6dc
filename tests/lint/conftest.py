"""Most mistakes can be made in six graphs. `make test` makes each in two of them, another two for each mistake in turn;
the others are marked `thorough`, and `make test-real` runs them."""

from __future__ import annotations

from collections import defaultdict

import pytest

IN_MAKE_TEST = 2


@pytest.hookimpl(tryfirst=True)  # before pytest deselects by mark
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.nodeid.startswith("tests/lint/test_mistakes.py::") and isinstance(item, pytest.Function):
            mistake = getattr(item, "callspec", None) and item.callspec.params.get("mistake")
            if mistake is not None:
                cases[f"{item.originalname} {mistake.name}"].append(item)
    for turn, graphs in enumerate(cases.values()):
        kept = {(turn + step) % len(graphs) for step in (0, len(graphs) // IN_MAKE_TEST)}
        for place, item in enumerate(graphs):
            if place not in kept:
                item.add_marker(pytest.mark.thorough)
