"""Where the money of a scenario goes: its bill in a handful of parts that a reader knows by name."""

from __future__ import annotations

from dataclasses import dataclass

from planner.estimate.result import Scenario
from planner.report.wording import figures

# line, or the beginning of one -> part; the first that fits
_PARTS = (
    ("fleet.compute", "GPU nodes"),
    ("fleet.block-unused", "rest of the block"),
    ("fleet.commitment-unused", "rest of the commitment"),
    ("people.staff", "salaries"),
    ("people.experiments", "experiments"),
    ("people.preprocessing", "preprocessing"),
    ("storage.", "storage"),
    ("pool.", "storage"),
    ("", "network, volumes, alarms"),
)


@dataclass(frozen=True, kw_only=True)
class Part:
    """One part of a planned cost. share: of the planned cost, 0 where that is nothing."""

    name: str
    usd: float
    share: float


def part_of(line: str) -> str:
    """The part that a line of a bill belongs to."""
    return next(name for start, name in _PARTS if line.startswith(start))


def parts_of(scenario: Scenario) -> tuple[Part, ...]:
    """The parts of a bill, the largest first; together they are the planned cost."""
    found: dict[str, float] = {}
    for line in scenario.bill:
        name = part_of(line.line)
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
    stored = [line for line in scenario.bill if line.line.startswith("storage.s3.") and line.unit == "GB-Mo"]
    return sum(line.effective_cost for line in stored) / hours if stored and hours else None


def _short(share: float) -> str:
    return "<1%" if 0 < share < 0.005 else figures.percent(share)
