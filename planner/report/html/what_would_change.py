"""What the page shows of what would change the answer: texts, the picture, and the what-if."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from markupsafe import Markup

from planner.decide.break_evens import BreakEven
from planner.decide.comparison import Comparison
from planner.decide.leaders import likeliest, rank_of
from planner.decide.parameters import Parameter
from planner.decide.sensitivity import Swing
from planner.decide.study import Study
from planner.estimate.people_time import FACTORS
from planner.report.html.inline import breakable
from planner.report.html.what_if import WhatIfView, what_if_view
from planner.report.pictures import tornado
from planner.report.wording import alternatives, figures, page_texts
from planner.report.wording.break_evens import (
    INFEASIBLE,
    beyond,
    break_even_sentence,
    first_at_ends,
    first_from,
    lead,
    lengths,
    planned_value,
    setting,
    short_id,
    start,
    swing_title,
    title,
    unmoved,
    value,
    with_break_evens,
)
from planner.report.wording.sensitivity import cheapest_shares
from planner.report.wording.spoken_choice import spoken

IN_THE_ANSWER = 4  # changes named beside the answer; the section has them all


@dataclass(frozen=True, kw_only=True)
class BarView:
    """A row behind the picture. href: the row of the assumption, "" where it has none."""

    name: str
    key: Markup
    href: str
    source: str
    low: str
    planned: str
    high: str
    usd_at_low: str
    usd_at_high: str
    cheapest: str


@dataclass(frozen=True, kw_only=True)
class BreakEvenView:
    """A value from which another scenario is the cheapest. beyond: said where it lies outside the range."""

    name: str
    href: str
    planned: str
    start: str
    beyond: str
    cheapest: str
    usd: str
    setting: Markup


@dataclass(frozen=True, kw_only=True)
class LikelyView:
    """How often a scenario is the cheapest, and how often it costs less than the planned best. linked: whether its bill
    is on the page."""

    rank: int
    linked: bool
    name: str
    cheapest: str
    below_best: str
    why: str


@dataclass(frozen=True, kw_only=True)
class ChangeView:
    """Everything that the page shows of a study. sentences: the nearest changes, more: how many others there are."""

    title: str
    lead: str
    sentences: tuple[str, ...]
    more: int
    recalculated: str
    picture: Markup
    narrow_picture: Markup
    bars: tuple[BarView, ...]
    break_evens: tuple[BreakEvenView, ...]
    unchanged: str
    lengths: str
    all_varied: str
    likeliest: tuple[LikelyView, ...]
    what_if: WhatIfView | None


def change_view(comparison: Comparison, study: Study, detailed: Set[str]) -> ChangeView:
    """A study in texts. Parameters that do not change the scenario's cost have no row. detailed: ids of the scenarios
    whose bill is on the page."""
    fleet = figures.only_fleet(comparison.scenarios)
    listed = {entry.key for entry in comparison.assumptions}
    found = with_break_evens(study)
    still, likely = unmoved(study), likeliest(comparison)
    tried = page_texts.recalculated(study.plans_priced, study.tried, first_time=FACTORS["first-time"] in listed)
    return ChangeView(
        title=page_texts.effects(spoken(study.scenario)),
        lead=lead(study, fleet),
        sentences=tuple(break_even_sentence(entry, fleet) for entry in found[:IN_THE_ANSWER]),
        more=max(len(found) - IN_THE_ANSWER, 0),
        recalculated=tried,
        picture=Markup(tornado.svg(tornado.tornado_of(study))),
        narrow_picture=Markup(tornado.svg(tornado.tornado_of(study), tornado.NARROW)),
        bars=tuple(_bar(study, swing, listed, fleet) for swing in study.swings if swing.spread("cost_usd")),
        break_evens=tuple(
            _break_even(break_even, listed, fleet) for entry in found for break_even in entry.break_evens
        ),
        unchanged=page_texts.unchanged(len(still)) if still else "",
        lengths=lengths(study),
        all_varied=page_texts.all_varied(comparison.draws),
        likeliest=tuple(
            LikelyView(
                rank=rank_of(comparison, s),
                linked=s.id in detailed,
                name=short_id(s.id, fleet),
                cheapest=share,
                below_best="-" if s.below_best_fraction is None else f"{s.below_best_fraction:.1%}",
                why=alternatives.beside(comparison, s),
            )
            for s, share in zip(likely, cheapest_shares(likely), strict=True)
        ),
        what_if=what_if_view(comparison, study.what_if) if study.what_if else None,
    )


def _href(parameter: Parameter, listed: set[str]) -> str:
    return f"a-{parameter.key}" if parameter.key in listed else ""


def _money(cost_usd: float | None) -> str:
    return INFEASIBLE if cost_usd is None else figures.dollars(cost_usd)


def _bar(study: Study, swing: Swing, listed: set[str], fleet: str) -> BarView:
    parameter = swing.parameter
    return BarView(
        name=swing_title(swing),
        key=breakable(parameter.key if parameter.path else ""),
        href=_href(parameter, listed),
        source=parameter.source,
        low=value(parameter, parameter.low),
        planned=planned_value(parameter),
        high=value(parameter, parameter.high),
        usd_at_low=_money(swing.low.cost_usd),
        usd_at_high=_money(swing.high.cost_usd),
        cheapest=first_at_ends(swing, study.searches[0].planned.id, fleet),
    )


def _break_even(break_even: BreakEven, listed: set[str], fleet: str) -> BreakEvenView:
    parameter = break_even.parameter
    return BreakEvenView(
        name=title(parameter),
        href=_href(parameter, listed),
        planned=value(parameter, parameter.value),
        start=start(break_even),
        beyond=beyond(break_even),
        cheapest=first_from(break_even, fleet),
        usd=_money(break_even.then.usd) if break_even.then.id else "",
        setting=breakable(setting(parameter, break_even.value)),
    )
