"""Cases that a whole plan answers: what a scenario of it costs or takes, in all draws, and what it warns of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from planner.answer.ranges import Range
from planner.decide.compare import Request, compare
from planner.decide.comparison import Comparison
from planner.decide.enumerate import evaluate
from planner.errors import PlannerError
from planner.estimate.evaluate import Evaluated
from planner.estimate.result import Scenario
from planner.estimate.run import Run
from planner.evidence.case import Case
from planner.evidence.fleet_cases import OF_FLEET, fleet_figure
from planner.evidence.inputs import SEED, Refused, Unreadable, book_of, parted
from planner.models.bill_lines import bill_line
from planner.models.number import Number
from planner.plan.catalogue_check import check_against_catalogue
from planner.plan.load import Loaded, LoadedFleet, LoadedPlan, load_any
from planner.plan.wording import did_you_mean
from pricing.book import PriceBook, default_book
from pricing.errors import PriceNotFound
from pricing.opening import open_book

PLANS = Path(__file__).with_name("plans")
DRAWS = 2000
OWN_KEYS = ("file", "scenario", "against", "read", "warns", "place")


@dataclass(frozen=True, kw_only=True)
class PlanFigure:
    """A figure of a scenario: as planned, P10 and P90; the unit of all three."""

    planned: float
    p10: float
    p50: float
    p90: float
    unit: str


def _ranged(value: Range | None, unit: str) -> PlanFigure:
    assert value is not None  # the scenario is complete
    return PlanFigure(planned=value.plan, p10=value.p10, p50=value.p50, p90=value.p90, unit=unit)


# figures of a scenario
OF_SCENARIO: Mapping[str, Callable[[Scenario], PlanFigure]] = {
    "days": lambda s: _ranged(s.days, "days"),
    "cost_usd": lambda s: _ranged(s.cost_usd, "USD"),
    "usd_per_useful_gpu_hour": lambda s: _ranged(s.usd_per_useful_gpu_hour, "USD per GPU-hour"),
    "days_at_full_speed": lambda s: _exact(s.days_at_full_speed, "days"),
    "usable_tb": lambda s: _exact(s.storage.usable_tb if s.storage else None, "TB"),
    "lustre_mbps_per_tib": lambda s: _exact(_tier(s), "MB/s per TiB"),
    "usd_per_usable_tb_month": lambda s: _exact(s.storage.usd_per_usable_tb_month if s.storage else None, "USD"),
}
# figures of its run, which only the draws have
OF_RUN: Mapping[str, tuple[Callable[[Evaluated, bool], Number], str]] = {
    "availability_fraction": (lambda e, drawn: _run(e, drawn).availability_fraction, "fraction"),
    "read_gb_per_s": (lambda e, drawn: _run(e, drawn).service.steady_gb_per_s, "GB/s"),
}


def _run(entry: Evaluated, drawn: bool) -> Run:
    outcome = entry.spread if drawn else entry.planned
    if outcome is None:
        raise Refused("; ".join(entry.why_not) or "the layout refuses this plan")
    return outcome.run


def _tier(scenario: Scenario) -> float:
    """The throughput tier of a Lustre file system that was priced."""
    if not scenario.variant.isdigit():
        raise Refused(f"{scenario.id} has no throughput tier")
    return float(scenario.variant)


def _exact(value: float | None, unit: str) -> PlanFigure:
    if value is None:
        raise Refused("the scenario has no such figure")
    return PlanFigure(planned=value, p10=value, p50=value, p90=value, unit=unit)


def settings_of(case: Case) -> tuple[dict[str, str], list[str]]:
    """(the case's own keys, overrides of the plan). Raises Unreadable."""
    own: dict[str, str] = {}
    overrides: list[str] = []
    for text in parted(case.inputs, ";"):
        key, equals, value = (part.strip() for part in text.partition("="))
        if not equals:
            raise Unreadable(f"{text!r}: write KEY=VALUE")
        if key in OWN_KEYS:
            own[key] = value
        else:
            overrides.append(f"{key}={value}")
    if "file" not in own:
        raise Unreadable("a case of a plan needs file=PLAN.yaml")
    known = [*OF_SCENARIO, *OF_RUN, *OF_FLEET]
    if "warns" not in own and own.get("read") not in known:
        near = did_you_mean(own.get("read", ""), known)
        raise Unreadable(f"read={own.get('read', '')!r} is no figure of a plan: {near or ', '.join(known)}")
    return own, overrides


def _loaded(case: Case, name: str, overrides: list[str]) -> Loaded:
    """Raises Refused for what a plan may not say."""
    shipped, beside = PLANS / f"{name}.yaml", case.file.parent / name
    path = shipped if shipped.exists() and not beside.exists() else beside
    try:
        return load_any(path, overrides=overrides)
    except PlannerError as error:
        raise Refused(str(error)) from error


def _book(case: Case, loaded: Loaded) -> PriceBook:
    if case.prices or loaded.plan.price_date is None:
        return book_of(case) if case.prices else default_book()
    return open_book(loaded.plan.price_date)


def _scenario(comparison: Comparison, id: str) -> Scenario:
    by_id = {s.id: s for s in comparison.scenarios}
    if id not in by_id:
        raise Unreadable(f"the plan has no scenario {id!r}: {did_you_mean(id, by_id) or ', '.join(by_id)}")
    found = by_id[id]
    if not found.feasible:
        raise Refused(f"{id}: {'; '.join(found.why_not)}")
    return found


def figure_of(case: Case) -> PlanFigure:
    """What the plan gives. Raises Unreadable for a mistake in the row, Refused for what the planner refuses."""
    own, overrides = settings_of(case)
    loaded = _loaded(case, own["file"], overrides)
    try:
        if isinstance(loaded, LoadedFleet):
            return _ranged(*fleet_figure(loaded, _book(case, loaded), own))
        return _read(_request(case, loaded), own)
    except PriceNotFound as error:
        raise Refused(str(error)) from error


def _read(request: Request, own: dict[str, str]) -> PlanFigure:
    read = own["read"]
    if read in OF_RUN:
        return _of_run(request, own.get("scenario", ""), read)
    comparison = compare(request)
    scenario = _scenario(comparison, own.get("scenario") or comparison.scenarios[0].id)
    figure = OF_SCENARIO[read](scenario)
    if "against" not in own:
        return figure
    other = OF_SCENARIO[read](_scenario(comparison, own["against"])).planned
    return _exact(figure.planned / other - 1, "fraction")


def _request(case: Case, loaded: Loaded) -> Request:
    if not isinstance(loaded, LoadedPlan):
        raise Unreadable("a case of a plan needs one of a training run or a fleet")
    book = _book(case, loaded)
    if problems := check_against_catalogue(loaded, book.instances()):
        raise Refused("; ".join(problem.message for problem in problems))
    return Request(
        plan=loaded.plan,
        plan_sha256=loaded.sha256,
        book=book,
        draws=DRAWS,
        seed=SEED,
        as_of=case.date,
        derivations=False,
    )


def _of_run(request: Request, id: str, read: str) -> PlanFigure:
    figure, unit = OF_RUN[read]
    central = request.central(recording=False)
    entries = {e.choice.id: e for e in evaluate(request, central, request.drawn(central))}
    if id not in entries:
        raise Unreadable(f"the plan has no scenario {id!r}: {did_you_mean(id, entries) or ', '.join(entries)}")
    planned = float(figure(entries[id], False))
    drawn = np.broadcast_to(np.asarray(figure(entries[id], True), dtype=float), (DRAWS,))
    p10, p50, p90 = (float(x) for x in np.quantile(drawn, (0.1, 0.5, 0.9)))
    return PlanFigure(planned=planned, p10=p10, p50=p50, p90=p90, unit=unit)


def warning_of(case: Case) -> str:
    """The warning of the plan that has the words of `warns`; "" if it gives none. Raises Unreadable or Refused."""
    own, overrides = settings_of(case)
    comparison = compare(_request(case, _loaded(case, own["file"], overrides)))
    words = own.get("warns", "").lower()
    return next((text for text in _warnings(comparison) if words in text.lower()), "")


def _warnings(comparison: Comparison) -> list[str]:
    """Everything that the comparison says against its own figures."""
    found = [f"out-of-date price of {stale.line}, {stale.age_days:,} days old" for stale in comparison.stale]
    for scenario in comparison.scenarios:
        found += [f"{scenario.id}: {text}" for text in (*scenario.why_not, *scenario.all_warnings)]
        unused = [line for line in scenario.bill if bill_line(line.line).unused]
        found += [
            f"{scenario.id}: unused commitment, {line.effective_cost:,.0f} USD on the bill ({line.line})"
            for line in unused
        ]
    return found
