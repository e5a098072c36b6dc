"""Files opened, written, read and removed a second in a folder that all nodes mount, by this node; as JSON.

PYTHONPATH=/opt/planner/planner-launch.pyz python3 -m fleet_pool.node.file_bench /fsx/checkpoints --seconds 10
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Any

SIZE_BYTES = 4096
PROCESSES = 32


def main(words: Sequence[str] | None = None) -> int:
    """Exit code: 0, 4 if the folder cannot be used."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--processes", type=int, default=PROCESSES)
    given = parser.parse_args(words)
    try:
        own = tempfile.mkdtemp(prefix=".planner-acceptance-", dir=given.folder)
    except OSError as problem:
        print(f"file_bench: {given.folder}: {problem.strerror}", file=sys.stderr)
        return 4
    try:
        with multiprocessing.get_context("fork").Pool(given.processes) as pool:
            counts = pool.starmap(work, [(own, n, given.seconds) for n in range(given.processes)])
    except OSError as problem:
        print(f"file_bench: {own}: {problem.strerror}", file=sys.stderr)
        return 4
    finally:
        shutil.rmtree(own, ignore_errors=True)
    found: dict[str, Any] = {"schema_version": "1", "files_per_s": sum(counts) / given.seconds}
    print(json.dumps(found))
    return 0


def work(folder: str, process: int, seconds: float) -> int:
    """Files of one process, in a folder of its own as jobs have them."""
    own, body, count = os.path.join(folder, str(process)), bytes(SIZE_BYTES), 0
    os.mkdir(own)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        path = os.path.join(own, str(count))
        with open(path, "wb", buffering=0) as file:
            file.write(body)
        with open(path, "rb", buffering=0) as file:
            if file.read() != body:
                raise OSError(5, "a file has other bytes than were written")
        os.remove(path)
        count += 1
    return count


if __name__ == "__main__":
    sys.exit(main())
