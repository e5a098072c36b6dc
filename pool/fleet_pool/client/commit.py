"""The record that makes a checkpoint one: which shards, how large, with which checksums. Pure.

A step is committed when its COMMIT exists, and that is written after every shard is in S3.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from typing import Any

from fleet_pool.client.errors import Damaged, Refused
from fleet_pool.compat import frozen

FORMAT = 1
NAME = "COMMIT"
_HIGHEST_STEP = 10**12 - 1
_STEP = re.compile(r"step-(\d{12})/")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@frozen
class Shard:
    """What one rank wrote for one step. A rank hands it to the rank that commits, as `dataclasses.asdict` or as is."""

    step: int
    rank: int
    key: str
    size_bytes: int
    sha256: str


@frozen
class Commit:
    """A whole step. shards: one of each rank, by rank. notes: the job's own words: position, seed, loss."""

    step: int
    world_size: int
    shards: tuple[Shard, ...]
    notes: Mapping[str, Any]


def step_prefix(prefix: str, step: int) -> str:
    """What the keys of a step begin with, so that their order is the steps'. Raises Refused."""
    if isinstance(step, bool) or not 0 <= step <= _HIGHEST_STEP:
        raise Refused(f"a step is a whole number from 0 to {_HIGHEST_STEP}, not {step!r}")
    return f"{prefix}/step-{step:012d}/"


def step_of(prefix: str, key: str) -> int | None:
    """The step that a key belongs to; None for a key of something else."""
    match = _STEP.match(key[len(prefix) + 1 :]) if key.startswith(f"{prefix}/") else None
    return int(match[1]) if match else None


def commit_of(prefix: str, step: int, shards: Iterable[Shard], notes: Mapping[str, Any]) -> Commit:
    """The record of a step. Raises Refused where a rank is missing or twice, or a shard is another step's."""
    ordered = tuple(sorted(shards, key=lambda shard: shard.rank))
    ranks = [shard.rank for shard in ordered]
    if not ranks or ranks != list(range(len(ranks))):
        raise Refused(f"step {step}: every rank from 0 on gives one shard; these did: {ranks or 'none'}")
    for shard in ordered:
        if shard.step != step or not shard.key.startswith(step_prefix(prefix, step)):
            raise Refused(f"step {step}: the shard of rank {shard.rank} is {shard.key}, of step {shard.step}")
    return Commit(step=step, world_size=len(ordered), shards=ordered, notes=dict(notes))


def to_bytes(commit: Commit) -> bytes:
    """COMMIT as it is stored; the same record is the same bytes. Raises Refused for notes that JSON does not know."""
    body = {"format": FORMAT, **asdict(commit)}
    try:
        told = json.dumps(body, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise Refused(f"step {commit.step}: notes are what JSON knows, and finite: {error}") from None
    if json.loads(told)["notes"] != commit.notes:
        raise Refused(f"step {commit.step}: notes would not come back as they are: keys are texts, tuples are lists")
    return json.dumps({**body, "sha256": _sha256(told)}, sort_keys=True, indent=1, allow_nan=False).encode()


def from_bytes(prefix: str, step: int, data: bytes) -> Commit:
    """The record as it was written. Raises Damaged with what is wrong with it."""
    try:
        body = json.loads(data)
        told = body.pop("sha256")
        if body.pop("format") != FORMAT:
            raise Damaged(f"COMMIT of step {step} is of another format than {FORMAT}: a newer planner wrote it")
        if told != _sha256(json.dumps({**body, "format": FORMAT}, sort_keys=True, allow_nan=False)):
            raise Damaged(f"COMMIT of step {step} is damaged: its own checksum differs")
        if body["step"] != step or body["world_size"] != len(body["shards"]):
            raise Damaged(f"COMMIT of step {step} says step {body['step']} of {body['world_size']} shards")
        shards = [_shard(each) for each in body["shards"]]
        return commit_of(prefix, step, shards, body["notes"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(f"COMMIT of step {step} cannot be read: {type(error).__name__}: {error}") from None
    except Refused as problem:
        raise Damaged(f"COMMIT does not fit: {problem}") from None


def _shard(told: Mapping[str, Any]) -> Shard:
    shard = Shard(**{field.name: told[field.name] for field in fields(Shard)})
    if not isinstance(shard.key, str) or not _SHA256.fullmatch(shard.sha256):
        raise ValueError(f"a shard without key or checksum: {shard}")
    if min(shard.step, shard.rank, shard.size_bytes) < 0:
        raise ValueError(f"a negative number: {shard}")
    return shard


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
