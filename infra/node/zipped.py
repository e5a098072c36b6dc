"""planner-pool.pyz: the pool's package as one file that a node's Python runs; the same bytes for the same sources."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import fleet_pool

FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip file can name
FILE = 0o100644 << 16
_MAIN = '''"""`node ...` is for the units of a node, every other word for people and scripts."""

import sys

if sys.argv[1:2] == ["node"]:
    from fleet_pool.node.command import main
    sys.exit(main(sys.argv[2:]))
from fleet_pool.operate.command import main
sys.exit(main())
'''


@cache
def pool_file() -> bytes:
    """The file's bytes. Entries are stored, not compressed: compression differs between builds of Python."""
    written = io.BytesIO()
    written.write(b"#!/usr/bin/env python3\n")
    with zipfile.ZipFile(written, "a", zipfile.ZIP_STORED) as archive:
        for name, data in sorted(_entries()):
            entry = zipfile.ZipInfo(name, FIRST_DAY)
            entry.external_attr = FILE
            entry.create_system = 3  # Unix, wherever it is made
            archive.writestr(entry, data)
    return written.getvalue()


def _entries() -> Iterator[tuple[str, bytes]]:
    root = Path(fleet_pool.__file__).parent
    yield "__main__.py", _MAIN.encode()
    for path in root.rglob("*.py"):
        if "client" not in path.relative_to(root).parts:  # jobs install the client as a package
            yield f"fleet_pool/{path.relative_to(root).as_posix()}", path.read_bytes().replace(b"\r\n", b"\n")
