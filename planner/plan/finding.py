"""A finding about a plan: where it is, what is wrong, what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planner.plan.wording import shown
from planner.plan.yamlfile import Path

Finding = tuple[Path, str, str]  # where in the plan, what is wrong, what to do


def repeated(at: Path, names: Sequence[object], message: str = "") -> Iterator[Finding]:
    """A finding for each name that is in the list already."""
    first: dict[object, int] = {}
    for index, name in enumerate(names):
        if name in first:
            yield (*at, index), message or f"{shown(name)} is listed twice", "keep one of them"
        first.setdefault(name, index)
