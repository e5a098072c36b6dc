"""What would make a scenario eligible where none is: the nearest change of each kind that was tried, and farther ones
where they cost less; each one evaluated.

A node count is the smallest if fewer nodes never do what more do not, since one less was tried; limits are those of the
choices of the plan as it is, which may buy other blocks or spares under another limit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from planner.answer.compared import Relaxation
from planner.answer.measure import cost_of
from planner.answer.row import Shortfall
from planner.decide import variants
from planner.decide.break_evens import DIGITS
from planner.decide.compare import compare
from planner.decide.comparison import Comparison
from planner.decide.enumerate import evaluate
from planner.decide.moved_limits import is_out_of_reach, with_limit
from planner.decide.spares import with_spares
from planner.decide.variants import ChangedPlan, Size, with_value
from planner.estimate.choice import in_few_blocks
from planner.estimate.constraints import broken_constraints, limit_of_plan
from planner.estimate.request import Request
from planner.models.bill import without_nodes
from planner.models.number import rounded
from planner.plan.quantities import MAX_HOURS
from planner.plan.types import Plan

WHOLE = 8  # nodes
STEP = 1.1  # at least, to the next size that is a few Capacity Blocks
GROWTH = 1.25  # of a size that is too small for another reason than its time
TRIES = 6  # sizes, until one holds in the draws
LARGER = (1.0, 1.25, 1.5)  # of the nearest size that holds, then up to whole eights
WORTH = 0.99  # of the cost of the smallest change: a larger one is named if it costs less
CLOSE = 0.02  # of a limit, from one that does it to one that does not
DOUBLINGS = 6  # of the fleet's size in either direction
MOST = 6  # relaxations shown
TIMES = ("deadline", "assumed limit")
T = TypeVar("T")
LEAST_AVAILABILITY = 0.5  # a run that fails longer than it works does not count as feasible


@dataclass(frozen=True, kw_only=True)
class _Choice:
    """A choice that no layout and no offer rules out, at central values.

    usable_tb: None without a capacity of its own; broken: the plan's limits that it exceeds.
    """

    id: str
    cost_usd: float
    days: float
    complete: bool
    usable_tb: float | None
    broken: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class _Change:
    """A changed plan, and its cheapest choice at central values that keeps the limits."""

    wanted: ChangedPlan
    choice: _Choice


def relaxations_of(request: Request, comparison: Comparison) -> tuple[Relaxation, ...]:
    """Single changes first: limits of the plan, then size, purchase, layout, settings of layouts, instance type.

    If none of them helps, a change together with the requirements of capacity that it does not meet. Changes are tried
    at central values; those that do not make a scenario eligible in the draws are dropped.
    """
    instances = tuple(request.book.instances())
    base = variants.same(request.plan)
    alone: list[Iterable[ChangedPlan]] = [
        variants.purchases(base),
        variants.layouts(base),
        variants.defaults(base),
        variants.types(base, instances),
    ]
    kinds = [list(kind) for kind in alone]
    raised = _raised_limits(request, base, comparison)
    limits = [change for wanted in _limits(request, base) if (change := _cheapest_feasible(request, wanted))]
    resized = _resized(request, base, size) if (size := variants.size_of(request.plan, instances)) else None
    found = []
    for kind in kinds:
        found += _cheapest(_cheapest_feasible(request, wanted) for wanted in kind)
    if not (limits or resized or found or raised):
        _, laid_out, usual, _ = kinds
        both = [more for first in (*laid_out, *usual) for more in variants.purchases(first)]
        for kind in (*kinds, both):
            changes = (change for wanted in kind for change in (wanted, *_limits(request, wanted)))
            found += _cheapest(_cheapest_feasible(request, wanted) for wanted in changes)
    sized = _sized(request, base, size, resized, comparison) if size and resized else []
    confirmed = [*(_confirmed(request, one) for one in limits), *sized, *(_confirmed(request, one) for one in found)]
    return (*raised, *(remedy for remedy in confirmed if remedy))[:MOST]


def _sized(
    request: Request, base: ChangedPlan, size: Size, change: _Change, comparison: Comparison
) -> list[Relaxation]:
    """The nearest size that holds in the draws, at or above the one that does as planned; and one of a few larger ones
    where it costs less, since the nearest may just keep a limit with a week of a block that it hardly uses."""
    counts = change.wanted.plan.fleet.nodes
    if counts is None or not request.draws or max(counts) < max(size.sizes):
        first = _confirmed(request, change)
        return [first] if first else []
    seen: dict[int, Comparison] = {}

    def at(count: int) -> Relaxation | None:
        wanted = size.at(base, count)
        seen[count] = _compared(request, wanted)
        return _remedy(request, wanted, seen[count])

    start = fails = max(counts) - 1
    works = max(fails + 1, _enough(max(size.sizes), comparison, 0.0))
    for _ in range(TRIES):
        if first := at(works):
            break
        fails, works = works, _next(works, seen[works])
    else:
        return []
    # the guess is often exact: one less first, then farther, then halved
    step = 1
    while works - step > fails and (nearer := at(works - step)):
        works, first, step = works - step, nearer, 2 * step
    least, first = _nearest_size(at, max(fails, works - step), works, first)
    # fewer nodes may be in fewer Capacity Blocks, and their waits shorter
    fewer = ((count, remedy) for count in _few_blocks(start, least) if (remedy := at(count)))
    least, first = next(fewer, (least, first))
    larger = [remedy for count in _handy_sizes(least) if (remedy := at(count))]
    return [first, *_less(first, larger)]


def _enough(count: int, comparison: Comparison, otherwise: float) -> int:
    """The nodes with which the fastest choice would be in time, were it as much faster as they are more; `otherwise`
    times as many where time is not all that it lacks."""
    late = [
        max(each.needed / (each.limit or each.needed) for each in s.shortfalls)
        for s in comparison.complete
        if s.shortfalls and not s.held_back and all(each.kind in TIMES for each in s.shortfalls)
    ]
    more = min(late, default=otherwise)
    return min(math.ceil(count * more), variants.MOST_NODES) if more < math.inf else variants.MOST_NODES


def _next(count: int, comparison: Comparison) -> int:
    """The size to try after one that is too small; with Capacity Blocks, not beyond the next that is a few of them,
    since other rows may be late because they wait for nodes."""
    enough = max(count + 1, _enough(count, comparison, GROWTH))
    if not any(s.blocks for s in comparison.complete):
        return enough
    return min(enough, next((n for n in _few_blocks(count, 2 * count + 1) if n >= STEP * count), enough))


def _few_blocks(above: int, below: int) -> list[int]:
    """The sizes between two that are few enough Capacity Blocks to be recommended."""
    return [n for n in range(above + 1, below) if in_few_blocks(n)]


def _handy_sizes(least: int) -> list[int]:
    """Larger sizes worth a try: the next power of two, which is one Capacity Block up to 64, and steps of eights."""
    eights = (-(-math.ceil(least * more) // WHOLE) * WHOLE for more in LARGER)
    tried = {2 ** (least - 1).bit_length(), *(eights if least > WHOLE else ())}
    return sorted(count for count in tried if least < count <= variants.MOST_NODES)


def _less(first: Relaxation, others: Sequence[Relaxation]) -> list[Relaxation]:
    """The cheapest of the others, where it costs less than the first by more than a hundredth."""
    least = min(others, key=lambda one: one.cost_usd, default=first)
    return [least] if least.cost_usd < WORTH * first.cost_usd else []


def _raised_limits(request: Request, base: ChangedPlan, comparison: Comparison) -> list[Relaxation]:
    """The plan's limits moved as far as the nearest scenario needs, for the scenarios with the fewest moves; and as far
    as the cheapest of them needs, where that costs less. Between two deadlines, the shortest that saves half of it."""
    found = []
    times: dict[tuple[str, ...], tuple[Shortfall, ...]] = {}
    for s in comparison.complete:
        if s.held_back or any(is_out_of_reach(each) for each in s.shortfalls):
            continue
        wanted = base
        for each in s.shortfalls:
            wanted = with_limit(wanted, each)
        if wanted.settings:
            far = max(each.needed / (each.limit or each.needed) for each in s.shortfalls)
            found.append((len(wanted.settings), far, cost_of(s, "planned"), wanted))
            times[wanted.settings] = s.shortfalls
    least = min((entry[0] for entry in found), default=0)
    same: dict[tuple[str, ...], list[ChangedPlan]] = {}
    for count, *_, wanted in sorted(found, key=lambda entry: (*entry[:3], entry[3].settings)):
        if count == least:
            same.setdefault(tuple(setting.partition("=")[0] for setting in wanted.settings), []).append(wanted)
    cost = {entry[3].settings: entry[2] for entry in reversed(found)}
    remedies = []
    for changes in same.values():
        first = _recommended(request, changes[0])
        cheapest = min(changes, key=lambda wanted: cost[wanted.settings])
        far = _recommended(request, cheapest) if request.draws and cheapest is not changes[0] else None
        if first is None:
            continue
        first = _shortest(request, base, first, times[changes[0].settings])
        last = _less(first, [far] if far else [])
        ends = times[changes[0].settings], times[cheapest.settings]
        middle = _between(request, base, first, last[0], ends) if last else None
        # where the middle saves as much as the far end, that is the nearer one
        remedies += [first, *([middle, *_less(middle, last)] if middle else last)]
    return remedies


def _shortest(request: Request, base: ChangedPlan, first: Relaxation, needed: tuple[Shortfall, ...]) -> Relaxation:
    """With a time limit as near as it can be: under another limit a Capacity Block is bought for other days."""
    if not request.draws or len(needed) != 1 or needed[0].kind not in TIMES:
        return first
    works, step = needed[0].needed, CLOSE / 2
    while step >= CLOSE / 2:
        days = works * (1 - step)
        if nearer := _recommended(request, with_limit(base, replace(needed[0], needed=days))):
            first, works, step = nearer, days, 2 * step
        else:
            step /= 2
    return first


def _between(
    request: Request,
    base: ChangedPlan,
    first: Relaxation,
    last: Relaxation,
    ends: tuple[tuple[Shortfall, ...], tuple[Shortfall, ...]],
) -> Relaxation | None:
    """The shortest time limit between two with which at least half of the difference in cost is saved: more time never
    costs more."""
    if any(len(each) != 1 or each[0].kind not in TIMES for each in ends):
        return None
    near, far = (each[0].needed for each in ends)
    most_usd, found = (first.cost_usd + last.cost_usd) / 2, None
    while far - near > CLOSE * near:
        days = (near + far) / 2
        remedy = _recommended(request, with_limit(base, replace(ends[0][0], needed=days)))
        if remedy and remedy.cost_usd <= most_usd:
            far, found = days, remedy
        else:
            near = days
    return found


def _confirmed(request: Request, change: _Change) -> Relaxation | None:
    """The recommended scenario of the changed plan in draws; of a lower bound, as it was tried. None if nothing is."""
    found, choice = _recommended(request, change.wanted), change.choice
    if found is not None or choice.complete:
        return found
    return Relaxation(
        settings=change.wanted.settings, scenario=choice.id, cost_usd=choice.cost_usd, days=choice.days, complete=False
    )


def _recommended(request: Request, wanted: ChangedPlan) -> Relaxation | None:
    """The recommended scenario of a changed plan, in draws if any are asked for, with the spares that it would have."""
    return _remedy(request, wanted, _compared(request, wanted))


def _compared(request: Request, wanted: ChangedPlan) -> Comparison:
    return compare(with_spares(replace(request, plan=wanted.plan, derivations=False)))


def _remedy(request: Request, wanted: ChangedPlan, comparison: Comparison) -> Relaxation | None:
    best = comparison.best
    if best is None or best.cost_usd is None or best.days is None:
        return None
    cost, days = (best.cost_usd.p50, best.days.p50) if request.draws else (best.cost_usd.plan, best.days.plan)
    return Relaxation(settings=wanted.settings, scenario=best.id, cost_usd=cost, days=days, complete=True)


def _choices(request: Request, wanted: ChangedPlan) -> Iterator[_Choice]:
    """The choices of a changed plan, ignoring its limits: runs that work longer than they fail, and finish."""
    plan = wanted.plan
    if not variants.is_right(plan, tuple(request.book.instances())):
        return
    asked = replace(request, plan=plan)
    for entry in evaluate(asked, asked.central(recording=False), None):
        if entry.planned is None or entry.why_not or entry.choice.unproven or without_nodes(entry.unpriced):
            continue
        run, cost = entry.planned.run, float(entry.planned.cost_usd)
        if float(run.availability_fraction) < LEAST_AVAILABILITY or float(run.hours) > MAX_HOURS:
            continue
        days, service = float(run.hours) / 24, run.service
        yield _Choice(
            id=entry.choice.id,
            cost_usd=cost,
            days=days,
            complete=not entry.unpriced,
            usable_tb=None if service.usable_tb is None else float(service.usable_tb),
            broken=(
                *broken_constraints(plan, layout=entry.layout, service=service, demand=run.demand),
                *(["limit"] if _exceeds(plan, cost, days) else []),
            ),
        )


def _exceeds(plan: Plan, cost_usd: float, days: float) -> bool:
    """Whether the planned figures alone exceed a limit, so that the draws need not be tried."""
    limit, budget = limit_of_plan(plan), plan.constraints.max_cost_usd
    return (limit is not None and days > limit) or (budget is not None and cost_usd > budget)


def _cheapest_feasible(request: Request, wanted: ChangedPlan) -> _Change | None:
    """The changed plan, evaluated: its cheapest feasible choice, preferably one with every price."""
    feasible = [choice for choice in _choices(request, wanted) if not choice.broken]
    first = min(feasible, key=lambda c: (not c.complete, c.cost_usd, c.id), default=None)
    return first and _Change(wanted=wanted, choice=first)


def _cheapest(tried: Iterable[_Change | None]) -> list[_Change]:
    found = [change for change in tried if change]
    return sorted(
        found, key=lambda c: (not c.choice.complete, len(c.wanted.settings), c.choice.cost_usd, c.wanted.settings)
    )[:1]


def _limits(request: Request, base: ChangedPlan) -> list[ChangedPlan]:
    """The plan with only those limits changed that one choice exceeds, and only as far as needed.

    Of several choices that exceed the same limits the closest one; none that exceeds more limits than another one.
    """
    nearest: dict[tuple[str, ...], tuple[float, ChangedPlan]] = {}
    for choice in _choices(request, base):
        moved = list(_moved(base, choice))
        if not moved:
            continue
        wanted = base
        for _, _, change in moved:
            wanted = change(wanted)
        names, far = tuple(name for name, _, _ in moved), max(far for _, far, _ in moved)
        # a cost without every price is only a lower bound of what has to be allowed
        far = far if choice.complete else far + 1e6
        if names not in nearest or far < nearest[names][0]:
            nearest[names] = far, wanted
    least = [names for names in nearest if not any(set(other) < set(names) for other in nearest)]
    return [nearest[names][1] for names in sorted(least, key=lambda names: (len(names), nearest[names][0]))]


def _moved(base: ChangedPlan, choice: _Choice) -> Iterator[tuple[str, float, Callable[[ChangedPlan], ChangedPlan]]]:
    """Each limit that a choice exceeds: its name, the factor by which it has to change, and the change."""
    plan, limits = base.plan, base.plan.constraints

    def to(name: str, value: float | bool | None, text: str) -> Callable[[ChangedPlan], ChangedPlan]:
        return lambda wanted: with_value(wanted, "constraints", name, value, text)

    least, usable = limits.min_usable_tb, choice.usable_tb
    if least is not None and (usable is None or usable < least):
        tb = None if usable is None else rounded(usable, DIGITS, up=False)
        text = f"constraints.min_usable_tb={'null' if tb is None else f'{tb:.15g}'}"
        yield "capacity", least / tb if tb else 1e3, to("min_usable_tb", tb, text)
    hot_tb = plan.data.hot_dataset_bytes / 1e12
    if limits.min_hot_fit and (usable is None or usable < hot_tb):
        far = hot_tb / usable if usable else 1e3
        yield "fit", far, to("min_hot_fit", False, "constraints.min_hot_fit=false")


def _resized(request: Request, base: ChangedPlan, size: Size) -> _Change | None:
    """The nearest fleet size, in proportion: doubled or halved until it works, then halved to the last unit.

    A plan that is feasible only between two sizes that are tried is not found.
    """

    def at(count: int) -> _Change | None:
        return _cheapest_feasible(request, size.at(base, count))

    found: list[tuple[float, _Change]] = []
    for start, factor in ((max(size.sizes), 2.0), (min(size.sizes), 0.5)):
        fails = start
        for _ in range(DOUBLINGS):
            count = min(max(int(fails * factor), size.least), variants.MOST_NODES)
            does = at(count) if count != fails else None
            if does is not None:
                works, best = _nearest_size(at, fails, count, does)
                found.append((max(works / start, start / works), best))
                break
            if count in (fails, size.least, variants.MOST_NODES):
                break
            fails = count
    return min(found, key=lambda entry: entry[0])[1] if found else None


def _nearest_size(at: Callable[[int], T | None], fails: int, works: int, best: T) -> tuple[int, T]:
    """Halve between a size that fails and one that works until they are neighbors."""
    while abs(works - fails) > 1:
        halfway = (works + fails) // 2
        does = at(halfway)
        if does is None:
            fails = halfway
        else:
            works, best = halfway, does
    return works, best
