"""What `explain` tells of a fleet: its choices, the numbers of one, one number and what it is made of."""

from __future__ import annotations

import math
from collections.abc import Callable

from planner.api.arguments import named
from planner.errors import UsageProblem
from planner.fleet.result import FleetComparison, FleetScenario
from planner.kinds.asking import Ask, Look, Watch
from planner.kinds.fleet.answers import compared
from planner.plan.wording import did_you_mean
from planner.report.data.encoding import json_text
from planner.report.wording import figures
from planner.report.wording import fleet as words
from planner.report.wording.wrapping import wrap

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
    return [f"{words.size(w)}: {w.jobs:,.0f} jobs wait {w.mean_hours:.3g} h, 1 in 10 over {w.p90_hours:.3g} h" for w in one.waits]


def numbers_of(one: FleetScenario) -> dict[str, Told]:
    """id -> (value, unit and meaning, what it is made of)."""
    return {
        "cost_usd": (one.cost_usd and one.cost_usd.plan, "USD, mean over the outcomes: the sum of the bill", _bill),
        "wait_hours": (
            one.wait_hours and one.wait_hours.plan,
            "h a job waits, mean over the outcomes of the mean over jobs, after requeues too",
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


def ids(ask: Ask, scenario: str) -> list[str]:
    """The ids of a choice's numbers."""
    return list(numbers_of(FleetScenario(id="", feasible=False, why_not=(), complete=False, option=None, nodes=(), way="")))


def told(
    ask: Ask, scenario: str | None, number: str | None, style: str, look: Look, watch: Watch
) -> tuple[str, FleetComparison]:
    """(text, the comparison). Without a number the numbers are listed, without a choice the choices. Raises
    UsageProblem."""
    found = compared(ask, watch)
    if scenario is None:
        every = [one.id for one in found.scenarios]
        return (json_text({"scenarios": every}) if style == "json" else "\n".join(every) + "\n"), found
    one = named(found, scenario)
    known = numbers_of(one)
    if number is not None and number not in known:
        near = did_you_mean(number, list(known)) or f"there are {', '.join(known)}"
        raise UsageProblem(f"no number {number!r}: {near}")
    shown = {name: of for name, of in known.items() if number in (None, name)}
    if style == "json":
        numbers = [
            {"id": name, "value": value, "what": what, "of": parts(one)} for name, (value, what, parts) in shown.items()
        ]
        return json_text({"scenario": one.id, "numbers": numbers}), found
    lines = [one.id]
    for name, (value, what, parts) in shown.items():
        lines.append(f"{name} = {'unknown' if value is None else figures.plain(value)} {what}")
        lines += [f"  {text}" for text in parts(one)] if number else []
    return "\n".join(part for text in lines for part in wrap(text, max(look.width, 32), "  ")) + "\n", found
