"""Old import paths: each leads to what took its place, with a warning, for one release.

old_names.txt has a line for each module of the previous release: its path, then the functions and classes that
CHANGELOG promises to keep.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import warnings
from pathlib import Path
from types import ModuleType

import pytest

from planner.moved import GONE, modules, names, new_name

ROOT = Path(__file__).resolve().parents[1]
OLD = {line.split()[0]: line.split()[1:] for line in (ROOT / "tests/old_names.txt").read_text().splitlines()}


def python(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'pool'}"},
        capture_output=True,
        text=True,
        check=False,
    )


def old_module(path: str) -> ModuleType:
    """The module of an old path, without the warning that its first import in a process gives."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return importlib.import_module(path)


@pytest.mark.parametrize("old", OLD)
def test_every_module_of_the_previous_release_imports_with_the_names_that_are_promised(old):
    if old in GONE:
        with pytest.raises(ModuleNotFoundError, match=f"{old} is gone: ."):
            importlib.import_module(old)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        module = old_module(old)
        for name in OLD[old]:
            assert hasattr(module, name) or f"{old}.{name}" in GONE, f"{old}.{name}"


@pytest.mark.parametrize("old", sorted(modules.MOVED))
def test_an_old_path_gives_the_module_that_took_its_place(old):
    sys.modules.pop(old, None)
    with pytest.warns(FutureWarning, match="is now"):
        module = importlib.import_module(old)
    now = importlib.import_module(modules.MOVED[old])
    assert module is now
    assert now.__spec__ is not None
    assert now.__spec__.name == modules.MOVED[old]


@pytest.mark.parametrize("old", sorted(names.RENAMED))
def test_an_old_name_gives_what_took_its_place(old):
    module, _, name = old.rpartition(".")
    home, _, new = names.RENAMED[old].rpartition(".")
    assert name in OLD[module]
    imported = old_module(module)
    with pytest.warns(FutureWarning, match=f"{old} is now {names.RENAMED[old]}"):
        found = getattr(imported, name)
    assert found is getattr(importlib.import_module(home), new)


@pytest.mark.parametrize("old", sorted(names.GONE))
def test_a_name_that_is_gone_says_why(old):
    module, _, name = old.rpartition(".")
    imported = old_module(module)
    with pytest.warns(FutureWarning, match=f"{old} is gone: "), pytest.raises(AttributeError, match=f"{old} is gone: "):
        getattr(imported, name)


def test_what_lay_below_a_moved_package_went_with_it():
    assert new_name("infra.lint.read.graph") == "planner.lint.read.graph"
    assert new_name("infra.lint.data.lustre") == "planner.lint.storage.lustre"
    assert new_name("planner.report.nothing") is None


@pytest.mark.parametrize(
    ("old", "new"),
    [("planner.pool.problems", "fleet_pool.problems"), ("planner.pool.node.facts", "fleet_pool.node.facts")],
)
def test_a_module_that_kept_its_place_in_a_moved_package_is_not_loaded_twice(old, new):
    sys.modules.pop(old, None)
    with pytest.warns(FutureWarning, match="is now"):
        assert importlib.import_module(old) is importlib.import_module(new)


@pytest.mark.parametrize("never", ["planner.no_such_room", "infra.lint.no_such_room"])
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_module_that_never_was_is_not_found(never):
    with pytest.raises(ModuleNotFoundError, match=never):
        importlib.import_module(never)


@pytest.mark.parametrize(
    "line",
    [
        "import planner.decide.choice",
        "from planner.pool import drain",
        "from planner.client.patient import Patient",
        "from planner.plan.types import LustreSettings",
        "import importlib; importlib.import_module('planner.decide.odds')",
    ],
)
def test_the_warning_points_at_the_line_that_imports(line, tmp_path):
    script = tmp_path / "theirs.py"
    script.write_text(f"# theirs\n{line}\n")
    done = python(str(script))
    assert done.returncode == 0, done.stderr
    places = [line.partition(": FutureWarning")[0] for line in done.stderr.splitlines() if ": FutureWarning" in line]
    assert set(places) == {f"{script}:2"}


def test_the_pool_s_command_runs_by_its_old_path():
    helped = python("-m", "planner.pool", "--help")
    assert helped.returncode == 0, helped.stderr
    assert helped.stdout == python("-m", "fleet_pool", "--help").stdout
    assert "planner.pool is now fleet_pool" in helped.stderr


@pytest.mark.parametrize("old", ["planner.client", "infra.lint"])
def test_a_package_that_was_no_command_is_none_now(old):
    assert f"{old!r} is a package and cannot be directly executed" in python("-m", old).stderr
