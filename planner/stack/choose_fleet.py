"""A choice of a fleet plan as a ClusterSpec: one Slurm cluster with a group of nodes for each instance type.

Where the layout is converged, the pool is on the drives of the type that holds most: its nodes stand, and those of the
others are its clients (docs/decisions/0031).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from fleet_pool.settings import reserved_vcpu

from planner.errors import UsageProblem
from planner.fleet.bill import LUSTRE_MBPS, group_tb, lustre_gib
from planner.fleet.result import FleetComparison, FleetScenario
from planner.fleet.workload import MONTH_HOURS
from planner.layouts.shared.control_nodes import CONTROL_INSTANCE_TYPE
from planner.layouts.shared.scheduler import LOGIN_INSTANCE_TYPE
from planner.models.bill import PlannedLine
from planner.models.bill_lines import COMMITMENT_UNUSED, COMPUTE, bill_line
from planner.models.controller_sizes import size_of
from planner.models.values import Values
from planner.plan.assumptions import resolve
from planner.plan.fleet_types import FleetPlan
from planner.plan.load import LoadedFleet
from planner.stack.check import findings_of
from planner.stack.choose import SLURM_VERSION
from planner.stack.choose_shared import budget_of, problems_of, whole_of
from planner.stack.spec import (
    PLACEHOLDER,
    Buying,
    ClusterSpec,
    Control,
    Fleet,
    Guard,
    Lustre,
    OtherType,
    Pool,
    Project,
    Scheduler,
)
from pricing.book import PriceBook
from pricing.catalog import InstanceType

SHARES = 100  # of a project with share 1, where shares are no whole numbers
RELEASED = ("fleet.ebs",)  # lines that end with their node
_ACCOUNT = re.compile("[a-z][a-z0-9_-]{0,31}")
_FROM_CALL = {
    "zone_id": "--zone-id",
    "stack": "--stack",
    "fleet.nic_profile": "--nic-profile",
    "fleet.ami": "--ami",
    "control.ami": "--control-ami",
    "guard.notify": "--notify",
    "guard.budget_usd": "--budget",
}


@dataclass(frozen=True, kw_only=True)
class FromOperator:
    """Values that a plan does not know. Empty: a placeholder, which a preview accepts. amis: of the file before, by
    instance type."""

    ami: str = ""
    control_ami: str = ""
    zone_id: str = ""
    notify: str = ""
    slurm_version: str = ""
    amis: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class _Kind:
    """Nodes of one type, as planned. usd: of a node-hour, over all that the plan pays for it."""

    instance: InstanceType
    nodes: int
    ami: str
    usd: float


def fleet_spec_of(
    loaded: LoadedFleet,
    comparison: FleetComparison,
    scenario: FleetScenario,
    book: PriceBook,
    *,
    stack: str = "",
    nic_profile: str = "ip-saving",
    given: FromOperator | None = None,
    budget: float | None = None,
) -> ClusterSpec:
    """The cluster of a choice of `comparison`, which is of `loaded` and `book`.

    budget: USD instead of the P90 of what AWS bills. Raises UsageProblem if the choice cannot be deployed, PlanProblems
    with all values that contradict each other.
    """
    plan, given = loaded.plan, given or FromOperator()
    if why := why_not_deployed(plan, scenario):
        raise UsageProblem(f"{scenario.id} cannot be deployed: {why}")
    values = Values(table=resolve(plan.assumptions), recording=False)
    kinds = _kinds(plan, scenario, book, given)
    release = releases(plan, scenario)
    first, *others = (_nodes(kind, nic_profile, values) for kind in kinds)
    spec = ClusterSpec(
        stack=stack or plan.deploy.stack,
        plan_name=plan.name,
        plan_sha256=comparison.plan_sha256,
        scenario=scenario.id,
        region=plan.region,
        zone_id=given.zone_id or plan.deploy.zone_id or f"{PLACEHOLDER}-zone-id",
        layout=plan.storage.layout,
        fleet=first,
        buying=Buying(kind="on-demand"),
        guard=Guard(
            notify=given.notify or plan.deploy.notify or f"{PLACEHOLDER}-notify",
            budget_usd=_budget(scenario) if budget is None else budget,
            alarms=whole_of("guard.alarms", values),
            max_days=round(plan.run.months * MONTH_HOURS / 24, 2),
            more=plan.deploy.guards,
            give_up_hours=0,
        ),
        scheduler=Scheduler(
            version=max(SLURM_VERSION, given.slurm_version),
            size=size_of(sum(kind.nodes for kind in kinds)) or "LARGE",
            login_type=LOGIN_INSTANCE_TYPE,
            login_volume_gib=whole_of("scheduler.login_volume_gib", values),
            gres=_gres(kinds[0]),
            longest_job_hours=plan.deploy.slurm.longest_job,
            usd_per_node_hour=kinds[0].usd,
            projects=tuple(_projects(plan)),
            health_check=plan.deploy.slurm.health_check.upper().replace("NONE", ""),
            others=tuple(
                OtherType(fleet=nodes, gres=_gres(kind), usd_per_node_hour=kind.usd)
                for nodes, kind in zip(others, kinds[1:], strict=True)
            ),
            release=release,
        ),
        interface_endpoints=whole_of("network.interface_endpoints", values),
        egress=plan.deploy.egress,
        extra_buckets=plan.deploy.extra_buckets,
        permissions_boundary=plan.deploy.permissions_boundary or "",
        unpriced=tuple(dict.fromkeys(one.line for one in scenario.unpriced if bill_line(one.line).in_stack)),
    )
    hourly, metered = _bill(scenario, kinds, release)
    spec = replace(_with_storage(spec, plan, given, values), usd_per_hour=hourly, metered=metered)
    findings = findings_of(spec)
    if findings:
        raise problems_of(spec, findings, _FROM_CALL, loaded.where)
    return spec


def why_not_deployed(plan: FleetPlan, scenario: FleetScenario) -> str:
    """Why a choice has no stack, and what to change; "" where it has one."""
    if not scenario.feasible:
        return "; ".join(scenario.why_not)
    for number, (name, count) in enumerate(scenario.nodes):
        if not count:
            most = math.ceil(scenario.peak[number])
            return f"its {name} have no number; --set groups.{number}.nodes={most} is what nine of ten outcomes need"
    if scenario.way == "capacity-block":
        return (
            "a chain of Capacity Blocks is no stack, as each has its own reservation: write a training plan for the "
            "nodes of the first"
        )
    if any(one.offer.name.startswith("capacity-block") for one in scenario.purchases):
        return "its mix has Capacity Blocks, each a reservation of its own: --set purchase.blocks=false"
    if plan.storage.layout == "converged" and releases(plan, scenario):
        return (
            "the pool is on its nodes' drives, so they stand, and On-Demand nodes are billed while a job runs alone: "
            "--set purchase.idle=hold, or --set storage.layout=s3-stream"
        )
    return ""


def releases(plan: FleetPlan, scenario: FleetScenario) -> bool:
    """Whether nodes without a job end: those that a commitment pays stay."""
    return plan.purchase.idle == "release" and (scenario.is_mix or scenario.way == "on-demand")


def kept(before: ClusterSpec | None, plan: FleetPlan, given: FromOperator) -> FromOperator:
    """`given`, with missing values from the stack file before, unless the plan has them."""
    if before is None or before.region != plan.region or before.scheduler is None:
        return given
    held = {
        "control_ami": before.control.ami,
        "zone_id": "" if plan.deploy.zone_id else before.zone_id,
        "notify": "" if plan.deploy.notify else before.guard.notify,
        "slurm_version": before.scheduler.version,
    }
    missing = {name: value for name, value in held.items() if not getattr(given, name) and PLACEHOLDER not in value}
    amis = {one.fleet.instance_type: one.fleet.ami for one in before.by_type if PLACEHOLDER not in one.fleet.ami}
    return replace(given, **missing, amis=amis)


def _kinds(plan: FleetPlan, scenario: FleetScenario, book: PriceBook, given: FromOperator) -> list[_Kind]:
    """The types in the order of the plan; with a pool the one whose drives hold most comes first."""
    images = {group.instance_type: group.ami for group in plan.groups}
    found = [
        _Kind(
            instance=book.instance(name),
            nodes=nodes,
            ami=images[name] or given.ami or plan.deploy.ami or given.amis.get(name) or f"{PLACEHOLDER}-ami",
            usd=_usd_per_node_hour(scenario, name),
        )
        for name, nodes in scenario.nodes
    ]
    if plan.storage.layout == "converged":
        found.sort(key=lambda kind: -group_tb(kind.instance, kind.nodes))
    return found


def _lines_of(scenario: FleetScenario, instance_type: str) -> list[PlannedLine]:
    """The node-hours of a type, by what pays them."""
    return [line for line in scenario.bill if line.line.startswith(COMPUTE) and line.line.endswith(f"-{instance_type}")]


def _usd_per_node_hour(scenario: FleetScenario, instance_type: str) -> float:
    lines = _lines_of(scenario, instance_type)
    hours = sum(line.quantity for line in lines)
    return round(sum(line.effective_cost for line in lines) / hours, 6) if hours else 0.0


def _nodes(kind: _Kind, nic_profile: str, values: Values) -> Fleet:
    instance = kind.instance
    several = max(instance.network_cards, 1) > 1 and instance.efa_interfaces
    return Fleet(
        instance_type=instance.name,
        nodes=kind.nodes,
        nic_profile=nic_profile if several else "ip-saving",
        ami=kind.ami,
        root_volume_gib=whole_of("fleet.root_volume_gib", values),
        gpus=instance.gpu_count,
        drives=instance.nvme_drives,
        vcpu=instance.vcpu,
        network_cards=max(instance.network_cards, 1),
        efa_interfaces=instance.efa_interfaces,
    )


def _gres(kind: _Kind) -> str:
    return kind.instance.gpu_name.lower() or "none"


def _with_storage(spec: ClusterSpec, plan: FleetPlan, given: FromOperator, values: Values) -> ClusterSpec:
    """The sections of the layout, at the sizes of the bill."""
    if spec.layout == "fsx-lustre":
        gib = lustre_gib(plan)
        if not gib:
            raise UsageProblem("no project has hot data, so there is nothing to put on a file system: write hot: 10TB")
        tier = int(LUSTRE_MBPS.partition(" ")[0])
        return replace(spec, lustre=Lustre(deployment="PERSISTENT_2", capacity_gib=gib, mbps_per_tib=tier))
    if spec.layout != "converged":
        return spec
    return replace(
        spec,
        fleet=replace(spec.fleet, reserved_vcpu=reserved_vcpu(spec.fleet.vcpu)),
        pool=Pool(tls=plan.deploy.pool_tls),
        control=Control(
            instance_type=CONTROL_INSTANCE_TYPE,
            count=whole_of("pool.control_nodes", values),
            root_volume_gib=whole_of("pool.control_volume_gib", values),
            ami=given.control_ami or f"{PLACEHOLDER}-control-ami",
        ),
    )


def _projects(plan: FleetPlan) -> Iterator[Project]:
    """Slurm counts shares in whole numbers, and its accounts are no more than letters, digits, _ and -."""
    exact = all(float(one.share).is_integer() for one in plan.projects)
    for one in plan.projects:
        if not _ACCOUNT.fullmatch(one.name):
            raise UsageProblem(
                f"project {one.name!r} cannot be an account of the cluster: write 1 to 32 of a-z, 0-9, _ and -, a "
                "letter first"
            )
        share = int(one.share) if exact else max(round(one.share * SHARES), 1)
        yield Project(name=one.name, share=share, users=one.users)


def _bill(scenario: FleetScenario, kinds: list[_Kind], release: bool) -> tuple[dict[str, float], tuple[str, ...]]:
    """The lines of the bill as a stack has them: USD an hour of those that stand, and those that are billed by use."""
    hourly: dict[str, float] = {}
    if not release:  # nodes stand: what the plan pays for one, on every line of its type by its part
        for kind in kinds:
            lines = _lines_of(scenario, kind.instance.name)
            usd = sum(line.effective_cost for line in lines)
            hourly |= {line.line: kind.nodes * kind.usd * line.effective_cost / usd for line in lines if usd}
    for line in scenario.bill:
        if line.usd_per_hour is not None and not (release and line.line in RELEASED):
            hourly[line.line] = float(line.usd_per_hour)
    names = [line.line for line in scenario.bill if bill_line(line.line).in_stack and line.line != COMMITMENT_UNUSED]
    return {name: hourly[name] for name in names if name in hourly}, tuple(n for n in names if n not in hourly)


def _budget(scenario: FleetScenario) -> float:
    """USD at P90 that AWS bills, without commitments that nothing uses."""
    assert scenario.cost_usd is not None  # it is feasible
    return budget_of(scenario.cost_usd.p90 - scenario.unused_usd)
