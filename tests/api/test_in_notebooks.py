"""Plans replaced, bills as frames, tables for notebooks: what a notebook asks of the package."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

import planner


@pytest.fixture(scope="module")
def plan():
    return planner.load("examples/small.yaml", set={"fleet.nodes": 5})


@pytest.fixture(scope="module")
def comparison(plan):
    return planner.compare(plan, prices="2026-09-01", draws=50)


class TestReplace:
    def test_values_by_path_and_by_section(self, plan):
        by_path = plan.replace({"fleet.nodes": 8, "run.deadline": "9d"})
        assert by_path.sha256 == plan.replace(fleet={"nodes": 8}, run={"deadline": "9d"}).sha256
        assert by_path.sha256 == planner.load(plan.where, set={"fleet.nodes": 8, "run.deadline": "9d"}).sha256

    def test_the_first_plan_stays_and_what_was_set_before_counts(self, plan):
        assert plan.replace(start="2027-01-01").settings.fleet.nodes == (5,)
        assert plan.replace({"fleet.nodes": 8}).replace({"fleet.nodes": 9}).settings.fleet.nodes == (9,)
        assert plan.settings.fleet.nodes == (5,)

    def test_nothing_replaced_is_the_same_plan(self, plan):
        assert plan.replace() == plan

    @pytest.mark.parametrize("given", ["fleet.nodes=8", 8, [("fleet.nodes", 8)]])
    def test_what_is_no_mapping_is_refused(self, plan, given):
        with pytest.raises(planner.UsageProblem, match="must be a mapping"):
            plan.replace(given)

    def test_all_that_is_wrong_is_said(self, plan):
        with pytest.raises(planner.PlanProblems) as caught:
            plan.replace(fleet={"nods": 8}, run={"deadline": "soon"})
        assert [problem.where for problem in caught.value.problems] == ["set['fleet.nods']", "set['run.deadline']"]


class TestBill:
    def test_a_line_by_name_position_and_slice(self, comparison):
        bill = comparison.best.bill
        assert bill[0] is bill[bill[0].line]
        assert bill[:2] == (bill[0], bill[1])
        assert isinstance(bill, tuple)
        with pytest.raises(KeyError, match=r"no line 'fleet.computer' on this bill: fleet.compute"):
            bill["fleet.computer"]

    def test_a_frame_adds_up(self, comparison):
        for scenario in comparison:
            if scenario.bill:
                frame = scenario.bill.to_frame()
                assert frame.effective_cost.sum() == pytest.approx(scenario.cost_usd.plan)
                assert list(frame.line) == [line.line for line in scenario.bill]

    def test_no_bill_is_an_empty_frame(self):
        assert planner.Bill().to_frame().empty

    def test_it_is_still_a_scenario(self, comparison):
        assert all(isinstance(scenario, planner.Scenario) for scenario in comparison)
        assert isinstance(comparison.best.bill, planner.Bill)
        assert comparison.best.to_dict() == comparison.to_dict()["scenarios"][0]
        assert repr(comparison.best).startswith(f"Scenario(id='{comparison.best.id}', cost_usd=")


class Table(HTMLParser):
    """Fails for a tag that is not closed, and for any that a table does not need."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells = 0

    def handle_starttag(self, tag, attrs):
        assert tag in ("table", "caption", "thead", "tbody", "tr", "th", "td"), tag
        assert not [name for name, _ in attrs if name != "style"]
        self.open.append(tag)
        self.cells += tag == "td"

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def table_of(text: str) -> Table:
    found = Table()
    found.feed(text)
    found.close()
    assert not found.open
    return found


def test_results_show_themselves_as_tables(plan, comparison):
    optimum = planner.optimize(plan.replace({"fleet.nodes": "4..5"}), prices="2026-09-01", draws=20)
    for shown in (comparison, comparison.best, comparison.best.bill, optimum):
        assert table_of(shown._repr_html_()).cells > 3
    assert comparison.best.id in comparison._repr_html_()


def test_a_hostile_name_is_text(comparison):
    hostile = replace(comparison, plan_name="<script>alert(1)</script>")
    assert "<script>" not in hostile._repr_html_()
    table_of(hostile._repr_html_())


def test_books_of_a_day():
    book = planner.prices.open("2026-09-30")
    assert book.as_of.isoformat() == "2026-09-01"
    assert planner.prices.open(book) is book
    assert planner.prices.open().as_of == planner.prices.dates()[-1]
    with pytest.raises(planner.UsageProblem, match="neither a day nor a folder"):
        planner.prices.open("yesterday")


def test_a_frame_without_pandas_says_what_to_install(monkeypatch, comparison):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(planner.UsageProblem, match=re.escape("pip install -e '.[notebook]'")):
        comparison.best.bill.to_frame()
