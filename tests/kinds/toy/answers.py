"""Each type for as long as it takes: the hours, and up to a fifth more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from planner.answer.compared import Compared, Prices
from planner.answer.eligible import judged, with_fractions
from planner.answer.measure import order
from planner.answer.ranges import range_of
from planner.answer.recommend import answer_of
from planner.answer.row import Outcomes, Row
from planner.api.arguments import named as named
from planner.models.bill import PlannedLine
from planner.report.data.compared_json import bill_line, head_document, row_document, tail_document
from pricing.offers import PurchaseOption


@dataclass(frozen=True, kw_only=True)
class Toy(Row):
    instance_type: str


def draws_for(ask):
    return 100 if ask.draws is None else ask.draws


def ids(ask):
    return [f"workers/{name}/on-demand" for name in ask.loaded.plan.types]


def compared(ask, watch, *, derivations=True) -> Any:
    plan, book, count = ask.loaded.plan, ask.book, draws_for(ask)
    hours = plan.run.hours * (1 + 0.2 * np.random.default_rng(ask.seed).random(count or 1))
    rows, outcomes = [], {}
    for name in plan.types:
        price = book.on_demand(name, plan.region)
        line = PlannedLine(
            line="fleet.compute", service="AmazonEC2", quantity=plan.run.hours * 1.1, unit="Hrs",
            list_unit_price=float(price.usd), effective_unit_price=float(price.usd), usd_per_hour=float(price.usd),
            equation="T1", inputs=(), price_source=price.source, price_date=price.observed, price_grade=price.grade,
            basis="observed",
        )  # fmt: skip
        row = Toy(
            id=f"workers/{name}/on-demand", instance_type=name, feasible=True, why_not=(), complete=True, bill=(line,),
            option=PurchaseOption.parse("on-demand"), cost_usd=range_of(line.effective_cost, hours * price.usd, count),
            days=range_of(plan.run.hours * 1.1 / 24, hours / 24, count),
        )  # fmt: skip
        outcomes[row.id] = Outcomes(cost_usd=hours * price.usd, effort_usd=np.zeros(len(hours)), days=hours / 24)
        how = {"confidence": 0.9, "limit_days": np.inf, "limit_is_assumed": False, "budget_usd": None}
        rows.append(judged(row, outcomes[row.id], **how))
    answer = answer_of(plan.decision, rows, outcomes)
    rows = with_fractions(sorted(rows, key=lambda s: order(s, "p50", answer.recommended)), outcomes, answer.recommended)
    return Compared(
        plan_name=plan.name, plan_sha256=ask.loaded.sha256, region=plan.region, seed=ask.seed, draws=count,
        prices=Prices.of(book, None),
        scenarios=tuple(rows), answer=answer, assumptions=(), notes=(), stale=(),
    )  # fmt: skip


priced = compared


def document(found):
    rows = [
        {
            "id": row.id, "feasible": True, "complete": True, "eligible": row.eligible, "why_not": [], "unpriced": [],
            "cost_usd": vars(row.cost_usd), "days": vars(row.days), "bill": [bill_line(line) for line in row.bill],
            **row_document(row),
        }
        for row in found.scenarios
    ]  # fmt: skip
    answer = {"recommended": found.answer.recommended, "reason": "It is the cheapest.", "tied": [], "alternatives": []}
    return {**head_document(found), "draws": found.draws, "answer": answer, "scenarios": rows, **tail_document(found)}


def settings(found, ask):
    return ask.loaded.plan.canonical()
