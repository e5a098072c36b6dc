"""`make dist`: the wheels and source distributions of gpu-fleet-planner and fleet-pool.

    python -m tools.dist [FOLDER]

The same sources give the same bytes on any machine: hatchling sorts the files and gives all of them one date and mode.
Prints the SHA-256 of each file, with which anybody can check that a published one was built from these sources.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECTS = (Path(), Path("pool"))
DATE = "1735689600"  # 2025-01-01: of every file in an archive


def build(folder: Path, sources: Path = ROOT) -> list[Path]:
    """Build all four into a folder. Raises CalledProcessError where hatchling refuses."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {"SOURCE_DATE_EPOCH": DATE}
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-t", "wheel", "-d", str(folder.resolve())]
    for project in PROJECTS:
        subprocess.run(command, cwd=sources / project, env=environment, check=True, stdout=subprocess.DEVNULL)
    return sorted((*folder.glob("*.whl"), *folder.glob("*.tar.gz")))


def sums(files: list[Path]) -> Iterator[str]:
    """As `sha256sum` prints them."""
    for file in files:
        yield f"{sha256(file.read_bytes()).hexdigest()}  {file.name}"


if __name__ == "__main__":
    into = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist"
    print("\n".join(sums(build(into))))
