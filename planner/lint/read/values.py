"""Reads input values leniently: a number may be a string, a block may be a list of one, a value may be unknown.

Every function accepts any JSON value and returns None or nothing if it is not of the expected type, so that no graph
can make a rule fail.
"""

from __future__ import annotations

from collections.abc import Iterator

PLACEHOLDER = "PLACEHOLDER"  # marks an id in a preview that only the account has
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"  # Pulumi's marker for unknown values
Json = dict[str, object]


def literal(value: object) -> str | None:
    """A string without references or placeholders, else None."""
    if not isinstance(value, str) or "${" in value or PLACEHOLDER in value or value == UNKNOWN:
        return None
    return value


def stated(value: object) -> str | None:
    """A string without references, else None: two placeholders that differ stand for two ids."""
    return value if isinstance(value, str) and value and "${" not in value and value != UNKNOWN else None


def whole(value: object) -> int | None:
    """An integer, also from 80.0 or "80", else None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str) and len(value) < 20:
        try:
            return int(value)
        except ValueError:
            return None
    return None


def number(value: object) -> float | None:
    """A finite number, also from a string, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if abs(found) < float("inf") else None


def flag(value: object) -> bool | None:
    """True or False, also from a string, else None."""
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(value.lower()) if isinstance(value, str) else None


def given(value: object) -> bool:
    """Whether an argument is set and not empty."""
    return value is not None and value != "" and value != [] and value != {}


def one(value: object) -> Json:
    """A block that may appear once: an object, or a list of one; {} if there is none."""
    if isinstance(value, list):
        value = next((entry for entry in value if isinstance(entry, dict)), None)
    return value if isinstance(value, dict) else {}


def many(value: object) -> list[Json]:
    """A block that may appear several times: a list of objects, or one object."""
    if isinstance(value, dict):
        return [value]
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def texts(value: object) -> list[str]:
    """Strings: a list of them, or one."""
    if isinstance(value, str):
        return [value]
    return [entry for entry in value if isinstance(entry, str)] if isinstance(value, list) else []


def at(value: object, path: str) -> object:
    """The value at the path a.b.c, through blocks that may be lists of one."""
    for key in path.split("."):
        value = one(value).get(key)
    return value


def leaves(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Every scalar value with its path. Not recursive: a graph may be deeper than Python's stack."""
    waiting = [(path, value)]
    while waiting:
        where, found = waiting.pop()
        if isinstance(found, dict):
            waiting += [(f"{where}.{key}" if where else str(key), below) for key, below in found.items()]
        elif isinstance(found, list):
            waiting += [(f"{where}[{i}]", below) for i, below in enumerate(found)]
        else:
            yield where, found
