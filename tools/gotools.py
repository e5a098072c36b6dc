"""Programs of others that tests run for real, built from pinned Go modules into .tools/ (git-ignored).

    python -m tools.gotools              all of them; a line each
    python -m tools.gotools pulumi       one
    python -m tools.gotools --where      which are built, nothing else

Each has a module of its own under tools/go/NAME: go.mod names the version, go.sum its checksums. A build is kept
until one of the two or its flags change. Needs Go 1.21 or newer, which fetches the version that the modules ask for;
Debian 12 has 1.19, for which the newer toolchain is fetched as the module it is published as.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MODULES = ROOT / "tools" / "go"
BUILT = ROOT / ".tools"
COMPILER = "go1.26.8"
TOOLCHAIN = f"v0.0.1-{COMPILER}.linux-amd64"  # the module it is published as: a Go before 1.21 cannot choose it


class CannotBuild(Exception):
    """What is missing, in one line with what to do."""


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One program: its package, and what its build says beyond `go build -trimpath`.

    module: its folder in tools/go; empty: named as the program is."""

    name: str
    package: str
    module: str = ""
    flags: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    cgo: bool = False

    @property
    def path(self) -> Path:
        return BUILT / self.name

    @property
    def key(self) -> str:
        """What a build depends on, as one hash."""
        parts = [(self.folder / name).read_bytes() for name in ("go.mod", "go.sum")]
        return hashlib.sha256(b"\0".join([*parts, repr(self).encode()])).hexdigest()

    @property
    def folder(self) -> Path:
        return MODULES / (self.module or self.name)

    @property
    def built(self) -> bool:
        stamp = self.path.with_suffix(".key")
        return self.path.is_file() and stamp.is_file() and stamp.read_text() == self.key


TOOLS = {
    tool.name: tool
    for tool in (
        Tool(
            name="pulumi",  # the engine and its command
            package="github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
            flags=("-tags", "osusergo"),
            links=("-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v3.258.0",),
        ),
        Tool(
            name="pulumi-resource-terraform-provider",  # Pulumi's bridge to any Terraform provider
            module="bridge",
            package="github.com/pulumi/pulumi-terraform-bridge/v3/dynamic",
            links=(
                "-X google.golang.org/protobuf/reflect/protoregistry.conflictPolicy=ignore",
                "-X github.com/pulumi/pulumi-terraform-bridge/v3/dynamic/version.version=v3.136.0",
            ),
        ),
        Tool(
            name="aisnode",  # the pool's daemon, as it runs on the nodes
            package="github.com/NVIDIA/aistore/cmd/aisnode",
            flags=("-tags", "aws"),
            links=("-X main.build=v1.5.0",),
        ),
        Tool(name="versitygw", package="github.com/versity/versitygw/cmd/versitygw"),  # an S3 server over a folder
    )
}


def build(tool: Tool) -> Path:
    """The program's path, after building it where it is not there; one build at a time. Raises CannotBuild."""
    BUILT.mkdir(exist_ok=True)
    with alone(BUILT):
        if tool.built:
            return tool.path
        new = tool.path.with_suffix(".new")
        compile_to(new, tool)
        new.replace(tool.path)
        tool.path.with_suffix(".key").write_text(tool.key)
        return tool.path


def compile_to(output: Path, tool: Tool, **environment: str) -> None:
    """Builds a program; the same bytes on every machine. environment: GOOS and GOARCH of another one than this.
    Raises CannotBuild."""
    command = [go(), "build", "-trimpath", *tool.flags, "-ldflags", " ".join(("-s -w", *tool.links)), "-o", output]
    there = {
        **os.environ,
        "CGO_ENABLED": str(int(tool.cgo)),
        "GOFLAGS": "-mod=readonly -buildvcs=false",
        "GOTOOLCHAIN": COMPILER,  # one compiler, also where a newer Go is
        **environment,
    }
    done = subprocess.run(
        [*command, tool.package], cwd=tool.folder, env=there, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise CannotBuild(f"{tool.name}: go build failed:\n{done.stderr.strip()[-2000:]}")


def go() -> str:
    """A Go that can build the modules. Raises CannotBuild."""
    found = shutil.which("go")
    if found is None:
        raise CannotBuild("no Go here (on Debian, apt-get install golang-go): tests of the real programs are skipped")
    go_env = subprocess.run([found, "env", "GOVERSION", "GOMODCACHE"], capture_output=True, text=True, check=False)
    version, _, cache = go_env.stdout.strip().partition("\n")
    numbers = re.match(r"go(\d+)\.(\d+)", version)
    if numbers and (int(numbers[1]), int(numbers[2])) >= (1, 21):
        return found  # it fetches what go.mod asks for by itself
    return str(_newer(found, Path(cache)))


def _newer(old: str, cache: Path) -> Path:
    root = cache / f"golang.org/toolchain@{TOOLCHAIN}"
    if not (root / "bin/go").is_file():
        command = [old, "mod", "download", f"golang.org/toolchain@{TOOLCHAIN}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
        if done.returncode:
            raise CannotBuild(f"the Go here is older than 1.21 and a newer one does not come: {done.stderr.strip()}")
    for folder in (root / "bin", root / "pkg/tool"):  # modules carry no executable bit
        for path in (folder, *folder.rglob("*")):
            path.chmod(path.stat().st_mode | 0o755)
    return root / "bin/go"


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """One process at a time in a folder that many write to."""
    with (folder / ".lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def main(words: list[str]) -> int:
    if words == ["--where"]:
        for tool in TOOLS.values():
            print(f"{tool.name}: {'built' if tool.built else 'not built'}")
        return 0
    unknown = [word for word in words if word not in TOOLS]
    if unknown:
        print(f"no such tool: {', '.join(unknown)}; there are {', '.join(TOOLS)}", file=sys.stderr)
        return 2
    for name in words or TOOLS:
        try:
            if not TOOLS[name].built:
                print(f"building {name}, some minutes when cold", flush=True)
            build(TOOLS[name])
        except CannotBuild as error:
            print(error, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
