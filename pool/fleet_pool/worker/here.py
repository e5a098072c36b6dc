"""The machine and the container that a worker runs in."""

from __future__ import annotations

import re
import socket
import tempfile
from collections.abc import Mapping
from pathlib import Path

from fleet_pool.client.store import Store
from fleet_pool.compat import frozen
from fleet_pool.launch.bucket import Bucket
from fleet_pool.operate.imds import DISABLED_VARIABLE, Metadata
from fleet_pool.operate.s3 import credentials, place
from fleet_pool.problems import PoolProblem, UsageProblem
from fleet_pool.worker.joblist import MOST_JOBS
from fleet_pool.worker.store import store_of

# AWS Batch User Guide, "Job environment variables"
INDEX, ATTEMPT, JOB = "AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ATTEMPT", "AWS_BATCH_JOB_ID"
MACHINE, BUCKET, CHECKPOINTS = "PLANNER_MACHINE", "PLANNER_DATA", "PLANNER_CHECKPOINT_PREFIX"
MACHINE_PATH = "meta-data/instance-id"
PATIENCE_S = 60.0  # of records and saves
BEAT_PATIENCE_S = 5.0  # a late heartbeat must not keep the worker from seeing the notice
BEAT_S = 30.0  # published practice: 30 s (SaladTechnologies/dreambooth-orchestrator 294561a)
HOLD_S = 600.0
# below the agent's time between SIGTERM and SIGKILL, which the launch template sets, and the notice of two minutes
GRACE_S = 60.0
DRAIN_S = 30.0


@frozen
class Here:
    """machine: its id. quick: the bucket with little patience. watched: metadata that announce the machine's end, None
    without metadata. checkpoints: prefix of those of all lists. folder: for the jobs' files. hold_s: how long a refused
    machine keeps its slot, so that it does not take one job after another out of the queue."""

    machine: str
    bucket: Bucket
    quick: Bucket
    store: Store
    watched: Metadata | None
    checkpoints: str
    folder: Path
    pace_s: float
    beat_s: float
    hold_s: float
    grace_s: float
    drain_s: float


def here_of(environment: Mapping[str, str]) -> Here:
    """Raises PoolProblem."""
    metadata = Metadata.of(environment)
    has_metadata = environment.get(DISABLED_VARIABLE, "").lower() != "true"
    bucket = bucket_of(environment, metadata, PATIENCE_S)
    folder = environment.get("PLANNER_WORKER_FOLDER") or tempfile.gettempdir()
    return Here(
        machine=machine_of(environment, metadata if has_metadata else None),
        bucket=bucket,
        quick=bucket_of(environment, metadata, BEAT_PATIENCE_S),
        store=store_of(environment, bucket),
        watched=metadata if has_metadata else None,
        checkpoints=(environment.get(CHECKPOINTS) or "checkpoints/").rstrip("/") + "/",
        folder=Path(folder),
        pace_s=seconds(environment, "PLANNER_WORKER_PACE_S", 1.0),
        beat_s=seconds(environment, "PLANNER_WORKER_BEAT_S", BEAT_S),
        hold_s=seconds(environment, "PLANNER_WORKER_HOLD_S", HOLD_S),
        grace_s=seconds(environment, "PLANNER_WORKER_GRACE_S", GRACE_S),
        drain_s=seconds(environment, "PLANNER_WORKER_DRAIN_S", DRAIN_S),
    )


def bucket_of(environment: Mapping[str, str], metadata: Metadata, patience_s: float = PATIENCE_S) -> Bucket:
    """The data bucket. Raises UsageProblem."""
    name = environment.get(BUCKET)
    if not name:
        raise UsageProblem(f"{BUCKET} is not set: the name of the stack's data bucket")
    where = place(environment, metadata)
    return Bucket(name, where, lambda: credentials(environment, metadata), patience_s=patience_s)


def machine_of(environment: Mapping[str, str], metadata: Metadata | None) -> str:
    """The instance id; the host's name where there are no instance metadata."""
    found = environment.get(MACHINE)
    if not found and metadata is not None:
        try:
            found = metadata.get(MACHINE_PATH)
        except PoolProblem:
            found = None
    return re.sub(r"[^A-Za-z0-9._-]", "-", found or socket.gethostname())


def index_of(environment: Mapping[str, str], given: int | None) -> int:
    """Which job of the list: that of the array job unless given. Raises UsageProblem."""
    word = environment.get(INDEX) if given is None else str(given)
    if word is None:
        raise UsageProblem(f"no job: give --index, or submit the list as an array job, which sets {INDEX}")
    if not word.isdigit() or int(word) >= MOST_JOBS:
        raise UsageProblem(f"{word!r} is not the index of a job: 0 to {MOST_JOBS - 1}")
    return int(word)


def seconds(environment: Mapping[str, str], name: str, otherwise: float) -> float:
    """Raises UsageProblem."""
    word = environment.get(name)
    try:
        found = float(word) if word else otherwise
    except ValueError:
        found = -1.0
    if not 0 <= found < 1e7:
        raise UsageProblem(f"{name} must be seconds, such as {otherwise:g}, not {word!r}")
    return found
