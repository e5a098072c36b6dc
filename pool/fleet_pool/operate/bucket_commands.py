"""Commands about the pool's data: buckets, register, destroy-local, prefetch, evict."""

from __future__ import annotations

import argparse
import os
import time
from typing import Any

from fleet_pool.api import Client
from fleet_pool.operate.jobs import RANGED_FROM_BYTES, Job, Progress, evict, has_large, prefetch, wait
from fleet_pool.operate.options import (
    formats,
    note_writer,
    positive,
    progress_writer,
    reachable_client,
    timeout,
    verb,
    whole,
    write,
)
from fleet_pool.operate.table import columns, counted, size
from fleet_pool.problems import Blocked, Code, UsageProblem

JOB_LIMIT_S = 6 * 3600.0


def add(verbs: Any) -> None:
    from fleet_pool.operate.buckets import KINDS

    found = verb(verbs, "buckets", _buckets, "List the pool's buckets. Exit code 13 if one is not in S3.")
    formats(found)

    about = "Register S3 buckets with the pool, with eviction on. Safe to repeat."
    found = verb(verbs, "register", _register, about)
    found.add_argument("buckets", metavar="BUCKET", nargs="+", help="names of S3 buckets")
    about = "dataset: each key is written once; rewritten: each cached read first checks the version in S3"
    found.add_argument("--kind", choices=tuple(KINDS), required=True, help=about)
    about = "write the digest manifest of this data set, unless it has one"
    found.add_argument("--digest", metavar="PREFIX", help=about)

    about = "Delete a bucket that is local to the pool, with all its data, which is nowhere else."
    found = verb(verbs, "destroy-local", _destroy_local, about)
    found.add_argument("bucket", metavar="BUCKET", help="a local bucket of the pool")
    found.add_argument("--yes", action="store_true", help="confirm the deletion")

    about = "Fetch the objects under a prefix from S3 into the pool."
    found = _under(verb(verbs, "prefetch", _prefetch, about))
    found.add_argument("--workers", type=whole, default=0, metavar="N", help="on each target [default: the engine's]")
    about = "fetch objects of this size or larger in several ranges at once [default: 0.54 if there are such objects]"
    found.add_argument("--ranges-from-gb", type=positive, metavar="GB", help=about)
    _under(verb(verbs, "evict", _evict, "Drop the objects under a prefix from the pool; S3 keeps them."))

    about = "Write the digest manifest of a data set: a checksum of every MiB of its objects, from S3 itself."
    found = verb(verbs, "digest", _digest, about)
    found.add_argument("bucket", metavar="BUCKET", help="a bucket in S3")
    found.add_argument("--prefix", metavar="PREFIX", required=True, help="of the data set, such as dataset/")

    about = "Check cached objects against their manifest and refetch damaged ones. Exit code 13 if one was damaged."
    found = verb(verbs, "verify", _verify, about)
    found.add_argument("bucket", metavar="BUCKET", help="a registered bucket")
    found.add_argument("--prefix", metavar="PREFIX", required=True, help="of a data set that has a manifest")
    about = "read at most so much a second [default: no limit]"
    found.add_argument("--gb-per-s", type=positive, metavar="GB/S", help=about)
    formats(found)


def _under(found: argparse.ArgumentParser) -> argparse.ArgumentParser:
    found.add_argument("bucket", metavar="BUCKET", help="a registered bucket")
    which = found.add_mutually_exclusive_group(required=True)
    which.add_argument("--prefix", metavar="PREFIX", help="prefix of the keys")
    which.add_argument("--all", action="store_true", help="the whole bucket")
    found.add_argument("--no-wait", action="store_true", help="print the job's id and return")
    timeout(found, JOB_LIMIT_S, "stop waiting after S seconds; the job continues")
    return found


def _buckets(given: argparse.Namespace) -> int:
    from fleet_pool.operate.buckets import buckets
    from fleet_pool.operate.status_text import bucket_data, bucket_text

    known = buckets(reachable_client(given))
    data = {"schema_version": "1", "buckets": [bucket_data(bucket) for bucket in known]}
    write(given, bucket_text(known) if known else "No buckets. Use `register` to add one.\n", data)
    return Code.BLOCKER if any(bucket.local for bucket in known) else Code.OK


def _register(given: argparse.Namespace) -> int:
    from fleet_pool.operate.buckets import COVERS, register

    pool, tell, code = reachable_client(given), note_writer(given), Code.OK
    if given.digest and len(given.buckets) > 1:
        raise UsageProblem("--digest is for a data set of one bucket: register the others without it")
    for name in given.buckets:
        try:
            done = register(pool, name, given.kind)
        except (Blocked, UsageProblem) as error:
            if len(given.buckets) == 1:
                raise
            tell(f"{name}: {error}")  # the other buckets are still registered
            code = min(code, error.code) if code else error.code  # of several codes the lowest, as in every command
            continue
        print(f"{name}: {', '.join(done.changed) or 'already registered'}")
        if not done.bucket.versioned:
            tell(f"{name}: overwritten objects are lost: S3 versioning was off when the pool first saw it")
    if not code:
        tell(COVERS[given.kind])
        if given.digest:
            _write_digests(given, given.buckets[0], given.digest, again=False)
    return code


def _destroy_local(given: argparse.Namespace) -> int:
    from fleet_pool.operate.buckets import destroy_local

    if not given.yes:
        raise UsageProblem(f"the data in ais://{given.bucket} is nowhere else and would be lost; --yes deletes it")
    destroy_local(reachable_client(given), given.bucket)
    print(f"{given.bucket}: deleted")
    return Code.OK


def _prefetch(given: argparse.Namespace) -> int:
    pool, prefix = reachable_client(given), given.prefix or ""
    if given.ranges_from_gb:
        ranges_from = int(given.ranges_from_gb * 1e9)
    else:
        ranges_from = RANGED_FROM_BYTES if has_large(pool, given.bucket, prefix) else 0
    return _finished(given, pool, prefetch(pool, given.bucket, prefix, given.workers, ranges_from), "fetched")


def _evict(given: argparse.Namespace) -> int:
    pool = reachable_client(given)
    return _finished(given, pool, evict(pool, given.bucket, given.prefix or ""), "evicted")


def _finished(given: argparse.Namespace, pool: Client, job: Job, done: str) -> int:
    """Waits for a job and shows its progress."""
    if given.no_wait:
        print(job.id)
        return Code.OK
    show, start = progress_writer(given), time.monotonic()

    def line(so_far: Progress) -> None:
        rate = so_far.bytes / max(time.monotonic() - start, 1e-3)
        ended = f"{len(so_far.ended)} of {counted(len(so_far.ended) + len(so_far.running), 'target')} done"
        show(f"{done} {counted(so_far.objects, 'object')}, {size(so_far.bytes)}, {size(rate)}/s, {ended}")

    try:
        found = wait(pool, job, limit_s=given.timeout_s, show=line)
    except KeyboardInterrupt:
        show("")
        note_writer(given)(f"job {job.id} continues in the pool")
        raise
    finally:
        show("")
    print(f"{done} {counted(found.objects, 'object')}, {size(found.bytes)}, in {found.seconds:.1f} s")
    if not found.objects and done == "fetched":
        note_writer(given)("nothing to fetch: everything under that prefix is cached already, or there is nothing")
    return Code.OK


def _digest(given: argparse.Namespace) -> int:
    _write_digests(given, given.bucket, given.prefix, again=True)
    return Code.OK


def _write_digests(given: argparse.Namespace, name: str, prefix: str, *, again: bool) -> None:
    """again: also if the data set has a manifest."""
    from fleet_pool.digests import index_key
    from fleet_pool.launch.bucket import Bucket
    from fleet_pool.operate import s3
    from fleet_pool.operate.digest import write_manifest
    from fleet_pool.operate.imds import Metadata

    metadata, show = Metadata.of(os.environ), progress_writer(given)
    where = s3.place(os.environ, metadata)
    bucket = Bucket(name, where, lambda: s3.credentials(os.environ, metadata))
    if not again and index_key(prefix) in bucket.list(index_key(prefix)).keys:
        print(f"{prefix}: already has a digest manifest")
        return
    try:
        objects, octets = write_manifest(bucket, prefix, show)
    finally:
        show("")
    print(f"{prefix}: digests of {counted(objects, 'object')}, {size(octets)}")


def _verify(given: argparse.Namespace) -> int:
    from fleet_pool.operate.buckets import registered
    from fleet_pool.operate.digest import verify

    pool, show = reachable_client(given), progress_writer(given)
    registered(pool, given.bucket)
    rate = given.gb_per_s * 1e9 if given.gb_per_s else None
    try:
        found = verify(pool, given.bucket, given.prefix, bytes_per_s=rate, show=show)
    finally:
        show("")
    rows = [
        *(("healed", key, "was damaged; now as in the manifest") for key in found.healed),
        *(("BROKEN", key, f"{why} in S3 too: restore it, or digest anew") for key, why in found.broken.items()),
        *(("FAILED", key, why) for key, why in found.failed.items()),
    ]
    head = f"{counted(found.objects, 'cached object')}, {size(found.bytes)}, in {found.seconds:.1f} s"
    beside = f"; {counted(found.uncovered, 'object')} not in the manifest" if found.uncovered else ""
    text = f"{head}: {len(found.healed)} healed, {len(found.broken)} broken, {len(found.failed)} failed{beside}\n"
    write(given, text + (columns(("", "key", ""), rows) if rows else ""), {"schema_version": "1", **vars(found)})
    if found.failed:
        return Code.AWS
    return Code.BLOCKER if rows else Code.OK
