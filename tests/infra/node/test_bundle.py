"""The bundle's built files: the same bytes for the same sources, the daemon as pinned, both of use on a bare node."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import fleet_pool
import pytest
from fleet_pool.settings import AISTORE_VERSION, DAEMON

from infra.node import built, zipped
from infra.node.built import DAEMON_SHA256, POOL_FILE, missing, sha256_of
from tests.pool.pythons import other_python
from tools import bundle
from tools.gotools import MODULES, TOOLS, CannotBuild


def test_the_pool_file_is_reproducible_and_needs_only_python(tmp_path):
    first = zipped.pool_file()
    zipped.pool_file.cache_clear()
    assert zipped.pool_file() == first
    path = tmp_path / POOL_FILE
    path.write_bytes(first)
    with zipfile.ZipFile(path) as archive:
        assert {info.date_time for info in archive.infolist()} == {zipped.FIRST_DAY}
        assert {info.compress_type for info in archive.infolist()} == {zipfile.ZIP_STORED}
        assert archive.namelist() == sorted(archive.namelist())
        assert not [name for name in archive.namelist() if not name.endswith(".py")]
    bare = {"PATH": os.defpath, "PYTHONDONTWRITEBYTECODE": "1"}
    for words, said in ((["--help"], "notice"), (["node", "--help"], "prepare")):
        command = [sys.executable, "-I", "-S", str(path), *words]
        done = subprocess.run(command, env=bare, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert said in done.stdout


def test_a_machine_that_is_no_node_is_reported(tmp_path):
    path = tmp_path / POOL_FILE
    path.write_bytes(zipped.pool_file())
    command = [sys.executable, "-I", str(path), "node", "prepare"]
    done = subprocess.run(command, env={}, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("planner-pool node prepare: cannot read /opt/planner/stack.json")


@pytest.mark.parametrize("version", ["3.9", "3.12", "3.13"])
def test_other_python_versions_make_the_same_bytes(version):
    code = "from infra.node.zipped import pool_file; import hashlib; print(hashlib.sha256(pool_file()).hexdigest())"
    done = subprocess.run(
        [other_python(version), "-B", "-c", code],
        cwd=bundle.FOLDER.parents[1],
        env={**os.environ, "PYTHONPATH": str(Path(fleet_pool.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == hashlib.sha256(zipped.pool_file()).hexdigest()


def test_the_pinned_version_is_built():
    assert f"github.com/NVIDIA/aistore {AISTORE_VERSION}" in (MODULES / DAEMON / "go.mod").read_text()
    assert f"-X main.build={AISTORE_VERSION}" in TOOLS[DAEMON].links


@pytest.fixture
def daemon() -> Path:
    tool = TOOLS[DAEMON]
    if not tool.built:
        told = "aisnode is not built (python -m tools.gotools aisnode)"
        pytest.fail(told) if os.environ.get("NEED_POOL") else pytest.skip(told)
    return tool.path


def test_the_daemon_is_the_pinned_one(daemon):
    """Built on another machine, in another folder, by the same compiler: the same bytes."""
    assert sha256_of(daemon) == DAEMON_SHA256


def test_make_bundle_leaves_what_up_expects(daemon, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(bundle, "FOLDER", tmp_path)
    assert bundle.main() == 0
    assert f"{DAEMON_SHA256}  out/bundle/aisnode  " in capsys.readouterr().out
    expected = dict(reversed(line.split()) for line in (tmp_path / "SHA256SUMS").read_text().splitlines())
    assert expected == {**built.expected(), POOL_FILE: sha256_of(tmp_path / POOL_FILE)}
    assert set(built.expected(files=False)) == {DAEMON, POOL_FILE}
    assert missing(expected, tmp_path) == ""
    assert os.access(tmp_path / DAEMON, os.X_OK)


def test_a_daemon_with_another_hash_is_not_bundled(daemon, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(bundle, "FOLDER", tmp_path)
    monkeypatch.setattr(bundle, "DAEMON_SHA256", "0" * 64)
    assert bundle.main() == 1
    assert "nodes would refuse this build" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(CannotBuild):
        bundle.make(tmp_path)


def test_missing_files_are_named(tmp_path):
    (tmp_path / "a").write_text("1")
    assert missing({"a": "0" * 64, "b": "0" * 64}, tmp_path) == "a is of another version; b is not built"
    assert built.FOLDER.parts[-2:] == ("out", "bundle")
