"""A scenario of a comparison as a ClusterSpec: its sizes, its dollars an hour, and what the account must still give.

The sizes are those of the layout that was priced, so that what stands is what is on the bill.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from fleet_pool.settings import BadSetting, low_watermark_percent, reserved_vcpu

from planner.decide.comparison import Comparison
from planner.decide.enumerate import evaluate
from planner.errors import PlanProblems, Problem, UsageProblem
from planner.estimate.request import Request
from planner.estimate.result import Scenario
from planner.layouts.base import Layout
from planner.layouts.converged.bill import control_nodes
from planner.layouts.converged.layout import Converged
from planner.layouts.fsx_lustre.layout import FsxLustre
from planner.layouts.separate_nvme.layout import SeparateNvme
from planner.layouts.shared.control_nodes import CONTROL_INSTANCE_TYPE
from planner.models.bill import Line
from planner.models.bill_lines import bill_line
from planner.models.capacity import included_metadata_iops
from planner.models.values import Values
from planner.plan.load import LoadedPlan
from planner.plan.overrides import split_path
from planner.plan.types import Plan
from planner.stack.check import findings_of
from planner.stack.finding import Finding
from planner.stack.spec import (
    PLACEHOLDER,
    Buying,
    ClusterSpec,
    Control,
    Data,
    Fleet,
    Guard,
    Lustre,
    NvmeCluster,
    Pool,
)
from planner.stack.timestamps import parse_timestamp, timestamp_text
from pricing.book import PriceBook

# what of a spec the plan or the call decides: where to point at when it cannot stand
_FROM_PLAN = {
    "zone_id": "deploy.zone_id",
    "fleet.ami": "deploy.ami",
    "fleet.nodes": "fleet",
    "stack": "deploy.stack",
    "guard.notify": "deploy.notify",
    "lustre": "storage.fsx-lustre",
    "nvme": "storage.separate-nvme",
    "control": "storage.converged",
}
_FROM_CALL = {
    "zone_id": "--zone-id",
    "fleet.ami": "--ami",
    "control.ami": "--control-ami",
    "fleet.nic_profile": "--nic-profile",
    "stack": "--stack",
    "guard.notify": "--notify",
    "guard.budget_usd": "--budget",
    "buying.reservation_id": "--reservation",
    "buying.placement_group": "--placement-group",
    "buying.starts": "--block-starts",
    "buying.ends": "--block-ends",
}


@dataclass(frozen=True, kw_only=True)
class FromAccount:
    """What no plan can know. Empty: of the plan's `deploy`, else a placeholder that a preview takes."""

    ami: str = ""
    control_ami: str = ""
    zone_id: str = ""
    notify: str = ""
    reservation_id: str = ""
    placement_group: str = ""
    starts: str = ""
    ends: str = ""


def spec_of(
    loaded: LoadedPlan,
    comparison: Comparison,
    scenario: Scenario,
    book: PriceBook,
    *,
    stack: str = "",
    nic_profile: str = "ip-saving",
    given: FromAccount | None = None,
    budget: float | None = None,
) -> ClusterSpec:
    """The cluster of a scenario of `comparison`, which is of `loaded` and `book`. budget: USD instead of the forecast.

    Raises UsageProblem where the scenario cannot be deployed, PlanProblems with all that does not go together.
    """
    plan, given = loaded.plan, given or FromAccount()
    if not scenario.feasible:
        raise UsageProblem(f"{scenario.id} is not feasible: {'; '.join(scenario.why_not)}")
    request = Request(plan=plan, plan_sha256=loaded.sha256, book=book, draws=0)
    values = request.central(recording=False)
    layout = _layout_of(request, scenario, values)
    instance, lines = book.instance(scenario.instance_type), _lines(scenario)
    spec = ClusterSpec(
        stack=stack or plan.deploy.stack,
        plan_name=plan.name,
        plan_sha256=comparison.plan_sha256,
        scenario=scenario.id,
        region=plan.region,
        zone_id=given.zone_id or plan.deploy.zone_id or _zone_of_price(plan, scenario) or f"{PLACEHOLDER}-zone-id",
        layout=scenario.layout,
        fleet=Fleet(
            instance_type=instance.name,
            nodes=scenario.nodes,
            nic_profile=nic_profile,
            ami=given.ami or plan.deploy.ami or f"{PLACEHOLDER}-ami",
            root_volume_gib=_whole("fleet.root_volume_gib", values),
            drives=instance.nvme_drives,
            vcpu=instance.vcpu,
            network_cards=max(instance.network_cards, 1),
            efa_interfaces=instance.efa_interfaces,
            reserved_vcpu=reserved_vcpu(instance.vcpu) if isinstance(layout, Converged) else 0,
        ),
        buying=_buying(scenario, given),
        guard=Guard(
            notify=given.notify or plan.deploy.notify or f"{PLACEHOLDER}-notify",
            budget_usd=budget_usd(scenario) if budget is None else budget,
            alarms=_whole("guard.alarms", values),
            max_days=_max_days(plan, scenario),
        ),
        data=Data(beside_hot_class=plan.data.kept_class, checkpoints_kept=str(plan.data.checkpoints_kept)),
        gateway_endpoint=plan.storage.s3_gateway_endpoint,
        interface_endpoints=_whole("network.interface_endpoints", values),
        usd_per_hour={line.line: float(line.usd_per_hour) for line in lines if line.usd_per_hour is not None},
        metered=tuple(line.line for line in lines if line.usd_per_hour is None),
        unpriced=tuple(dict.fromkeys(e.line for e in scenario.unpriced if bill_line(e.line).in_stack)),
    )
    spec = replace(spec, **_sizes(layout, values, given), pool=_pool(layout, plan, values))
    findings = findings_of(spec)
    if findings:
        raise PlanProblems(tuple(_at_the_plan(loaded, spec, finding) for finding in findings))
    return spec


def budget_usd(scenario: Scenario) -> float:
    """USD that AWS bills for this stack by the plan: its planned cost but for people and the unused rest of a term.

    At least a dollar: AWS takes no budget of nothing, which is what a bill without any price comes to.
    """
    counted = (line for line in _lines(scenario) if bill_line(line.line).in_budget)
    return max(1.0, round(math.fsum(float(line.effective_cost) for line in counted), 2))


def _lines(scenario: Scenario) -> list[Line]:
    return [line for line in scenario.bill if bill_line(line.line).in_stack]


def _layout_of(request: Request, scenario: Scenario, values: Values) -> Layout:
    """The layout that was sized for this scenario, evaluated again: sizes do not stand on a bill without prices."""
    return next(entry.layout for entry in evaluate(request, values, None) if entry.choice.id == scenario.id)


def _zone_of_price(plan: Plan, scenario: Scenario) -> str:
    """On spot, the zone that the plan takes the price of."""
    return (plan.purchase.zone_id or "") if scenario.purchase == "spot" else ""


def _buying(scenario: Scenario, given: FromAccount) -> Buying:
    block = scenario.purchase == "capacity-block"
    kind = scenario.purchase if block or scenario.purchase == "spot" else "on-demand"
    return Buying(
        kind="reservation" if kind == "on-demand" and given.reservation_id else kind,
        reservation_id=given.reservation_id or (f"{PLACEHOLDER}-reservation" if block else ""),
        placement_group=given.placement_group,
        starts=_moment(given.starts),
        ends=_moment(given.ends) or (f"{PLACEHOLDER}-ends" if block else ""),
    )


def _moment(text: str) -> str:
    """Start or end of a block in one way of writing; what is no moment stays, for the check to refuse."""
    try:
        return timestamp_text(parse_timestamp(text)) if text and PLACEHOLDER not in text else text
    except ValueError:
        return text


def _max_days(plan: Plan, scenario: Scenario) -> float:
    """The plan's limit, else its deadline, else the planned days."""
    if plan.constraints.max_days is not None:
        return float(plan.constraints.max_days)
    if plan.run.deadline_hours is not None:
        return round(plan.run.deadline_hours / 24, 2)
    assert scenario.days is not None  # it is feasible
    return round(float(scenario.days.plan), 2)


def _whole(key: str, values: Values) -> int:
    """An assumption that counts things or sizes a volume. Raises UsageProblem for a part of one."""
    value = values.central(key)
    if value != int(value):
        raise UsageProblem(f"assumptions.{key} is {value:g}: a stack needs a whole number")
    return int(value)


def _sizes(layout: Layout, values: Values, given: FromAccount) -> dict[str, Any]:
    """The sections of a spec that only this layout has."""
    if isinstance(layout, Converged):
        kind = layout.settings.control_instance_type or CONTROL_INSTANCE_TYPE
        count, _ = control_nodes(layout.settings, values)
        return {"control": _control(kind, int(count), values, given)}
    if isinstance(layout, FsxLustre):
        return {"lustre": _lustre(layout)}
    if isinstance(layout, SeparateNvme):
        if layout.cluster.stripes is not None:
            raise UsageProblem(
                f"protection {layout.cluster.settings.protection} is priced, not deployed: "
                "take it out of storage.separate-nvme to deploy a cluster without it"
            )
        cluster = NvmeCluster(
            instance_type=layout.cluster.storage_instance.name,
            nodes=layout.cluster.nodes,
            spares=layout.cluster.spares,
            drives=layout.cluster.storage_instance.nvme_drives,
            root_volume_gib=_whole("pool.control_volume_gib", values),
        )
        return {
            "nvme": cluster,
            "control": _control(CONTROL_INSTANCE_TYPE, _whole("pool.control_nodes", values), values, given),
        }
    return {}


def _pool(layout: Layout, plan: Plan, values: Values) -> Pool | None:
    """What the plan chose for the pool: the watermark that its capacity was planned with is the one that is set.
    Raises UsageProblem where the engine does not take it."""
    if not isinstance(layout, Converged | SeparateNvme):
        return None
    try:
        percent = low_watermark_percent(values.central("converged.low_watermark_fraction"))
    except BadSetting as error:
        raise UsageProblem(f"assumptions.converged.low_watermark_fraction: {error}") from None
    return Pool(low_watermark_percent=percent, tls=plan.deploy.pool_tls)


def _control(instance_type: str, count: int, values: Values, given: FromAccount) -> Control:
    gib, ami = _whole("pool.control_volume_gib", values), given.control_ami or f"{PLACEHOLDER}-control-ami"
    return Control(instance_type=instance_type, count=count, root_volume_gib=gib, ami=ami)


def _lustre(layout: FsxLustre) -> Lustre:
    system, choice = layout.file_system, layout.file_system.choice
    gib, asked = system.capacity_gib, system.metadata_iops
    whole = choice.is_tiering
    return Lustre(
        deployment=choice.deployment,
        capacity_gib=gib,
        mbps_per_tib=0 if whole else system.mbps,
        throughput_mbps=system.mbps if whole else 0,
        metadata_iops=asked if asked > included_metadata_iops(capacity_gib=gib) else 0,
        efa=choice.efa,
    )


def _at_the_plan(loaded: LoadedPlan, spec: ClusterSpec, finding: Finding) -> Problem:
    """A finding where the plan or the call decides it, since no stack file is there to point into."""
    path = ".".join(map(str, finding.path))
    key = next((key for start, key in _FROM_PLAN.items() if path.startswith(start)), "")
    message = f"{spec.scenario}: {finding.message}"
    if path in _FROM_CALL and (not key or split_path(key) not in loaded.places):
        return Problem(where=_FROM_CALL[path], line=None, column=None, message=message, remedy=finding.remedy)
    return loaded.problem_at(key or (), message, finding.remedy)
