"""What is left of a stack, in words: its cost, what is kept on purpose, and what is free."""

from __future__ import annotations

from collections.abc import Sequence

from planner.report.wording.figures import many, visible

NAME, KIND, FOUND, PER_DAY, ID = "Name", "Kind", "Found", "$/day", "Id"
NO_NAME, BY_USE, UNKNOWN = "(no name)", "by use", "unknown"
MOST = 6  # names of resources with an unknown cost


def total(usd: float, unknown: Sequence[str]) -> str:
    """The cost per day. unknown: names of resources that are billed by use or have no known price."""
    if not unknown:
        return f"${usd:,.2f} per day"
    names = ", ".join(visible(name) for name in unknown[:MOST]) + (" ..." if len(unknown) > MOST else "")
    return f"at least ${usd:,.2f} per day, plus usage-based and unknown costs of {names}"


def still_costs(stack: str, cost: str) -> str:
    return f"Stack {stack} still costs {cost}"


def nothing_left(stack: str) -> str:
    return f"Stack {stack}: nothing is left except what is kept on purpose"


def kept(cost: str) -> str:
    return f"Kept on purpose, which costs {cost}"


def free(names: Sequence[str]) -> str:
    return f"Also left, free: {many(len(names), 'resource')}: {', '.join(names)}"
