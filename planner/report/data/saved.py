"""A saved comparison (`compare -f json`) read back: what it must hold, and a clear word where it does not."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn

from planner.errors import UsageProblem
from planner.plan.wording import path_text, shown
from planner.report.data.comparison_json import SCHEMA_VERSION
from planner.report.wording.figures import visible

MAX_BYTES = 64_000_000  # sixty scenarios with full bills have less than a megabyte
REMEDY = "`planner compare PLAN -f json -o before.json` writes one"

Path = tuple[str | int, ...]


class Maybe:
    """A value of this shape, or null."""

    def __init__(self, shape: Any) -> None:
        self.shape = shape


RANGE = Maybe({"plan": Maybe(float), "p10": Maybe(float), "p50": Maybe(float), "p90": Maybe(float)})
# what a difference is computed from; more keys may stand beside these, and those with a question mark may be missing
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
NAMES = {
    str: "text",
    bool: "true or false",
    float: "a number",
    int: "a whole number",
    dict: "a mapping",
    list: "a list",
}


def is_saved(raw: bytes, where: str) -> bool:
    """Whether these bytes are meant as a saved comparison and not as a plan, right or wrong."""
    head = raw.removeprefix(b"\xef\xbb\xbf").lstrip()[:500]
    return (head.startswith(b"{") and b'"schema_version"' in head) or (
        where.lower().endswith(".json") and b"apiVersion" not in raw
    )


def parse(raw: bytes, where: str) -> dict[str, Any]:
    """The document, known to be whole: every key that a difference needs, no two scenarios of one id, bills that
    add up. where: the file as messages name it. Raises UsageProblem."""
    if len(raw) > MAX_BYTES:
        _refuse(where, f"larger than {MAX_BYTES // 1_000_000} MB: not a comparison that planner wrote")
    try:
        document = json.loads(raw.decode("utf-8-sig"), parse_constant=_not_a_number)
    except UnicodeDecodeError as error:
        _refuse(where, f"not UTF-8 text: byte 0x{raw[error.start]:02x} at {error.start:,}")
    except json.JSONDecodeError as error:
        text = error.doc.strip()
        cut = text.startswith("{") and not text.endswith("}")
        what = "empty" if not text else "the file ends too early" if cut else f"not JSON: {error.msg}"
        _refuse(f"{where}:{error.lineno}:{error.colno}", what)
    except (ValueError, RecursionError) as error:
        _refuse(where, f"not JSON that can be read: {error}")
    if not isinstance(document, dict) or "schema_version" not in document:
        _refuse(where, "not a saved comparison: it has no schema_version")
    if document["schema_version"] != SCHEMA_VERSION:
        what = f"schema_version is {shown(document['schema_version'])}, and this planner reads '{SCHEMA_VERSION}'"
        _refuse(where, what, f"write it anew: {REMEDY}")
    if "scenarios" not in document:
        _refuse(where, "JSON of planner, but not of `compare`: it has no scenarios")
    _hold(where, document, SHAPE, ())
    _whole(where, document)
    return document


def _hold(where: str, value: Any, shape: Any, path: Path) -> None:
    """Raise for the first value that is not of its shape."""
    if isinstance(shape, Maybe):
        if value is None:
            return
        shape = shape.shape
    wanted = dict if isinstance(shape, Mapping) else list if isinstance(shape, list) else shape
    number = isinstance(value, int | float) and not isinstance(value, bool)
    right = number if wanted is float else isinstance(value, wanted) and not (wanted is int and not number)
    if not right:
        _refuse(where, f"{path_text(path)} is {shown(value)} where {NAMES[wanted]} belongs")
    if wanted is float and not _finite(value):
        _refuse(where, f"{path_text(path)} is too large for a number")
    parts: Any = value
    if isinstance(shape, Mapping):
        for name, inner in shape.items():
            key = name.removesuffix("?")
            if key in parts:
                _hold(where, parts[key], inner, (*path, key))
            elif key == name:
                _refuse(where, f"{path_text((*path, key))} is missing")
    elif isinstance(shape, list):
        for index, inner in enumerate(parts):
            _hold(where, inner, shape[0], (*path, index))


def _whole(where: str, document: Mapping[str, Any]) -> None:
    """Raise where two scenarios have one id, or a bill is not its total: a difference would be wrong by as much."""
    seen: set[str] = set()
    for scenario in document["scenarios"]:
        name = shown(scenario["id"])
        if scenario["id"] in seen:
            _refuse(where, f"two scenarios are called {name}")
        seen.add(scenario["id"])
        cost = scenario["cost_usd"]
        total = math.fsum(line["effective_cost"] for line in scenario["bill"])
        if cost and cost["plan"] is not None and not math.isclose(total, cost["plan"], rel_tol=1e-9, abs_tol=1e-4):
            said = f"the bill of {name} adds up to {total:,.2f} USD, its total says {cost['plan']:,.2f}"
            _refuse(where, f"{said}: the file was changed by hand")


def _finite(value: int | float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _not_a_number(name: str) -> NoReturn:
    raise ValueError(f"it holds {name}, which is no number")


def _refuse(where: str, what: str, remedy: str = REMEDY) -> NoReturn:
    raise UsageProblem(f"{visible(where)}: {what}\n    {remedy}")
