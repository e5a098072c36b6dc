"""Its classes in the Python interface."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from planner.api.books import book_for
from planner.kinds.asking import Ask
from planner.report.blocks import html
from tests.kinds.toy.answers import compared
from tests.kinds.toy.pages import page
from tests.kinds.toy.plan import LOADED


@dataclass(frozen=True, kw_only=True)
class Plan(LOADED):
    text: str = field(compare=False)
    overrides: tuple[str, ...] = ()


def compare(plan, prices, draws, seed, as_of, max_price_age_days) -> Any:
    found = compared(Ask(loaded=plan, book=book_for(prices), draws=draws, seed=seed), None)
    object.__setattr__(found, "loaded", plan)
    return found


def optimize(plan, minimize, prices, draws, seed, as_of) -> Any:
    return compare(plan, prices, draws, seed, as_of, None).best


def explain(comparison, scenario, number) -> Any:
    return comparison.best.cost_usd.plan


def to_frame(comparison, *, bills) -> Any:
    return [row.id for row in comparison.scenarios]


def render_html(comparison, *, architecture, reconciled) -> str:
    return html.text(page(comparison), "Skip to the answer")
