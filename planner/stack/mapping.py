"""A ClusterSpec as plain data and back, strictly: every wrong, unknown or missing key at once, by its path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from planner.plan.wording import did_you_mean, listed, shown
from planner.stack.spec import ClusterSpec

Path = tuple[str | int, ...]
# what not every layout or file system has, and what only a person adds
MAY_BE_LEFT_OUT = ("lustre", "nvme", "control", "pool", "throughput_mbps", "roles")
_WORDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
LARGEST = 1e15  # far beyond any count or dollar; every whole number below it is exact in JSON
AGAIN = "`planner stack` writes the file anew"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing wrong with a spec: where in it, what and why, what to do."""

    path: Path
    message: str
    remedy: str = ""


class Misshapen(Exception):
    """Plain data that is no spec. findings: all that is wrong with its shape."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        self.findings = findings
        super().__init__("; ".join(finding.message for finding in findings))


def to_mapping(spec: ClusterSpec) -> dict[str, Any]:
    """The spec as plain data in the order of its fields, without what is empty and may be left out."""
    return _plain(spec)


def from_mapping(data: object) -> ClusterSpec:
    """The spec of plain data, as a stack file or the engine's configuration gives them. Raises Misshapen.

    Only its shape is judged; what does not go together is for planner.stack.check.
    """
    found: list[Finding] = []
    spec = _section(ClusterSpec, data, (), found)
    if found:
        raise Misshapen(tuple(found))
    return spec


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        entries = ((field, getattr(value, field.name)) for field in fields(value))
        return {field.name: _plain(entry) for field, entry in entries if not _left_out(field, entry)}
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, tuple) else value


def _optional(field: Field[Any]) -> bool:
    return field.name in MAY_BE_LEFT_OUT or (field.default is not MISSING and field.default in ("", None))


def _left_out(field: Field[Any], value: object) -> bool:
    return _optional(field) and value == field.default


@cache
def _types(section: type) -> dict[str, Any]:
    return get_type_hints(section)


def _section(section: type, data: object, path: Path, found: list[Finding]) -> Any:
    if not isinstance(data, Mapping):
        found.append(Finding(path=path, message=f"{_name(path)} must be a mapping; here {shown(data)}", remedy=AGAIN))
        return None
    types, before = _types(section), len(found)
    known = {field.name: field for field in fields(section)}
    for key in data:
        if key not in known:
            remedy = did_you_mean(str(key), known) or f"known here: {listed(known)}"
            found.append(Finding(path=(*path, str(key)), message=f"unknown key {shown(str(key))}", remedy=remedy))
    values = {}
    for name, field in known.items():
        if name in data:
            values[name] = _value(types[name], data[name], (*path, name), found)
        elif not _optional(field):
            found.append(Finding(path=path, message=f"{_name((*path, name))} is missing", remedy=AGAIN))
    return section(**values) if len(found) == before else None


def _value(kind: Any, data: object, path: Path, found: list[Finding]) -> Any:
    if get_origin(kind) is tuple:
        return tuple(_items(get_args(kind)[0], data, path, found))
    if get_origin(kind) is not None and issubclass(get_origin(kind), Mapping):
        return dict(_entries(get_args(kind)[1], data, path, found))
    if NoneType in get_args(kind):
        kind = next(choice for choice in get_args(kind) if choice is not NoneType)
    if isinstance(kind, type) and is_dataclass(kind):
        return _section(kind, data, path, found)
    return _scalar(kind, data, path, found)


def _items(kind: Any, data: object, path: Path, found: list[Finding]) -> Iterator[Any]:
    if not isinstance(data, list | tuple):
        found.append(Finding(path=path, message=f"{_name(path)} must be a list; here {shown(data)}", remedy=AGAIN))
        return
    for number, entry in enumerate(data):
        yield _scalar(kind, entry, (*path, number), found)


def _entries(kind: Any, data: object, path: Path, found: list[Finding]) -> Iterator[tuple[str, Any]]:
    if not isinstance(data, Mapping):
        found.append(Finding(path=path, message=f"{_name(path)} must be a mapping; here {shown(data)}", remedy=AGAIN))
        return
    for key, entry in data.items():
        yield str(key), _scalar(kind, entry, (*path, str(key)), found)


def _scalar(kind: type, data: object, path: Path, found: list[Finding]) -> Any:
    """A value of its type. A whole number may come as 4.0, and 4.0 as a whole number: JSON makes no difference."""
    if isinstance(data, int | float) and not isinstance(data, bool):
        return _number(kind, data, path, found)
    if kind in (str, bool) and isinstance(data, kind):
        return data
    found.append(Finding(path=path, message=f"{_name(path)} must be {_WORDS[kind]}; here {shown(data)}", remedy=AGAIN))
    return None


def _number(kind: type, data: float, path: Path, found: list[Finding]) -> Any:
    if kind in (int, float) and not -LARGEST <= data <= LARGEST:  # nor is what is no number at all
        message = f"{_name(path)} must be a finite number, no larger than {LARGEST:.0e}; here {shown(data)}"
        found.append(Finding(path=path, message=message, remedy=AGAIN))
        return None
    if kind is float or (kind is int and data == int(data)):
        return kind(data)
    remedy = "put it in quotes" if kind is str else AGAIN
    message = f"{_name(path)} must be {_WORDS[kind]}; here {shown(data)}"
    found.append(Finding(path=path, message=message, remedy=remedy))
    return None


def _name(path: Path) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{shown(part)[1:-1]}" for part in path)
    return text.removeprefix(".") or "the cluster"
