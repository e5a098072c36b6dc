"""`planner.sensitivity`, `planner.diff` and `planner.simulate`: the command line's documents, frames and messages."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

import planner
from planner.cli.diff import command as diff
from planner.cli.sensitivity import command as sensitivity
from planner.cli.simulate import command as simulate
from tests.api.conftest import DRAWS, SET
from tests.api.test_in_notebooks import table_of
from tests.typed import SMALL

WORDS = [word for key, value in SET.items() for word in ("--set", f"{key}={json.dumps(value)}")]


def printed(command, *words: str) -> dict:
    result = CliRunner().invoke(command, [*words, "-q", "-f", "json"])
    assert result.exit_code == 0, (result.output, result.exception)
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def found(comparison):
    return planner.sensitivity(comparison, "#2", against="best")


class TestSensitivity:
    def test_it_is_the_json_of_the_command_line(self, found):
        words = ("--draws", str(DRAWS), "--scenario", "2", "--against", "best")
        assert found.to_dict() == printed(sensitivity, SMALL, *WORDS, *words)

    def test_a_row_an_assumption_the_largest_effect_first(self, comparison, found):
        frame = found.to_frame()
        assert list(frame.key) == [swing.parameter.key for swing in found.swings]
        spread = (frame.low_cost_usd - frame.high_cost_usd).abs()
        assert list(spread) == sorted(spread, reverse=True)
        # a second route: the plan with that value, compared
        first = next(swing for swing in found.swings if swing.parameter.path and not swing.low.is_p50)
        key = f"assumptions.{first.parameter.key}"
        again = planner.compare(comparison.loaded.replace({key: first.high.at}), draws=0)
        assert again[found.scenario.id].cost_usd.plan == pytest.approx(first.high.cost_usd, rel=1e-6)

    def test_it_prints_and_shows_itself(self, found):
        assert "pooled NVMe with On-Demand nodes" in str(found)
        assert repr(found).startswith(f"Sensitivity(scenario='{found.scenario.id}', most=")
        assert table_of(found._repr_html_()).cells > 12

    def test_what_cannot_be_varied_is_said_in_python(self, plan, comparison):
        with pytest.raises(planner.UsageProblem, match="against is the same scenario"):
            planner.sensitivity(comparison, against="best")
        with pytest.raises(planner.UsageProblem, match="needs a comparison"):
            planner.sensitivity(plan)
        unpriced = planner.compare(plan.replace(region="eu-south-2"), draws=0)
        with pytest.raises(planner.UsageProblem, match=r"cannot be varied: no price for .*for scenario in comp"):
            planner.sensitivity(unpriced, "#1")


class TestDiff:
    def test_it_is_the_json_of_the_command_line(self, plan, comparison):
        after = planner.compare(plan.replace({"fleet.nodes": 8}), draws=DRAWS)
        changed = planner.diff(comparison, after, scenarios=["#1"])
        words = ("--set-b", "fleet.nodes=8", "--draws", str(DRAWS), "--scenario", "1")
        assert changed.to_dict() == printed(diff, SMALL, *WORDS, *words)
        assert changed.best_cost_usd.change == pytest.approx(after.best.cost_usd.plan - comparison.best.cost_usd.plan)
        frame = changed.to_frame().set_index("id")
        id = after.best.id
        assert frame.loc[id, "cost_usd_change"] == pytest.approx(
            after[id].cost_usd.plan - comparison[id].cost_usd.plan, abs=1e-5
        )
        assert changed.best_cost_usd.after == pytest.approx(after.best.cost_usd.plan, abs=1e-5)
        assert "fleet.nodes" in str(changed)
        assert table_of(changed._repr_html_()).cells > 3

    def test_a_saved_comparison_is_a_side(self, comparison, tmp_path):
        path = tmp_path / "march.json"
        path.write_text(json.dumps(comparison.to_dict()))
        changed = planner.diff(path, comparison)
        assert not changed.different
        assert repr(changed).startswith("Difference(different=False")
        path.write_text("{}")
        with pytest.raises(planner.UsageProblem, match=r"march\.json"):
            planner.diff(path, comparison)

    def test_what_is_no_comparison_or_scenario_is_refused(self, plan, comparison):
        with pytest.raises(planner.UsageProblem, match="after is a comparison"):
            planner.diff(comparison, plan)
        with pytest.raises(planner.UsageProblem, match="no scenario is called 'converge'"):
            planner.diff(comparison, comparison, scenarios=["converge"])


class TestSimulate:
    def test_it_is_the_json_of_the_command_line(self, plan):
        runs = planner.simulate(plan, runs=30, seed=1)
        assert runs.to_dict() == printed(simulate, SMALL, *WORDS, "--starts", "30", "--seed", "1")
        frame, each = runs.to_frame(), runs.to_frame(runs=True)
        assert list(frame.rule) == ["fallback", "own", "uniform_progress", "greedy"]
        means = each.groupby("rule", sort=False).usd.mean()
        assert list(means) == pytest.approx(list(frame.mean_usd), abs=0.02)
        assert runs.scenario.option.family == "spot-fallback"
        assert "fallback" in str(runs)
        assert repr(runs).startswith(f"SpotSimulation(scenario='{runs.scenario.id}', series=1")
        assert table_of(runs._repr_html_()).cells > 8

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            ({"rules": ["lucky"]}, "'lucky' is no rule"),
            ({"rules": []}, "name at least one"),
            ({"runs": 0}, "runs must be 1 to 10,000"),
            ({"scenario": "s3-stream/p4d.24xlarge/on-demand"}, "scenario=.* is not on spot-fallback; name one that is"),
        ],
    )
    def test_arguments_that_cannot_be_used_are_named(self, plan, arguments, said):
        with pytest.raises(planner.UsageProblem, match=said):
            planner.simulate(plan, **{"runs": 2, **arguments})

    def test_a_file_name_is_no_plan(self, plan):
        with pytest.raises(planner.UsageProblem, match="simulate needs a loaded plan"):
            planner.simulate("plan.yaml")


def test_without_pandas_the_extra_is_named(found, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(planner.UsageProblem, match="notebook"):
        replace(found).to_frame()
