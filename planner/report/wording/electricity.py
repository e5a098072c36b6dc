"""Electricity and CO2 of the GPU nodes, in words."""

from __future__ import annotations

from planner.answer.ranges import Range
from planner.decide.comparison import Comparison
from planner.decide.leaders import rank_of
from planner.report.wording.figures import plain


def sentences(comparison: Comparison) -> list[str]:
    """One sentence; none where the power of the servers is not known."""
    found = comparison.electricity
    if found is None:
        return []
    rank = rank_of(comparison, found.scenario)
    return [
        f"The GPU nodes of #{rank} use {kwh(found.kwh)} of electricity, which AWS pays; at the mean of the US that is "
        f"{tonnes(found.kg_co2)} of CO2. To compare with owned machines: planner owned."
    ]


def kwh(value: Range) -> str:
    """`640 MWh (511-810)`."""
    return f"{plain(value.plan / 1000, 3)} MWh ({plain(value.p10 / 1000, 3)}-{plain(value.p90 / 1000, 3)})"


def tonnes(value: Range) -> str:
    """`249 t (85-414)`."""
    return f"{plain(value.plan / 1000, 2)} t ({plain(value.p10 / 1000, 2)}-{plain(value.p90 / 1000, 2)})"
