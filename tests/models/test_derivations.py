"""Every derivation, evaluated on its inputs, gives its value: over all examples and the rare branches."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from planner.cli.options import Asked
from planner.decide.compare import compare
from planner.decide.explain import drawn, request_of_one
from planner.estimate.derivations import known_of
from planner.estimate.request import Request
from planner.estimate.result import Scenario
from planner.estimate.spot import INTERRUPTION_STREAM
from planner.models.derived import Derived
from planner.models.equation import numbered
from planner.models.formula import evaluate_steps
from planner.models.goodput import AVAILABILITY_FLOOR
from planner.models.number import share_within
from tests.builders import book_of, compared, plan_of
from tests.examples import TRAINING

EXAMPLES = TRAINING
PEOPLE = {"engineers": 2, "months_before": 1, "experiments": True, "preprocessing": {"gpu_hours": 300}}
PHASES = [
    {"name": "low", "gpu_hours": 1000, "sample": "10KB"},
    {
        "name": "high",
        "samples": 40_000_000,
        "sample": "2MB",
        "throughput": [{"gpus": 8, "samples_per_second": 100.0}, {"gpus": 16, "samples_per_second": 180.0}],
    },
]
# three tables of their own, so that no share or speed is 1 and every operator shows
TABLE = PHASES[1]["throughput"]
OWN_DATA = [
    {"name": "first", "samples": 30_000_000, "sample": "1MB", "throughput": TABLE},
    {"name": "second", "samples": 40_000_000, "sample": "2MB", "throughput": TABLE, "hot_dataset": "6TB"},
    {"name": "third", "samples": 50_000_000, "sample": "3MB", "throughput": TABLE},
]
SLOW = {"s3.read_gb_per_s_per_node": {"value": 0.02}, "workload.throughput_factor": {"value": 0.9}}
PREPARED = [{"name": "prepare", "gpu_hours": 200, "speedup": 1.4, "read_per_gpu": "50MB/s"}, PHASES[1]]
LINEAR = {
    "work": {"gpu_hours": None, "samples": 40_000_000},
    "throughput": [{"gpus": 8, "samples_per_second": 100.0}, {"gpus": 16, "samples_per_second": 180.0}],
    "scaling": "linear",
}
LISTED = {
    "work": {"gpu_hours": None, "samples": 40_000_000},
    "throughput": [{"gpus": 32, "samples_per_second": 300.0}],
}
ALL_LAYOUTS = ["converged", "fsx-lustre", "separate-nvme", "s3-stream"]
EVERY_PURCHASE = [
    "on-demand",
    "spot",
    "capacity-block",
    "ri-1y-standard-no-upfront",
    "ri-1y-standard-partial-upfront",
    "ri-1y-standard-all-upfront",
    "sp-3y-instance-no-upfront",
]
RARE = {
    "stripes": {"storage": {"layouts": ["separate-nvme"], "separate-nvme": {"protection": "6+2", "spares": 0}}},
    "tiering": {"storage": {"layouts": ["fsx-lustre"], "fsx-lustre": {"deployment": "INTELLIGENT_TIERING"}}},
    "fast tiering": {
        "data": {"read_per_gpu": "900MB/s"},
        "storage": {"layouts": ["fsx-lustre"], "fsx-lustre": {"deployment": "INTELLIGENT_TIERING"}},
    },
    "metadata": {"storage": {"layouts": ["fsx-lustre"], "fsx-lustre": {"metadata_iops": 24000, "capacity": "24TB"}}},
    "classes": {
        "data": {"kept_class": "INTELLIGENT_TIERING", "kept_in_s3": "1PB", "checkpoints_kept": "all"},
        "storage": {"layouts": ["s3-stream"], "retention": "200d", "s3_gateway_endpoint": False},
    },
    "glacier": {
        "data": {"kept_class": "GLACIER_IR", "kept_in_s3": "1PB", "checkpoint": None, "shard": None},
        "storage": {"layouts": ["converged"]},
    },
    "people": {"people": PEOPLE, "purchase": {"private_discount": "7%"}},
    "phases": {"run": {"work": None, "phases": PHASES}, "storage": {"layouts": ALL_LAYOUTS}},
    "slow phases": {
        "run": {"work": None, "phases": PHASES},
        "data": {"hot_dataset": "1PB"},
        "assumptions": {"s3.read_gb_per_s_per_node": {"value": 0.02}},
        "storage": {"layouts": ["s3-stream"]},
    },
    "data of phases": {
        "run": {"work": None, "phases": OWN_DATA},
        "assumptions": SLOW,
        "data": {"hot_dataset": "1PB"},
        "storage": {"layouts": ["s3-stream"]},
    },
    "skipped phase": {
        "run": {"work": None, "phases": [{**PREPARED[0], "skip": True}, PREPARED[1]]},
        "assumptions": SLOW,
        "storage": {"layouts": ["s3-stream"]},
    },
    "prepared": {"run": {"work": None, "phases": PREPARED}, "storage": {"layouts": ["s3-stream"]}},
    "filled data of phases": {
        "run": {"work": None, "phases": OWN_DATA},
        "data": {"warm_up": "prefetch"},
        "storage": {"layouts": ["converged", "fsx-lustre"]},
    },
    "profile": {"data": {"read_per_gpu": None, "profile": "unet3d"}, "storage": {"layouts": ["s3-stream"]}},
    "flop": {"run": {"work": {"gpu_hours": None, "flop": 3e21, "mfu": "40%"}}},
    "two terms": {
        "run": {"work": {"gpu_hours": None, "months": 25}},
        "purchase": {"options": ["ri-1y-standard-partial-upfront"]},
        "storage": {"layouts": ["s3-stream"]},
    },
    "linear": {"run": LINEAR, "data": {"samples": 40_000_000, "read_per_gpu": None}},
    "listed": {"run": LISTED, "data": {"read_per_gpu": None}},
    "ingest": {
        "data": {
            "ingest": {"source": "other-region", "from_region": "us-east-2", "rate": "1GB/s"},
            "kept_class": "STANDARD_IA",
            "kept_in_s3": "1PB",
        }
    },
    "gpus": {"fleet": {"nodes": None, "gpus": "A100:64", "spares": 1}, "storage": {"layouts": ["converged"]}},
    "small cache": {"data": {"hot_dataset": "1PB", "order": "sequential"}, "storage": {"layouts": ["converged"]}},
    "files": {
        "run": {"work": None, "phases": OWN_DATA},
        "data": {"access": "posix", "shard": "110KB", "hot_dataset": "20TB", "ingest": {"source": "upload"}},
        "storage": {"layouts": ["converged"], "s3_gateway_endpoint": False},
    },
    "fast IP": {
        "assumptions": {"converged.ip_gbps_per_node": {"value": 500}},
        "storage": {"layouts": ["converged"]},
    },
    "prefetch": {"data": {"warm_up": "prefetch"}, "storage": {"layouts": ALL_LAYOUTS}},
    "own values": {
        "reliability": {
            "checkpoint_interval": "2h",
            "checkpoint_blocking": "30s",
            "spot_reclaims_per_node_day": 0.1,
        },
        "purchase": {"options": ["spot"], "spot_usd_per_hour": 9.5},
        "storage": {"layouts": ["converged"]},
    },
    "commitments": {"purchase": {"options": EVERY_PURCHASE, "reuse_value": 0.4}},
    "days": {"constraints": {"max_days": 9}, "purchase": {"options": ["spot-fallback"]}},
}
# in a scarce market, where whole gangs are interrupted: with and without time to save, the rule moves the run
ON_SPOT = {"purchase": {"options": ["spot", "spot-fallback"]}, "fleet": {"spares": 1}}
SCARCE = {
    "scarce": {**ON_SPOT, "storage": {"layouts": ["converged", "fsx-lustre"]}},
    "scarce, data of phases": {
        **ON_SPOT,
        "run": {"work": None, "phases": OWN_DATA},
        "data": {"warm_up": "prefetch"},
        "storage": {"layouts": ["converged"]},
    },
    "scarce, held": {
        "run": {"work": {"gpu_hours": None, "days": 30}},
        "purchase": {"options": ["spot"]},
        "storage": {"layouts": ["s3-stream"]},
    },
    "scarce, slow checkpoints": {
        **ON_SPOT,
        "data": {"checkpoint": "2TB"},
        "storage": {"layouts": ["s3-stream"]},
        "assumptions": {"s3.write_gb_per_s_per_node": {"value": 0.5}},
    },
}


@cache
def scenarios_of(name: str) -> tuple[Scenario, ...]:
    """Feasible scenarios of an example or of a plan that reaches a rare branch, on central values."""
    if name in SCARCE:
        found = compared(plan_of(**SCARCE[name]), pinned={INTERRUPTION_STREAM: 0.97})
        return tuple(s for s in found.scenarios if s.feasible)
    if name in RARE:
        return tuple(s for s in compared(plan_of(**RARE[name])).scenarios if s.feasible)
    return tuple(s for s in compare(example(name, 0)).scenarios if s.feasible)


def example(name: str, draws: int) -> Request:
    path = next(path for path in EXAMPLES if path.stem == name)
    asked = Asked(plan=str(path), overrides=(), draws=draws, seed=0, prices=None, as_of=None, max_price_age=None)
    return asked.request()


NAMES = [*(path.stem for path in EXAMPLES), *RARE, *SCARCE]


def evaluated(entry: Derived) -> float:
    """What a derivation gives for its inputs: by its equation or its expression."""
    if entry.equation:
        return float(numbered(entry.equation).function(**entry.arguments()))
    return evaluate_steps((f"result = {entry.expression}",), entry.arguments())[1]


def lies(entry: Derived) -> str:
    """What is wrong with a derivation; "" where it is right."""
    if entry.source is not None:
        same = (entry.source.value, entry.source.unit) == (entry.value, entry.unit) and len(entry.inputs) == 1
        return "" if same else f"{entry.id} is not the input that it is taken from"
    try:
        found = evaluated(entry)
    except (NameError, KeyError, TypeError, ValueError, ZeroDivisionError) as problem:
        return f"{entry.id}: {entry.expression} cannot be evaluated: {problem}"
    right = math.isclose(found, float(entry.value), rel_tol=1e-9, abs_tol=1e-9)
    return "" if right else f"{entry.id}: {entry.expression or entry.equation} gives {found}, not {entry.value}"


def derivations(name: str) -> Iterator[Derived]:
    for scenario in scenarios_of(name):
        yield from known_of(scenario).values()


@pytest.mark.parametrize("name", NAMES)
def test_every_derivation_evaluates_to_its_value(name):
    found = list(derivations(name))
    assert len(found) > 50
    assert [problem for entry in found if (problem := lies(entry))] == []


def test_no_derivation_is_a_statistic_where_nothing_was_drawn():
    assert not [entry.id for name in NAMES for entry in derivations(name) if entry.of_draws]


@cache
def by_expression() -> dict[str, list[Derived]]:
    """The derivations of each expression that any of the plans reaches."""
    found: dict[str, list[Derived]] = {}
    for name in NAMES:
        for entry in derivations(name):
            if entry.expression:
                found.setdefault(entry.expression, []).append(entry)
    return found


def test_any_expression_replaced_by_x_is_noticed():
    assert len(by_expression()) > 70
    assert [text for text, (entry, *_) in by_expression().items() if not lies(replace(entry, expression="x"))] == []


def test_another_operator_in_an_expression_is_noticed():
    other = {"*": "+", "/": "*", "+": "-", "-": "+"}
    unnoticed = []
    for text, every in by_expression().items():
        # a second part that AWS sells is 0 at central values in every plan, and hides what it is multiplied with
        entries = [entry for entry in every if not any(part.name == "sold" and not part.value for part in entry.inputs)]
        for match in re.finditer(r" ([*/+-]) ", text):
            changed = text[: match.start(1)] + other[match[1]] + text[match.end(1) :]
            if entries and not any(lies(replace(entry, expression=changed)) for entry in entries):
                unnoticed.append(changed)
    assert unnoticed == []


@pytest.mark.parametrize("name", NAMES)
def test_every_input_is_used(name):
    for entry in derivations(name):
        if entry.expression and "inputs" not in entry.expression and entry.id != "goodput.hazard_per_node_hour":
            words = set(re.findall(r"[A-Za-z_]\w*", entry.expression))
            assert {part.name for part in entry.inputs} <= words, entry.id


class TestStatistics:
    """Percentiles and shares are statistics of the simulated outcomes, evaluated on the same draws."""

    @pytest.mark.parametrize(
        ("purchase", "confidence", "least"),
        [
            ("spot", 0.9, {"days.p90", "cost_usd.plan_percentile", "on_time_fraction", "in_budget_fraction"}),
            ("spot-fallback", 0.9, {"days.p90", "fallback_fraction", "on_time_fraction"}),
            ("capacity-block", 0.9, {"days.p90", "finish_fraction", "unfinished_fraction", "on_time_fraction"}),
            ("capacity-block", 0.999, {"mean_cost_usd", "usd_per_useful_gpu_hour.p50"}),
        ],
    )
    def test_percentiles_and_shares_of_one_scenario(self, purchase, confidence, least):
        """Draws that never finish, or that outlast their Capacity Block, have infinite days and cost."""
        plan = plan_of(
            run={"deadline": "9d"},
            constraints={"max_cost_usd": 7000},
            decision={"confidence": confidence},
            purchase={"options": [purchase], "capacity_block": {"tail": "none"}},
            storage={"layouts": ["s3-stream"]},
            assumptions={"goodput.failures_per_1000_node_days": {"value": 40, "low": 20, "high": 90}},
        )
        request = Request(plan=plan, plan_sha256="0" * 64, book=book_of(), draws=200, seed=0)
        (scenario,) = compare(request).scenarios
        assert (scenario.limit_days, scenario.budget_usd) == (9, 7000)
        numbers = drawn(request_of_one(request, scenario), scenario)

        def each(id: str) -> np.ndarray:
            return np.broadcast_to(np.asarray(numbers[id], dtype=float), (200,))

        hours, available = each("run.hours"), each("goodput.availability_fraction")
        usable = each("fleet.block_usable_hours") if purchase == "capacity-block" else np.inf
        ends = (available > AVAILABILITY_FLOOR) & (hours <= usable)
        assert scenario.cost_usd is not None
        scope = {
            **{name: np.where(ends, each(name), np.inf) for name in ("days", "cost_usd", "usd_per_useful_gpu_hour")},
            "availability_fraction": available,
            "hours": hours,
            "spot_hours": each("run.spot_hours") if purchase == "spot-fallback" else hours,
            "usable": usable,
            "limit_days": 9,
            "budget": 7000,
            "planned": scenario.cost_usd.plan * (1 + 1e-12),
            "quantile": np.quantile,
            "mean": np.mean,
            "share_within": share_within,
        }
        statistics = [entry for entry in scenario.derived if entry.of_draws and "lowest" not in entry.expression]
        assert {entry.id for entry in statistics} >= least
        for entry in statistics:
            found = eval(entry.expression, {"__builtins__": {}}, scope)
            assert found == pytest.approx(entry.value, rel=1e-9), entry.id
