"""The breakdown of a scenario's cost: its bill in a handful of parts that a reader knows by name."""

from __future__ import annotations

from dataclasses import dataclass

from planner.estimate.result import Scenario
from planner.models.bill_lines import bill_line
from planner.report.wording import rounding

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
    """`GPU nodes 96%, storage 4%, the rest <1%`; a small part by its name where it is the only one."""
    found = [part for part in parts_of(scenario) if part.share]
    large, small = ([part for part in found if (part.share >= SMALL) is one] for one in (True, False))
    rest = [(small[0].name if len(small) == 1 else "the rest", sum(part.share for part in small))] if small else []
    named = [*((part.name, part.share) for part in large), *rest]
    said = rounding.percents([share for _, share in named])
    return ", ".join(f"{name} {share}" for (name, _), share in zip(named, said, strict=True))
