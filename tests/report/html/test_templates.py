"""Templates place values: loops, conditions, attributes, their own macros, and filters that Jinja brings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jinja2 import Environment, nodes
from jinja2.defaults import DEFAULT_FILTERS, DEFAULT_TESTS

from planner.report.html import page

TEMPLATES = sorted(Path(page.TEMPLATES).glob("*.j2"))


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_nothing_of_python_is_called(path: Path) -> None:
    tree = Environment().parse(path.read_text(encoding="utf-8"))
    macros = {macro.name for macro in tree.find_all(nodes.Macro)}
    imported = {found.target for found in tree.find_all(nodes.Import)}
    for call in tree.find_all(nodes.Call):
        called = call.node
        ours = isinstance(called, nodes.Name) and called.name in {*macros, "caller"}
        theirs = isinstance(called, nodes.Getattr) and isinstance(called.node, nodes.Name)
        assert ours or (theirs and called.node.name in imported), f"{path.name}:{call.lineno} calls {called}"
    assert {used.name for used in tree.find_all(nodes.Filter)} <= set(DEFAULT_FILTERS)
    assert {used.name for used in tree.find_all(nodes.Test)} <= set(DEFAULT_TESTS)


def test_the_page_adds_no_filter_and_no_function() -> None:
    plain, ours = Environment(), page.environment()
    assert set(ours.filters) == set(plain.filters)
    assert set(ours.globals) == set(plain.globals)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_templates_have_no_words_of_their_own(path: Path) -> None:
    """All text comes from planner/report/wording."""
    text = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", " ", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    labels = re.findall(r'(?:aria-label|title|alt)="([^"]*)"', text)
    for words in (*re.sub(r"<[^>]*>", " ", text).split(), *labels):
        assert not re.search("[A-Za-z]", words), f"{path.name}: {words!r}"
