"""Arguments of the wrong type: text for numbers, lists for ids, text for blocks.

A number as text, a single value for a list of one, a block as a list of one, and a policy as an object are accepted.
"""

from __future__ import annotations

from collections.abc import Iterator

from planner.lint.inputs.arguments import blocks, known_inputs, sorts
from planner.lint.read.graph import Graph
from planner.lint.read.values import flag, literal, number, whole
from planner.lint.rule import Hits, rule

# JSON text that may also be written as an object
DOCUMENTS = ("policy", "document", "specification", "definition", "content")


@rule(
    "INPUT-TYPE",
    what="an argument of the wrong type",
    why="The deployment fails, at the provider's check or halfway through at AWS: a number, text or list of "
    "another type is not accepted",
    remedy="Use a number, true or false, text or a list, as the message says",
    example='volumeSize: "big", or vpcId: [a, b]',
)
def wrong_argument_type(graph: Graph) -> Hits:
    for resource in graph.resources:
        wanted, known = sorts().get(resource.kind), known_inputs().get(resource.kind)
        if wanted is None or known is None or not resource.type.startswith("aws:"):
            continue
        for place, path, block in blocks(resource.inputs, known):
            for key, value in block.items():
                sort = wanted[path].get(key)
                for where, message in _wrong(key, sort, value) if sort is not None else ():
                    yield resource, f"{place}.{key}{where}".lstrip("."), message


def _wrong(key: str, sort: str, value: object) -> Iterator[tuple[str, str]]:
    """Problems of a value: the place below the argument, and a message."""
    if value is None or sort == "any" or (isinstance(value, str) and literal(value) is None):
        return
    if sort in ("", "int", "number", "bool"):
        message = _scalar(key, sort, value)
        if message:
            yield "", message
    elif sort == "texts":
        for i, entry in enumerate(value if isinstance(value, list) else ()):
            if isinstance(entry, dict | list):
                yield f"[{i}]", f"{_called(entry)} in a list of strings"
            elif entry == "":
                yield f"[{i}]", "an empty string in a list"
        if isinstance(value, dict):
            yield "", f"{_called(value)} instead of a list of strings"
    elif sort == "map":
        pairs = isinstance(value, list) and all(isinstance(entry, dict) for entry in value)
        if not isinstance(value, dict) and not pairs:
            yield "", f"{_called(value)} instead of an object"
        for name, entry in value.items() if isinstance(value, dict) else ():
            if isinstance(entry, dict | list):
                yield f".{name}", f"{_called(entry)} instead of a string"
    else:
        several = value if isinstance(value, list) else [value]
        for i, entry in enumerate(several):
            if not isinstance(entry, dict) and not (isinstance(entry, str) and literal(entry) is None):
                yield f"[{i}]" if isinstance(value, list) else "", f"{_called(entry)} instead of an object"
        if sort == "block" and len(several) > 1:
            yield "", f"{len(several)} blocks, but only one is allowed"


def _scalar(key: str, sort: str, value: object) -> str:
    if isinstance(value, dict) and sort == "" and any(word in key.lower() for word in DOCUMENTS):
        return ""
    if isinstance(value, dict | list):
        return f"{_called(value)} instead of {({'': 'a string', 'bool': 'true or false'}).get(sort, 'a number')}"
    if sort == "int" and whole(value) is None:
        return f"{str(value)[:60]!r} is not a whole number"
    if sort == "number" and number(value) is None:
        return f"{str(value)[:60]!r} is not a number"
    if sort == "bool" and flag(value) is None:
        return f"{str(value)[:60]!r} is neither true nor false"
    return ""


def _called(value: object) -> str:
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "an object" if isinstance(value, dict) else f"{str(value)[:60]!r}"
