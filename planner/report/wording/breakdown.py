"""The breakdown of a scenario's cost: its bill in a handful of parts that a reader knows by name."""

from __future__ import annotations

from dataclasses import dataclass

from planner.estimate.result import Scenario
from planner.models.bill_lines import bill_line
from planner.report.wording import rounding

TITLE = "Planned cost"
SMALL = 0.005


@dataclass(frozen=True, kw_only=True)
class Part:
    """One part of a planned cost. share: of the planned cost, 0 where that is nothing."""

    name: str
    usd: float
    share: float


def parts_of(scenario: Scenario) -> tuple[Part, ...]:
    """The parts of a bill, the largest first; together they are the planned cost. Raises UnknownBillLine."""
    found: dict[str, float] = {}
    for line in scenario.bill:
        name = bill_line(line.line).part
        found[name] = found.get(name, 0.0) + line.effective_cost
    total = sum(found.values())
    parts = [Part(name=name, usd=usd, share=usd / total if total else 0.0) for name, usd in found.items()]
    return tuple(sorted(parts, key=lambda part: (-part.usd, part.name)))


def sentence(scenario: Scenario) -> str:
    """`GPU nodes 96%, storage 4%`; small parts together, where they print as 1% or more. The bill has them all."""
    found = [part for part in parts_of(scenario) if part.share]
    large = [(part.name, part.share) for part in found if part.share >= SMALL]
    rest = sum(part.share for part in found if part.share < SMALL)
    named = [*large, *([("the rest", rest)] if rest >= SMALL or (rest and len(large) == 1) else [])]
    said = rounding.percents([share for _, share in named])
    return ", ".join(f"{name} {share}" for (name, _), share in zip(named, said, strict=True))
