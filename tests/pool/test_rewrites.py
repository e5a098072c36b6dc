"""The rule by which the campaign says that a newer write was undone."""

from __future__ import annotations

import pytest

from tests.pool.rewrites import Change, undone


def change(value: bytes | None, start_s: float, end_s: float, acknowledged: bool = True) -> Change:
    return Change(value=value, start_s=start_s, end_s=end_s, acknowledged=acknowledged)


OLD, NEW = change(b"old", 0, 1), change(b"new", 2, 3)


@pytest.mark.parametrize(
    ("changes", "found", "said"),
    [
        ([OLD, NEW], b"new", ""),
        ([OLD, NEW], b"old", "undone"),
        ([OLD, NEW], None, "lost"),
        ([OLD, NEW], b"of nobody", "wrong"),
        # of two at once either may be the last
        ([change(b"one", 0, 3), change(b"two", 1, 2)], b"one", ""),
        ([change(b"one", 0, 3), change(b"two", 1, 2)], b"two", ""),
        # given up: may or may not be there, but not in place of a newer one
        ([change(b"given up", 0, 1, acknowledged=False)], b"given up", ""),
        ([change(b"given up", 0, 1, acknowledged=False)], None, ""),
        ([change(b"given up", 0, 1, acknowledged=False), NEW], b"given up", "undone"),
        ([OLD, change(b"given up", 2, 3, acknowledged=False)], b"old", ""),
        # removals
        ([OLD, change(None, 2, 3)], None, ""),
        ([OLD, change(None, 2, 3)], b"old", "undone"),
        ([change(None, 0, 1), NEW], None, "undone"),
        ([], None, ""),
    ],
)
def test_a_key_shows_a_change_after_which_none_was_acknowledged(changes, found, said):
    assert undone(changes, found) == said
