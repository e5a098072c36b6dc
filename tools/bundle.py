"""`make bundle`: what the nodes of a pool fetch and this machine must build, into out/bundle, with its sums.

    python -m tools.bundle

The daemon is built from its pinned module for linux/amd64, whatever this machine is; the pool's commands are one file.
`pulumi up` uploads both and takes no others: their hashes are known to the program before they are built.
"""

from __future__ import annotations

import platform
import shutil
import sys
from pathlib import Path

from fleet_pool.settings import AISTORE_VERSION, DAEMON

from infra.node.built import DAEMON_SHA256, FOLDER, POOL_FILE, expected, missing, sha256_of
from infra.node.zipped import pool_file
from tools.gotools import TOOLS, CannotBuild, alone, build, compile_to


def make(folder: Path) -> dict[str, str]:
    """Builds into `folder`; name -> sha256. Raises CannotBuild, also where the daemon is not the pinned one."""
    folder.mkdir(parents=True, exist_ok=True)
    new = folder / f"{DAEMON}.new"
    if (sys.platform, platform.machine()) == ("linux", "x86_64"):
        shutil.copyfile(build(TOOLS[DAEMON]), new)
    else:
        compile_to(new, TOOLS[DAEMON], GOOS="linux", GOARCH="amd64")
    found = sha256_of(new)
    if found != DAEMON_SHA256:
        new.unlink()
        raise CannotBuild(
            f"{DAEMON} {AISTORE_VERSION} came out as {found}, not as {DAEMON_SHA256}: nodes would refuse it. "
            "The module, its flags or the compiler changed: after a change that is meant, infra/node/built.py names it"
        )
    new.chmod(0o755)
    new.replace(folder / DAEMON)
    (folder / POOL_FILE).write_bytes(pool_file())
    sums = {name: sha256_of(folder / name) for name in (DAEMON, POOL_FILE)}
    (folder / "SHA256SUMS").write_text("".join(f"{sha256}  {name}\n" for name, sha256 in sorted(sums.items())))
    return sums


def ensure(folder: Path) -> None:
    """Makes what is missing or of another version in `folder`; one process at a time. Raises CannotBuild."""
    folder.mkdir(parents=True, exist_ok=True)
    with alone(folder):
        if missing(expected(), folder):
            make(folder)


def main() -> int:
    try:
        sums = make(FOLDER)
    except CannotBuild as error:
        print(error, file=sys.stderr)
        return 1
    for name, sha256 in sums.items():
        print(f"{sha256}  out/bundle/{name}  {(FOLDER / name).stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
