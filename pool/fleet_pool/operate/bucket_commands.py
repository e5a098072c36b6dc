"""Commands about the pool's data: buckets, register, destroy-local, prefetch, evict."""

from __future__ import annotations

import argparse
import time
from typing import Any

from fleet_pool.api import Client
from fleet_pool.operate.jobs import Job, Progress, evict, prefetch, wait
from fleet_pool.operate.options import (
    formats,
    note_writer,
    progress_writer,
    reachable_client,
    timeout,
    verb,
    whole,
    write,
)
from fleet_pool.operate.table import counted, size
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

    about = "Delete a bucket that is local to the pool, with all its data, which is nowhere else."
    found = verb(verbs, "destroy-local", _destroy_local, about)
    found.add_argument("bucket", metavar="BUCKET", help="a local bucket of the pool")
    found.add_argument("--yes", action="store_true", help="confirm the deletion")

    about = "Fetch the objects under a prefix from S3 into the pool."
    found = _under(verb(verbs, "prefetch", _prefetch, about))
    found.add_argument("--workers", type=whole, default=0, metavar="N", help="on each target [default: the engine's]")
    _under(verb(verbs, "evict", _evict, "Drop the objects under a prefix from the pool; S3 keeps them."))


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
    return code


def _destroy_local(given: argparse.Namespace) -> int:
    from fleet_pool.operate.buckets import destroy_local

    if not given.yes:
        raise UsageProblem(f"the data in ais://{given.bucket} is nowhere else and would be lost; --yes deletes it")
    destroy_local(reachable_client(given), given.bucket)
    print(f"{given.bucket}: deleted")
    return Code.OK


def _prefetch(given: argparse.Namespace) -> int:
    pool = reachable_client(given)
    return _finished(given, pool, prefetch(pool, given.bucket, given.prefix or "", given.workers), "fetched")


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
