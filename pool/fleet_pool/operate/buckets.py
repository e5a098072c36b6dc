"""The pool's buckets: each is S3's, evicts by itself, and says whether what it caches may have changed below it.

Registered through the native API alone. The S3 door answers 404 for a bucket that is not registered, and many a client
then makes it there: that one is the pool's own (ais://), also where S3 has one of the name. It takes writes and
acknowledges them, and nothing of it is ever in S3.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from fleet_pool.api import Client, bucket_path
from fleet_pool.compat import frozen
from fleet_pool.problems import Blocked, Refused, UsageProblem

# What is read of a bucket: keys written once (a dataset, checkpoints), or rewritten in place: then each cached read
# asks S3 for the version first, a request of its own.
KINDS: Mapping[str, bool] = {"dataset": False, "rewritten": True}

LOCAL, S3 = "ais", "aws"
SYSTEM_PREFIX = ".sys-"  # the engine's own
NAME = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")  # S3 User Guide, "General purpose bucket naming rules"


@frozen
class Bucket:
    """provider: "aws", or "ais" for one that is the pool's alone. validates: cached reads ask S3 for the version.
    versioned: whether S3 kept versions when the pool first met the bucket; it does not look again."""

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
    """changed: what was set now; empty where all was so already."""

    bucket: Bucket
    changed: tuple[str, ...]


def buckets(client: Client, patience_s: float | None = None) -> tuple[Bucket, ...]:
    """Every bucket that the pool knows, by name, the engine's own left out. Raises Refused or Unreachable."""
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
        raise Refused(f"{answer.url} does not answer as a pool does", answer.status) from None
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
    """Makes the pool know an S3 bucket, with eviction on and `kind`'s validation. The same again changes nothing.

    Raises UsageProblem where S3 has no such bucket, Blocked where one of that name is the pool's alone, Refused,
    Unreachable.
    """
    if kind not in KINDS:
        raise UsageProblem(f"{kind!r} is no kind of bucket: {' or '.join(KINDS)}")
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
            raise Blocked(f"{name}: the pool took its settings and does not show them: {found}")
    return Registered(bucket=found, changed=changed)


def registered(client: Client, name: str) -> None:
    """Raises UsageProblem for a bucket that nobody registered: the engine would add it, without our settings."""
    checked_name(name)
    known = buckets(client)
    if not any(found.name == name and not found.local for found in known):
        names = ", ".join(found.name for found in known if not found.local) or "none"
        how = f"`planner pool register {name} --kind dataset`"
        raise UsageProblem(f"bucket {name!r} is not registered (there are: {names}): {how}")


def head(client: Client, name: str) -> Bucket:
    """The bucket as the pool and S3 have it; unknown to the pool until now, it is from here on.

    Raises UsageProblem where S3 has none or does not let the pool in, Refused, Unreachable.
    """
    try:
        answer = client.ask("HEAD", bucket_path(name), query={"provider": S3})
    except Refused as error:
        if error.status == 404:
            raise UsageProblem(f"S3 has no bucket {name!r}, or not in the pool's Region: {error}") from None
        if error.status in (401, 403):
            hint = "the nodes' instance profile must allow s3:ListBucket, s3:GetObject and s3:PutObject on it"
            raise UsageProblem(f"S3 does not let the pool into {name!r}: {error}; {hint}") from None
        raise
    try:
        return parse_bucket(name, json.loads(answer.headers["ais-bucket-props"]))
    except (KeyError, TypeError, ValueError):
        raise Refused(f"{answer.url} does not answer as a pool does", answer.status) from None


def checked_name(name: str) -> None:
    """Raises UsageProblem for what S3 would not take: s3:// in front, capitals, blanks."""
    if name.startswith(("s3://", "aws://", "ais://")):
        bare = name.partition("://")[2].rstrip("/")
        raise UsageProblem(f"the name alone: {bare}, not {name}")
    if not NAME.fullmatch(name) or ".." in name:
        raise UsageProblem(f"{name!r} is no name of an S3 bucket: 3 to 63 small letters, digits, dots and hyphens")


def why_local(name: str) -> str:
    """What is wrong with a bucket of the pool's own, and the way out.

    Not by the engine's own copy of buckets: tried with 5.0 from ais:// to S3, 11 of 20 objects arrived in S3; the
    others, whose place did not change, were readable from the pool and nowhere else, and the job said nothing.
    """
    return (
        f"the pool has a bucket {name!r} of its own (ais://{name}), made through the S3 door before it was registered. "
        "What was written to it was acknowledged, and is on the nodes' drives alone, not in S3.\n"
        f"Read what is wanted (`curl -LO 'POOL/v1/objects/{name}/KEY?provider=ais'`) and write it anew to a registered "
        "bucket; the engine's own copy of a bucket leaves objects out of S3. "
        f"Then `planner pool destroy-local {name} --yes`, make {name} in S3, and register it."
    )


def destroy_local(client: Client, name: str) -> None:
    """Ends a bucket that is the pool's alone, and all that is in it. Raises UsageProblem for any other."""
    checked_name(name)
    if not any(bucket.name == name and bucket.local for bucket in buckets(client)):
        raise UsageProblem(f"the pool has no bucket {name!r} of its own: nothing was done")
    client.act(bucket_path(name), "destroy-bck", method="DELETE", query={"provider": LOCAL})
