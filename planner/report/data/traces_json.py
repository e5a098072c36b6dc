"""What recordings of spot capacity say, as a JSON document."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from planner.report.data.compared_json import SCHEMA_VERSION
from planner.report.data.encoding import json_text
from planner.report.data.provenance import made_by
from planner.spot.generator import SpellFit
from planner.spot.shown import Recordings, Shown


def document(found: Recordings) -> dict[str, Any]:
    """The whole result as plain data; null where a recording has nothing to measure."""
    zones = found.zones
    return {
        "schema_version": SCHEMA_VERSION,
        "planner": made_by(),
        "traces": [_trace(one) for one in found.shown],
        "any_of_zones": None
        if zones is None
        else {"gap_seconds": zones.gap_seconds, "days": zones.days, "fraction_by_zones": list(zones.fractions)},
    }


def _trace(one: Shown) -> dict[str, Any]:
    market = one.market
    return {
        "name": market.trace.name,
        "gang_nodes": market.gang,
        "gap_seconds": market.trace.gap_seconds,
        "ticks": market.trace.ticks,
        "days": market.trace.days,
        "available_fraction": market.available_fraction,
        "all_or_none_fraction": market.all_or_none_fraction,
        "node_fraction": market.node_fraction,
        "interruptions": market.interruptions,
        "mtbf_hours": market.interruption_free_hours,
        "wait_hours": market.wait_hours,
        "first_wait_hours": market.first_wait_hours,
        "losses": market.losses,
        "losses_per_node_day": market.losses_per_node_day,
        "interruptions_per_hour": {"first_hour": market.hazard_first_hour, "later": market.hazard_later},
        "usd_per_hour": market.usd_per_hour,
        "up_spells": asdict(market.up),
        "down_spells": asdict(market.down),
        "generator": _generator(one),
    }


def _generator(one: Shown) -> dict[str, Any] | None:
    found = one.generator
    if found is None:
        return None
    return {
        "fits": found.fits,
        "up": _law(found.up, one.market.trace.tick_hours),
        "down": _law(found.down, one.market.trace.tick_hours),
        "correlation": found.correlation,
        "correlation_limit": found.correlation_limit,
    }


def _law(fit: SpellFit, tick_hours: float) -> dict[str, Any]:
    return {
        "law": fit.name.lower(),
        "shape": fit.law.shape,
        "scale_hours": fit.law.scale_ticks * tick_hours,
        "spells": fit.spells,
        "aic": fit.aic,
        "ks_distance": fit.ks_distance,
        "ks_limit": fit.ks_limit,
    }


def render(found: Recordings) -> str:
    return json_text(document(found))
