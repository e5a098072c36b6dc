"""Write our keys into a stack file that others write too, and keep everything else byte for byte."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import yaml

from planner.errors import PlanProblems, Problem

CONFIG = "config"
REMEDY = "write `config:` with one key on each line below it, as `pulumi config` does"


@dataclass(frozen=True, kw_only=True)
class _Entry:
    """One key of a block mapping. first, last: its lines, from 0, without comments after it."""

    key: str
    indent: int
    first: int
    last: int


def put(text: str, entries: Mapping[str, list[str]], where: str) -> str:
    """`text` with each key under `config` replaced by its lines, or added; the lines have no indentation of their own.

    text has been read as a mapping without duplicate keys. Raises PlanProblems where it is written so that lines
    cannot be put into it.
    """
    ending = "\r\n" if "\r\n" in text else "\n"
    return "".join(line + ending for line in _put(text, entries, where))


def _put(text: str, entries: Mapping[str, list[str]], where: str) -> list[str]:
    lines = text.splitlines()
    if any(line.strip() == "..." or line.startswith("---") for line in lines[1:]):
        raise _refused(where, 1, "it has more than one YAML document")
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if root is None:
        return [*lines, f"{CONFIG}:", *_all(entries, 2)]
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        raise _refused(where, 1, "it is written in braces")
    value = next((value for key, value in root.value if key.value == CONFIG), None)
    if value is None:
        return [*lines, f"{CONFIG}:", *_all(entries, 2)]
    at = next(key.start_mark.line for key, _ in root.value if key.value == CONFIG)
    if not isinstance(value, yaml.MappingNode) or not value.value:
        if value.value not in ("", [], "null", "~") or value.end_mark.line != at:
            raise _refused(where, at + 1, "config is not a mapping")
        return [*lines[:at], f"{CONFIG}:", *_all(entries, 2), *lines[at + 1 :]]
    if value.flow_style:
        raise _refused(where, at + 1, "config is written in braces")
    return _replaced(lines, _entries(value, lines), entries)


def _replaced(lines: list[str], found: list[_Entry], entries: Mapping[str, list[str]]) -> list[str]:
    there, indent = {entry.key: entry for entry in found}, found[0].indent
    added = [line for key, own in entries.items() if key not in there for line in _indented(own, indent)]
    result, at = [], 0
    for entry in found:
        result += lines[at : entry.first]
        kept = lines[entry.first : entry.last + 1]
        result += _indented(entries[entry.key], indent) if entry.key in entries else kept
        at = entry.last + 1
    return [*result, *added, *lines[at:]]


def _entries(mapping: yaml.MappingNode, lines: list[str]) -> list[_Entry]:
    found = []
    for number, (key, value) in enumerate(mapping.value):
        below = mapping.value[number + 1][0].start_mark.line if number + 1 < len(mapping.value) else None
        last = (below if below is not None else _end(value, lines)) - 1
        indent = key.start_mark.column
        while last > key.start_mark.line and _beside(lines[last], indent):
            last -= 1
        found.append(_Entry(key=key.value, indent=indent, first=key.start_mark.line, last=last))
    return found


def _end(value: yaml.Node, lines: list[str]) -> int:
    """The line after a value, which may be that of what follows it."""
    return min(value.end_mark.line + (value.end_mark.column > 0), len(lines))


def _beside(line: str, indent: int) -> bool:
    """Whether a line below a value is not part of it: blank, or a comment no deeper than the key."""
    bare = line.lstrip()
    return not bare or (bare.startswith("#") and len(line) - len(bare) <= indent)


def _indented(lines: list[str], indent: int) -> list[str]:
    return [" " * indent + line for line in lines]


def _all(entries: Mapping[str, list[str]], indent: int) -> list[str]:
    return [line for own in entries.values() for line in _indented(own, indent)]


def _refused(where: str, line: int, why: str) -> PlanProblems:
    message = f"cannot put the cluster into this file: {why}"
    return PlanProblems((Problem(where=where, line=line, column=1, message=message, remedy=REMEDY),))
