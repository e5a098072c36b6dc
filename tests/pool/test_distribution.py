"""Two wheels hold the package: the planner's, and fleet-pool's own, which is all that a job installs."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import fleet_pool
import pytest

import planner
from tests.pool.pythons import other_python

ROOT = Path(__file__).resolve().parents[2]
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]


def said(*command: str | Path, cwd: Path) -> str:
    """Output of a command that sees no source folder: neither PYTHONPATH nor the working directory has one."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_both_distributions_have_one_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert fleet_pool.__version__ == planner.__version__ == project["version"]


def test_the_planner_s_extra_names_the_same_requirements_for_one_release():
    ours, pools = (
        tomllib.loads((folder / "pyproject.toml").read_text())["project"]["optional-dependencies"]
        for folder in (ROOT, ROOT / "pool")
    )
    assert ours["pool"] == pools["client"]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Both wheels, built by hatchling from what is in this folder, without a network."""
    folder = tmp_path_factory.mktemp("wheels")
    for source in (ROOT, ROOT / "pool"):
        build = [*PIP, "wheel", "--no-index", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), source]
        said(*build, cwd=folder)
    return {path.name.partition("-")[0]: path for path in folder.glob("*.whl")}


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["gpu_fleet_planner", "fleet_pool"])
def test_either_wheel_alone_gives_the_package(name, wheels, tmp_path):
    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv" / "bin" / "python"
    said(*PIP, "--python", python, "install", "--no-index", "--no-deps", wheels[name], cwd=tmp_path)
    found = said(python, "-c", "import fleet_pool.client; print(fleet_pool.client.__file__)", cwd=tmp_path)
    assert found.startswith(str(tmp_path / "venv"))
    assert "usage: python -m fleet_pool" in said(python, "-m", "fleet_pool", "--help", cwd=tmp_path)


@pytest.mark.thorough
def test_the_pool_s_wheel_installs_on_python_3_9(wheels, tmp_path):
    said(other_python("3.9"), "-m", "venv", "--without-pip", tmp_path / "venv", cwd=tmp_path)
    python = tmp_path / "venv" / "bin" / "python"
    said(*PIP, "--python", python, "install", "--no-index", "--no-deps", wheels["fleet_pool"], cwd=tmp_path)
    assert "usage: fleet-pool" in said(tmp_path / "venv" / "bin" / "fleet-pool", "--help", cwd=tmp_path)


@pytest.mark.thorough
def test_the_pool_s_wheel_is_typed_and_licensed(wheels):
    names = zipfile.ZipFile(wheels["fleet_pool"]).namelist()
    assert "fleet_pool/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if not name.startswith("fleet_pool")]
