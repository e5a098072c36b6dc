"""planner/report/data/schemas/: the JSON Schemas of what verbs print with `-f json`, made from the words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tools.words import compare, diff, explain, fleet, optimize, sensitivity, worker_pool
from tools.words.word import Word

KINDS: dict[str, dict[str, Any]] = {
    "text": {"type": "string"},
    "texts": {"type": "array", "items": {"type": "string"}},
    "counts": {"type": "array", "items": {"type": "integer"}},
    "numbers": {"type": "array", "items": {"type": "number"}},
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "count": {"type": "integer", "minimum": 0},
    "fraction": {"type": "number", "minimum": 0, "maximum": 1},
    "percent": {"type": "number", "minimum": 0, "maximum": 100},
    "flag": {"type": "boolean"},
    "day": {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"},
    "due": {"type": "string", "pattern": r"^(\d{4}-\d{2}-\d{2}|monthly)$"},
    "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
    "equation": {"type": "string", "pattern": r"^[A-Z]\d+$"},
    "inputs": {
        "type": "object",
        "patternProperties": {"^[a-z][a-z0-9_]*$": {"type": ["number", "string", "null"]}},
        "additionalProperties": False,
    },
    "given": {"type": ["number", "string", "null"]},
    "null": {"type": "null"},
    "any": {},
}


@dataclass(frozen=True, kw_only=True)
class Document:
    """What one verb prints. shapes: (name, words) of each form that it may have."""

    title: str
    description: str
    shapes: tuple[tuple[str, Sequence[Word]], ...]


DOCUMENTS: dict[str, Document] = {
    "compare": Document(
        title="Comparison of a GPU training fleet (planner compare -f json)",
        description="Grows only by adding keys; money in USD before tax, rounded to a micro-dollar.",
        shapes=(("", compare.KEYS),),
    ),
    "optimize": Document(
        title="The best fleet, layout and purchase (planner optimize -f json)",
        description="Grows only by adding keys; money in USD before tax, rounded to a micro-dollar.",
        shapes=(("", optimize.KEYS),),
    ),
    "sensitivity": Document(
        title="What the cost depends on, and what would change the recommendation (planner sensitivity -f json)",
        description="Grows only by adding keys; money in USD before tax, rounded to a micro-dollar.",
        shapes=(("", sensitivity.KEYS),),
    ),
    "explain": Document(
        title="How numbers came about (planner explain -f json)",
        description="Grows only by adding keys; which of the four it is depends on how much was named.",
        shapes=(
            ("the scenarios", explain.SCENARIOS),
            ("the numbers of a scenario", explain.NUMBERS),
            ("a number", explain.NUMBER),
            ("a line without a price", explain.UNPRICED),
        ),
    ),
    "diff": Document(
        title="What changed between two comparisons (planner diff -f json)",
        description="Grows only by adding keys; A is before, B after; money in USD before tax.",
        shapes=(("", diff.KEYS),),
    ),
    "worker-pool": Document(
        title="A worker pool, simulated (planner compare -f json of such a plan)",
        description="Grows only by adding keys; money in USD before tax.",
        shapes=(("", worker_pool.KEYS),),
    ),
    "fleet": Document(
        title="A fleet that projects share (planner compare -f json of such a plan)",
        description="Grows only by adding keys; money in USD before tax.",
        shapes=(("", fleet.KEYS),),
    ),
}


def schema(name: str) -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a document. Every key is required and described, unknown keys are refused."""
    document = DOCUMENTS[name]
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:gpu-fleet-planner:{name}:v1",
        "title": document.title,
        "description": document.description,
    }
    forms = [({"title": title} if title else {}) | _object(words, "") for title, words in document.shapes]
    return head | (forms[0] if len(forms) == 1 else {"oneOf": forms})


def text(name: str) -> str:
    """The schema as it lies in the repository."""
    return json.dumps(schema(name), indent=2, ensure_ascii=False) + "\n"


def _object(words: Sequence[Word], above: str) -> dict[str, Any]:
    own = [word for word in words if word.path.startswith(above) and not set(word.path.removeprefix(above)) & set(".[")]
    keys = {word.path.removeprefix(above): _value(words, word) for word in own}
    return {"type": "object", "properties": keys, "required": list(keys), "additionalProperties": False}


def _value(words: Sequence[Word], word: Word) -> dict[str, Any]:
    described = {"description": f"{word.meaning}; unit: {word.unit}" if word.unit else word.meaning}
    kind, nullable = word.kind.removesuffix("?"), word.kind.endswith("?")
    if kind == "object":
        value = _object(words, f"{word.path}.")
    elif kind == "objects":
        value = {"type": "array", "items": _object(words, f"{word.path}[].")}
    elif kind.startswith("= "):
        value = {"const": kind.removeprefix("= ")}
    elif " | " in kind:
        choices: list[str | None] = list(kind.split(" | "))
        return described | {"enum": [*choices, None] if nullable else choices}
    else:
        value = KINDS[kind]
    return described | (value | {"type": [value["type"], "null"]} if nullable else value)
