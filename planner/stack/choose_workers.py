"""A choice of a worker-pool plan as a ClusterSpec: AWS Batch with as many nodes as the plan allows.

What a node costs is billed by use, since there are none without jobs; by the hour is only what stands around them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from planner.errors import UsageProblem
from planner.models.values import Values
from planner.plan.assumptions import resolve
from planner.plan.load import LoadedPool
from planner.plan.worker_pool_types import Worker
from planner.stack.check import findings_of
from planner.stack.choose_shared import budget_of, problems_of
from planner.stack.spec import PLACEHOLDER, WORKERS, Buying, ClusterSpec, Data, Fleet, Guard, Workers
from planner.worker_pool.choices import FALLBACK
from planner.worker_pool.facts import Size, size_of, sizeless
from planner.worker_pool.result import PoolComparison, PoolScenario
from planner.worker_pool.standing import ALARMS, BY_HOUR, BY_USE
from pricing.book import PriceBook, PriceNotFound

MEMORY_SHARE = 0.9  # of the type's: the rest is the host's and the container agent's (AWS Batch, "Memory management")
LIMIT_TIMES = 4  # one try may take so many times a job without interruptions: the guard against a worker that hangs
LEAST_LIMIT_HOURS, MOST_LIMIT_HOURS = 1.0, 336.0
STACK = "dev"
_BY_USE = (
    "fleet.compute",
    "fleet.ebs",
    *BY_USE,
    "storage.s3.standard",
    "storage.s3.checkpoints",
    "storage.s3.get-requests",
    "storage.s3.put-requests",
)
_FROM_CALL = {
    "zone_id": "--zone-id",
    "stack": "--stack",
    "guard.notify": "--notify",
    "guard.budget_usd": "--budget",
    "workers.image": "--image",
}


@dataclass(frozen=True, kw_only=True)
class FromUser:
    """Values that a plan does not know. Empty: a placeholder, which a preview accepts."""

    image: str = ""
    zone_id: str = ""
    more_zones: tuple[str, ...] = ()  # beside zone_id
    notify: str = ""


def worker_spec_of(
    loaded: LoadedPool,
    comparison: PoolComparison,
    scenario: PoolScenario,
    book: PriceBook,
    *,
    stack: str = "",
    given: FromUser | None = None,
    budget: float | None = None,
) -> ClusterSpec:
    """The cluster of a choice of `comparison`, which is of `loaded` and `book`.

    budget: USD instead of the P90 of the cost. Raises UsageProblem if the choice cannot be deployed, PlanProblems with
    all values that contradict each other.
    """
    plan, given, worker = loaded.plan, given or FromUser(), scenario.choice.worker
    if not scenario.feasible:
        raise UsageProblem(f"{scenario.id} cannot be simulated: {'; '.join(scenario.why_not)}")
    if worker.instance_type is None:
        raise UsageProblem(
            f"{scenario.id} has nodes of a price list; a stack is on AWS: choose a worker with an instance_type"
        )
    members = scenario.choice.members
    workers = list({member.worker.id: member.worker for member in members}.values()) or [worker]
    sizes = [_size(scenario, one, book) for one in workers]
    size, types = sizes[0], list(dict.fromkeys(one.instance_type or "" for one in workers))
    zones = [one for one in (given.zone_id, *given.more_zones) if one] or sorted({m.zone_id for m in members} - {""})
    hourly, unpriced = _hourly(book, plan.region)
    values = Values(table=resolve(plan.assumptions), recording=False)
    alone = scenario.choice.jobs.alone_hours if scenario.choice.jobs else LEAST_LIMIT_HOURS
    spec = ClusterSpec(
        stack=stack or STACK,
        plan_name=plan.name,
        plan_sha256=comparison.plan_sha256,
        scenario=scenario.id,
        region=plan.region,
        zone_id=next(iter(zones), worker.zone_id) or f"{PLACEHOLDER}-zone-id",
        layout=WORKERS,
        fleet=Fleet(
            instance_type=worker.instance_type,
            nodes=plan.pool.max,
            nic_profile="ip-saving",
            ami="",
            root_volume_gib=math.ceil(values.central("fleet.root_volume_gib")),
            gpus=scenario.choice.gpus,
            drives=size.drives,
            vcpu=size.vcpu,
            network_cards=1,
            efa_interfaces=0,
            root_device="/dev/xvda",
        ),
        buying=Buying(kind="spot" if scenario.choice.purchase == FALLBACK else scenario.choice.purchase),
        guard=Guard(
            notify=given.notify or f"{PLACEHOLDER}-notify",
            budget_usd=_budget(scenario) if budget is None else budget,
            alarms=ALARMS,
            max_days=_max_days(loaded, scenario),
        ),
        data=Data(),
        workers=Workers(
            image=given.image or f"{PLACEHOLDER}-image",
            memory_mib=math.floor(min(one.memory_mib for one in sizes) * MEMORY_SHARE),
            limit_hours=min(max(float(math.ceil(LIMIT_TIMES * alone)), LEAST_LIMIT_HOURS), MOST_LIMIT_HOURS),
            least_nodes=plan.pool.min,
            more_types=tuple(types[1:]),
            more_zones=tuple(zones[1:]) if members else (),  # a file before may have been of several markets
            tail_type=scenario.choice.tail_worker.instance_type or "" if scenario.choice.tail_worker else "",
        ),
        interface_endpoints=0,  # nobody logs in to a worker, and Amazon ECS is reached through the NAT gateway
        usd_per_hour=hourly,
        metered=tuple(line for line in _BY_USE if line in {of.line for of in scenario.bill}),
        unpriced=unpriced,
    )
    findings = findings_of(spec)
    if findings:
        raise problems_of(spec, findings, _FROM_CALL, loaded.where)
    return spec


def _size(scenario: PoolScenario, worker: Worker, book: PriceBook) -> Size:
    """Raises UsageProblem."""
    found = size_of(worker, book)
    if found is None:
        raise UsageProblem(f"{scenario.id} cannot be deployed: {sizeless([worker], book)}")
    return found


def kept(before: ClusterSpec | None, region: str, given: FromUser) -> FromUser:
    """`given`, with missing values from the stack file before."""
    if before is None or before.region != region or before.workers is None:
        return given
    held = {"image": before.workers.image, "zone_id": before.zone_id, "notify": before.guard.notify}
    missing = {name: value for name, value in held.items() if not getattr(given, name) and PLACEHOLDER not in value}
    more = before.workers.more_zones if "zone_id" in missing else given.more_zones
    return replace(given, **missing, more_zones=more)


def _hourly(book: PriceBook, region: str) -> tuple[dict[str, float], tuple[str, ...]]:
    """USD an hour of what stands without jobs, by line; and the lines without a price."""
    found, unpriced = {}, []
    for one in BY_HOUR:
        try:
            found[one.line] = round(book.metered(*one.item, region).tiers[0].usd * one.units_per_hour, 9)
        except PriceNotFound:
            unpriced.append(one.line)
    return found, tuple(unpriced)


def _budget(scenario: PoolScenario) -> float:
    """USD at P90, rounded up to three digits. Raises UsageProblem if more than one run in ten does not finish."""
    usd = scenario.cost_usd.p90 if scenario.cost_usd else math.nan
    if not math.isfinite(usd):
        share = f"{1 - (scenario.finish_fraction or 0.0):.0%}"
        raise UsageProblem(f"{scenario.id} does not finish in {share} of the runs: give its budget with --budget USD")
    return budget_of(usd)


def _max_days(loaded: LoadedPool, scenario: PoolScenario) -> float:
    """The plan's limit, else the P90 of the days, else those of the median."""
    limit = loaded.plan.limit_days
    if limit is not None:
        return float(limit)
    days = scenario.days
    assert days is not None  # it is feasible
    return round(next((one for one in (days.p90, days.p50) if math.isfinite(one)), 30.0), 2)
