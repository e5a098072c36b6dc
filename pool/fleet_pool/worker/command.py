"""`planner-worker`: writes a list of jobs, runs one of its jobs, says how far they are."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from fleet_pool.client.errors import StoreProblem
from fleet_pool.operate.imds import Metadata
from fleet_pool.problems import Code, PoolProblem, UsageProblem
from fleet_pool.worker.exits import CODES, DEAD, HANDED_OVER, REFUSED
from fleet_pool.worker.here import BEAT_S, bucket_of, here_of, index_of, seconds
from fleet_pool.worker.joblist import list_key, parsed
from fleet_pool.worker.records import read_list
from fleet_pool.worker.run import Worker
from fleet_pool.worker.status import as_json, described, status_of

LIST = "PLANNER_LIST"
ABOUT = (
    "Runs one job of a list on an interruptible machine. The job's command saves its state into the folder "
    "PLANNER_SAVES, under the number of its step; every save is committed to the bucket, and the next try starts from "
    "the newest one (PLANNER_RESUME, PLANNER_STEP), on whichever machine. PLANNER_DATA names the bucket."
)
EXITS = (
    f"Exit codes of `run`: 0 done; 1 failed, try again; {CODES[DEAD]} a dead letter; {CODES[HANDED_OVER]} the machine "
    f"goes, another resumes; {CODES[REFUSED]} this machine spoiled several jobs; 2 usage error; 3 no credentials; 4 S3 "
    "does not answer."
)


def main(words: Sequence[str] | None = None) -> int:
    """Runs one verb; its exit code."""
    given = parser().parse_args(words)
    try:
        return {"put": put, "run": run, "status": status}[given.verb](given, os.environ)
    except PoolProblem as error:
        print(f"planner-worker: {error}", file=sys.stderr)
        return error.code
    except StoreProblem as error:
        print(f"planner-worker: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return Code.INTERRUPTED


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="planner-worker", description=ABOUT, epilog=EXITS, allow_abbrev=False)
    verbs = top.add_subparsers(dest="verb", required=True, metavar="VERB")
    one = verbs.add_parser("put", help="check a list and write it into the bucket, once", allow_abbrev=False)
    one.add_argument("file", type=Path)
    one = verbs.add_parser("run", help="run one job; a container's entry point", allow_abbrev=False)
    one.add_argument("--list", help=f"its name (default: {LIST})")
    one.add_argument("--index", type=int, help="which job (default: that of the array job)")
    one = verbs.add_parser("status", help="done, running, dead letters, refused machines", allow_abbrev=False)
    one.add_argument("--list", help=f"its name (default: {LIST})")
    one.add_argument("--json", action="store_true")
    return top


def put(given: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """A list is never changed: another list gets another name, and records of its own."""
    try:
        text = given.file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageProblem(f"cannot read {given.file}: {error}") from None
    jobs = parsed(text, str(given.file))
    bucket = bucket_of(environment, Metadata.of(environment))
    if not bucket.put_once(list_key(jobs.name), text.encode()):
        raise UsageProblem(f"s3://{bucket.name} has another list {jobs.name!r}: give this one another name")
    print(f"Wrote s3://{bucket.name}/{list_key(jobs.name)}: {len(jobs.jobs)} jobs.")
    return Code.OK


def run(given: argparse.Namespace, environment: Mapping[str, str]) -> int:
    name, index = list_of(given, environment), index_of(environment, given.index)
    here = here_of(environment)
    found = Worker(here, read_list(here.bucket, name), index, environment).run()
    print(f"planner-worker: job {index}: {found.kind}: {found.why}", flush=True)
    return found.code


def status(given: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """13 if jobs are dead letters or silent."""
    bucket = bucket_of(environment, Metadata.of(environment))
    jobs = read_list(bucket, list_of(given, environment))
    found = status_of(bucket, jobs, beat_s=seconds(environment, "PLANNER_WORKER_BEAT_S", BEAT_S))
    print(json.dumps(as_json(found)) if given.json else described(found, jobs))
    return Code.BLOCKER if found.dead or found.silent else Code.OK


def list_of(given: argparse.Namespace, environment: Mapping[str, str]) -> str:
    name = given.list or environment.get(LIST)
    if not name:
        raise UsageProblem(f"which list? give --list, or set {LIST}")
    return name
