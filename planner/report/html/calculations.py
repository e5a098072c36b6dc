"""What the page shows of the scenarios that the answer names, so that a reader can do their numbers again: the command
behind each, and every input with where it came from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Set
from dataclasses import dataclass

from planner.decide.comparison import Comparison
from planner.decide.spreads import Spread
from planner.estimate.derivations import known_of
from planner.estimate.result import Scenario
from planner.models.derived import Derived, Input
from planner.models.equation import numbered
from planner.models.line_numbers import derived_of_line
from planner.report.wording.break_evens import compared, end_of
from planner.report.wording.origins import Grounds, amount, command, describe, grounds_of, how


@dataclass(frozen=True, kw_only=True)
class Source:
    """One input. link: the id on the page of the number behind it, "" where there is none."""

    name: str
    value: str
    where: str
    link: str


@dataclass(frozen=True, kw_only=True)
class Hand:
    """A number and how to do it again. gives: what of it the command gives. anchor: its id on the page. reach: how far
    it goes in the draws and at the ends of what moves it most, "" where that is not known."""

    id: str
    anchor: str
    value: str
    equation: str
    name: str
    how: str
    command: str
    gives: str
    reach: str
    sources: tuple[Source, ...]


def lines_of(comparison: Comparison, scenario: Scenario, rank: int, spreads: Mapping[str, Spread]) -> tuple[Hand, ...]:
    """Every line of a bill with the inputs of its equation."""
    grounds = grounds_of(comparison, scenario, known_of(scenario))
    found = []
    for line in scenario.bill:
        cost, quantity, *_ = derived_of_line(line)
        worked = cost if cost.equation else quantity
        gives = "its cost" if worked is cost else "its quantity"
        found.append(_hand(line.line, worked, gives, rank, _shown(scenario), grounds, spreads))
    return tuple(found)


def numbers_of(
    comparison: Comparison, scenario: Scenario, rank: int, spreads: Mapping[str, Spread]
) -> tuple[Hand, ...]:
    """Every other number of a scenario, with its inputs."""
    grounds = grounds_of(comparison, scenario, known_of(scenario))
    shown = _shown(scenario)
    return tuple(_hand(entry.id, entry, "it", rank, shown, grounds, spreads) for entry in scenario.derived)


def _shown(scenario: Scenario) -> set[str]:
    """The numbers that have a place of their own on the page."""
    return {entry.id for entry in scenario.derived} | {line.line for line in scenario.bill}


def anchor(rank: int, id: str) -> str:
    """The id on the page of a number of a scenario."""
    return f"n{rank}-{id}"


def _hand(
    id: str,
    derived: Derived,
    gives: str,
    rank: int,
    shown: Set[str],
    grounds: Grounds,
    spreads: Mapping[str, Spread],
) -> Hand:
    return Hand(
        id=id,
        anchor=anchor(rank, id),
        value=amount(derived.value, derived.unit),
        equation=derived.equation,
        name=numbered(derived.equation).name if derived.equation else "",
        how=how(derived),
        command=command(derived),
        gives=gives,
        reach=_reach(spreads.get(derived.id)),
        sources=tuple(_source(part, rank, shown, grounds) for part in derived.inputs),
    )


def _reach(spread: Spread | None) -> str:
    """`P10 3,935, P90 10,526; spot price $5.21/h: 3,936, $14.09/h: 10,527`."""
    said = []
    draws, widest = (spread.draws, spread.widest) if spread else (None, None)
    if draws is not None and not math.isclose(draws.p10, draws.p90, rel_tol=1e-9):
        said.append(f"P10 {compared(draws.p10)}, P90 {compared(draws.p90)}")
    if widest is not None:
        at = (widest.at_low, widest.at_high)
        low, high = ("there is none" if value is None else compared(value) for value in at)
        parameter = widest.parameter
        said.append(f"{parameter.key} at {end_of(parameter, 0)}: {low}, at {end_of(parameter, 1)}: {high}")
    return "; ".join(said)


def _source(part: Input, rank: int, shown: Set[str], grounds: Grounds) -> Source:
    return Source(
        name=part.name,
        value=amount(part.value, part.unit),
        where=describe(part, grounds),
        link=anchor(rank, part.where) if part.kind == "run" and part.where in shown else "",
    )
