"""planner-pool.pyz, planner-launch.pyz and planner-worker.pyz: what each needs of the package, as one file for Python.

Reproducible bytes.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import fleet_pool

FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # the earliest date of the zip format
FILE = 0o100644 << 16
_MAIN = '''"""`node VERB` is for a node's systemd units, every other verb for people and scripts."""

import sys

if sys.argv[1:2] == ["node"]:
    from fleet_pool.node.command import main
    sys.exit(main(sys.argv[2:]))
from fleet_pool.operate.command import main
sys.exit(main())
'''


_LAUNCH = '''"""`planner-launch`: one command on every node."""

import sys

from fleet_pool.launch.command import main
sys.exit(main())
'''
_WORKER = '''"""`planner-worker`: one job of a list."""

import sys

from fleet_pool.worker.command import main
sys.exit(main())
'''
# what operates a pool, and the gateway with the client below it; jobs install the wheel
_DOORS = tuple(f"doors/{name}" for name in ("__init__", "credentials", "gateway", "staged"))
_POOL = ("node/", "health/", "operate/", "launch/", "client/", *_DOORS)
# what a worker loads; the engine's SDK and boto3 only if the image has them
_WORKERS = (
    "worker/",
    "client/",
    "launch/__init__",
    "launch/bucket",
    "launch/job",
    "launch/outcome",
    "operate/__init__",
    "operate/imds",
    "operate/notice",
    "operate/s3",
)
# what the launcher, planner-ready, planner-health, planner-watch, `planner acceptance` and a login node load; the rest
# operates a pool
_LAUNCHER = (
    "launch/",
    "health/",
    "slurm/",
    "node/__init__",
    "node/facts",
    "node/config",
    "node/machine",
    "node/devices",
    "node/ready",
    "node/starts",
    "node/gpu_use",
    "node/watch",
    "node/leaving",
    "node/lifecycle",
    "node/boot_log",
    "node/file_bench",
    "node/flush",
    "node/job_credentials",
    "operate/__init__",
    "operate/bench",
    "operate/folder_links",
    "operate/imds",
    "operate/links",
    "operate/members",
    "operate/notice",
    "operate/options",
    "operate/s3",
    "operate/sts",
    "operate/table",
    "operate/tally",
)


@cache
def pool_file() -> bytes:
    """For nodes of a pool."""
    return _zipped({"__main__.py": _MAIN.encode(), **_only(_POOL)})


@cache
def launch_file() -> bytes:
    """For GPU nodes of every layout."""
    return _zipped({"__main__.py": _LAUNCH.encode(), **_only(_LAUNCHER)})


@cache
def worker_file() -> bytes:
    """For the containers of a pool of workers."""
    return _zipped({"__main__.py": _WORKER.encode(), **_only(_WORKERS)})


def _only(parts: tuple[str, ...]) -> dict[str, bytes]:
    """The modules that all files share, and these."""
    root = Path(fleet_pool.__file__).parent
    named = {path.relative_to(root).as_posix(): path for path in root.rglob("*.py")}
    return {
        f"fleet_pool/{name}": path.read_bytes().replace(b"\r\n", b"\n")
        for name, path in named.items()
        if "/" not in name or name.startswith(parts)
    }


def _zipped(entries: Mapping[str, bytes]) -> bytes:
    """Entries are not compressed, because compression differs between builds of Python."""
    written = io.BytesIO()
    written.write(b"#!/usr/bin/env python3\n")
    with zipfile.ZipFile(written, "a", zipfile.ZIP_STORED) as archive:
        for name, data in sorted(entries.items()):
            entry = zipfile.ZipInfo(name, FIRST_DAY)
            entry.external_attr = FILE
            entry.create_system = 3  # Unix on every platform
            archive.writestr(entry, data)
    return written.getvalue()
