"""The numbers of a fleet's choice, each with what it is made of."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from planner.errors import UsageProblem
from planner.fleet.result import FleetScenario
from planner.plan.wording import did_you_mean
from planner.report.wording import figures
from planner.report.wording import fleet as words

Told = tuple[float | None, str, Callable[[FleetScenario], list[str]]]


def _none(_: FleetScenario) -> list[str]:
    return []


def _bill(one: FleetScenario) -> list[str]:
    return [
        f"{line.line}: {figures.quantity(line.quantity)} {line.unit} x ${figures.plain(line.effective_unit_price)} = "
        f"${line.effective_cost:,.2f} ({line.price_source}, {line.price_date})"
        for line in one.bill
    ]


def _waits(one: FleetScenario) -> list[str]:
    return [
        f"{words.size(w)}: {w.jobs:,.0f} jobs wait {w.mean_hours:.3g} h, 1 in 10 over {w.p90_hours:.3g} h"
        for w in one.waits
    ]


def numbers_of(one: FleetScenario) -> dict[str, Told]:
    """id -> (value, unit and meaning, what it is made of)."""
    return {
        "cost_usd": (one.cost_usd and one.cost_usd.plan, "USD, mean over the outcomes: the sum of the bill", _bill),
        "wait_hours": (
            one.wait_hours and one.wait_hours.plan,
            "h a job waits, mean over the jobs of all outcomes, after requeues too",
            _waits,
        ),
        "waiting_usd": (one.effort_usd, "USD: GPU-hours of waiting x waiting.usd_per_gpu_hour; on no bill", _none),
        "useful_gpu_hours": (
            one.useful_gpu_hours,
            "GPU-hours of work on the type of speed 1, in jobs that ended, less the share that is cancelled or fails",
            lambda s: [f"{p.project}: {p.useful_gpu_hours:,.0f}" for p in s.show_back],
        ),
        "usd_per_useful_gpu_hour": (
            one.usd_per_useful and one.usd_per_useful.plan,
            "USD: cost_usd / useful_gpu_hours",
            _none,
        ),
        "unused_commitment_usd": (one.unused_usd, "USD of commitments in hours that nothing used", _none),
        "after_horizon_usd": (one.after_usd, "USD of terms that go on after the plan's last month", _none),
        "show_back_usd": (
            math.fsum(p.usd for p in one.show_back),
            "USD: each project's part; nodes by node-hours at On-Demand prices, storage by bytes",
            lambda s: [f"{p.project}: ${p.usd:,.2f}" for p in s.show_back],
        ),
    }


def number_of(one: FleetScenario, number: str) -> Told:
    """One number. Raises UsageProblem where there is none of that id."""
    known: Mapping[str, Told] = numbers_of(one)
    if number not in known:
        near = did_you_mean(number, list(known)) or f"there are {', '.join(known)}"
        raise UsageProblem(f"no number {number!r}: {near}")
    return known[number]
