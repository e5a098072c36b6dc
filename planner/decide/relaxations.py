"""What would make an infeasible plan feasible: the smallest change of each kind, each one evaluated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from planner.decide import variants
from planner.decide.break_evens import DIGITS, rounded
from planner.decide.comparison import Relaxation
from planner.decide.enumerate import evaluate
from planner.decide.variants import ChangedPlan, Size, with_value
from planner.estimate.bounds import without_nodes
from planner.estimate.constraints import broken_constraints
from planner.estimate.request import Request
from planner.plan.quantities import MAX_HOURS

DOUBLINGS = 6  # of the fleet's size in either direction
MOST = 5  # relaxations shown
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


def relaxations_of(request: Request) -> tuple[Relaxation, ...]:
    """Single changes first: limits of the plan, then size, purchase, layout, settings of layouts, instance type.

    If none of them helps, a change together with the limits that it exceeds.
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
    found = [remedy for wanted in _limits(request, base) if (remedy := _cheapest_feasible(request, wanted))]
    size = variants.size_of(request.plan, instances)
    found += [remedy] if size and (remedy := _resized(request, base, size)) else []
    for kind in kinds:
        found += _cheapest(_cheapest_feasible(request, wanted) for wanted in kind)
    if not found:
        _, laid_out, usual, _ = kinds
        both = [more for first in (*laid_out, *usual) for more in variants.purchases(first)]
        for kind in (*kinds, both):
            changes = (change for wanted in kind for change in (wanted, *_limits(request, wanted)))
            found += _cheapest(_cheapest_feasible(request, wanted) for wanted in changes)
    return tuple(found[:MOST])


def _choices(request: Request, wanted: ChangedPlan) -> Iterator[_Choice]:
    """The choices of a changed plan, ignoring its limits: runs that work longer than they fail, and finish."""
    plan = wanted.plan
    if not variants.is_right(plan, tuple(request.book.instances())):
        return
    asked = replace(request, plan=plan)
    for entry in evaluate(asked, asked.central(recording=False), None):
        if entry.planned is None or entry.why_not or without_nodes(entry.unpriced):
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
            broken=broken_constraints(plan, cost_usd=cost, days=days, service=service, demand=run.demand),
        )


def _cheapest_feasible(request: Request, wanted: ChangedPlan) -> Relaxation | None:
    """The changed plan, evaluated: its cheapest feasible choice, preferably one with every price."""
    feasible = [choice for choice in _choices(request, wanted) if not choice.broken]
    first = min(feasible, key=lambda c: (not c.complete, c.cost_usd, c.id), default=None)
    if first is None:
        return None
    return Relaxation(
        settings=wanted.settings,
        scenario=first.id,
        cost_usd=first.cost_usd,
        days=first.days,
        complete=first.complete,
    )


def _cheapest(tried: Iterable[Relaxation | None]) -> list[Relaxation]:
    found = [remedy for remedy in tried if remedy]
    return sorted(found, key=lambda r: (not r.complete, len(r.settings), r.cost_usd, r.settings))[:1]


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

    def to(section: str, name: str, value: float | bool | None, text: str) -> Callable[[ChangedPlan], ChangedPlan]:
        return lambda wanted: with_value(wanted, section, name, value, text)

    if limits.max_cost_usd is not None and choice.cost_usd > limits.max_cost_usd:
        usd = rounded(choice.cost_usd, DIGITS, up=True)
        text = f"constraints.max_cost_usd={usd:.15g}"
        yield "cost", usd / limits.max_cost_usd, to("constraints", "max_cost_usd", usd, text)
    days = rounded(choice.days, DIGITS, up=True)
    if limits.max_days is not None and choice.days > limits.max_days:
        text = f"constraints.max_days={days:.15g}"
        yield "days", days / limits.max_days, to("constraints", "max_days", days, text)
    deadline = plan.run.deadline_hours
    if deadline is not None and choice.days * 24 > deadline:
        text = f"run.deadline={days:.15g}d"
        yield "deadline", days * 24 / deadline, to("run", "deadline_hours", days * 24, text)
    least, usable = limits.min_usable_tb, choice.usable_tb
    if least is not None and (usable is None or usable < least):
        tb = None if usable is None else rounded(usable, DIGITS, up=False)
        text = f"constraints.min_usable_tb={'null' if tb is None else f'{tb:.15g}'}"
        yield "capacity", least / tb if tb else 1e3, to("constraints", "min_usable_tb", tb, text)
    hot_tb = plan.data.hot_dataset_bytes / 1e12
    if limits.min_hot_fit and (usable is None or usable < hot_tb):
        far = hot_tb / usable if usable else 1e3
        yield "fit", far, to("constraints", "min_hot_fit", False, "constraints.min_hot_fit=false")


def _resized(request: Request, base: ChangedPlan, size: Size) -> Relaxation | None:
    """The nearest fleet size, in proportion: doubled or halved until it works, then halved to the last unit.

    A plan that is feasible only between two sizes that are tried is not found.
    """

    def at(count: int) -> Relaxation | None:
        return _cheapest_feasible(request, size.at(base, count))

    found: list[tuple[float, Relaxation]] = []
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


def _nearest_size(
    at: Callable[[int], Relaxation | None], fails: int, works: int, best: Relaxation
) -> tuple[int, Relaxation]:
    """Halve between a size that fails and one that works until they are neighbors."""
    while abs(works - fails) > 1:
        halfway = (works + fails) // 2
        does = at(halfway)
        if does is None:
            fails = halfway
        else:
            works, best = halfway, does
    return works, best
