"""The pool's buckets: S3 buckets that it caches and evicts from, with or without a version check on cached reads.

Buckets are registered through the native API only. The pool's S3 endpoint answers 404 for a bucket that is not
registered, and many clients then create it there. The result is a local bucket (ais://), even if S3 has one of that
name: it acknowledges writes, and none of them ever reach S3.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from fleet_pool.api import Client, bucket_path
from fleet_pool.compat import frozen
from fleet_pool.problems import Blocked, Refused, UsageProblem

# Kind -> whether each cached read first asks S3 for the version (one more request). Keys of a dataset or of checkpoints
# are written once and need no check.
KINDS: Mapping[str, bool] = {"dataset": False, "rewritten": True}

# What `register` says about the kind; docs/pool.md has the whole statement.
COVERS: Mapping[str, str] = {
    "dataset": "write each key once, or with fleet_pool.client: a key that is overwritten through the pool by a mount "
    "or over HTTP may keep old bytes in the cache, and a late request may undo a newer write",
    "rewritten": "cached reads are as new as S3; a key that is overwritten through the pool by a mount or over HTTP "
    "may still lose a newer write to a late request: overwrite with fleet_pool.client",
}

LOCAL, S3 = "ais", "aws"
SYSTEM_PREFIX = ".sys-"  # the engine's own
NAME = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")  # S3 User Guide, "General purpose bucket naming rules"


@frozen
class Bucket:
    """provider: "aws", or "ais" for a local bucket that is not in S3. validates: cached reads ask S3 for the version.
    versioned: whether S3 versioning was on when the pool first saw the bucket; it does not check again."""

    name: str
    provider: str
    evicts: bool
    validates: bool
    versioned: bool

    @property
    def local(self) -> bool:
        return self.provider == LOCAL

    @property
    def kind(self) -> str:
        return next(kind for kind, validates in KINDS.items() if validates == self.validates)


@frozen
class Registered:
    """changed: what this call set; empty if nothing had to change."""

    bucket: Bucket
    changed: tuple[str, ...]


def buckets(client: Client, patience_s: float | None = None) -> tuple[Bucket, ...]:
    """Every bucket that the pool knows, by name, without the engine's own. Raises Refused or Unreachable."""
    answer = client.ask("GET", "/v1/daemon", query={"what": "bmd"}, patience_s=patience_s)
    try:
        found = [
            parse_bucket(name, props)
            for spaces in answer.json()["providers"].values()
            for named in (spaces or {}).values()
            for name, props in named.items()
            if not name.startswith(SYSTEM_PREFIX)
        ]
    except (KeyError, TypeError, AttributeError):
        raise Refused(f"{answer.url} does not answer like a pool", answer.status) from None
    return tuple(sorted(found, key=lambda bucket: (bucket.name, bucket.provider)))


def parse_bucket(name: str, props: Mapping[str, Any]) -> Bucket:
    return Bucket(
        name=name,
        provider=props["provider"],
        evicts=bool(props["lru"]["enabled"]),
        validates=bool(props["versioning"]["validate_warm_get"]),
        versioned=bool(props["versioning"]["enabled"]),
    )


def register(client: Client, name: str, kind: str) -> Registered:
    """Registers an S3 bucket with eviction on and `kind`'s validation. Idempotent.

    Raises UsageProblem if S3 has no such bucket, Blocked if the pool has a local bucket of that name, Refused,
    Unreachable.
    """
    if kind not in KINDS:
        raise UsageProblem(f"{kind!r} is not a kind of bucket; use {' or '.join(KINDS)}")
    checked_name(name)
    known = {bucket.provider: bucket for bucket in buckets(client) if bucket.name == name}
    if LOCAL in known:
        raise Blocked(why_local(name))
    changed = () if S3 in known else ("registered",)
    found = head(client, name)
    wanted: dict[str, Any] = {}
    if not found.evicts:
        wanted["lru"] = {"enabled": True}
        changed += ("eviction on",)
    if found.validates != KINDS[kind]:
        wanted["versioning"] = {"validate_warm_get": KINDS[kind]}
        changed += (f"cached reads {'ask S3 for the version' if KINDS[kind] else 'do not ask S3'}",)
    if wanted:
        client.act(bucket_path(name), "set-bprops", wanted, method="PATCH", query={"provider": S3})
        found = head(client, name)
        if not found.evicts or found.validates != KINDS[kind]:
            raise Blocked(f"{name}: the pool accepted the settings but does not report them: {found}")
    return Registered(bucket=found, changed=changed)


def registered(client: Client, name: str) -> None:
    """Raises UsageProblem for a bucket that is not registered: the engine would add it without our settings."""
    checked_name(name)
    known = buckets(client)
    if not any(found.name == name and not found.local for found in known):
        names = ", ".join(found.name for found in known if not found.local) or "none"
        how = f"`planner pool register {name} --kind dataset`"
        raise UsageProblem(f"bucket {name!r} is not registered (registered: {names}): run {how}")


def head(client: Client, name: str) -> Bucket:
    """The bucket as the pool and S3 report it. Asking also makes it known to the pool.

    Raises UsageProblem if S3 has no such bucket or denies the pool access, Refused, Unreachable.
    """
    try:
        answer = client.ask("HEAD", bucket_path(name), query={"provider": S3})
    except Refused as error:
        if error.status == 404:
            raise UsageProblem(f"S3 has no bucket {name!r} in the pool's Region: {error}") from None
        if error.status in (401, 403):
            hint = "the nodes' instance profile must allow s3:ListBucket, s3:GetObject and s3:PutObject on it"
            raise UsageProblem(f"S3 denies the pool access to {name!r}: {error}; {hint}") from None
        raise
    try:
        return parse_bucket(name, json.loads(answer.headers["ais-bucket-props"]))
    except (KeyError, TypeError, ValueError):
        raise Refused(f"{answer.url} does not answer like a pool", answer.status) from None


def checked_name(name: str) -> None:
    """Raises UsageProblem for a name that S3 does not allow: with s3://, capitals or blanks."""
    if name.startswith(("s3://", "aws://", "ais://")):
        bare = name.partition("://")[2].rstrip("/")
        raise UsageProblem(f"give the bucket name alone: {bare}, not {name}")
    if not NAME.fullmatch(name) or ".." in name:
        raise UsageProblem(f"{name!r} is not an S3 bucket name: 3 to 63 lowercase letters, digits, dots and hyphens")


def why_local(name: str) -> str:
    """Why a local bucket is dangerous, and how to get its data out.

    The engine's own bucket copy is no way out: tried with 5.0 from ais:// to S3, 11 of 20 objects arrived in S3. The
    others could be read from the pool only, and the job reported success.
    """
    return (
        f"data in the pool's bucket {name!r} will be lost with the nodes: it is local to the pool (ais://{name}) and "
        "not in S3. A client created it through the S3 endpoint before it was registered.\n"
        f"Download what you need (`curl -LO 'POOL/v1/objects/{name}/KEY?provider=ais'`) and upload it to a registered "
        "bucket; do not use the engine's bucket copy, which leaves objects out of S3. "
        f"Then run `planner pool destroy-local {name} --yes`, create {name} in S3, and register it."
    )


def destroy_local(client: Client, name: str) -> None:
    """Deletes a local bucket and everything in it. Raises UsageProblem for any other bucket."""
    checked_name(name)
    if not any(bucket.name == name and bucket.local for bucket in buckets(client)):
        raise UsageProblem(f"the pool has no local bucket {name!r}; nothing was deleted")
    client.act(bucket_path(name), "destroy-bck", method="DELETE", query={"provider": LOCAL})
