"""What the page says of what would change the answer: ready texts, the picture, and the grid behind the what-if."""

from __future__ import annotations

import json
from dataclasses import dataclass

from planner.decide.break_evens import Flip
from planner.decide.comparison import Comparison
from planner.decide.sensitivity import Swing
from planner.decide.study import Study
from planner.decide.what_if import WhatIf
from planner.report.data.comparison_json import usd
from planner.report.pictures import tornado
from planner.report.terminal.sensitivity_text import likeliest
from planner.report.wording import figures, recommendation
from planner.report.wording.break_evens import (
    flipped,
    lead,
    name,
    setting,
    short_id,
    takes_over,
    unmoved,
    untried,
    value,
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
    found = flipped(study)
    still = unmoved(study)
    nearest = [f"{name(e.knob)} {takes_over(e.flips[0], fleet)} (planned {value(e.knob, e.knob.value)})" for e in found]
    return View(
        scenario=study.scenario.id,
        lead=lead(study, fleet),
        sentences=tuple(nearest[:IN_THE_ANSWER]),
        more=max(len(found) - IN_THE_ANSWER, 0),
        picture=tornado.svg(study),
        narrow_picture=tornado.svg(study, tornado.NARROW),
        bars=tuple(_bar(study, swing, used) for swing in study.swings if swing.spread("cost_usd")),
        changes=tuple(_change(flip, used, fleet) for entry in found for flip in entry.flips),
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
    knob, leader = swing.knob, study.ranking[0].id
    return Bar(
        key=name(knob),
        linked=knob.key in used,
        low=value(knob, knob.low),
        planned=value(knob, knob.value) if knob.path else "as observed",
        high=value(knob, knob.high),
        usd_at_low=_money(swing.low.cost_usd),
        usd_at_high=_money(swing.high.cost_usd),
        leads_at_low="" if swing.low.first == leader else swing.low.first or "nothing is feasible",
        leads_at_high="" if swing.high.first == leader else swing.high.first or "nothing is feasible",
        source=knob.source,
    )


def _change(flip: Flip, used: set[str], fleet: str) -> Change:
    knob = flip.knob
    side = "up" if flip.value > knob.value else "down"
    return Change(
        key=name(knob),
        linked=knob.key in used,
        planned=value(knob, knob.value),
        start=f"{value(knob, flip.value)} and {side}",
        inside=flip.inside,
        ranged=knob.low < knob.high,
        first=short_id(flip.first, fleet) if flip.first else "nothing is feasible",
        first_usd=_money(flip.first_usd) if flip.first else "",
        setting=setting(knob, flip.value),
    )


def _chooses(grid: WhatIf) -> tuple[Choose, ...]:
    return tuple(
        Choose(
            key=name(knob),
            positions=(
                ("low", f"low: {value(knob, knob.low)}"),
                ("planned", f"planned: {value(knob, knob.value)}" if knob.path else "as planned"),
                ("high", f"high: {value(knob, knob.high)}"),
            ),
        )
        for knob in grid.knobs
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
