"""The bills of all choices as one table in a link."""

from __future__ import annotations

import csv
import io
from urllib.parse import unquote

import pytest

from planner.report.data.bills_table import HEAD, as_link, bills_table
from planner.report.html.page import render
from planner.report.wording.figures import plan_usd
from tests.report.scenes import small, unfinished


def rows(comparison) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(bills_table(comparison))))


def test_every_feasible_choice_has_a_row_whose_lines_add_up() -> None:
    feasible = [s for s in small().scenarios if s.feasible]
    found = rows(small())
    assert [row["Scenario"] for row in found] == [s.id for s in feasible]
    for row, scenario in zip(found, feasible, strict=True):
        lines = {name: float(value) for name, value in row.items() if name not in HEAD and value}
        assert lines.keys() == {line.line for line in scenario.bill}
        assert sum(lines.values()) == pytest.approx(plan_usd(scenario), abs=0.005 * len(lines))
        assert (row["Planned USD"] != "") == scenario.complete
        assert (row["Eligible"] == "yes") == scenario.eligible


def test_what_never_ends_has_no_figure() -> None:
    open_ended = next(row for row in rows(unfinished()) if row["Eligible"] == "no" and row["Planned USD"])
    assert open_ended["P90 USD"] == ""
    assert "inf" not in bills_table(unfinished())


def test_the_link_of_the_page_gives_the_same_table() -> None:
    link = as_link(bills_table(small()))
    start, _, body = link.partition(",")
    assert start == "data:text/csv;charset=utf-8"
    assert unquote(body) == bills_table(small())
    assert all(char not in link for char in ' "<>&\n')
    assert f'href="{link}"' in render(small())
