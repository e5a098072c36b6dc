"""What the page says of what would change the answer: ready texts, the picture, and the grid behind the what-if."""

from __future__ import annotations

import json
from dataclasses import dataclass

from planner.decide.break_evens import BreakEven
from planner.decide.comparison import Comparison
from planner.decide.sensitivity import Swing
from planner.decide.study import Study
from planner.decide.what_if import WhatIf
from planner.report.data.comparison_json import usd
from planner.report.pictures import tornado
from planner.report.terminal.sensitivity_text import likeliest
from planner.report.wording import figures, recommendation
from planner.report.wording.break_evens import (
    lead,
    name,
    setting,
    short_id,
    takes_over,
    unmoved,
    untried,
    value,
    with_break_evens,
)

IN_THE_ANSWER = 4  # changes named beside the answer; the section has them all
RANKED = 12  # places of each combination that the what-if can show


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A row behind the picture."""

    key: str
    linked: bool
    low: str
    planned: str
    high: str
    usd_at_low: str
    usd_at_high: str
    leads_at_low: str
    leads_at_high: str
    source: str


@dataclass(frozen=True, kw_only=True)
class Change:
    """A value from which another scenario leads."""

    key: str
    linked: bool
    planned: str
    start: str
    inside: bool
    ranged: bool
    first: str
    first_usd: str
    setting: str


@dataclass(frozen=True, kw_only=True)
class Choose:
    """One knob of the what-if with its three positions."""

    key: str
    positions: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class View:
    """Everything that the page shows of a study."""

    scenario: str
    lead: str
    sentences: tuple[str, ...]
    more: int
    picture: str
    narrow_picture: str
    bars: tuple[Bar, ...]
    changes: tuple[Change, ...]
    untried: str
    unmoved: int
    unmoved_runs: int
    odds: tuple[tuple[int, str, str, str], ...]
    plans_priced: int
    chooses: tuple[Choose, ...]
    grid: str


def view(comparison: Comparison, study: Study) -> View:
    """A study in texts. Knobs that do not move the scenario have no row."""
    fleet = figures.only_fleet(comparison.scenarios)
    used = {entry.key for entry in comparison.assumptions}
    found = with_break_evens(study)
    still = unmoved(study)
    nearest = [
        f"{name(e.parameter)} {takes_over(e.break_evens[0], fleet)} (planned {value(e.parameter, e.parameter.value)})"
        for e in found
    ]
    return View(
        scenario=study.scenario.id,
        lead=lead(study, fleet),
        sentences=tuple(nearest[:IN_THE_ANSWER]),
        more=max(len(found) - IN_THE_ANSWER, 0),
        picture=tornado.svg(study),
        narrow_picture=tornado.svg(study, tornado.NARROW),
        bars=tuple(_bar(study, swing, used) for swing in study.swings if swing.spread("cost_usd")),
        changes=tuple(_change(break_even, used, fleet) for entry in found for break_even in entry.break_evens),
        untried=untried(study),
        unmoved=len(still),
        unmoved_runs=sum(entry.runs for entry in still),
        odds=tuple(
            (
                recommendation.rank_of(comparison, s),
                short_id(s.id, fleet),
                f"{s.cheapest_fraction:.1%}",
                "" if s.below_best_fraction is None else f"{s.below_best_fraction:.1%}",
            )
            for s in likeliest(comparison)
        ),
        plans_priced=study.plans_priced,
        chooses=_chooses(study.what_if) if study.what_if else (),
        grid=_grid(study.what_if, fleet) if study.what_if else "",
    )


def _money(cost_usd: float | None) -> str:
    return "not feasible" if cost_usd is None else figures.money(cost_usd)


def _bar(study: Study, swing: Swing, used: set[str]) -> Bar:
    parameter, leader = swing.parameter, study.ranking[0].id
    return Bar(
        key=name(parameter),
        linked=parameter.key in used,
        low=value(parameter, parameter.low),
        planned=value(parameter, parameter.value) if parameter.path else "as observed",
        high=value(parameter, parameter.high),
        usd_at_low=_money(swing.low.cost_usd),
        usd_at_high=_money(swing.high.cost_usd),
        leads_at_low="" if swing.low.first == leader else swing.low.first or "nothing is feasible",
        leads_at_high="" if swing.high.first == leader else swing.high.first or "nothing is feasible",
        source=parameter.source,
    )


def _change(break_even: BreakEven, used: set[str], fleet: str) -> Change:
    parameter = break_even.parameter
    side = "up" if break_even.value > parameter.value else "down"
    return Change(
        key=name(parameter),
        linked=parameter.key in used,
        planned=value(parameter, parameter.value),
        start=f"{value(parameter, break_even.value)} and {side}",
        inside=break_even.inside,
        ranged=parameter.low < parameter.high,
        first=short_id(break_even.first, fleet) if break_even.first else "nothing is feasible",
        first_usd=_money(break_even.first_usd) if break_even.first else "",
        setting=setting(parameter, break_even.value),
    )


def _chooses(grid: WhatIf) -> tuple[Choose, ...]:
    return tuple(
        Choose(
            key=name(parameter),
            positions=(
                ("low", f"low: {value(parameter, parameter.low)}"),
                ("planned", f"planned: {value(parameter, parameter.value)}" if parameter.path else "as planned"),
                ("high", f"high: {value(parameter, parameter.high)}"),
            ),
        )
        for parameter in grid.parameters
    )


def _grid(grid: WhatIf, fleet: str) -> str:
    """The rankings for the page's script: {"names": [...], "cells": {"low planned high": [[name, USD, days], ...]}}."""
    names: dict[str, int] = {}
    cells = {}
    for positions, ranked in grid.cells.items():
        cells[" ".join(positions)] = [
            [names.setdefault(short_id(s.id, fleet), len(names)), usd(round(s.cost_usd)), round(s.days, 1)]
            for s in ranked[:RANKED]
        ]
    text = json.dumps({"names": list(names), "cells": cells}, separators=(",", ":"))
    # a name cannot end the element that holds it
    return text.replace("<", "\\u003c")
