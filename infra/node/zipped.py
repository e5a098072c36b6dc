"""planner-pool.pyz: the pool's package without the client as one file for a node's Python. Reproducible bytes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
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


@cache
def pool_file() -> bytes:
    """The file's bytes. Entries are not compressed, because compression differs between builds of Python."""
    written = io.BytesIO()
    written.write(b"#!/usr/bin/env python3\n")
    with zipfile.ZipFile(written, "a", zipfile.ZIP_STORED) as archive:
        for name, data in sorted(_entries()):
            entry = zipfile.ZipInfo(name, FIRST_DAY)
            entry.external_attr = FILE
            entry.create_system = 3  # Unix on every platform
            archive.writestr(entry, data)
    return written.getvalue()


def _entries() -> Iterator[tuple[str, bytes]]:
    root = Path(fleet_pool.__file__).parent
    yield "__main__.py", _MAIN.encode()
    for path in root.rglob("*.py"):
        if "client" not in path.relative_to(root).parts:  # jobs install the wheel, which has the client
            yield f"fleet_pool/{path.relative_to(root).as_posix()}", path.read_bytes().replace(b"\r\n", b"\n")
