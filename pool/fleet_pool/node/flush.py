"""Whether a file system may go: nobody uses it on this node, and S3 has every file of it.

PYTHONPATH=/opt/planner/planner-launch.pyz python3 -m fleet_pool.node.flush /fsx --exported checkpoints --read dataset
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from fleet_pool.operate.folder_links import exported, why
from fleet_pool.problems import Code

WAIT_S = 900.0
NAMED = 5  # files in a message


def main(words: Sequence[str] | None = None) -> int:
    """Exit code: 0, 13 if something would be lost; standard error says what."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--exported", default="", metavar="NAME", help="folder below it of which S3 gets every file")
    parser.add_argument("--read", default="", metavar="NAME", help="folder below it that S3 had first")
    parser.add_argument("--look", action="store_true", help="at the files too: one node of all is enough")
    parser.add_argument("--wait-s", type=float, default=WAIT_S, help="for S3 to have them [default: 900]")
    given = parser.parse_args(words)
    wrong = used_by((given.folder, f"/{given.exported}", f"/{given.read}"))
    os.sync()
    if not wrong and given.look:
        wrong = unsaved(given.folder, given.exported, given.read, given.wait_s)
    if wrong:
        print(f"flush: {wrong}", file=sys.stderr)
    return Code.BLOCKER if wrong else Code.OK


def used_by(folders: Sequence[str], proc: Path = Path("/proc")) -> str:
    """Processes that may still write there; "" for none. folders: the file system, and where jobs find its parts."""
    found, own = set(), tuple(f"{one.rstrip('/')}/" for one in folders if one.strip("/"))
    for link in (*proc.glob("[0-9]*/fd/*"), *proc.glob("[0-9]*/cwd")):
        try:
            where = os.readlink(link)
        except OSError:
            continue
        if f"{where}/".startswith(own):
            found.add(link.relative_to(proc).parts[0])
    named = ", ".join(sorted(found, key=int)[:NAMED])
    return f"process {named} uses {folders[0]}: stop the jobs" if found else ""


def unsaved(folder: str, own: str, read: str, limit_s: float) -> str:
    """What S3 does not have; "" where it has everything. own, read: the folders of main()."""
    linked = [name for name in (own, read) if name]
    outside = [one for one in _files(Path(folder)) if Path(one).relative_to(folder).parts[0] not in linked]
    if outside:
        return f"{_some(outside)} in no folder that S3 gets: copy or delete"
    try:
        waiting = exported(list(_files(Path(folder, own))) if own else [], limit_s)
    except (OSError, subprocess.SubprocessError) as error:
        return f"lfs: {why(error)}"
    return f"S3 does not have {_some(waiting)} after {limit_s:.0f} s" if waiting else ""


def _files(folder: Path) -> Iterator[str]:
    for place, _, names in os.walk(folder):
        yield from (os.path.join(place, name) for name in names)


def _some(files: Sequence[str]) -> str:
    return f"{len(files):,} files, such as {', '.join(sorted(files)[:NAMED])},"


if __name__ == "__main__":
    sys.exit(main())
