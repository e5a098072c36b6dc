"""Every number of a bill and of a run comes again from the inputs that it names: over all examples, and any plan."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.cli.options import Asked
from planner.decide.compare import compare
from planner.decide.comparison import Comparison
from planner.estimate.derivations import find, known_of
from planner.estimate.result import Scenario
from planner.models.bill import Line
from planner.models.derived import KINDS, Derived, Input
from planner.models.equation import numbered
from planner.models.formula import evaluate_steps
from planner.plan.assumptions import default_assumptions
from planner.plan.overrides import split_path
from planner.plan.types import Plan
from planner.report.data.comparison_json import scenario_document
from planner.report.wording.origins import how
from tests.builders import book_of, compared, plan_of
from tests.examples import COMPARED

EXAMPLES = COMPARED


@cache
def example(path: Path) -> tuple[Plan, Comparison]:
    asked = Asked(plan=str(path), overrides=(), draws=50, seed=0, prices=None, as_of=None, max_price_age=None)
    request = asked.request()
    return request.plan, compare(request)


def check_line(line: Line) -> None:
    """The equation on the line, called with the line's inputs, gives its quantity, or its cost where that is USD."""
    entry = numbered(line.equation)
    assert {p.name for p in entry.parameters if p.default is None} <= {i.name for i in line.inputs}, line.line
    found = float(entry.function(**{i.name: i.value for i in line.inputs}))
    wanted = line.effective_cost if entry.result_unit == "USD" else line.quantity
    assert math.isclose(found, wanted, rel_tol=1e-9, abs_tol=1e-12), (line.line, line.equation)


def check_formula(entry: Derived) -> None:
    """A number without an equation comes again from its expression, or is its one input."""
    if entry.of_draws:
        return  # of draws, not of its inputs: TestStatistics
    if entry.expression:
        found = evaluate_steps((f"result = {entry.expression}",), entry.arguments())[1]
        assert math.isclose(found, entry.value, rel_tol=1e-9, abs_tol=1e-9), (entry.id, entry.expression, found)
        used = set(re.findall(r"[A-Za-z_]\w*", entry.expression))
        assert "inputs" in used or used & {part.name for part in entry.inputs}, entry.id
    else:
        (source,) = entry.inputs
        assert (source.value, source.unit) == (entry.value, entry.unit), entry.id


def check_origin(entry: Input, known: dict[str, Derived], plan: Plan) -> None:
    """Whatever an input names is there, and has that value."""
    assert entry.kind in KINDS
    assert entry.unit or not entry.value
    if entry.kind == "run":
        assert entry.where in known, entry
        found = known[entry.where].value
        same = found == entry.value or math.isclose(found, entry.value, rel_tol=1e-12)
        assert same, entry
    elif entry.kind == "assumption":
        assert entry.where in default_assumptions()
    elif entry.kind == "price":
        assert entry.where in known, entry
    elif entry.kind == "catalogue":
        name, _, fact = entry.where.rpartition(".")
        assert hasattr(book_of().instance(name), fact), entry
    elif entry.kind == "plan":
        section: Any = plan.canonical()
        for part in split_path(entry.where):
            section = section[part]


def check(scenario: Scenario, plan: Plan) -> None:
    """The bill, and every number that it and the scenario rest on."""
    for line in scenario.bill:
        check_line(line)
    known = known_of(scenario)
    assert len(scenario.derived) == len({entry.id for entry in scenario.derived})
    for entry in known.values():
        if entry.equation:
            found = float(numbered(entry.equation).function(**entry.arguments()))
            assert math.isclose(found, entry.value, rel_tol=1e-9, abs_tol=1e-12), entry.id
        else:
            assert how(entry), entry.id
            check_formula(entry)
        for part in entry.inputs:
            check_origin(part, known, plan)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_line_of_every_example(path):
    plan, comparison = example(path)
    scenarios = [s for s in comparison.scenarios if s.feasible]
    assert sum(len(s.bill) for s in scenarios) > 100
    for scenario in scenarios:
        check(scenario, plan)


# what a document says of a scenario by numbers, but for what stands for itself: true or false
def leaves(value: Any, path: str = "") -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, f"{path}.{index}")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value


def id_of(path: str, document: dict[str, Any]) -> str:
    """The id of a number in the JSON document: its path, with a line's name for its place in the bill."""
    if path.startswith("bill."):
        _, index, field = path.split(".", 2)
        return f"{document['bill'][int(index)]['line']}.{field}"
    return path


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_number_of_the_document_has_an_id(path):
    for scenario in example(path)[1].scenarios:
        document, known = scenario_document(scenario), known_of(scenario)
        if not scenario.feasible:
            continue
        for place, value in leaves(document):
            id = id_of(place, document)
            assert value == pytest.approx(find(known, id).value, rel=1e-9, abs=1e-4), id


STORAGE = st.fixed_dictionaries(
    {
        "layouts": st.just(["converged", "fsx-lustre", "separate-nvme", "s3-stream"]),
        "s3_gateway_endpoint": st.booleans(),
    },
    optional={
        "retention": st.sampled_from(["12h", "40d", "200d"]),
        "fsx-lustre": st.fixed_dictionaries(
            {"deployment": st.sampled_from(["PERSISTENT_2", "SCRATCH_2", "INTELLIGENT_TIERING"])},
            optional={"metadata_iops": st.sampled_from([6000, 24000]), "capacity": st.just("24TB")},
        ),
        "separate-nvme": st.fixed_dictionaries({"protection": st.sampled_from(["none", "6+2"])}),
        "converged": st.fixed_dictionaries({"control_nodes": st.integers(1, 9)}),
    },
)
DATA = st.fixed_dictionaries(
    {"kept_class": st.sampled_from(["STANDARD", "STANDARD_IA", "INTELLIGENT_TIERING", "GLACIER_IR"])},
    optional={
        "hot_dataset": st.sampled_from(["100GB", "30TB", "1PB"]),
        "kept_in_s3": st.sampled_from(["1PB", "3PB"]),
        "order": st.just("sequential"),
        "warm_up": st.just("prefetch"),
        "checkpoint": st.sampled_from([None, "900GB"]),
        "shard": st.sampled_from([None, "1MB"]),
        "checkpoints_kept": st.sampled_from([1, "all"]),
        "ingest": st.sampled_from([{"source": "upload"}, {"source": "other-region", "from_region": "us-east-2"}]),
    },
)
RUN = st.sampled_from(
    [
        {"work": {"gpu_hours": 4000}},
        {"work": {"gpu_hours": 900_000}},
        {"work": {"gpu_hours": None, "flop": 3e21, "mfu": "40%"}},
        {
            "work": None,
            "phases": [
                {"name": "low", "gpu_hours": 1000, "sample": "10KB"},
                {
                    "name": "high",
                    "samples": 40_000_000,
                    "sample": "2MB",
                    "throughput": [
                        {"gpus": 8, "samples_per_second": 100.0},
                        {"gpus": 16, "samples_per_second": 180.0},
                    ],
                },
            ],
        },
    ]
)
PLANS = st.builds(
    plan_of,
    run=RUN,
    data=DATA,
    storage=STORAGE,
    fleet=st.sampled_from([{"nodes": 4}, {"nodes": 20, "spares": 2}, {"nodes": None, "gpus": "A100:64", "spares": 1}]),
    purchase=st.fixed_dictionaries(
        {}, optional={"private_discount": st.just("7%"), "reuse_value": st.sampled_from([0, 0.4, 1])}
    ),
    people=st.sampled_from(
        [None, {"engineers": 2, "months_before": 1, "experiments": True}, {"preprocessing": {"gpu_hours": 300}}]
    ),
)


@settings(max_examples=6, deadline=None)
@given(PLANS)
def test_every_line_of_any_plan(plan):
    for scenario in compared(plan).scenarios:
        if scenario.feasible:
            check(scenario, plan)
