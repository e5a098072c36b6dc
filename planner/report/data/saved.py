"""Read and check a saved comparison (`compare -f json`)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn

from planner.errors import UsageProblem
from planner.plan.wording import path_text, shown
from planner.report.data.compared_json import SCHEMA_VERSION
from planner.report.wording import saved as words
from planner.report.wording.figures import visible

MAX_BYTES = 64_000_000  # sixty scenarios with full bills have less than a megabyte

Path = tuple[str | int, ...]


class Maybe:
    """A value of this shape, or null."""

    def __init__(self, shape: Any) -> None:
        self.shape = shape


RANGE = Maybe({"plan": Maybe(float), "p10": Maybe(float), "p50": Maybe(float), "p90": Maybe(float)})
# the keys that a difference needs; the document may have more, and keys with a question mark may be missing
SHAPE: Mapping[str, Any] = {
    "planner?": {"version": str, "model_sha256": str},
    "plan": {"name": str, "sha256": str},
    "prices": {"as_of": str, "sha256": str, "intact?": bool, "age_days?": Maybe(int)},
    "seed": int,
    "draws?": int,
    "scenarios": [
        {
            "id": str,
            "feasible": bool,
            "complete": bool,
            "unfinished_fraction?": float,
            "why_not": [str],
            "days": RANGE,
            "cost_usd": RANGE,
            "bill": [
                {
                    "line": str,
                    "pricing_quantity": float,
                    "pricing_unit": str,
                    "effective_unit_price": float,
                    "effective_cost": float,
                    "price_date": str,
                }
            ],
        }
    ],
    "unpriced": [{"scenario": str, "line": str, "what": str}],
    "assumptions": [{"key": str, "value": float, "low": float, "high": float, "unit": str, "source": str}],
}


def is_saved(raw: bytes, where: str) -> bool:
    """Whether this is a saved comparison, valid or not, and not a plan."""
    head = raw.removeprefix(b"\xef\xbb\xbf").lstrip()[:500]
    return (head.startswith(b"{") and b'"schema_version"' in head) or (
        where.lower().endswith(".json") and b"apiVersion" not in raw
    )


def parse(raw: bytes, where: str) -> dict[str, Any]:
    """The document, checked: every key that a difference needs, unique scenario ids, bills that add up.

    where: the file's name for messages. Raises UsageProblem.
    """
    if len(raw) > MAX_BYTES:
        _refuse(where, words.too_large(MAX_BYTES))
    try:
        document = json.loads(raw.decode("utf-8-sig"), parse_constant=_not_a_number)
    except UnicodeDecodeError as error:
        _refuse(where, words.not_utf8(raw[error.start], error.start))
    except json.JSONDecodeError as error:
        text = error.doc.strip()
        cut = text.startswith("{") and not text.endswith("}")
        what = words.EMPTY if not text else words.TRUNCATED if cut else words.not_json(error.msg)
        _refuse(f"{where}:{error.lineno}:{error.colno}", what)
    except (ValueError, RecursionError) as error:
        _refuse(where, words.not_json(str(error)))
    if not isinstance(document, dict) or "schema_version" not in document:
        _refuse(where, words.NO_VERSION)
    if document.get("kind") == "worker-pool":
        _refuse(where, words.OF_POOL, words.NAME_ITS_PLAN)
    if document["schema_version"] != SCHEMA_VERSION:
        found = shown(document["schema_version"])
        _refuse(where, words.other_version(found, SCHEMA_VERSION), words.SAVE_AGAIN)
    if "scenarios" not in document:
        _refuse(where, words.NO_SCENARIOS)
    _check(where, document, SHAPE, ())
    _consistent(where, document)
    return document


def _check(where: str, value: Any, shape: Any, path: Path) -> None:
    """Raise for the first value that does not have its type."""
    if isinstance(shape, Maybe):
        if value is None:
            return
        shape = shape.shape
    wanted = dict if isinstance(shape, Mapping) else list if isinstance(shape, list) else shape
    number = isinstance(value, int | float) and not isinstance(value, bool)
    right = number if wanted is float else isinstance(value, wanted) and not (wanted is int and not number)
    if not right:
        _refuse(where, words.wrong_type(path_text(path), shown(value), wanted))
    if wanted is float and not _finite(value):
        _refuse(where, words.overflow(path_text(path)))
    parts: Any = value
    if isinstance(shape, Mapping):
        for name, inner in shape.items():
            key = name.removesuffix("?")
            if key in parts:
                _check(where, parts[key], inner, (*path, key))
            elif key == name:
                _refuse(where, words.missing(path_text((*path, key))))
    elif isinstance(shape, list):
        for index, inner in enumerate(parts):
            _check(where, inner, shape[0], (*path, index))


def _consistent(where: str, document: Mapping[str, Any]) -> None:
    """Raise if two scenarios have the same id, or if a bill does not add up to its total."""
    seen: set[str] = set()
    for scenario in document["scenarios"]:
        name = shown(scenario["id"])
        if scenario["id"] in seen:
            _refuse(where, words.same_id(name))
        seen.add(scenario["id"])
        cost = scenario["cost_usd"]
        total = math.fsum(line["effective_cost"] for line in scenario["bill"])
        if cost and cost["plan"] is not None and not math.isclose(total, cost["plan"], rel_tol=1e-9, abs_tol=1e-4):
            _refuse(where, words.wrong_total(name, total, cost["plan"]))


def _finite(value: int | float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _not_a_number(name: str) -> NoReturn:
    raise ValueError(words.not_a_number(name))


def _refuse(where: str, what: str, remedy: str = words.SAVE) -> NoReturn:
    raise UsageProblem(f"{visible(where)}: {what}\n    {remedy}")
