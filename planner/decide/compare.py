"""Every layout x purchase option x instance type that a plan asks for, priced twice and ranked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from planner.decide.choice import Choice, fleet_sizes, purchase_options
from planner.decide.demand import demand_of
from planner.decide.purchase import Buy, Cash
from planner.decide.result import Comparison, Goodput, Prices, Scenario, StorageFacts
from planner.decide.scenario import Outcome, Setting, evaluate
from planner.decide.uncertainty import percentile_of, range_of
from planner.decide.work import work_on
from planner.layouts.build import layouts_of
from planner.models.goodput import AVAILABILITY_FLOOR
from planner.models.values import Values
from planner.plan.assumptions import resolve
from planner.plan.types import Plan
from pricing.book import PriceBook

STALE_EC2_DAYS = 120
STALE_METERED_DAYS = 3 * 365
DEFAULT_DRAWS = 5000


@dataclass(frozen=True, kw_only=True)
class Request:
    """What to compare. as_of: the day that ages are counted from; None: the plan's start, else no ages."""

    plan: Plan
    plan_sha256: str
    book: PriceBook
    draws: int = DEFAULT_DRAWS
    seed: int = 0
    as_of: date | None = None
    max_price_age_days: int | None = None


def compare(request: Request) -> Comparison:
    """Price every choice of the plan. Pure: the same plan, book, draws and seed give the same result."""
    plan, book = request.plan, request.book
    table = resolve(plan.assumptions)
    central = Values(table=table)
    drawn = Values(table=table, draws=request.draws, seed=request.seed, used=central.used)
    scenarios = [scenario for scenario in _scenarios(request, central, drawn)]
    judged_at = request.as_of or plan.start
    return Comparison(
        plan_name=plan.name,
        plan_sha256=request.plan_sha256,
        region=plan.region,
        prices=Prices(
            as_of=book.as_of,
            age_days=(judged_at - book.as_of).days if judged_at else None,
            sha256=book.sha256,
            intact=book.intact,
        ),
        seed=request.seed,
        draws=request.draws,
        scenarios=tuple(sorted(scenarios, key=_rank)),
        assumptions=tuple(table[key] for key in sorted(central.used)),
        notes=_notes(plan),
        stale=_stale(scenarios, judged_at, request.max_price_age_days),
        plan=plan.canonical(),
    )


def _rank(scenario: Scenario) -> tuple[int, float, str]:
    group = 2 if not scenario.feasible else 1 if not scenario.complete else 0
    return group, scenario.cost_usd.plan if scenario.cost_usd else 0.0, scenario.id


def _scenarios(request: Request, central: Values, drawn: Values) -> Iterator[Scenario]:
    plan, book = request.plan, request.book
    start = plan.start or book.as_of
    sizes = [
        size for name in plan.fleet.instance_types for size in fleet_sizes(plan.fleet, book.instance(name))
    ]
    label = {size.instance.name: sum(s.instance == size.instance for s in sizes) > 1 for size in sizes}
    for size in sizes:
        work = work_on(plan, size.instance, size.gpus, central)
        demand = demand_of(plan, size, work, float(work.peak_gb_per_s), start, central)
        layouts = layouts_of(plan, demand, book, central)
        if drawn.draws:
            drawn_work = work_on(plan, size.instance, size.gpus, drawn)
            drawn_demand = demand_of(plan, size, drawn_work, float(work.peak_gb_per_s), start, drawn)
        for layout in layouts:
            for option in purchase_options(plan):
                choice = Choice(
                    layout=layout.name,
                    variant=layout.variant,
                    instance=size.instance,
                    nodes=size.nodes,
                    spares=size.spares,
                    option=option,
                    label_nodes=label[size.instance.name],
                )
                buy = Buy(instance=size.instance, nodes=size.nodes, option=option, settings=plan.purchase, start=start)
                setting = Setting(plan=plan, book=book, demand=demand, work=work, layout=layout, buy=buy)
                planned = evaluate(setting, central)
                spread = planned
                if drawn.draws and not planned.why_not:
                    varied = replace(
                        setting, demand=drawn_demand, work=drawn_work, layout=replace(layout, demand=drawn_demand)
                    )
                    spread = evaluate(varied, drawn, planned.decided)
                yield _scenario(request, choice, setting, planned, spread)


def _scenario(request: Request, choice: Choice, setting: Setting, planned: Outcome, spread: Outcome) -> Scenario:
    plan, draws = request.plan, request.draws
    name = dict(
        id=choice.id,
        layout=choice.layout,
        variant=choice.variant,
        instance_type=choice.instance.name,
        nodes=choice.nodes,
        gpus=choice.gpus,
        purchase=choice.option.id,
        complete=not planned.ledger.unpriced,
        extrapolated=planned.work.extrapolated,
    )
    if planned.why_not:
        return Scenario(**name, feasible=False, why_not=planned.why_not)
    lines = tuple(_plain(line) for line in planned.ledger.lines)
    cost = float(sum(line.effective_cost for line in lines))
    days = range_of(float(planned.hours) / 24, spread.hours / 24, draws)
    unfinished = np.broadcast_to(np.asarray(spread.availability_fraction) <= AVAILABILITY_FLOOR, (max(draws, 1),))
    scenario = Scenario(
        **name,
        feasible=True,
        why_not=(),
        days=days,
        days_at_full_speed=float(planned.work.hours) / 24,
        cost_usd=range_of(cost, spread.cost_usd, draws),
        cost_plan_percentile=percentile_of(float(planned.cost_usd), spread.cost_usd, draws),
        usd_per_useful_gpu_hour=range_of(
            cost / planned.work.useful_gpu_hours, spread.usd_per_useful_gpu_hour, draws
        ),
        useful_gpu_hours=planned.work.useful_gpu_hours,
        goodput=_goodput(planned),
        storage=_storage(plan, setting, planned, cost_lines=lines),
        ingest_days=planned.ingest_days,
        unfinished_fraction=float(unfinished.mean()),
        cash=_cash(planned, cost),
        bill=lines,
        unpriced=tuple(planned.ledger.unpriced),
        warnings=(*planned.warnings, *_unfinished_warning(float(unfinished.mean()))),
    )
    refused = _constraints(plan, scenario)
    return replace(scenario, feasible=False, why_not=refused) if refused else scenario


def _plain(line):
    numbers = ("quantity", "list_unit_price", "effective_unit_price", "usd_per_hour")
    values = {key: getattr(line, key) for key in numbers}
    return replace(line, **{key: None if value is None else float(value) for key, value in values.items()})


def _goodput(planned: Outcome) -> Goodput:
    scaling = planned.work.scaling_efficiency
    reading, available = float(planned.input_fraction), float(planned.availability_fraction)
    return Goodput(
        scaling_efficiency=scaling,
        input_fraction=reading,
        availability_fraction=available,
        useful_fraction=scaling * reading * available,
        checkpoint_interval_hours=planned.decided.interval_hours,
    )


def _storage(plan: Plan, setting: Setting, planned: Outcome, cost_lines) -> StorageFacts:
    service, demand, hours = planned.service, setting.demand, float(planned.hours)
    retention = plan.storage.retention_hours or 0.0
    # S3 goes on after the run; the figure is for the time in which the layout stands
    standing = {"storage.s3.standard", "storage.s3.checkpoints", "storage.kms.key"}
    storage_usd = sum(
        line.effective_cost * (hours / (hours + retention) if line.line in standing else 1.0)
        for line in cost_lines
        if line.line.startswith(("storage.", "pool."))
    )
    per_tb = storage_usd / service.usable_tb / (hours / 730) if service.usable_tb else None
    compute = next((line for line in cost_lines if line.line == "fleet.compute"), None)
    reserved = None
    if compute is not None and compute.usd_per_hour is not None and service.reserved_vcpu_fraction:
        reserved = compute.usd_per_hour * service.reserved_vcpu_fraction
    return StorageFacts(
        raw_tb=service.raw_tb,
        usable_tb=service.usable_tb,
        margin_tb=None if service.usable_tb is None else service.usable_tb - demand.hot_tb,
        usd_per_usable_tb_month=per_tb,
        read_gb_per_s=float(service.steady_gb_per_s),
        cold_read_gb_per_s=float(service.cold_gb_per_s),
        required_read_gb_per_s=float(demand.required_gb_per_s),
        hit_fraction=float(service.hit_fraction),
        durability=service.durability,
        lost_node=service.lost_node,
        reserved=service.reserved,
        reserved_usd_per_hour=reserved,
    )


def _cash(planned: Outcome, cost: float) -> tuple[Cash, ...]:
    upfront = planned.bought.upfront
    rest = cost - sum(entry.usd for entry in upfront)
    return (*upfront, Cash(due="monthly", usd=rest, what="everything else, with the monthly bill"))


def _unfinished_warning(share: float) -> tuple[str, ...]:
    if share < 0.005:
        return ()
    return (
        f"in {share:.0%} of the draws interruptions come faster than work is saved: such a run does not finish, "
        "and the upper end of the range is only a floor",
    )


def _constraints(plan: Plan, scenario: Scenario) -> tuple[str, ...]:
    limits, found = plan.constraints, []
    assert scenario.cost_usd and scenario.days and scenario.storage
    days, cost = scenario.days.plan, scenario.cost_usd.plan
    if limits.max_cost_usd is not None and cost > limits.max_cost_usd:
        found.append(f"planned cost {cost:,.0f} USD is above constraints.max_cost_usd {limits.max_cost_usd:,.0f}")
    if limits.max_days is not None and days > limits.max_days:
        found.append(f"{days:.1f} days are above constraints.max_days {limits.max_days:g}")
    deadline = plan.run.deadline_hours
    if deadline is not None and days * 24 > deadline:
        found.append(f"{days:.1f} days miss run.deadline of {deadline / 24:g} days")
    usable, margin = scenario.storage.usable_tb, scenario.storage.margin_tb
    if limits.min_usable_tb is not None and (usable is None or usable < limits.min_usable_tb):
        have = "no capacity of its own" if usable is None else f"{usable:,.1f} TB usable"
        found.append(f"{have}, constraints.min_usable_tb asks for {limits.min_usable_tb:,g}")
    if limits.min_hot_fit and (margin is None or margin < 0):
        found.append("the hot data set does not fit, as constraints.min_hot_fit asks")
    return tuple(found)


def _notes(plan: Plan) -> tuple[str, ...]:
    notes = ["list prices before tax; AWS Support is left out"]
    people = plan.people
    missing = [
        name
        for name, there in (
            ("staff", people and people.engineers is not None),
            ("preprocessing", people and people.preprocessing is not None),
            ("experiments and failed runs", people and people.experiments),
        )
        if not there
    ]
    if missing:
        notes.append(f"not in these totals, since the plan does not ask for it: {', '.join(missing)}")
    if plan.data.ingest.source == "in-s3":
        notes.append("the data set is taken to be in S3 already (data.ingest)")
    return tuple(notes)


def _stale(scenarios: list[Scenario], judged_at: date | None, max_age_days: int | None) -> tuple[str, ...]:
    """Prices too old for the day they are judged at: EC2 beyond 120 days, metered ones beyond three years."""
    if judged_at is None:
        return ()
    found: dict[str, None] = {}
    for scenario in scenarios:
        for line in scenario.bill:
            if not isinstance(line.price_date, date):
                continue
            limit = STALE_EC2_DAYS if line.service == "AmazonEC2" else STALE_METERED_DAYS
            age = (judged_at - line.price_date).days
            if age > (max_age_days or limit):
                found[f"{scenario.purchase} {line.line}: price of {line.price_date} is {age} days old"] = None
    return tuple(sorted(found))
