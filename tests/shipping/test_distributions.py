"""What is published: wheels and source distributions are whole, the same wherever they are built, and work alone."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from tools import dist

ROOT = Path(__file__).resolve().parents[2]
SOURCES = (
    *("planner", "pricing", "infra", "pool", "templates", "examples"),
    *("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", ".gitignore"),
)
PACKAGES = {"planner": "planner", "pricing": "pricing", "infra": "infra", "pool/fleet_pool": "fleet_pool"}
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
pytestmark = pytest.mark.xdist_group("distributions")


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> dict[str, Path]:
    """The four files, by what they are."""
    files = dist.build(tmp_path_factory.mktemp("dist"))
    kinds = {".whl": "wheel", ".gz": "sdist"}
    return {f"{file.name.partition('-')[0]} {kinds[file.suffix]}": file for file in files}


def copied(to: Path) -> Path:
    """The sources somewhere else: other dates, other modes, another order."""
    to.mkdir(parents=True)
    for name in reversed(SOURCES):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, to / name, ignore=shutil.ignore_patterns("__pycache__"), copy_function=shutil.copy)
        else:
            shutil.copy(source, to / name)
    for number, path in enumerate(sorted(to.rglob("*"))):
        os.utime(path, (1_600_000_000 + number, 1_600_000_000 + number))
        if path.is_file() and not path.stat().st_mode & 0o100:
            path.chmod(0o600)
    return to


def test_all_four_are_there(built):
    names = ("fleet_pool", "gpu_fleet_planner")
    assert set(built) == {f"{name} {kind}" for name in names for kind in ("sdist", "wheel")}


def test_the_wheel_has_every_file_of_its_packages_and_nothing_else(built):
    names = set(zipfile.ZipFile(built["gpu_fleet_planner wheel"]).namelist())
    wanted = {
        f"{package}/{path.relative_to(ROOT / folder).as_posix()}"
        for folder, package in PACKAGES.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    wanted |= {
        f"planner/_templates/{path.relative_to(ROOT / 'templates').as_posix()}"
        for path in (ROOT / "templates").rglob("*")
        if path.is_file()
    }
    assert not wanted - names
    assert {name for name in names - wanted if ".dist-info/" not in name} == set()
    for kept in ("planner/py.typed", "pricing/py.typed", "fleet_pool/py.typed", "planner/plan/schema.json"):
        assert kept in names


def test_the_source_distribution_gives_the_same_wheel(built, tmp_path):
    for name in ("gpu_fleet_planner", "fleet_pool"):
        with tarfile.open(built[f"{name} sdist"]) as archive:
            # filters came with Python 3.11.4; Debian 12 has 3.11.2
            safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
            archive.extractall(tmp_path / name, **safe)
        (source,) = (tmp_path / name).iterdir()
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "again")]
        environment = os.environ | {"SOURCE_DATE_EPOCH": dist.DATE}
        subprocess.run(command, cwd=source, env=environment, check=True, capture_output=True)
        wheel = built[f"{name} wheel"]
        assert (tmp_path / "again" / wheel.name).read_bytes() == wheel.read_bytes()


def test_other_dates_modes_and_folders_give_the_same_bytes(built, tmp_path):
    old = os.umask(0o077)
    try:
        again = dist.build(tmp_path / "again", copied(tmp_path / "elsewhere"))
    finally:
        os.umask(old)
    assert [file.read_bytes() for file in again] == [file.read_bytes() for file in sorted(built.values())]


def installed(wheel: Path, folder: Path) -> Path:
    """bin/ of an empty environment with one wheel, and the libraries that this environment has."""
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    subprocess.run([*PIP, "--python", str(python), "install", "--no-index", "--no-deps", str(wheel)], check=True)
    # a path file inside the folder that it names is not read, so that the sources beside it stay out
    (site,) = (folder / "lib").glob("python*/site-packages")
    (site / "libraries.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return folder / "bin"


@pytest.mark.thorough
def test_a_wheel_installed_alone_plans_a_run(built, tmp_path):
    bin = installed(built["gpu_fleet_planner wheel"], tmp_path / "venv")
    work = tmp_path / "work"
    work.mkdir()

    def said(*words: str) -> str:
        done = subprocess.run(
            [str(bin / words[0]), *words[1:]],
            cwd=work,
            env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    where = said("python", "-c", "import planner, fleet_pool; print(planner.__file__, fleet_pool.__file__)")
    assert all(path.startswith(str(tmp_path)) for path in where.split())
    said("planner", "init")
    assert "Recommended" in said("planner", "compare", "--draws", "100")
    said("planner", "report", "plan.yaml", "--draws", "50", "--no-architecture", "-o", "report.html", "-q")
    assert "</html>" in (work / "report.html").read_text(encoding="utf-8")
    assert json.loads(said("planner", "schema"))["title"]
    assert "reproduced" in said("planner", "backtest")
    said("planner", "prices", "verify")


def test_no_archive_has_a_link_that_leads_out_of_it(built):
    for name in ("gpu_fleet_planner", "fleet_pool"):
        with tarfile.open(built[f"{name} sdist"]) as archive:
            assert not [member.name for member in archive if member.issym() or member.islnk()]
    assert (ROOT / "pool/LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def container() -> list[list[str]]:
    """The instructions of the container file, each with its words."""
    text = re.sub(r"\\\n", " ", (ROOT / "Containerfile").read_text(encoding="utf-8"))
    return [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def test_what_the_container_copies_builds_the_same_wheel(built, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    for words in container():
        if words[0] == "COPY" and not words[1].startswith("--"):
            *given, to = words[1:]
            for name in given:
                path, into = ROOT / name, source / (name if to == "./" else to)
                into.parent.mkdir(parents=True, exist_ok=True)
                copy = shutil.copytree if path.is_dir() else shutil.copy
                copy(path, into)
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "wheel")]
    environment = os.environ | {"SOURCE_DATE_EPOCH": dist.DATE}
    subprocess.run(command, cwd=source, env=environment, check=True, capture_output=True)
    wheel = built["gpu_fleet_planner wheel"]
    assert (tmp_path / "wheel" / wheel.name).read_bytes() == wheel.read_bytes()


def test_the_container_takes_hashed_versions_and_does_not_run_as_root():
    lines = [" ".join(words) for words in container()]
    runs = [line for line in lines if line.startswith("RUN")]
    installs = [part for line in runs for part in line.split("&&") if " pip " in part]
    assert installs
    assert all("--require-hashes" in part or "--no-deps" in part for part in installs)
    assert lines.index("USER planner") < lines.index('ENTRYPOINT ["planner"]')
    assert [line for line in lines if line.startswith("FROM")][-1].endswith("python:3.12-slim")


def test_nothing_else_reaches_the_container():
    """What .dockerignore lets through is what is copied."""
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    given = {name for words in container() if words[0] == "COPY" and words[1][0] != "-" for name in words[1:-1]}
    assert kept == given
