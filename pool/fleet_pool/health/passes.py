"""How fast all nodes of a job are together, pass by pass: in the data bucket, where it outlives every node.

One object for each program and number of nodes, since only these are compared. Two jobs that end in the same second may
lose one pass; nothing is decided by one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from fleet_pool.health import records
from fleet_pool.health.halving import Pass, Usual, usual
from fleet_pool.launch.bucket import Bucket

PREFIX = f"{records.PREFIX}passes/"  # jobs may write here
MOST = 50  # of the newest passes


def read(bucket: Bucket, program: str, nodes: int) -> list[Pass]:
    """In order of time. What is not understood is left out. Raises PoolProblem."""
    key = _key(program, nodes)
    data: Any = bucket.read_json(key) if key in bucket.list(key).keys else None
    return parsed(data.get("passes", ())) if isinstance(data, dict) else []


def parsed(rows: Sequence[Any]) -> list[Pass]:
    """Those that are a pass."""
    found = []
    for row in rows:
        try:
            found.append(Pass(**{**row, "nodes": tuple(row["nodes"])}))
        except (KeyError, TypeError, ValueError):
            continue
    return found


def add(bucket: Bucket, earlier: Sequence[Pass], done: Pass) -> Usual | None:
    """With median and p5 of all that are kept, this one included; None where they are too few. Raises PoolProblem."""
    kept = [*earlier, done][-MOST:]
    now = usual(kept, done.program, len(done.nodes))
    data = {
        "program": done.program,
        "nodes": len(done.nodes),
        "median_gb_s": now.median if now else None,
        "p5_gb_s": now.p5 if now else None,
        "passes": [{**vars(one), "nodes": list(one.nodes)} for one in kept],
    }
    bucket.write(_key(done.program, len(done.nodes)), json.dumps(data, sort_keys=True).encode())
    return now


def _key(program: str, nodes: int) -> str:
    return f"{PREFIX}{program.replace(' ', '-')}-{nodes:04d}.json"
