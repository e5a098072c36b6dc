"""Cases that the plan of a fleet answers: its queue, its data and its bill."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from planner.answer.ranges import Range
from planner.evidence.inputs import SEED, Refused, Unreadable
from planner.fleet.compare import compare_fleet, gpus_of
from planner.fleet.result import FleetComparison, FleetScenario, Stored
from planner.fleet.workload import per_month
from planner.plan.fleet_types import FleetPlan
from planner.plan.load import LoadedFleet
from planner.plan.wording import did_you_mean
from pricing.book import PriceBook

RUNS = 10
_Read = Callable[[FleetComparison, FleetScenario, dict[str, str], PriceBook], Range]


def _exact(value: float) -> Range:
    return Range(plan=value, p10=value, p50=value, p90=value)


def _place(found: FleetComparison, named: str) -> Stored:
    every = {f"{one.layout}{f' {one.detail}' if one.detail else ''}": one for one in found.stored}
    if named not in every:
        raise Unreadable(f"no place {named!r} for hot data: {did_you_mean(named, every) or ', '.join(every)}")
    return every[named]


def _s3_usd(row: FleetScenario) -> float:
    return sum(line.effective_cost for line in row.bill if line.line.startswith("storage.s3"))


def _busy(found: FleetComparison, row: FleetScenario, own: dict[str, str], book: PriceBook) -> Range:
    return _exact(row.utilisation[0])


def _usable(found: FleetComparison, row: FleetScenario, own: dict[str, str], book: PriceBook) -> Range:
    return _exact(_place(found, own.get("place", "converged")).usable_tb)


def _s3(found: FleetComparison, row: FleetScenario, own: dict[str, str], book: PriceBook) -> Range:
    return _exact(_s3_usd(row) / found.plan.run.months)


def _apart(found: FleetComparison, row: FleetScenario, own: dict[str, str], book: PriceBook) -> Range:
    """Change of the cost of a TB that is read fast, S3 included, from `against` to `place`."""
    here, there = (_place(found, own.get(key, "converged")) for key in ("place", "against"))
    if here.usd is None or there.usd is None:
        raise Refused("a price of one of the places is missing")
    each = [(one.usd + _s3_usd(row)) / one.usable_tb for one in (here, there) if one.usd is not None]
    return _exact(each[0] / each[1] - 1)


def _wait(found: FleetComparison, row: FleetScenario, own: dict[str, str], book: PriceBook) -> Range:
    """Mean wait over the mean run of all jobs."""
    if row.wait_hours is None:
        raise Refused("; ".join(row.why_not))
    mean = _mean_hours(found.plan, book)
    wait = row.wait_hours
    return Range(plan=wait.plan / mean, p10=wait.p10 / mean, p50=wait.p50 / mean, p90=wait.p90 / mean)


def _mean_hours(plan: FleetPlan, book: PriceBook) -> float:
    gpus = gpus_of(plan, book)
    streams = [(sum(per_month(plan, one, stream, gpus)), stream.hours) for one in plan.projects for stream in one.jobs]
    return sum(count * hours for count, hours in streams) / sum(count for count, _ in streams)


def _cost(found: FleetComparison, row: FleetScenario, own: dict[str, str], book: PriceBook) -> Range:
    if row.cost_usd is None:
        raise Refused("; ".join(row.why_not))
    return row.cost_usd


OF_FLEET: Mapping[str, tuple[_Read, str]] = {
    "busy_fraction": (_busy, "fraction"),
    "flash_tb": (_usable, "TB"),
    "s3_usd_per_month": (_s3, "USD"),
    "usd_per_tb_change": (_apart, "fraction"),
    "wait_over_run": (_wait, "ratio"),
    "fleet_cost_usd": (_cost, "USD"),
}


def fleet_figure(loaded: LoadedFleet, book: PriceBook, own: dict[str, str]) -> tuple[Range, str]:
    """(a figure of a choice, its unit). own: keys of the case. Raises Unreadable or Refused."""
    if own.get("read") not in OF_FLEET:
        raise Unreadable(f"read={own.get('read', '')!r} is no figure of a fleet: {', '.join(OF_FLEET)}")
    read, unit = OF_FLEET[own["read"]]
    found = compare_fleet(loaded, book, runs=RUNS, seed=SEED)
    by_id = {row.id: row for row in found.scenarios}
    row = found.best if "scenario" not in own else by_id.get(own["scenario"])
    if row is None:
        near = did_you_mean(own.get("scenario", ""), by_id) or ", ".join(by_id)
        raise Unreadable(f"the plan has no such choice, or recommends none: {near}")
    return read(found, row, own, book), unit
