"""One page to sign: the choice, the budget to approve, cash by date, the day to decide, what is not known.

The first page of a printed report, the top of a comment, and a file of its own (`planner report --sheet`)."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from planner import __version__
from planner.answer.compared import Compared
from planner.answer.row import R, Row
from planner.decide.comparison import Comparison
from planner.decide.study import Study
from planner.estimate.block_purchase import ALL_OFFERS
from planner.estimate.result import Scenario
from planner.report.data.provenance import model_sha256
from planner.report.wording import (
    after_run,
    alternatives,
    answer,
    block,
    break_evens,
    breakdown,
    dates,
    eligibility,
    figures,
    notes,
    payments,
    relaxations,
    several_blocks,
    stale_prices,
    workload,
)
from planner.report.wording import worker_pool as pools
from planner.report.wording.line import Kind, Line
from planner.report.wording.worker_pool_markets import leaving
from planner.worker_pool.result import PoolComparison

TITLE, NOTHING = "To approve", "Nothing to approve"
APPENDIX = "Everything after this page is the appendix: where each figure comes from."
BUDGET, PAYMENTS = "Budget to approve", "Payments to AWS, as planned"
HEADING = (("budget", BUDGET), ("payments", PAYMENTS), ("risk", "Risk"), ("what is not known", "Not known"))
BEFORE_TAX = ", USD before tax"  # of a heading
ROLES = ("Decides", "Pays", "Buys and deploys")
FIELDS = ("Name", "Date", "Signature")  # of each of them
OVER = "The stack's alarms send mail before it is reached; nothing stops by itself, and more needs a new approval."
OUTSIDE = {"salaries": "salaries", "preprocessing": "preprocessing", "experiments": "experiments before this run"}
ITEMS = (Kind.ITEM, Kind.WARNING)
MOST = 6  # things that are not known that are named
CHANGES = 2  # changes of the answer that are named


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """lead: the choice in a sentence. facts: (what, sentences). signed: who signs, each with a line of its own; nobody
    where nothing is recommended."""

    title: str
    name: str
    lead: str
    facts: tuple[tuple[str, tuple[str, ...]], ...]
    signed: tuple[str, ...]
    fields: tuple[str, ...] = FIELDS

    @property
    def heading(self) -> str:
        """What a screen, where the page is folded, says of it."""
        there = [word for word, what in HEADING if what in dict(self.facts)]
        return f"{self.title}: {', '.join(there)}" if self.signed and there else self.title


def sheet_of(comparison: Comparison, study: Study | None = None) -> Sheet:
    """Of a training plan. study: what would change the answer; None leaves that out."""
    best = comparison.best
    if best is None:
        nearest = [line.text for line in relaxations.sentences(comparison)]
        return sheet_without(comparison, answer.nothing(comparison), nearest)
    found = [
        ("Before you sign", answer.aged(comparison, best)),
        ("The run", workload.sentences(comparison, best)),
        (
            BUDGET,
            (
                budget(best, "outcomes"),
                " ".join((*_stack(best), *_covered(best), after_run.sentence(comparison, best), OVER)),
            ),
        ),
        (PAYMENTS, payments.sentences(best)),
        ("Dates", dates.sentences(comparison, best)),
        ("Why this one", (answer.condition(comparison, best),)),
        ("Not chosen", (*alternatives.not_chosen(comparison, rules=False), *alternatives.on_demand(comparison, best))),
        (
            _when(best),
            tuple(
                filter(
                    None, map(" ".join, (block.sentences(best.block_plan), several_blocks.sentences(comparison, best)))
                )
            )
            if best.block_plan
            else (),
        ),
        ("When to switch", tuple(filter(None, [eligibility.duty(best)]))),
        ("Risk", (answer.risk(comparison, best).removeprefix("Risk: "),)),
        ("What would change it", _changes(comparison, study) if study else ()),
        ("Not known", unknown([line.text for line in notes.attention(comparison) if _is_open(line)])),
    ]
    stop = _stop(comparison, best, study) if study else ()
    sheet = sheet_with(comparison, f"{answer.bought(best)}. {answer.costs(comparison, best)}", found, stop)
    return replace(sheet, signed=(ROLES[0] + _again(best), *ROLES[1:]))


def pool_sheet_of(found: PoolComparison) -> Sheet:
    """Of a worker pool."""
    best = found.best
    first, *_ = pools.answer(found)
    if best is None:
        return sheet_without(found, first, [pools.changed(one) for one in found.relaxations])
    facts = [
        ("The run", (of_heading(pools.heading(found)),)),
        (BUDGET, (budget(best, "runs"), left_out())),
        ("Why this one", (pools.condition(found, best),)),
        ("When to switch", tuple(filter(None, [leaving(best, found)]))),
        ("Risk", (pools.risk(found, best).removeprefix("Risk: "),)),
        ("Not known", unknown([*pools.unpriced(found), *found.notes])),
    ]
    return sheet_with(found, first.removeprefix("Recommended: #1 "), facts)


def sheet_with(
    comparison: Compared[R], lead: str, facts: Sequence[tuple[str, Sequence[str]]], stop: Sequence[str] = ()
) -> Sheet:
    """stop: from which price on it is not the right choice."""
    given = [
        ("First", tuple(stale_prices.warnings(comparison.stale))),  # a budget at prices of another time misleads
        *facts,
        ("Prices", (*_prices(comparison), *stop)),
        ("Calculated from", (_made_from(comparison),)),
    ]
    return Sheet(
        title=TITLE,
        name=figures.visible(comparison.plan_name),
        lead=prose(lead),
        facts=tuple((what, tuple(map(prose, said))) for what, said in given if said),
        signed=ROLES,
    )


def prose(text: str) -> str:
    """The text without backticks, which mean nothing on paper, and with a capital letter, but for a name such as
    `g5.xlarge`."""
    plain = figures.visible(text).replace("`", "")
    first = plain.partition(" ")[0].rstrip(":.,")
    return plain if re.search(r"[\d.]", first) else plain[:1].upper() + plain[1:]


def sheet_without(comparison: Compared[R], why: str, nearest: Sequence[str] = ()) -> Sheet:
    found = sheet_with(comparison, why, [("What would change that", nearest)])
    return replace(found, title=NOTHING, signed=())


def budget(row: Row, of: str) -> str:
    """The P90."""
    cost = row.cost_usd
    assert cost is not None  # it is priced
    if math.isinf(cost.p90):
        return f"There is no P90: more than 1 in 10 {of} do not finish."
    return f"{figures.usd(cost.p90)} (P90): 9 of 10 {of} cost less. Planned: {figures.usd(cost.plan)}."


def _stack(best: Scenario) -> tuple[str, ...]:
    """The part that AWS bills for the stack, where people and other runs have one too."""
    billed, cost = best.billed_usd, best.cost_usd
    if billed is None or cost is None or math.isinf(billed.p90) or billed.p90 >= cost.p90 * 0.999:
        return ()
    part = figures.usd(billed.p90)
    return (f"AWS bills less than {part} of it in 9 of 10 outcomes; the rest is people and other runs.",)


def _covered(best: Scenario) -> tuple[str, str]:
    """What the budget is for, and what it is not for."""
    there = [part.name for part in breakdown.parts_of(best) if part.usd]
    outside = [said for name, said in OUTSIDE.items() if name not in there]
    return f"Covers {'; '.join(there)}.", left_out(outside)


def left_out(more: Sequence[str] = ()) -> str:
    return f"Does not cover {', '.join(['tax', 'AWS Support', *more])}."


def _changes(comparison: Comparison, study: Study) -> tuple[str, ...]:
    """The nearest changes with which another choice is the cheapest."""
    fleet = figures.only_fleet(comparison.scenarios)
    return tuple(
        break_evens.break_even_sentence(entry, fleet) for entry in break_evens.with_break_evens(study)[:CHANGES]
    )


def _stop(comparison: Comparison, best: Scenario, study: Study) -> tuple[str, ...]:
    """The price of a node from which another choice is the right one: what to hold today's price against."""
    for entry in study.searches:
        up = [one for one in entry.break_evens if one.value > entry.parameter.value]
        if entry.parameter.key == f"prices.{best.option.id}" and up:
            return (
                break_evens.stop_sentence(min(up, key=lambda one: one.value), figures.only_fleet(comparison.scenarios)),
            )
    return ()


def of_heading(heading: Sequence[str]) -> str:
    """What the plan is of, from the first line above its page."""
    return f"{heading[0].removesuffix(BEFORE_TAX)}."


def _is_open(line: Line) -> bool:
    """Whether it is something that is not known, and not said on this page already."""
    return line.kind in ITEMS and ALL_OFFERS not in line.text


def _again(best: Scenario) -> str:
    """When the one who decides is asked again, where the run may outlast its block."""
    return f", again by {day}" if (day := _decide_on(best)) else ""


def _when(best: Scenario) -> str:
    return f"Buy, then decide by {day}" if (day := _decide_on(best)) else "Buy"


def _decide_on(best: Scenario) -> date | None:
    """None where no outcome outlasts its block, or no day of it is early enough."""
    plan = best.block_plan
    return plan.decide_on if plan and plan.decide_day and plan.left_days is not None else None


def unknown(warned: Sequence[str]) -> tuple[str, ...]:
    said = list(dict.fromkeys(warned))
    more = [f"and {len(said) - MOST} more, on the full page"] if len(said) > MOST else []
    return (*said[:MOST], *more)


def _prices(comparison: Compared[R]) -> tuple[str, ...]:
    """The day of the book, and of the prices of the choice those that are too old."""
    aged = "" if comparison.prices.age_days is None else f", {comparison.prices.age_days} days old when the run starts"
    best = comparison.best
    mine = [] if best is None else [line.line for line in best.bill]
    old = [
        entry
        for entry in comparison.stale
        if not entry.later
        and entry.line in mine
        and (not entry.purchases or (best is not None and best.option in entry.purchases))
    ]
    dated = [f"{stale_prices.line_name(entry)} {entry.price_date}" for entry in old]
    first = f"Too old, get a quote before you sign: {', '.join(dated)}. Others as" if dated else "As"
    return (f"{first} of {comparison.prices.as_of}{aged}.",)


def _made_from(comparison: Compared[R]) -> str:
    book, model = comparison.prices.sha256[:12], model_sha256()[:12]
    return (
        f"Plan {comparison.plan_sha256[:12]}, {comparison.draws:,} simulated outcomes, seed {comparison.seed}, price "
        f"book {book}, planner {__version__}, model {model}."
    )
