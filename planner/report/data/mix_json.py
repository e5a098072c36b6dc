"""The result of `mix` as a JSON document."""

from __future__ import annotations

from typing import Any

import numpy as np

from planner.mix.advice import Purchase
from planner.mix.answer import Mix
from planner.mix.model import Array, Kind
from planner.report.data.compared_json import SCHEMA_VERSION
from planner.report.data.encoding import json_text
from planner.report.data.provenance import made_by
from planner.report.wording.mix import due_now, is_owned, not_known, owed_later
from pricing.book import PriceBook


def render(found: Mix, book: PriceBook) -> str:
    return json_text(document(found, book))


def document(found: Mix, book: PriceBook) -> dict[str, Any]:
    """The whole result as plain data."""
    asked, demand, advice, past = found.asked, found.demand, found.advice, found.past
    return {
        "schema_version": SCHEMA_VERSION,
        "planner": made_by(),
        "demand": {"first": demand.first.isoformat(), "hours": demand.hours, "types": list(demand.firm)},
        "prices": {"as_of": book.as_of.isoformat(), "sha256": book.sha256},
        "asked": {
            "region": asked.region,
            "years": asked.years,
            "upfront": asked.upfront,
            "change": {"low": asked.low, "high": asked.high},
            "rank_by": asked.rank_by,
            "owned": list(asked.owned),
            "blocks": asked.blocks,
            "draws": asked.draws,
            "seed": asked.seed,
        },
        "buy_now": [_purchase(one) for one in advice.purchases if one.month == 0 and not is_owned(one)],
        "decide_later": [{"month": one.month, **_purchase(one)} for one in advice.purchases if one.month],
        "cost_usd": _range(advice.costs),
        "on_demand_usd": _range(advice.on_demand),
        "saving_usd": _range(advice.on_demand - advice.costs),
        "due_at_purchase_usd": due_now(found),
        "owed_after_the_year_usd": owed_later(found),
        "baselines": {name: _range(costs) for name, costs in advice.others.items()},
        "best_for_the_mean_demand": _range(advice.mean_optimum),
        "bound_for_the_mean_demand": {"usd": advice.lower, "gap": advice.gap},
        "past": {
            "hours": past.hours,
            "best_usd": past.cost,
            "bound_usd": past.lower,
            "over_bound": past.cost / past.lower - 1 if past.lower else None,
            "baselines_usd": past.others,
        },
        "not_priced": list(found.prices.unknown),
        "derived_prices": found.prices.derived,
        "not_known": not_known(found),
    }


def _purchase(one: Purchase) -> dict[str, Any]:
    """An amount is instances, or USD an hour of a plan."""
    return {
        "offer": one.offer.name,
        "unit": "instances" if one.offer.kind is Kind.RESERVED else "usd_per_hour",
        "amount": one.amount,
        "months": one.months,
        "usd": one.usd,
        "used_fraction": one.used,
    }


def _range(costs: Array) -> dict[str, float]:
    low, middle, high = (float(value) for value in np.quantile(costs, [0.1, 0.5, 0.9]))
    return {"p10": low, "p50": middle, "p90": high}
