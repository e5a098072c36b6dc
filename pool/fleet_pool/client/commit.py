"""The COMMIT record of a checkpoint: its shards with sizes and checksums. Pure.

A step is committed when its COMMIT exists, which is written after every shard is in S3.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from typing import Any

from fleet_pool import steps
from fleet_pool.client.errors import Damaged, Refused
from fleet_pool.compat import frozen

FORMAT = 1
NAME = steps.COMMIT
_SHA256 = re.compile(r"[0-9a-f]{64}")


@frozen
class Shard:
    """The shard that one rank wrote for one step; the receipt that it sends to the rank that commits."""

    step: int
    rank: int
    key: str
    size_bytes: int
    sha256: str


@frozen
class Commit:
    """A complete step. shards: one per rank, by rank. notes: the job's own data, such as position, seed, loss."""

    step: int
    world_size: int
    shards: tuple[Shard, ...]
    notes: Mapping[str, Any]


@frozen
class Skipped:
    """A step that was not restored, and why."""

    step: int
    why: str


def step_prefix(prefix: str, step: int) -> str:
    """Prefix of a step's keys; they sort in the order of steps. Raises Refused."""
    if isinstance(step, bool) or not 0 <= step <= steps.HIGHEST_STEP:
        raise Refused(f"a step must be a whole number from 0 to {steps.HIGHEST_STEP}, not {step!r}")
    return f"{prefix}/{steps.folder_of(step)}"


def step_of(prefix: str, key: str) -> int | None:
    """The step that a key belongs to; None for any other key."""
    return steps.step_in(key[len(prefix) + 1 :]) if key.startswith(f"{prefix}/") else None


def commit_of(prefix: str, step: int, shards: Iterable[Shard], notes: Mapping[str, Any]) -> Commit:
    """The record of a step. Raises Refused if a rank is missing or there twice, or a shard is of another step."""
    ordered = tuple(sorted(shards, key=lambda shard: shard.rank))
    ranks = [shard.rank for shard in ordered]
    if not ranks or ranks != list(range(len(ranks))):
        raise Refused(f"step {step} needs one shard of every rank from 0 on; it has those of {ranks or 'none'}")
    for shard in ordered:
        if shard.step != step or not shard.key.startswith(step_prefix(prefix, step)):
            raise Refused(f"step {step}: the shard of rank {shard.rank} is {shard.key}, of step {shard.step}")
    return Commit(step=step, world_size=len(ordered), shards=ordered, notes=dict(notes))


def to_bytes(commit: Commit) -> bytes:
    """COMMIT as stored; equal records give equal bytes. Raises Refused for notes that JSON cannot hold."""
    body = {"format": FORMAT, **asdict(commit)}
    try:
        text = json.dumps(body, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise Refused(f"step {commit.step}: notes must be JSON data with finite numbers: {error}") from None
    if json.loads(text)["notes"] != commit.notes:
        raise Refused(f"step {commit.step}: notes would be read back changed: use text keys and lists")
    return json.dumps({**body, "sha256": _sha256(text)}, sort_keys=True, indent=1, allow_nan=False).encode()


def from_bytes(prefix: str, step: int, data: bytes) -> Commit:
    """The record from its stored bytes. Raises Damaged with the problem."""
    try:
        body = json.loads(data)
        checksum = body.pop("sha256")
        if body.pop("format") != FORMAT:
            raise Damaged(f"COMMIT of step {step} does not have format {FORMAT}: a newer version wrote it")
        if checksum != _sha256(json.dumps({**body, "format": FORMAT}, sort_keys=True, allow_nan=False)):
            raise Damaged(f"COMMIT of step {step} is damaged: its own checksum differs")
        if body["step"] != step or body["world_size"] != len(body["shards"]):
            raise Damaged(f"COMMIT of step {step} says step {body['step']} of {body['world_size']} shards")
        shards = [_shard(each) for each in body["shards"]]
        return commit_of(prefix, step, shards, body["notes"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(f"COMMIT of step {step} cannot be read: {type(error).__name__}: {error}") from None
    except Refused as problem:
        raise Damaged(f"COMMIT is inconsistent: {problem}") from None


def ranks_of(commit: Commit, ranks: tuple[int, ...] | None) -> tuple[int, ...]:
    """The ranks asked for, all with None. Raises Refused for one that the step does not have."""
    if ranks is None:
        return tuple(range(commit.world_size))
    wrong = [rank for rank in ranks if not 0 <= rank < commit.world_size]
    if wrong:
        raise Refused(f"step {commit.step} has ranks 0 to {commit.world_size - 1}, not {wrong}")
    return ranks


def missing(commit: Commit, sizes: Mapping[str, int]) -> str:
    """The shards that a listing lacks, as a message; "" if it has all."""
    found = []
    for shard in commit.shards:
        if shard.key not in sizes:
            found.append(f"{shard.key} is missing")
        elif sizes[shard.key] != shard.size_bytes:
            found.append(f"{shard.key} has {sizes[shard.key]} of {shard.size_bytes} bytes")
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    return ", ".join(found[:3]) + more


def _shard(data: Mapping[str, Any]) -> Shard:
    shard = Shard(**{field.name: data[field.name] for field in fields(Shard)})
    if not isinstance(shard.key, str) or not _SHA256.fullmatch(shard.sha256):
        raise ValueError(f"a shard without key or checksum: {shard}")
    if min(shard.step, shard.rank, shard.size_bytes) < 0:
        raise ValueError(f"a negative number: {shard}")
    return shard


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
