"""AWS's own accelerators: by FLOP with their own peak or by a table measured on them, never by GPU-hours."""

from __future__ import annotations

import pytest

from infra.derived import expected_of
from infra.graph import resource_graph
from planner.decide.variants import same, types
from planner.errors import UsageProblem
from planner.lint.read.graph import graph_from
from planner.lint.rules import lint
from planner.plan.catalogue_check import types_of
from planner.plan.load import LoadedPlan
from planner.stack.choose import spec_of
from planner.stack.placeholders import missing_ids
from tests.builders import book_of, compared, plan_of, scenario_of

TYPES = ["trn1.32xlarge"]
FLEET = {"instance_types": TYPES, "nodes": 4}
ON_DEMAND = {"options": ["on-demand"]}
BY_FLOP = {"work": {"gpu_hours": None, "flop": 1e21, "mfu": "30%", "mfu_basis": "run"}}
TABLE = [{"gpus": 64, "samples_per_second": 500.0}]


def findings(**sections) -> list[str]:
    known = {name: book_of().instance(name) for name in ("trn1.32xlarge", "p4d.24xlarge")}
    return [message for _, message, _ in types_of(plan_of(fleet=FLEET, **sections), known)]


def test_flop_takes_the_peak_of_the_chip():
    """AWS Neuron documentation: 190 TFLOP/s of bf16 a Trainium chip, 667 a Trainium2; trn1.32xlarge has 16."""
    assert book_of().instance("trn2.48xlarge").peak_tflops == 667
    assert not findings(run=BY_FLOP)
    found = scenario_of(plan_of(fleet=FLEET, run=BY_FLOP, purchase=ON_DEMAND), "s3-stream")
    assert found.days_at_full_speed == pytest.approx(1e21 / (64 * 190e12 * 0.3) / 86_400)
    assert "Neuron" in book_of().instance("trn1.32xlarge").source


def test_a_table_measured_on_it_is_enough():
    run = {"work": {"gpu_hours": None, "samples": 1e8}, "throughput": TABLE}
    assert not findings(run=run)
    found = scenario_of(plan_of(fleet=FLEET, run=run, purchase=ON_DEMAND), "s3-stream")
    assert found.days_at_full_speed == pytest.approx(1e8 / 500 / 86_400)


def test_an_hour_of_it_is_no_gpu_hour():
    assert findings() == ["trn1.32xlarge has Trainium, and an hour of it is no GPU-hour"]
    assert not findings(run={"relative_speed": {"TRAINIUM": 0.6}})


def test_it_is_priced_and_previewed_with_an_image_for_neuron_but_never_recommended_nor_deployed():
    plan = plan_of(fleet=FLEET, run=BY_FLOP, purchase=ON_DEMAND)
    comparison = compared(plan)
    assert comparison.best is None
    assert all("for NVIDIA GPUs" in s.priced_only and s.complete for s in comparison.scenarios)
    loaded = LoadedPlan(plan=plan, sha256="0" * 64, where="p.yaml", places={}, overridden={})
    with pytest.raises(UsageProblem, match="for NVIDIA GPUs"):
        spec_of(loaded, comparison, comparison.scenarios[0], book_of())
    for scenario in comparison.scenarios:
        spec = spec_of(loaded, comparison, scenario, book_of(), preview=True)
        image = next(missing for missing in missing_ids(spec) if missing.name == "fleet.ami")
        assert "/aws/service/neuron/dlami/base/" in image.command
        assert "nvidia" not in image.command
        assert expected_of(spec)["gpu"].nvidia == 0
        assert expected_of(spec)["gpu"].neuron == 16
        graph = graph_from(resource_graph(spec))
        assert any(resource.kind == "ec2:LaunchTemplate" for resource in graph.resources)
        assert [finding.message for finding in lint(graph) if finding.severity == "error"] == []


def test_it_is_no_alternative_of_a_plan_in_flop():
    plan = plan_of(run={"work": {"gpu_hours": None, "flop": 1e21, "mfu": "40%"}})
    tried = {changed.plan.fleet.instance_types[0] for changed in types(same(plan), tuple(book_of().instances()))}
    assert "p5.48xlarge" in tried
    assert not {name for name in tried if name.startswith(("trn", "inf"))}
