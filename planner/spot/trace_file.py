"""Read recordings of spot capacity from the public JSON format; the only place here that opens a file.

{"metadata": {"gap_seconds": 600}, "data": [1, 0, ...], "prices": [0.918, ...]}: data has the number of nodes that were
available in each tick (1 = available, 0 = not, up to 16 for gangs), prices the spot price in USD an hour, where it was
recorded. Source: github skypilot-org/spot-traces, of "Can't Be Late" (Wu et al., NSDI 2024).
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from planner.plan.textfile import decode, label_of, read_bytes, refuse
from planner.spot.trace import Trace

MAX_BYTES = 50_000_000  # the largest public recording has 200 kB
MAX_NODES = 1_000_000
FORMAT = 'a trace is JSON: {"metadata": {"gap_seconds": 600}, "data": [1, 0, ...]}, with the nodes available per tick'


def trace_in(path: str | os.PathLike[str]) -> Trace:
    """The recording in a file, or on standard input for `-`. Raises PlanProblems for anything else."""
    label = label_of(path)
    if Path(path).is_dir():
        raise refuse(label, "this is a folder", "give the trace files in it")
    if label != "<stdin>" and not Path(path).exists():
        raise refuse(label, "no such file")
    raw = read_bytes(path, limit=MAX_BYTES)
    if len(raw) > MAX_BYTES:
        raise refuse(label, f"larger than {MAX_BYTES // 1_000_000} MB", FORMAT)
    try:
        document = json.loads(decode(raw, label))
    except ValueError as error:
        place = (error.lineno, error.colno) if isinstance(error, json.JSONDecodeError) else None
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise refuse(label, f"this is not JSON: {reason}", FORMAT, place) from None
    except RecursionError:
        raise refuse(label, "this JSON is nested too deeply", FORMAT) from None
    return trace_of(document, label, "stdin" if label == "<stdin>" else Path(path).stem)


def trace_of(document: Any, label: str, name: str) -> Trace:
    """The recording that a JSON document holds. label: the file, for messages. Raises PlanProblems."""
    if not isinstance(document, dict) or not isinstance(document.get("metadata"), dict):
        raise refuse(label, "no metadata", FORMAT)
    gap = document["metadata"].get("gap_seconds")
    if isinstance(gap, bool) or not isinstance(gap, (int, float)) or not 1 <= gap <= 86_400 or gap != int(gap):
        raise refuse(label, f"metadata.gap_seconds is {_shown(gap)}", "it is a whole number of seconds, 1 to 86400")
    counts = _numbers(document.get("data"), "data", label)
    if len(counts) < 2:
        raise refuse(label, f"data has {len(counts)} ticks", "a trace needs at least 2")
    whole = (counts >= 0) & (counts <= MAX_NODES) & (counts == np.floor(counts))
    if not whole.all():
        at = int(np.argmin(whole))
        raise refuse(label, f"data[{at}] is {counts[at]:g}", "it is how many nodes were available: 0 or a whole number")
    prices = None
    if document.get("prices") is not None:
        prices = _numbers(document["prices"], "prices", label)
        if len(prices) != len(counts):
            raise refuse(label, f"prices has {len(prices)} values, data has {len(counts)}", "one price for each tick")
        if not (prices >= 0).all():
            at = int(np.argmin(prices >= 0))
            raise refuse(label, f"prices[{at}] is {prices[at]:g}", "it is USD an hour, 0 or more")
    return Trace(name=name, gap_seconds=int(gap), nodes=counts.astype(np.int64), usd_per_hour=prices)


def _numbers(found: Any, key: str, label: str) -> np.ndarray:
    if not isinstance(found, list):
        raise refuse(label, f"{key} is {_shown(found)}", FORMAT)
    for at, value in enumerate(found):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or abs(value) > 1e15 or value != value:
            raise refuse(label, f"{key}[{at}] is {_shown(value)}", "it must be a number")
    return np.array(found, dtype=np.float64)


def _shown(value: Any) -> str:
    return "missing" if value is None else json.dumps(value)[:40]
