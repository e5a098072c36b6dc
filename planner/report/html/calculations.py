"""How the numbers of the answer's scenarios are calculated: the command behind each, and its inputs with their
origins."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from markupsafe import Markup

from planner.decide.comparison import Comparison
from planner.decide.spreads import Spread
from planner.estimate.derivations import known_of
from planner.estimate.result import Scenario
from planner.models.derived import Derived, Input
from planner.models.line_numbers import derived_of_line
from planner.report.html.inline import breakable
from planner.report.wording import origins
from planner.report.wording.explanation import reach
from planner.report.wording.figures import visible
from planner.report.wording.origins import OriginIndex, amount, command, describe, how, origin_index


@dataclass(frozen=True, kw_only=True)
class Source:
    """One input. where: its origin. link: the anchor of the number or the assumption behind it, "" for none."""

    name: str
    value: str
    where: str
    link: str


@dataclass(frozen=True, kw_only=True)
class Calculation:
    """A number and how to calculate it. gives: what the equation gives. id: its anchor on the page. reach: its range in
    the draws and at the ends of the assumption that affects it most, "" where that is not known."""

    id: str
    name: Markup
    value: str
    equation: str
    how: str
    gives: str
    command: str
    reach: str
    sources: tuple[Source, ...]


def lines_of(
    comparison: Comparison, scenario: Scenario, rank: int, spreads: Mapping[str, Spread]
) -> tuple[Calculation, ...]:
    """Every line of a bill, with the inputs of its equation."""
    index = origin_index(comparison, scenario, known_of(scenario))
    found = []
    for line in scenario.bill:
        cost, quantity, *_ = derived_of_line(line)
        worked = cost if cost.equation else quantity
        gives = origins.GIVES_COST if worked is cost else origins.GIVES_QUANTITY
        found.append(_calculation(line.line, worked, gives, rank, _shown(scenario), index, spreads))
    return tuple(found)


def numbers_of(
    comparison: Comparison, scenario: Scenario, rank: int, spreads: Mapping[str, Spread]
) -> tuple[Calculation, ...]:
    """Every other number of a scenario, with its inputs."""
    index = origin_index(comparison, scenario, known_of(scenario))
    shown = _shown(scenario)
    gives = origins.GIVES_NUMBER
    return tuple(_calculation(entry.id, entry, gives, rank, shown, index, spreads) for entry in scenario.derived)


def _shown(scenario: Scenario) -> set[str]:
    """The numbers that have a place of their own on the page."""
    return {entry.id for entry in scenario.derived} | {line.line for line in scenario.bill}


def anchor(rank: int, id: str) -> str:
    """The id of a number of a scenario on the page."""
    return f"n{rank}-{id}"


def _calculation(
    id: str,
    derived: Derived,
    gives: str,
    rank: int,
    shown: Set[str],
    index: OriginIndex,
    spreads: Mapping[str, Spread],
) -> Calculation:
    sources = tuple(_source(part, rank, shown, index) for part in derived.inputs)
    explained = visible(how(derived))
    if derived.source is not None and len(sources) == 1 and not sources[0].link:
        # the number is its one input: where that comes from says it all
        explained, sources = sources[0].where, ()
    return Calculation(
        id=anchor(rank, id),
        name=breakable(id),
        value=visible(amount(derived.value, derived.unit)),
        equation=derived.equation,
        how=explained,
        gives=gives,
        command=visible(command(derived)),
        reach=reach(spreads.get(derived.id)),
        sources=sources,
    )


def _source(part: Input, rank: int, shown: Set[str], index: OriginIndex) -> Source:
    return Source(
        name=part.name,
        value=visible(amount(part.value, part.unit)),
        where=describe(part, index, sourced=False),
        link=_link(part, rank, shown, index),
    )


def _link(part: Input, rank: int, shown: Set[str], index: OriginIndex) -> str:
    if part.kind == "assumption" and part.where in index.assumptions:
        return f"a-{part.where}"
    return anchor(rank, part.where) if part.kind == "run" and part.where in shown else ""
