"""`planner.compare` and `planner.render_html` give what the command line gives."""

from __future__ import annotations

import json
from datetime import date, datetime
from pathlib import Path

import pytest

import planner
import pricing
from tests.api.conftest import DRAWS
from tests.typed import FEW, SMALL
from tests.typed import planner as typed

DAYS = ("2026-10-20", date(2026, 10, 20), datetime(2026, 10, 20, 12, 0))


def test_a_comparison_is_the_json_of_the_command_line(comparison):
    said = typed("compare", SMALL, *FEW, "--draws", DRAWS, "-f", "json")
    assert json.loads(json.dumps(comparison.to_dict())) == json.loads(said.stdout)


@pytest.mark.thorough
def test_the_page_is_the_command_lines(comparison):
    said = typed("compare", SMALL, *FEW, "--draws", DRAWS, "-f", "html")
    assert planner.render_html(comparison) == said.stdout


def test_scenarios_by_order_by_id_by_rank_and_the_best(comparison):
    first = comparison.scenarios[0]
    assert comparison["best"] is comparison.best is comparison["#1"] is comparison["1"] is comparison[first.id] is first
    assert list(comparison) == list(comparison.scenarios)
    assert len(comparison) == 4
    assert isinstance(first, planner.Scenario)
    assert repr(comparison) == f"Comparison(plan='small', prices=2026-10-10, scenarios=4, best={first.id!r})"


def test_an_unknown_scenario_names_the_nearest(comparison):
    with pytest.raises(planner.UsageProblem, match=r"did you mean s3-stream/p4d\.24xlarge/spot"):
        comparison["s3-stream/p4d.24xlarge/spots"]


def test_hints_of_a_look_up_are_python_not_a_command(comparison):
    with pytest.raises(planner.UsageProblem) as raised:
        comparison["nope"]
    assert "ranks are 1 to 4; `[scenario.id for scenario in comparison]` lists the ids" in str(raised.value)


def test_integers_count_from_zero_and_one_beyond_the_last_is_an_index_error(comparison):
    assert comparison[0] is comparison.scenarios[0]
    assert comparison[-1] is comparison.scenarios[-1]
    with pytest.raises(IndexError, match="no scenario 99: this comparison has 4, counted from 0"):
        comparison[99]


@pytest.mark.parametrize("scenario", [None, 1.5, slice(3)])
def test_what_names_no_scenario_is_refused(comparison, scenario):
    with pytest.raises(planner.UsageProblem, match="a scenario is named by id, rank or 'best'"):
        comparison[scenario]


@pytest.mark.parametrize("name", [SMALL, Path(SMALL)])
def test_a_file_name_is_no_plan(name):
    with pytest.raises(planner.UsageProblem) as raised:
        planner.compare(name)
    assert str(raised.value).endswith(f": planner.compare(planner.load({SMALL!r}))")


@pytest.mark.parametrize("caller", [planner.render_html, planner.to_frame, lambda it: planner.explain(it, "best", "x")])
def test_a_plan_is_no_comparison(plan, caller):
    with pytest.raises(planner.UsageProblem, match=r"needs a comparison, not Plan.*planner\.compare\("):
        caller(plan)


def test_without_a_complete_scenario_none_is_recommended_and_its_look_up_says_why(plan):
    book = pricing.open_book().without(lambda table, row: table in ("on_demand", "spot"))
    nothing = planner.compare(plan, prices=book, draws=0)
    assert nothing.best is None
    with pytest.raises(planner.UsageProblem, match=r"no scenario is recommended: `why_not` and `unpriced`"):
        nothing["best"]


def test_a_plan_that_cannot_be_met_comes_with_changes_that_help():
    tight = planner.load(SMALL, set={"constraints.max_cost_usd": 100, "purchase.options": ["on-demand"]})
    comparison = planner.compare(tight, draws=0)
    assert comparison.best is None
    assert comparison.relaxations


@pytest.mark.parametrize(
    "prices",
    ["2025-05-31", date(2025, 5, 31), pricing.open_book("2025-05-31").folder, pricing.open_book("2025-05-31")],
    ids=["text", "date", "folder", "book"],
)
def test_prices_are_a_date_a_folder_or_a_book(plan, prices):
    assert planner.compare(plan, prices=prices, draws=0).prices.as_of == date(2025, 5, 31)


def test_the_book_before_a_date_is_taken(plan):
    assert planner.compare(plan, prices="2026-08-01", draws=0).prices.as_of == date(2025, 5, 31)


def test_ages_are_counted_from_as_of(plan):
    aged = [planner.compare(plan, draws=0, as_of=day).prices.age_days for day in DAYS]
    assert aged == [10, 10, 10]


def test_old_prices_are_stale_beyond_the_days_that_are_given(plan):
    assert planner.compare(plan, draws=0, as_of="2026-09-11", max_price_age_days=1).stale
    assert not planner.compare(plan, draws=0, as_of="2026-09-11", max_price_age_days=9999).stale


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"prices": "yesterday"},
            "prices 'yesterday' is neither a day nor a folder: name a day such as",
        ),
        ({"prices": "2001-01-01"}, "no price book is of 2001-01-01 or before"),
        ({"prices": pricing.open_book().folder.parent}, "it has no manifest.json"),
        ({"as_of": "soon"}, "as_of 'soon' is not a day: write 2026-09-01"),
        ({"draws": -1}, "draws must be 0 to 1,000,000, not -1"),
        ({"seed": 2**32}, "seed must be 0 to 4,294,967,295, not 4294967296"),
        ({"draws": "x"}, "draws must be 0 to 1,000,000, not 'x'"),
        ({"draws": 1.5}, "draws must be 0 to 1,000,000, not 1.5"),
        ({"seed": float("nan")}, "seed must be 0 to 4,294,967,295, not nan"),
        ({"prices": 2026}, "prices 2026 is not a day: write 2026-09-01"),
        ({"as_of": 5}, "as_of 5 is not a day: write 2026-09-01"),
        ({"max_price_age_days": "x"}, "max_price_age_days must be 1 to 1,000,000, not 'x'"),
        ({"max_price_age_days": 0}, "max_price_age_days must be 1 to 1,000,000, not 0"),
    ],
)
def test_arguments_that_cannot_be_used_are_named(plan, arguments, message):
    with pytest.raises(planner.UsageProblem) as raised:
        planner.compare(plan, **arguments)
    assert message in str(raised.value)


def test_a_broken_table_of_a_book_is_a_usage_problem(plan, tmp_path):
    for file in pricing.open_book().folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "metered.csv").write_text("nothing\n")
    with pytest.raises(planner.UsageProblem, match=r"metered\.csv:1: columns are nothing"):
        planner.compare(plan, prices=tmp_path, draws=0)


def test_a_region_that_the_book_does_not_know_is_a_problem_of_the_plan():
    elsewhere = planner.load(SMALL, set={"region": "us-east-9"})
    with pytest.raises(planner.PlanProblems, match=r"^set\['region'\]: no price of any instance type in us-east-9"):
        planner.compare(elsewhere)
