"""The examples of docs/api.md and of the packages' own docstrings give what they show."""

from __future__ import annotations

import doctest
import importlib

import pytest

import planner
from tests.typed import ROOT

API = ROOT / "docs" / "api.md"


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.thorough
def test_the_page_runs():
    tried = doctest.testfile(str(API), module_relative=False, encoding="utf-8")
    assert tried.attempted > 20
    assert not tried.failed


@pytest.mark.parametrize("package", ["planner", "pricing"])
def test_the_packages_docstrings_run(package):
    tried = doctest.testmod(importlib.import_module(package))
    assert tried.attempted > 2
    assert not tried.failed


def test_the_page_names_everything_that_the_package_offers():
    text = API.read_text(encoding="utf-8")
    assert [name for name in planner.__all__ if f"`{name}" not in text and f"planner.{name}" not in text] == []
