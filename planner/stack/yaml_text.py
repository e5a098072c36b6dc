"""A ClusterSpec as the lines of a stack file, with a comment on each section. The same spec gives the same bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from planner.stack.plain_data import to_mapping
from planner.stack.spec import ClusterSpec

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*", re.ASCII)
# words that a reader of YAML 1.1 or 1.2 does not read as text
_NOT_TEXT = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}

ABOUT = {
    "plan_sha256": "the plan that these prices were computed for; `planner stack PLAN --check` compares",
    "zone_id": "the whole stack is in this zone",
    "fleet": "the GPU nodes, spares included",
    "buying": "nodes under Reserved Instances and Savings Plans are deployed as On-Demand nodes",
    "further_blocks": "beside the block above, which has the other nodes; `planner reserve` buys one after the other",
    "block_days": "the length that was priced; `planner reserve` asks for it, or for the first of two parts",
    "left_blocks": "they ended before the run: `planner leave` moved its nodes to On-Demand",
    "fallback": "when a run leaves spot: `planner spot watch` compares, `planner leave` moves it",
    "more_types": "beside the type above: a new node is of the cheapest market that has capacity",
    "more_zones": "beside the zone above",
    "tail_type": "On-Demand nodes for the end: `planner leave` moves the pool to them, in place",
    "guard": "who gets notices, how many alarms, and the planned cost of this stack in USD",
    "data": "prefixes in the data bucket",
    "control": "control nodes: proxies of the pool",
    "pool": "engine and release are those of the nodes' bundle; the plan sets the rest",
    "files": "files over the pool: the PostgreSQL database of their metadata",
    "lustre": "FSx for Lustre, linked to the bucket",
    "nvme": "the storage cluster",
    "scheduler": "a Slurm cluster by AWS PCS: accounts, limits and queues",
    "egress": "TCP ports that GPU nodes reach on the internet besides 443",
    "extra_buckets": "other buckets that GPU nodes read",
    "switched_from": "what this file may take the place of, with all that goes; written by `--switch`",
    "canary": "one GPU node starts alone; `planner stack` without --canary adds the others",
    "permissions_boundary": "limits every role of the stack",
    "usd_per_hour": "for each line of the bill, from the price book of the plan",
    "metered": "lines that are billed by use, or once",
    "unpriced": "lines without a price: the stack costs more than the sum above",
}


def cluster_lines(spec: ClusterSpec, key: str, indent: int) -> list[str]:
    """The key of the configuration and everything below it, without line ends."""
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
            yield from _mapping(value, indent + 2, about if key == "buying" else {})
        elif isinstance(value, list) and value:
            yield f"{room}{name}:"
            for entry in value:
                yield from _entry(entry, indent + 2)
        else:
            yield f"{room}{name}: {scalar_text(value)}"


def _entry(value: object, indent: int) -> Iterator[str]:
    """One entry of a list: text, or a section whose keys stand below each other."""
    room = " " * indent
    if not isinstance(value, Mapping):
        yield f"{room}- {scalar_text(value)}"
        return
    first, *others = _mapping(value, indent + 2, {})
    yield f"{room}- {first.strip()}"
    yield from others


def scalar_text(value: object) -> str:
    """A value in a form that every reader of YAML reads alike."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        # with a point, since YAML 1.1 reads 1e-05 as text
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
