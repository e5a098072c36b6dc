"""`fsx-lustre-scratch`: priced by hand, previewed, refused by `planner stack`, absent from the defaults."""

from __future__ import annotations

import pytest

from planner.decide.compare import Request, compare
from planner.errors import UsageProblem
from planner.layouts.fsx_lustre_scratch.layout import variants
from planner.layouts.registry import DEFAULTS, DEPLOYED, NAMES
from planner.plan.load import LoadedPlan, plan_sha256
from planner.stack.check import findings_of
from planner.stack.choose import spec_of
from tests.builders import book_of, plan_of
from tests.layouts.test_layouts import CENTRAL, demand_of, lines_of

NAME = "fsx-lustre-scratch"
ASKED = {"storage": {"layouts": [NAME]}}


def layout_of(**changes):
    (layout,) = variants(plan_of(**ASKED), demand_of(**changes), book_of(), CENTRAL)
    return layout


def compared(**sections):
    """(loaded plan, comparison) of the small plan with this layout alone."""
    plan = plan_of(**sections)
    loaded = LoadedPlan(plan=plan, sha256=plan_sha256(plan), where="plan.yaml", places={(): (1, 1)}, overridden={})
    return loaded, compare(Request(plan=plan, plan_sha256=loaded.sha256, book=book_of(), draws=0))


def test_size_rates_and_bill_by_hand():
    """2 GB/s at 200 MB/s per TiB need 10,000 GiB, so five steps of 2,400. Disks read 12 x 200 MB/s and write 12 x 100.
    A month costs 12,000 GB x $0.14."""
    layout = layout_of()
    assert layout.file_system.capacity_gib == 12_000
    given = layout.service(CENTRAL)
    assert given.usable_tb == pytest.approx(12_000 * 2**30 / 1e12)
    assert given.warm_gb_per_s == pytest.approx(2.4)
    assert given.write_gb_per_s == pytest.approx(1.2)
    lines = lines_of(layout)
    assert set(lines) == {"storage.lustre.capacity"}
    assert lines["storage.lustre.capacity"].effective_cost == pytest.approx(1680)


def test_small_data_take_the_smallest_size():
    """0.5 TB at 80 % full are 582 GiB; 0.1 GB/s need 500 GiB: AWS sells 1,200."""
    assert layout_of(hot_bytes=0.5e12, planned_gb_per_s=0.1).file_system.capacity_gib == 1200


def test_a_capacity_in_the_plan_that_is_too_small_is_refused():
    plan = plan_of(storage={"layouts": [NAME], NAME: {"capacity": "2400GiB"}})
    (layout,) = variants(plan, demand_of(), book_of(), CENTRAL)
    assert any("cannot hold" in why for why in layout.refusals())


def test_a_lost_file_server_is_said():
    given = layout_of().service(CENTRAL)
    assert "not replicated" in given.durability
    assert any("checkpoints" in warning for warning in given.warnings)


def test_without_a_price_the_scenario_is_a_lower_bound():
    loaded, comparison = compared(**ASKED, region="sa-east-1")
    assert loaded.plan.region == "sa-east-1"
    feasible = [scenario for scenario in comparison.scenarios if scenario.feasible]
    assert feasible
    assert all("storage.lustre.capacity" in {entry.line for entry in scenario.unpriced} for scenario in feasible)
    assert not any(scenario.complete for scenario in feasible)


def test_no_plan_has_it_by_default():
    assert NAME in NAMES
    assert NAME not in DEFAULTS
    assert NAME not in DEPLOYED
    assert NAME not in plan_of().storage.layouts
    assert NAME not in plan_of().canonical()["storage"]  # so that plans from before keep their hash


def test_previewed_and_not_deployed():
    loaded, comparison = compared(**ASKED)
    chosen = next(s for s in comparison.scenarios if s.feasible and not s.rule)
    with pytest.raises(UsageProblem, match="fsx-lustre-scratch is priced and previewed, not deployed yet: "):
        spec_of(loaded, comparison, chosen, book_of())
    spec = spec_of(loaded, comparison, chosen, book_of(), preview=True)
    assert spec.lustre is not None
    assert spec.lustre.deployment == "SCRATCH_2"
    assert [finding.path for finding in findings_of(spec)] == [("layout",)]  # what a stack file with it would be told


def test_the_preview_shows_its_file_system():
    from planner.api.graphs import graph_of

    loaded, comparison = compared(**ASKED)
    chosen = next(s for s in comparison.scenarios if s.feasible and not s.rule)
    graph = graph_of(spec_of(loaded, comparison, chosen, book_of(), preview=True), "the preview runs")
    systems = [r for r in graph["resources"] if r["type"].startswith("aws:fsx/lustreFileSystem:")]
    assert [system["inputs"]["deploymentType"] for system in systems] == ["SCRATCH_2"]
