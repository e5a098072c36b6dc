"""Which numbers of a scenario are only lower bounds because a line of its bill has no price."""

from __future__ import annotations

from planner.estimate.result import Scenario
from planner.models.bill_lines import SPOT_INTERRUPTIONS

_TOTALS = ("cost_usd", "usd_per_useful_gpu_hour")
_TIMES = ("days", "run.hours", "run.training_hours", "fleet.node_hours")


def bounded(scenario: Scenario, id: str) -> bool:
    """Whether a number of the scenario lacks an unknown part: a total, its percentiles, cash and, if the spot
    interruption rate is unknown, the time."""
    if not scenario.unpriced:
        return False
    if id.startswith("cash."):
        index = id.split(".")[1]
        return index.isdigit() and int(index) < len(scenario.cash) and scenario.cash[int(index)].at_least
    timed = _TIMES if any(entry.line == SPOT_INTERRUPTIONS for entry in scenario.unpriced) else ()
    return any(id == known or id.startswith(f"{known}.") for known in (*_TOTALS, *timed))


def reason(scenario: Scenario) -> str:
    """The missing prices: `no price for fleet.compute: p4d.24xlarge ...; fleet.ebs: ...`; "" if none is missing."""
    missing = "; ".join(f"{entry.line}: {entry.what}" for entry in scenario.unpriced)
    return f"no price for {missing}" if missing else ""
