"""One page to sign: the choice, the budget to approve, cash by date, the day to decide, what is not known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner import __version__
from planner.answer.compared import Compared
from planner.answer.row import R, Row
from planner.decide.comparison import Comparison
from planner.estimate.result import Scenario
from planner.report.data.provenance import model_sha256
from planner.report.wording import answer, block, eligibility, figures, notes, relaxations, rounding, stale_prices
from planner.report.wording import worker_pool as pools
from planner.report.wording.line import Kind
from planner.report.wording.worker_pool_markets import leaving
from planner.worker_pool.result import PoolComparison

TITLE, NOTHING = "To approve", "Nothing to approve"
SIGNED = ("Approved by", "Date", "Signature")
ITEMS = (Kind.ITEM, Kind.WARNING)
MOST = 6  # payments, and things that are not known, that are named


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """lead: the choice in a sentence. facts: (what, sentences). signed: the names of the lines to fill in; none where
    nothing is recommended."""

    title: str
    name: str
    lead: str
    facts: tuple[tuple[str, tuple[str, ...]], ...]
    signed: tuple[str, ...]


def sheet_of(comparison: Comparison) -> Sheet:
    """Of a training plan."""
    best = comparison.best
    if best is None:
        nearest = [line.text for line in relaxations.sentences(comparison)]
        return _without(comparison, answer.nothing(comparison), nearest)
    found = [
        ("Budget", (_budget(best, "outcomes"), *_stack(best))),
        ("Cash", _cash(best)),
        ("Why this one", (answer.condition(comparison, best),)),
        ("Decide", tuple(filter(None, [_block(best), eligibility.duty(best)]))),
        ("Risk", (answer.risk(comparison, best).removeprefix("Risk: "),)),
        ("Not known", _unknown([line.text for line in notes.attention(comparison) if line.kind in ITEMS])),
    ]
    return _sheet(comparison, answer.choice(comparison, best), found)


def pool_sheet_of(found: PoolComparison) -> Sheet:
    """Of a worker pool."""
    best = found.best
    first, *_ = pools.answer(found)
    if best is None:
        return _without(found, first)
    facts = [
        ("Budget", (_budget(best, "runs"),)),
        ("Why this one", (pools.condition(found, best),)),
        ("Decide", tuple(filter(None, [leaving(best, found)]))),
        ("Risk", (pools.risk(found, best).removeprefix("Risk: "),)),
        ("Not known", _unknown([*pools.unpriced(found), *found.notes])),
    ]
    return _sheet(found, first.removeprefix("Recommended: "), facts)


def _sheet(comparison: Compared[R], lead: str, facts: Sequence[tuple[str, Sequence[str]]]) -> Sheet:
    given = [*facts, ("Prices", _prices(comparison)), ("Made from", (_made_from(comparison),))]
    return Sheet(
        title=TITLE,
        name=comparison.plan_name,
        lead=lead.removeprefix("#1 ").replace("`", ""),
        facts=tuple((what, tuple(map(_prose, said))) for what, said in given if said),
        signed=SIGNED,
    )


def _prose(text: str) -> str:
    """The text without backticks, which mean nothing on paper, and with a capital letter."""
    plain = text.replace("`", "")
    return plain[:1].upper() + plain[1:]


def _without(comparison: Compared[R], why: str, nearest: Sequence[str] = ()) -> Sheet:
    found = _sheet(comparison, why, [("What would change that", nearest)])
    return replace(found, title=NOTHING, signed=())


def _budget(row: Row, of: str) -> str:
    """The P90 and what it covers."""
    cost = row.cost_usd
    assert cost is not None  # it is priced
    if math.isinf(cost.p90):
        return f"None can be named: more than 1 in 10 {of} does not finish."
    return (
        f"{figures.usd(cost.p90)}: 9 of 10 {of} cost less. Before tax, at list prices, without AWS Support; "
        f"planned at {figures.usd(cost.plan)}."
    )


def _stack(best: Scenario) -> tuple[str, ...]:
    """The part that AWS bills for the stack, where people and other runs have one too."""
    billed, cost = best.billed_usd, best.cost_usd
    if billed is None or cost is None or math.isinf(billed.p90) or billed.p90 >= cost.p90 * 0.999:
        return ()
    part = figures.usd(billed.p90)
    return (f"Of it, AWS bills less than {part} in 9 of 10; the rest is people and other runs.",)


def _cash(best: Scenario) -> tuple[str, ...]:
    usd = rounding.glances([entry.usd for entry in best.cash])
    said = [f"{entry.due}: {part}, {entry.what}" for entry, part in zip(best.cash, usd, strict=True)][:MOST]
    left = len(best.cash) - MOST
    tail = block.more_cash(best.block_plan) if best.block_plan else ""
    return (*said, *([f"and {figures.many(left, 'later payment')}"] if left > 0 else []), *([tail] if tail else []))


def _block(best: Scenario) -> str:
    return block.sentence(best.block_plan) if best.block_plan else ""


def _unknown(warned: Sequence[str]) -> tuple[str, ...]:
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
    oldest = min((entry.price_date for entry in old), default=None)
    said = f"{figures.many(len(old), 'price')} of this choice too old, the oldest of {oldest}: look it up again."
    return (f"Of {comparison.prices.as_of}{aged}.", *([said] if old else []), *stale_prices.warnings(comparison.stale))


def _made_from(comparison: Compared[R]) -> str:
    book, model = comparison.prices.sha256[:12], model_sha256()[:12]
    return (
        f"Plan {comparison.plan_sha256[:12]}, {comparison.draws:,} simulated outcomes, seed {comparison.seed}, price "
        f"book {book}, planner {__version__}, model {model}."
    )
