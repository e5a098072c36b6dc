"""Finds what is given twice."""

from __future__ import annotations

from typing import TypeVar

Key = TypeVar("Key")
Holder = TypeVar("Holder")


def earlier(seen: dict[Key, Holder], key: Key | None, holder: Holder) -> Holder | None:
    """The first holder of this key, None if there is none yet: then `holder` is noted in `seen` as the first.

    A key of None or "" is not known, and is nobody's.
    """
    if not key:
        return None
    first = seen.get(key)
    if first is None:
        seen[key] = holder
    return first
