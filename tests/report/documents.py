"""JSON documents for tests of what holds for all of them: every example, and what examples do not have."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from planner.estimate.request import Request
from planner.report.data.comparison_json import render
from tests.builders import book_of, compared, plan_of
from tests.examples import TRAINING
from tests.report.scenes import HOSTILE, late, named
from tools.model_uses import PLANS, asked

STABILITY = "stability-converged"
EXAMPLES = TRAINING


@cache
def documents() -> tuple[dict[str, Any], ...]:
    """Every plan of tools/model_uses.py, plus lower bounds, a deadline, nothing feasible and hostile names."""
    from planner.decide.compare import compare
    from planner.decide.energy import with_energy
    from planner.decide.proposals import with_proposals
    from planner.decide.steps import with_steps

    spares = asked(STABILITY, ("purchase.options=[on-demand]", "fleet.spares=0"), draws=40).request()
    plans = [compare(asked(example, tuple(overrides), draws=40).request()) for example, *overrides in PLANS]
    phases = [{"name": "prepare", "gpu_hours": 500, "speedup": 1.4}, {"name": "train", "gpu_hours": 4000}]
    phased = Request(plan=plan_of(run={"work": None, "phases": phases}), plan_sha256="0" * 64, book=book_of(), draws=40)
    others = [
        with_energy(phased, with_steps(phased, compare(phased))),
        compared(plan_of(region="eu-west-1"), draws=40),
        compared(plan_of(run={"deadline": "20d"}), draws=40),
        compared(plan_of(constraints={"max_cost_usd": 1.0})),
        late(),
        compared(plan_of(start=None, fleet={"nodes": 300})),
        *(named(name) for name in HOSTILE.values()),
        with_proposals(spares, compare(spares)),
        compared(plan_of(fleet={"nodes": "3..20"}, storage={"layouts": ["s3-stream"]}), draws=40),
        # two futures
        compared(plan_of(purchase={"options": ["spot-fallback"]}, storage={"layouts": ["s3-stream"]}), draws=400),
    ]
    texts = [render(comparison) for comparison in [*plans, *others]]
    own = compared(plan_of())
    texts.append(render(own, replace(own, scenarios=own.scenarios[1:])))  # the list lacks a price of the first
    return tuple(map(json.loads, texts))


def paths(value: object, at: str = "") -> Iterator[str]:
    """Every key of a document as a word's path; an equation's inputs by name are names of its own."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield f"{at}{key}"
            if key != "inputs" or not isinstance(below, dict):
                yield from paths(below, f"{at}{key}.")
    elif isinstance(value, list):
        for entry in value:
            yield from paths(entry, f"{at.removesuffix('.')}[].")
