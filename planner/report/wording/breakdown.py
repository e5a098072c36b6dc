"""Where the money of a scenario goes: its bill in a handful of parts that a reader knows by name."""

from __future__ import annotations

from dataclasses import dataclass

from planner.estimate.result import Scenario
from planner.models.bill_lines import bill_line
from planner.report.wording import figures


@dataclass(frozen=True, kw_only=True)
class Part:
    """One part of a planned cost. share: of the planned cost, 0 where that is nothing."""

    name: str
    usd: float
    share: float


def parts_of(scenario: Scenario) -> tuple[Part, ...]:
    """The parts of a bill, the largest first; together they are the planned cost."""
    found: dict[str, float] = {}
    for line in scenario.bill:
        name = bill_line(line.line).part
        found[name] = found.get(name, 0.0) + line.effective_cost
    total = sum(found.values())
    parts = [Part(name=name, usd=usd, share=usd / total if total else 0.0) for name, usd in found.items()]
    return tuple(sorted(parts, key=lambda part: (-part.usd, part.name)))


def sentence(scenario: Scenario) -> str:
    """`GPU nodes 96%, storage 4%, network, volumes, alarms <1%`."""
    said = [f"{part.name} {_short(part.share)}" for part in parts_of(scenario)]
    return ", ".join(said)


def stored_usd_per_hour(scenario: Scenario) -> float | None:
    """What S3 bills by use for the stored bytes of the planned size, as dollars an hour of the time that they are kept;
    None where it is not known. No hourly figure of a stack holds it, since nobody is billed for an empty bucket."""
    found = next((entry.value for entry in scenario.derived if entry.id == "storage.s3.hours"), 0.0)
    hours = found if isinstance(found, float) else 0.0
    stored = [line for line in scenario.bill if bill_line(line.line).outlives_run and line.unit == "GB-Mo"]
    return sum(line.effective_cost for line in stored) / hours if stored and hours else None


def _short(share: float) -> str:
    return "<1%" if 0 < share < 0.005 else figures.percent(share)
