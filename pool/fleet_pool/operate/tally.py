"""What requests took: bytes, time, percentiles that can be added up over nodes. Pure."""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from fleet_pool.compat import frozen

STEP = 1.05  # between two buckets of latency: a percentile is right within 2.5 %
FIRST_S = 1e-6


@frozen
class Request:
    """host: of the target. A failed one has no bytes."""

    host: str
    octets: int
    seconds: float
    failed: bool = False


def told(requests: Iterable[Request], seconds: float) -> dict[str, Any]:
    """As JSON. seconds: of the whole part on this node, from the moment at which all began."""
    done = [one for one in requests if not one.failed]
    failed = Counter(one.host for one in requests if one.failed)
    by_host: dict[str, dict[str, float]] = {}
    for one in done:
        entry = by_host.setdefault(one.host, {"objects": 0, "bytes": 0, "busy_s": 0.0})
        entry["objects"] += 1
        entry["bytes"] += one.octets
        entry["busy_s"] += one.seconds
    return {
        "objects": len(done),
        "bytes": sum(one.octets for one in done),
        "seconds": seconds,
        "failed": sum(failed.values()),
        "latency": dict(sorted(Counter(str(_bucket(one.seconds)) for one in done).items(), key=lambda e: int(e[0]))),
        "by_target": {host: {**entry, "busy_s": round(entry["busy_s"], 6)} for host, entry in sorted(by_host.items())},
    }


def packed(report: Mapping[str, Any]) -> str:
    """A report as one short line: Systems Manager hands on the first 24,000 characters that a command said (API
    Reference, GetCommandInvocation, StandardOutputContent), and JSON of 64 nodes is longer."""
    return base64.b85encode(zlib.compress(json.dumps(report, separators=(",", ":")).encode(), 9)).decode()


def unpacked(line: str) -> Any:
    """The report in a line, packed or JSON. Raises ValueError."""
    try:
        return json.loads(line if line.startswith("{") else zlib.decompress(base64.b85decode(line)))
    except zlib.error as error:
        raise ValueError(f"not a report: {error}") from None


def percentile_s(latencies: Iterable[Mapping[str, int]], share: float) -> float:
    """Of several nodes' `latency` together, in seconds; 0 without any request."""
    total: Counter[int] = Counter()
    for one in latencies:
        total.update({int(bucket): count for bucket, count in one.items()})
    wanted, seen = share * sum(total.values()), 0
    for bucket, count in sorted(total.items()):
        seen += count
        if seen >= wanted:
            return FIRST_S * STEP**bucket
    return 0.0


def _bucket(seconds: float) -> int:
    return round(math.log(max(seconds, FIRST_S) / FIRST_S, STEP))
