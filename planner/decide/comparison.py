"""A comparison: every scenario of a plan, ranked, with the prices and assumptions behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from planner.answer.compared import Compared
from planner.answer.ranges import Range
from planner.decide.narrow import Searched
from planner.estimate.result import Scenario


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A change of the plan with which a scenario costs clearly less than the recommended one, and may be recommended.

    kind: "spares", "count" (a node count that fits a Capacity Block better) or "block" (a longer one). setting:
    `path=value`, as in `--set`. scenario: after the change; instead_of: the same choice as planned.
    """

    kind: str
    setting: str
    scenario: Scenario
    instead_of: Scenario


@dataclass(frozen=True, kw_only=True)
class Step:
    """A phase that speeds up later ones. number: in the plan, from 1.

    done, left_out: one scenario with the phase and without it; free: as if the phase had been done before.
    """

    number: int
    name: str
    speedup: float
    done: Scenario
    left_out: Scenario
    free: Scenario


@dataclass(frozen=True, kw_only=True)
class Electricity:
    """Of the GPU nodes of one scenario: kWh with the building's overhead, and kg of CO2."""

    scenario: Scenario
    kwh: Range
    kg_co2: Range


@dataclass(frozen=True, kw_only=True)
class Comparison(Compared[Scenario]):
    """Every scenario of a training plan.

    searched: the node counts that were priced, where only some are among the scenarios. proposals: changes worth acting
    on, if the caller asked for them; likewise steps: phases that speed up later ones, and the electricity of the
    recommended scenario.
    """

    plan: Mapping[str, object]
    searched: Searched | None = None
    proposals: tuple[Proposal, ...] = ()
    steps: tuple[Step, ...] = ()
    electricity: Electricity | None = None
