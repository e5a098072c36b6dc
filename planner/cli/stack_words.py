"""Values of a stack file in messages, and what a new file would change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from planner.plan.wording import shown

if TYPE_CHECKING:
    from planner.stack.changes import Change

MOST_CHANGES = 20


def change_lines(found: Sequence[Change]) -> list[str]:
    """`  fleet.nodes: 4 -> 8`, and how many more."""
    lines = [f"  {c.name}: {value_words(c.before)} -> {value_words(c.after)}" for c in found[:MOST_CHANGES]]
    return lines + ([f"  and {len(found) - MOST_CHANGES} more"] if len(found) > MOST_CHANGES else [])


def value_words(value: Any) -> str:
    """A value of a spec in a message."""
    if isinstance(value, list):
        return shown(", ".join(map(str, value)) or "nothing")
    return f"{value:.10g}" if isinstance(value, float) else shown(value)
