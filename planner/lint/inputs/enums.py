"""Arguments with a fixed set of values: the provider reports a misspelled one late, or passes it on."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from planner.lint.read.graph import Graph
from planner.lint.read.suggestions import suggestion
from planner.lint.read.values import given, literal
from planner.lint.rule import Hits, rule


def _known() -> dict[str, tuple[tuple[str, tuple[str, ...]], ...]]:
    """Type -> (path, with [] for each entry of a list; allowed values). The table is of botocore's models, where they
    have one (tools/lint_values.py)."""
    found: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    text = Path(__file__).with_name("values.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        found.setdefault(row["type"], []).append((row["path"], tuple(row["values"].split(" "))))
    return {kind: tuple(places) for kind, places in found.items()}


WORDS = _known()


def _walk(value: object, path: str, where: str = "") -> Iterator[tuple[str, object]]:
    """Every value at a path, through single blocks and lists of blocks."""
    head, _, rest = path.partition(".")
    key, listed = head.removesuffix("[]"), head.endswith("[]")
    if not isinstance(value, dict) or not given(value.get(key)):
        return
    found, here = value[key], f"{where}.{key}" if where else key
    entries = [(here, found)]
    if isinstance(found, list):
        entries = [(f"{here}[{i}]" if listed else here, entry) for i, entry in enumerate(found)]
    for place, entry in entries:
        if rest:
            yield from _walk(entry, rest, place)
        else:
            yield place, entry


def hint(value: object, known: Sequence[str]) -> str:
    """`did you mean 'x'?` for the closest allowed value, else the list of allowed values."""
    return suggestion(str(value), known, cutoff=0.5).removeprefix("; ") or f"allowed: {', '.join(known)}"


@rule(
    "WORD-UNKNOWN",
    *WORDS,
    what="a value that AWS does not accept here",
    why="AWS rejects the resource, often halfway through a deployment: market types, volume types, storage "
    "classes, statuses and operators are fixed values",
    remedy="Use one of the values in the message, spelled exactly like this",
    example="metadataOptions.httpTokens: require",
)
def unknown_value(graph: Graph) -> Hits:
    for kind, places in WORDS.items():
        for resource in graph.of(kind):
            for path, known in places:
                for where, value in _walk(resource.inputs, path):
                    # a termination policy may be a Lambda function
                    own = path == "terminationPolicies[]" and str(value).startswith("arn:")
                    if (isinstance(value, str) and literal(value) is None) or value in known or own:
                        continue
                    yield resource, where, f"{value!r} is not allowed here; {hint(value, known)}"
