"""planner-pool.pyz and planner-launch.pyz: the package without the client as one file for a node's Python.

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
# what the launcher, planner-ready and planner-watch load; the rest of the package operates a pool
_LAUNCHER = (
    "launch/",
    "node/__init__",
    "node/facts",
    "node/config",
    "node/ready",
    "node/gpu_use",
    "node/watch",
    "node/lifecycle",
    "node/boot_log",
    "operate/__init__",
    "operate/imds",
    "operate/s3",
)


@cache
def pool_file() -> bytes:
    """For nodes of a pool."""
    return _zipped({"__main__.py": _MAIN.encode(), **_modules()})


@cache
def launch_file() -> bytes:
    """For GPU nodes of every layout."""
    modules = {
        name: data
        for name, data in _modules().items()
        if name.count("/") == 1 or name.partition("/")[2].startswith(_LAUNCHER)
    }
    return _zipped({"__main__.py": _LAUNCH.encode(), **modules})


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


def _modules() -> dict[str, bytes]:
    root = Path(fleet_pool.__file__).parent
    return {
        f"fleet_pool/{path.relative_to(root).as_posix()}": path.read_bytes().replace(b"\r\n", b"\n")
        for path in root.rglob("*.py")
        if "client" not in path.relative_to(root).parts  # jobs install the wheel, which has the client
    }
