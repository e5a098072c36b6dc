"""What a reader must know to judge a difference of two comparisons: other draws, other models, missing prices."""

from __future__ import annotations

OTHER_DRAWS = "the seed or the number of draws differs: some of the changes in P10 to P90 are chance"
P90_IS_FLOOR = "the P90 of a scenario that may not finish is only a lower bound and is marked in the same way"
OTHER_VERSION = "plan, prices and draws are the same: the differences come from another version of planner"


def unknown_model(side: str) -> str:
    return f"{side} does not say which model calculated it: changes may come from another model"


def other_model(before: tuple[str | None, str], after: tuple[str | None, str]) -> str:
    """before, after: version of the planner and hash of its model."""
    old, new = (f"planner {version}, model {digest[:12]}" for version, digest in (before, after))
    return f"the models differ, which may explain some of the changes: {old}; then {new}"


def bounds(count: int, of: int) -> str:
    return (
        f"in {count} of {of} scenarios a total is a lower bound because a price is missing: the change is a bound too "
        "(>=, <=), or unknown (?)"
    )


def without_node_price(count: int) -> str:
    return f"in {count} scenarios the GPU nodes have no price before or after, so there is no total to compare"


def edited_book(side: str) -> str:
    return f"the price book of {side} was edited after it was built"
