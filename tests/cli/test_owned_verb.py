"""`planner owned` as a person meets it: a table in the width of the terminal, JSON, and what is refused."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from planner.cli.owned import command
from planner.errors import UsageProblem

PLAN = "examples/small.yaml"


def run(*words: str, columns: int = 80) -> str:
    runner = CliRunner(env={"COLUMNS": str(columns)})
    arguments = [PLAN, "--draws", "200", *words]
    return runner.invoke(command, arguments, catch_exceptions=False, standalone_mode=False).stdout


@pytest.mark.parametrize("columns", [40, 80, 160])
def test_the_table_has_every_way_at_any_width(columns):
    shown = run(columns=columns)
    assert max(map(len, shown.splitlines())) <= columns
    for words in ("On-Demand", "Capacity Block", "Own machines", "electricity", "busy more than", "CO2", "excludes"):
        assert words in " ".join(shown.split()), words


def test_json_has_the_figures_of_the_table():
    found = json.loads(run("-f", "json"))
    assert found["owned"]["usd"]["plan"] == pytest.approx(sum(p["plan"] for p in found["owned"]["parts_usd"].values()))
    on_demand = next(o for o in found["options"] if o["purchase"] == "on-demand")
    assert on_demand["usd"] == on_demand["used_usd"]
    assert {"owned.usd_per_a100", "energy.kg_co2_per_kwh"} <= {entry["key"] for entry in found["assumptions"]}


def test_a_price_of_ones_own_moves_the_owned_row_alone():
    before, after = (
        json.loads(run("-f", "json", *words)) for words in ((), ("--set", "assumptions.owned.usd_per_a100=9250"))
    )
    assert after["owned"]["purchase_usd"]["plan"] == pytest.approx(before["owned"]["purchase_usd"]["plan"] / 2)
    assert after["options"] == before["options"]


def test_verbose_shows_each_assumption_with_its_source():
    shown = " ".join(run("-v").split())
    assert "owned.value_loss_per_year 0.14 (0.1-0.18)" in shown
    assert "epoch-research/training-cost-trends" in shown


def test_a_gpu_without_a_published_server_price_is_refused():
    with pytest.raises(UsageProblem, match="L40S"):
        run("--set", "fleet.instance_types=[g6e.48xlarge]")
