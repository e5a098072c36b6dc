"""Worker pools from Python: the same answers as the command line, in the shape of training plans."""

from __future__ import annotations

import json
import re

import pytest

import planner
from tests.typed import planner as run

EXAMPLE = "examples/worker-pool.yaml"
FEW = {"jobs.count": 60}


@pytest.fixture(scope="module")
def plan():
    found = planner.load(EXAMPLE, set=FEW)
    assert isinstance(found, planner.PoolPlan)
    return found


@pytest.fixture(scope="module")
def comparison(plan):
    found = planner.compare(plan, draws=20)
    assert isinstance(found, planner.PoolComparison)
    return found


def test_it_says_what_the_command_line_says(plan, comparison):
    words = (EXAMPLE, "--set", "jobs.count=60")
    assert json.loads(run("compare", *words, "--draws", "20", "-f", "json").stdout) == comparison.to_dict()
    assert json.loads(run("optimize", *words, "-f", "json").stdout) == planner.optimize(plan).to_dict()
    one = planner.explain(comparison, "best", "cost_usd")
    shown = run("explain", EXAMPLE, "best", "cost_usd", "--set", "jobs.count=60", "--draws", "20", "-f", "json")
    assert json.loads(shown.stdout) == one.to_dict()
    assert str(one).startswith(comparison.best.id)


def test_a_choice_by_id_rank_and_word(comparison):
    best = comparison["best"]
    assert best is comparison.best is comparison[0] is comparison["#1"] is comparison[best.id]
    assert [one.id for one in comparison] == [one.id for one in comparison.scenarios]
    with pytest.raises(planner.UsageProblem, match=r"no scenario 'workers/g5.xlarg/spot': did you mean"):
        comparison["workers/g5.xlarg/spot"]
    with pytest.raises(IndexError, match="has 6"):
        comparison[6]


def test_frames_and_tables_add_up(comparison):
    best, bills = comparison.best, comparison.to_frame(bills=True)
    assert bills[bills.scenario == best.id].effective_cost.sum() == pytest.approx(best.cost_usd.plan)
    assert best.bill.to_frame().effective_cost.sum() == pytest.approx(best.cost_usd.plan)
    frame = comparison.to_frame()
    assert frame.id.to_list() == [one.id for one in comparison]
    assert frame.loc[0, "days_p90"] == pytest.approx(best.days.p90)
    for shown in (comparison, best, best.bill):
        assert re.fullmatch(r"<table>.*</table>", shown._repr_html_(), re.DOTALL)
    assert planner.render_html(comparison).count("<h2") >= 3


def test_a_plan_is_replaced_and_checked(plan):
    assert plan.replace(pool={"max": 7}).settings.pool.max == 7
    assert plan.settings.pool.max == 40
    with pytest.raises(planner.PlanProblems, match="unknown key 'maxx'"):
        plan.replace({"pool.maxx": 7})
    for draws in (0, 2001, 5000):  # the last is the default of another kind of plan, and no default here
        for verb in (planner.compare, planner.optimize):
            with pytest.raises(planner.UsageProblem, match=f"draws must be 1 to 2,000, not {draws}: .* without draws"):
                verb(plan, draws=draws)
    aged = planner.compare(plan, draws=2, as_of="2029-01-04")
    assert (aged.prices.age_days, bool(aged.stale)) == (817, True)


def test_a_search_runs_what_was_asked_for_on_the_prices_of_the_day(plan):
    def asked(**more):
        return planner.optimize(plan.replace(pool={"max": 3}, jobs={"count": 4}), **more)

    assert (asked().runs, asked(draws=3).runs) == (20, 3)
    words = ("optimize", EXAMPLE, "--set", "pool.max=3", "--set", "jobs.count=4", "--draws", "3", "-f", "json")
    later = asked(draws=3, as_of="2025-12-01")
    assert json.loads(run(*words, "--as-of", "2025-12-01").stdout) == later.to_dict()
    assert (
        "Warning: these prices were observed on 2026-10-10, 313 days after 2025-12-01"
        in later.to_dict()["answer"]["reason"]
    )
    assert asked(draws=3, as_of="2026-09-02").comparison.prices.as_of < later.comparison.prices.as_of
    assert run("optimize", EXAMPLE, "--own").returncode == 2


def test_where_nothing_meets_the_limits_best_is_an_error(plan):
    late = planner.compare(plan.replace({"run.deadline": "1h", "pool.max": 1}), draws=20)
    assert late.best is None
    with pytest.raises(planner.UsageProblem, match="no choice meets the limits"):
        late["best"]
    assert late["cheapest"].id == late[0].id
