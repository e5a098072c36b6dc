"""A ClusterSpec as the lines of a stack file: readable, the same bytes for the same spec, said what each part is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from planner.stack.plain_data import to_mapping
from planner.stack.spec import ClusterSpec

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*", re.ASCII)
# what readers of YAML 1.1 and 1.2 take for something else than text
_NOT_TEXT = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}

ABOUT = {
    "plan_sha256": "of the plan these figures are of; `planner stack PLAN --check` holds this file against it",
    "zone_id": "the one zone that everything stands in",
    "fleet": "the GPU nodes, spares included",
    "buying": "Reserved Instances and Savings Plans are billing: their nodes are on-demand here",
    "guard": "who is told, and of what; USD that this stack is planned to spend",
    "data": "in the bucket",
    "control": "electable proxies of the pool",
    "pool": "its engine and release are those of the nodes' bundle; the rest is the plan's choice",
    "lustre": "FSx for Lustre, linked to the bucket",
    "nvme": "the storage cluster",
    "usd_per_hour": "of every line of the bill while it stands, from the price book of the plan",
    "metered": "lines that bill by use, or once",
    "unpriced": "lines without a price: the stack costs more than is written here",
}


def cluster_lines(spec: ClusterSpec, key: str, indent: int) -> list[str]:
    """The key of the configuration and all that stands under it, without line ends."""
    lines = [
        f"{' ' * indent}{key}:",
        *(" " * indent + line for line in _mapping(to_mapping(spec), 2, ABOUT)),
    ]
    return lines


def _mapping(data: Mapping[str, Any], indent: int, about: Mapping[str, str]) -> Iterator[str]:
    room = " " * indent
    for key, value in data.items():
        if key in about:
            yield f"{room}# {about[key]}"
        name = scalar_text(key)
        if isinstance(value, Mapping) and value:
            yield f"{room}{name}:"
            yield from _mapping(value, indent + 2, {})
        elif isinstance(value, list) and value:
            yield f"{room}{name}:"
            yield from (f"{room}  - {scalar_text(entry)}" for entry in value)
        else:
            yield f"{room}{name}: {scalar_text(value)}"


def scalar_text(value: object) -> str:
    """A value as every reader of YAML takes it for the same."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        # a point, since 1e-05 alone is text to readers of YAML 1.1
        text = repr(value)
        return text if "." in text else text.replace("e", ".0e") if "e" in text else text + ".0"
    if isinstance(value, Mapping):
        return "{}"
    if isinstance(value, list):
        return "[]"
    text = str(value)
    if _PLAIN.fullmatch(text) and text.lower() not in _NOT_TEXT:
        return text
    return '"' + "".join(map(_character, text)) + '"'


def _character(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isprintable():
        return char
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
