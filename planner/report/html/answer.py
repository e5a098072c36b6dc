"""The first section of the page: a card for each scenario that the answer names, and what to know about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.decide.comparison import Comparison
from planner.decide.leaders import likeliest, rank_of
from planner.estimate.result import Scenario
from planner.report.data.groups import unpriced_of
from planner.report.html.inline import shown
from planner.report.html.what_would_change import ChangeView
from planner.report.wording import (
    alternatives,
    answer,
    breakdown,
    electricity,
    page_texts,
    proposals,
    recommendation,
    relaxations,
    rounding,
    scenario_facts,
    signs,
    stale_prices,
    steps,
)
from planner.report.wording.figures import many, visible
from planner.report.wording.page_texts import more_changes

MOST_LIKELY = 3  # choices that are named by how often they are the cheapest


@dataclass(frozen=True, kw_only=True)
class PartView:
    """One part of the breakdown. width: of its bar, in percent."""

    name: str
    width: float
    share: str
    usd: str


@dataclass(frozen=True, kw_only=True)
class CardView:
    """One scenario. name: by rank, layout and purchase. sentences: the condition and the risk, or what makes an
    alternative right. figures: cost and days as people say them, each with what it is; exact: to the dollar. caution:
    empty if it is sure to finish."""

    title: str
    name: str
    bought: str
    figures: tuple[tuple[str, tuple[str, ...]], ...]
    exact: str
    sentences: tuple[str, ...]
    caution: tuple[str, ...]
    facts: scenario_facts.Facts
    parts: tuple[PartView, ...]
    rank: int
    bill: str


@dataclass(frozen=True, kw_only=True)
class LinkView:
    """A list entry whose first words are a link."""

    href: str
    link: str
    rest: str


@dataclass(frozen=True, kw_only=True)
class AnswerView:
    """nothing: why there is no card. best: the recommended one. fixes: (what to type, the result) if nothing is
    eligible."""

    nothing: str
    best: CardView | None
    alternatives: tuple[CardView, ...]
    proposals: tuple[str, ...]
    fixes_title: str
    fixes: tuple[tuple[str, str], ...]
    changes: tuple[str, ...]
    more_changes: str
    based_on: tuple[str, ...]
    links: tuple[LinkView, ...]
    edited: bool


def answer_view(comparison: Comparison, change: ChangeView | None) -> AnswerView:
    best = comparison.best
    found = alternatives.alternatives(comparison) if best else []
    return AnswerView(
        nothing="" if best else answer.nothing(comparison),
        best=_card(comparison, best, answer.RECOMMENDED, answer.reasons(comparison, best)) if best else None,
        alternatives=tuple(_card(comparison, scenario, title, [text]) for scenario, title, text in found),
        proposals=shown([line.text for line in (*proposals.sentences(comparison), *steps.sentences(comparison))]),
        fixes_title=relaxations.title(comparison) if comparison.relaxations else "",
        fixes=tuple((visible(fix.options), visible(relaxations.outcome(fix, "≥ "))) for fix in comparison.relaxations),
        changes=shown((change.lead, *change.sentences, *_likeliest(comparison))) if change else (),
        more_changes=more_changes(change.more) if change else "",
        based_on=shown(
            [
                *recommendation.limits(comparison),
                *recommendation.staff(comparison),
                *electricity.sentences(comparison),
                *comparison.notes,
            ]
        ),
        links=tuple(_links(comparison)),
        edited=not comparison.prices.intact,
    )


def _likeliest(comparison: Comparison) -> list[str]:
    found = likeliest(comparison)[:MOST_LIKELY]
    return [alternatives.cheapest_most_often(comparison, found)] if found else []


def _links(comparison: Comparison) -> list[LinkView]:
    """What is wrong with the prices, with a link to the section that lists it."""
    found = []
    lines = len(unpriced_of(comparison.scenarios))
    if lines:
        incomplete = sum(bool(scenario.unpriced) for scenario in comparison.scenarios)
        link, rest = answer.unpriced(lines, incomplete)
        found.append(LinkView(href="unpriced", link=link, rest=rest))
    old = len(stale_prices.sentences(comparison.stale))
    if old:
        found.append(LinkView(href="stale", link=many(old, "price"), rest=answer.out_of_date(old)))
    return found


def _card(comparison: Comparison, scenario: Scenario, title: str, sentences: Sequence[str]) -> CardView:
    cost, run = scenario.cost_usd, scenario.days
    assert cost is not None and run is not None  # noqa: PT018  it is priced
    drawn = bool(comparison.draws)
    parts = [part for part in breakdown.parts_of(scenario) if part.usd]
    return CardView(
        title=title,
        name=alternatives.named(comparison, scenario),
        bought=answer.bought(scenario),
        figures=page_texts.headline(scenario, cost, run) if drawn else page_texts.planned_headline(cost, run),
        exact=page_texts.exact(cost, run) if drawn else "",
        sentences=shown(list(sentences)),
        caution=scenario_facts.caution(scenario) or (),
        facts=scenario_facts.card(comparison, scenario),
        parts=tuple(
            PartView(name=part.name, width=round(part.share * 100, 1), share=share, usd=usd)
            for part, share, usd in zip(
                parts,
                rounding.percents([part.share for part in parts]),
                rounding.glances([part.usd for part in parts]),
                strict=True,
            )
        ),
        rank=rank_of(comparison, scenario),
        bill=signs.bill_link(scenario),
    )
