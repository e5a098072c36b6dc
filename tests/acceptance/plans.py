"""A plan of four nodes and the stack that would stand, for acceptances."""

from __future__ import annotations

from pathlib import Path

from planner.api.arguments import named
from planner.cli.options import Asked
from planner.decide.compare import compare
from planner.estimate.request import Request
from planner.plan.load import load_plan
from planner.stack.choose import spec_of
from planner.stack.spec import ClusterSpec

SCENARIO = "converged/p4d.24xlarge/on-demand"
PLAN = """apiVersion: planner/v1
name: four
region: us-east-1
start: 2026-11-02
run:
  work: {gpu_hours: 4000}
data: {hot_dataset: 4TB, read_per_gpu: 20MB/s, shard: 1MB, checkpoint: 40MB}
fleet: {instance_types: [p4d.24xlarge], nodes: 4}
storage: {layouts: [converged]}
purchase: {options: [on-demand]}
"""


def planned(folder: Path, *overrides: str, text: str = PLAN, scenario: str = SCENARIO) -> tuple[Request, ClusterSpec]:
    """The request of the plan, and its stack's spec."""
    path = folder / "four.yaml"
    path.write_text(text, encoding="utf-8")
    asked = Asked(plan=str(path), overrides=overrides, draws=500)
    loaded = load_plan(str(path), overrides=overrides)
    request = asked.request(derivations=False)
    comparison = compare(request)
    chosen = named(comparison, scenario)
    return request, spec_of(
        loaded, comparison, chosen, request.book, stack="four", nic_profile="ip-saving", preview=True
    )
