"""The boot log of a node in the data bucket, where it outlives the node: what cloud-init and our units said.

In the bucket and not in CloudWatch Logs: every node writes there already, it needs no agent, and it costs a PUT.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from fleet_pool.launch.here import bucket_of
from fleet_pool.node import starts
from fleet_pool.node.facts import Node

PREFIX = starts.PREFIX
CLOUD_INIT = Path("/var/log/cloud-init-output.log")
JOURNAL = ("journalctl", "--boot", "--no-pager", "--output=short-iso", "--lines=2000")
SOURCES = ("--identifier=planner-start", "--unit=planner-*")  # alternatives of journalctl are asked one by one
LAST_BYTES = 256 * 1024  # of each part
LIMIT_S = 30.0


def key(instance: str) -> str:
    return f"{PREFIX}{instance}/boot.log"


def ship(node: Node, environment: Mapping[str, str], looked: Sequence[str]) -> None:
    """Writes the log anew. looked: the lines of planner-ready. Raises PoolProblem."""
    parts = {"planner-ready": "\n".join(looked), **{source: _journal(source) for source in SOURCES}}
    parts[str(CLOUD_INIT)] = _tail(CLOUD_INIT)
    text = "".join(f"==> {name} <==\n{part.rstrip()}\n\n" for name, part in parts.items())
    bucket_of(environment, node, patience_s=LIMIT_S).write(key(node.instance), text.encode("utf-8", "replace"))


def _journal(source: str) -> str:
    try:
        done = subprocess.run([*JOURNAL, source], capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as problem:
        return str(problem)
    return (done.stdout or done.stderr)[-LAST_BYTES:]


def _tail(path: Path) -> str:
    try:
        with path.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - LAST_BYTES))
            return file.read().decode("utf-8", "replace")
    except OSError as problem:
        return str(problem)
