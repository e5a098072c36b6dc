"""How much data the pool guarantees to hold, and how fast S3 may fill it: the planner's rules on the real drives.

hot bytes   = bytes of all drives x low watermark: eviction never goes below it (layouts, model S1)
fill limit  = bytes of a node's drives x low watermark / 3600 s (model I8): data read within the last hour is not
              evicted, so a node that fetches faster from S3 fills up to 95 % and then refuses data (507)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from fleet_pool import settings
from fleet_pool.api import Client
from fleet_pool.compat import frozen
from fleet_pool.operate.nodes import Node
from fleet_pool.operate.table import columns, size
from fleet_pool.problems import Refused

UNIT_S = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


@frozen
class Rules:
    """The cluster's current settings."""

    low_percent: float
    out_of_space_percent: float
    dont_evict_s: float


@frozen
class Share:
    """One target. from_s3_gb_per_s: measured rate or None; full_in_s: time until it refuses data at that rate."""

    id: str
    total: int
    used: int
    fill_limit_gb_per_s: float
    from_s3_gb_per_s: float | None
    full_in_s: float | None


@frozen
class Capacity:
    """raw, hot, used: bytes, of the targets that answered. silent: ids of the others."""

    raw: int
    hot: float
    used: int
    fill_limit_gb_per_s: float
    shares: tuple[Share, ...]
    silent: tuple[str, ...]


@frozen
class Excess:
    """A limit that is exceeded. demanded: whether the caller asked for that much; otherwise it is a warning."""

    what: str
    remedy: str
    demanded: bool


def hot_bytes(total: float, low_percent: float) -> float:
    return total * low_percent / 100


def fill_limit(total: float, low_percent: float, dont_evict_s: float = settings.DONT_EVICT_S) -> float:
    """GB/s from S3 that drives of `total` bytes can sustain."""
    return total * low_percent / 100 / dont_evict_s / 1e9


def rules(client: Client) -> Rules:
    """Raises Refused or Unreachable."""
    answer = client.ask("GET", "/v1/cluster", query={"what": "cluster_config"})
    try:
        told = answer.json()
        return Rules(
            low_percent=float(told["space"]["lowwm"]),
            out_of_space_percent=float(told["space"]["out_of_space"]),
            dont_evict_s=duration_s(told["lru"]["dont_evict_time"]),
        )
    except (KeyError, TypeError, ValueError):
        raise Refused(f"{answer.url} does not answer like a pool", answer.status) from None


def duration_s(text: str) -> float:
    """Seconds of a duration in the engine's format: 1h0m is 3600. Raises ValueError."""
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|h|m|s)", text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise ValueError(f"{text!r} is not a duration")
    return sum(float(number) * UNIT_S[unit] for number, unit in parts)


def capacity(rule: Rules, before: Sequence[Node], after: Sequence[Node]) -> Capacity:
    """From two readings of the same targets, or one reading given twice. Pure."""
    earlier = {node.member.id: node for node in before}
    shares, silent = [], []
    for node in after:
        if node.space is None:
            silent.append(node.member.id)
            continue
        rate = _rate(earlier.get(node.member.id), node)
        until = node.space.total * rule.out_of_space_percent / 100 - node.space.used
        limit = fill_limit(node.space.total, rule.low_percent, rule.dont_evict_s)
        shares.append(
            Share(
                id=node.member.id,
                total=node.space.total,
                used=node.space.used,
                fill_limit_gb_per_s=limit,
                from_s3_gb_per_s=rate,
                full_in_s=max(until, 0) / (rate * 1e9) if rate is not None and rate > limit else None,
            )
        )
    raw = sum(share.total for share in shares)
    return Capacity(
        raw=raw,
        hot=hot_bytes(raw, rule.low_percent),
        used=sum(share.used for share in shares),
        fill_limit_gb_per_s=sum(share.fill_limit_gb_per_s for share in shares),
        shares=tuple(shares),
        silent=tuple(silent),
    )


def _rate(before: Node | None, after: Node) -> float | None:
    """GB/s from S3 between two readings; None if there is only one, or if the daemon restarted between them."""
    if before is None or before.space is None or after.space is None or after.at_s <= before.at_s:
        return None
    taken = after.space.from_s3 - before.space.from_s3
    return taken / (after.at_s - before.at_s) / 1e9 if taken >= 0 else None


def excesses(found: Capacity, hot_tb: float | None, cold_gb_per_s: float | None) -> tuple[Excess, ...]:
    """Demands that exceed the pool, and measured rates that exceed a target's limit."""
    wrong = []
    if hot_tb is not None and hot_tb * 1e12 > found.hot:
        what = f"{size(hot_tb * 1e12)} of hot data exceed the {size(found.hot)} that the pool guarantees"
        wrong.append(Excess(what=what, remedy="add nodes, or read a smaller data set", demanded=True))
    if cold_gb_per_s is not None and cold_gb_per_s > found.fill_limit_gb_per_s:
        what = f"{cold_gb_per_s:g} GB/s from S3 exceed the {found.fill_limit_gb_per_s:.3g} GB/s that drives sustain"
        remedy = "add nodes, read a smaller data set, prefetch and evict by prefix, or read from S3 directly"
        wrong.append(Excess(what=what, remedy=remedy, demanded=True))
    for share in found.shares:
        if share.full_in_s is not None and share.from_s3_gb_per_s is not None:
            rate, limit = f"{share.from_s3_gb_per_s:.3g}", f"{share.fill_limit_gb_per_s:.3g}"
            until = f"at this rate it refuses data in {share.full_in_s / 60:.0f} min"
            what = f"{share.id} fetches {rate} GB/s from S3, more than the {limit} GB/s that it can sustain: {until}"
            remedy = "evict prefixes that are no longer read, or read from S3 directly"
            wrong.append(Excess(what=what, remedy=remedy, demanded=False))
    return tuple(wrong)


def as_text(found: Capacity, rule: Rules, wrong: Sequence[Excess]) -> str:
    lines = [
        f"{size(found.raw)} of drives, {size(found.hot)} guaranteed ({rule.low_percent:g} %), {size(found.used)} used; "
        f"sustains {found.fill_limit_gb_per_s:.3g} GB/s from S3\n\n"
    ]
    rows = [
        (
            share.id,
            size(share.used),
            size(share.total),
            f"{share.fill_limit_gb_per_s:.3g}",
            "" if share.from_s3_gb_per_s is None else f"{share.from_s3_gb_per_s:.3g}",
        )
        for share in found.shares
    ]
    head = ("target", "used", "of", "GB/s sustained from S3", "GB/s measured")
    lines.append(columns(head, rows, right=(1, 2, 3, 4)))
    if found.silent:
        lines.append(f"\nnot counted (no answer): {', '.join(found.silent)}\n")
    for excess in wrong:
        lines.append(f"\n{'error' if excess.demanded else 'warning'}: {excess.what}\n    {excess.remedy}\n")
    return "".join(lines)


def as_data(found: Capacity, rule: Rules, wrong: Sequence[Excess]) -> dict[str, Any]:
    """For a script. Bytes, GB/s (10^9 bytes); null if not measured."""
    return {
        "schema_version": "1",
        "raw_bytes": found.raw,
        "hot_bytes": round(found.hot),
        "used_bytes": found.used,
        "low_watermark_percent": rule.low_percent,
        "fill_limit_gb_per_s": found.fill_limit_gb_per_s,
        "targets": [vars(share) for share in found.shares],
        "silent": list(found.silent),
        "excesses": [vars(excess) for excess in wrong],
    }
