"""Old import paths: each leads to the module that took its place, with a warning, for one release."""

from __future__ import annotations

import importlib
import sys

import pytest

from planner.moved import MOVED, MOVED_NAMES, new_name


@pytest.mark.parametrize("old", sorted(MOVED))
def test_an_old_path_gives_the_module_that_took_its_place(old):
    sys.modules.pop(old, None)
    with pytest.warns(FutureWarning, match="is now"):
        module = importlib.import_module(old)
    now = importlib.import_module(MOVED[old])
    assert module is now
    assert now.__spec__ is not None
    assert now.__spec__.name == MOVED[old]


def test_what_lay_below_a_moved_package_went_with_it():
    assert new_name("infra.lint.read.graph") == "planner.lint.read.graph"
    assert new_name("planner.report.nothing") is None


def test_a_module_that_never_was_is_not_found():
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("planner.no_such_room")


@pytest.mark.parametrize(
    ("old", "home", "name"),
    [(old, home, name) for old, homes in MOVED_NAMES.items() for home, names in homes.items() for name in names],
)
def test_a_name_that_moved_is_still_found_in_its_old_module(old, home, name):
    with pytest.warns(FutureWarning, match=f"{name} is now {home}.{name}"):
        found = getattr(importlib.import_module(old), name)
    assert found is getattr(importlib.import_module(home), name)


@pytest.mark.parametrize("old", sorted(MOVED_NAMES))
def test_a_name_that_never_was_is_not_found_in_a_module_that_others_left(old):
    with pytest.raises(AttributeError, match=f"module '{old}' has no attribute 'no_such_name'"):
        _ = importlib.import_module(old).no_such_name
