"""A choice with a Slurm cluster as a stack: what is written is read back, priced as in the bill, and refused where it
cannot be."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from planner.errors import PlanProblems
from planner.stack.choose import FromAccount
from planner.stack.file import parsed, rendered
from planner.stack.kept import kept_of
from tests.stack.test_choose import P5, chosen, loaded_of

ON_DEMAND = "s3-stream/p5.48xlarge/on-demand"
PROJECTS = [{"name": "vision", "share": 3, "max_nodes": 2, "users": ["ana"]}, {"name": "speech"}]


def of(**slurm: object) -> dict[str, Any]:
    return {"deploy": {"scheduler": "slurm", "slurm": {"projects": PROJECTS, **slurm}}, **P5}


def test_it_is_written_read_and_priced():
    spec, scenario = chosen(ON_DEMAND, **of(longest_job="3d"))
    assert spec.scheduler is not None
    assert (spec.scheduler.version, spec.scheduler.gres, spec.scheduler.longest_job_hours) == ("25.11", "h100", 72.0)
    assert [one.name for one in spec.scheduler.projects] == ["vision", "speech"]
    assert parsed(rendered(spec), "Pulumi.dev.yaml").spec == spec
    usd = spec.usd_per_hour
    assert {key for key in usd if key.startswith("scheduler.")} == {
        "scheduler.controller",
        "scheduler.accounting",
        "scheduler.node-fee",
        "scheduler.login-node",
        "scheduler.login-ebs",
    }
    assert math.fsum(usd.values()) == pytest.approx(math.fsum(line.usd_per_hour or 0 for line in scenario.bill))
    assert spec.scheduler.usd_per_node_hour * spec.fleet.nodes == pytest.approx(usd["fleet.compute"])


def test_a_newer_slurm_that_was_deployed_stays_and_one_that_is_no_version_is_refused():
    given = FromAccount(slurm_version="26.05")
    spec, scenario = chosen(ON_DEMAND, given=given, **of())
    assert spec.scheduler is not None
    assert spec.scheduler.version == "26.05"
    plan = loaded_of(**of()).plan
    assert kept_of(spec, plan, scenario, FromAccount()).slurm_version == "26.05"
    with pytest.raises(PlanProblems, match=r"'26\.5' is no version of Slurm"):
        chosen(ON_DEMAND, given=replace(given, slurm_version="26.5"), **of())


def test_without_the_setting_a_stack_has_no_trace_of_it():
    text = rendered(chosen(ON_DEMAND, **P5)[0])
    assert "scheduler" not in text
    assert "slurm" not in text


def test_a_project_cannot_have_more_nodes_than_there_are():
    with pytest.raises(PlanProblems, match="at most 5,000 nodes for vision"):
        chosen(ON_DEMAND, **of(projects=[{"name": "vision", "max_nodes": 5000}]))


def test_spot_with_fallback_is_two_markets_with_the_rule_that_was_priced():
    spec, scenario = chosen(
        "s3-stream/p5.48xlarge/spot-fallback", **{**of(), "purchase": {"options": ["on-demand", "spot-fallback"]}}
    )
    assert spec.scheduler is not None
    assert scenario.returns is not None
    markets = spec.scheduler.markets
    assert markets is not None
    assert (spec.buying.kind, spec.fallback, markets.nodes) == ("spot", None, scenario.nodes - scenario.spares)
    assert markets.work_hours == pytest.approx(scenario.returns.work_hours, abs=0.01)
    assert markets.deadline_hours >= markets.work_hours + markets.changeover_hours
    assert markets.on_demand_usd_per_node_hour > spec.scheduler.usd_per_node_hour > 0
    assert "fleet.compute-on-demand" in spec.metered
    assert "patient progress" in scenario.rule
    assert parsed(rendered(spec), "Pulumi.dev.yaml").spec == spec
