"""A scenario of a comparison as a ClusterSpec: its sizes, its cost per hour, and the ids that the account has to
provide.

The sizes are those of the priced layout, so that the deployed stack is the one on the bill.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from planner.decide.comparison import Comparison
from planner.errors import PlanProblems, Problem, UsageProblem
from planner.estimate.request import Request
from planner.estimate.result import Scenario
from planner.layouts.deployment import Deployment
from planner.layouts.registry import ROOMS
from planner.layouts.shared.scheduler import LOGIN_INSTANCE_TYPE
from planner.models.bill import Line
from planner.models.bill_lines import COMPUTE, COMPUTE_FALLBACK, bill_line
from planner.models.block_sizes import block_sizes
from planner.models.controller_sizes import size_of
from planner.models.values import Values
from planner.plan.load import LoadedPlan
from planner.plan.overrides import split_path
from planner.plan.types import Plan
from planner.stack.check import findings_of
from planner.stack.check_buying import buying_of
from planner.stack.choose_shared import budget_of, whole_of
from planner.stack.finding import Finding
from planner.stack.leaving import priced_on_demand
from planner.stack.spec import (
    PLACEHOLDER,
    Block,
    Buying,
    ClusterSpec,
    Control,
    Data,
    Fallback,
    Files,
    Fleet,
    Guard,
    Lustre,
    Markets,
    NvmeCluster,
    Pool,
    Project,
    Scheduler,
)
from planner.stack.timestamps import parse_timestamp, timestamp_text
from pricing.book import PriceBook
from pricing.catalog import InstanceType

# the plan key or option of each value in a spec, for findings
_FROM_PLAN = {
    "zone_id": "deploy.zone_id",
    "fleet.ami": "deploy.ami",
    "fleet.nodes": "fleet",
    "stack": "deploy.stack",
    "guard.notify": "deploy.notify",
    "guard.more": "deploy.guards",
    "guard.give_up_hours": "deploy.give_up",
    "permissions_boundary": "deploy.permissions_boundary",
    "scheduler": "deploy.slurm",
}
SLURM_VERSION = "25.11"  # the newest with settings of GRES (AWS PCS User Guide, gres-custom-settings)
_SECTIONS: Mapping[str, type[Any]] = {
    "control": Control,
    "pool": Pool,
    "files": Files,
    "lustre": Lustre,
    "nvme": NvmeCluster,
}
_FROM_CALL = {
    "zone_id": "--zone-id",
    "fleet.ami": "--ami",
    "control.ami": "--control-ami",
    "files.second_zone_id": "--second-zone-id",
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
    """Values that a plan does not know. Empty: from the plan's `deploy`, else a placeholder, which a preview
    accepts."""

    ami: str = ""
    control_ami: str = ""
    zone_id: str = ""
    second_zone_id: str = ""
    slurm_version: str = ""
    notify: str = ""
    reservation_id: str = ""
    placement_group: str = ""
    starts: str = ""
    ends: str = ""
    further_blocks: tuple[Block, ...] = ()
    moved: bool = False  # a run that has left spot stays On-Demand
    left_blocks: tuple[str, ...] = ()  # and so does one that has left these Capacity Blocks
    on_demand_usd_per_hour: float | None = None  # of its nodes; None: unknown


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
    preview: bool = False,
) -> ClusterSpec:
    """The cluster of a scenario of `comparison`, which is of `loaded` and `book`.

    budget: USD instead of the forecast. preview: whether to accept what is not deployed yet, such as a layout.
    Raises UsageProblem if the scenario cannot be deployed, PlanProblems with all values that contradict each other.
    """
    plan, given = loaded.plan, given or FromAccount()
    if not scenario.feasible:
        raise UsageProblem(f"{scenario.id} is not feasible: {'; '.join(scenario.why_not)}")
    deployment = scenario.deployment
    if deployment is None:
        raise UsageProblem(f"{scenario.id} has no sizes to deploy: compare the plan again")
    if deployment.why_not and not (preview and deployment.previews):
        raise UsageProblem(deployment.why_not)
    values = Request(plan=plan, plan_sha256=loaded.sha256, book=book, draws=0).central(recording=False)
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
            root_volume_gib=whole_of("fleet.root_volume_gib", values),
            gpus=instance.gpu_count,
            drives=instance.nvme_drives,
            vcpu=instance.vcpu,
            network_cards=max(instance.network_cards, 1),
            efa_interfaces=instance.efa_interfaces,
            reserved_vcpu=deployment.reserved_vcpu,
        ),
        buying=_buying(scenario, given),
        fallback=_fallback(plan, scenario),
        guard=Guard(
            notify=given.notify or plan.deploy.notify or f"{PLACEHOLDER}-notify",
            budget_usd=budget_usd(scenario) if budget is None else budget,
            alarms=whole_of("guard.alarms", values),
            max_days=_max_days(plan, scenario),
            more=plan.deploy.guards,
            give_up_hours=0 if plan.deploy.give_up == "never" else plan.deploy.give_up,
        ),
        scheduler=_scheduler(plan, scenario, instance, values, given.slurm_version),
        data=Data(beside_hot_class=plan.data.kept_class, checkpoints_kept=str(plan.data.checkpoints_kept)),
        gateway_endpoint=plan.storage.s3_gateway_endpoint,
        interface_endpoints=whole_of("network.interface_endpoints", values),
        egress=tuple(loaded.plan.deploy.egress),
        extra_buckets=tuple(loaded.plan.deploy.extra_buckets),
        permissions_boundary=plan.deploy.permissions_boundary or "",
        usd_per_hour={line.line: float(line.usd_per_hour) for line in lines if line.usd_per_hour is not None},
        metered=tuple(line.line for line in lines if line.usd_per_hour is None),
        unpriced=tuple(dict.fromkeys(e.line for e in scenario.unpriced if bill_line(e.line).in_stack)),
    )
    spec = replace(spec, **_sections(deployment, given))
    if given.left_blocks:
        spec = priced_on_demand(spec, given.on_demand_usd_per_hour)
    findings = findings_of(spec, preview=preview)
    if findings:
        raise PlanProblems(tuple(_at_the_plan(loaded, spec, finding) for finding in findings))
    return spec


def _scheduler(
    plan: Plan, scenario: Scenario, instance: InstanceType, values: Values, version: str
) -> Scheduler | None:
    """The Slurm cluster that the plan asks for, at the size that was priced. version: what is deployed, like 25.11;
    AWS takes no older one."""
    asked = plan.deploy.slurm
    if plan.deploy.scheduler == "none":
        return None
    projects = [
        Project(name=one.name, share=one.share, max_nodes=one.max_nodes or 0, users=one.users) for one in asked.projects
    ]
    returns = scenario.returns
    return Scheduler(
        version=max(SLURM_VERSION, version),
        size=size_of(scenario.nodes * (2 if returns else 1)) or "LARGE",
        login_type=LOGIN_INSTANCE_TYPE,
        login_volume_gib=whole_of("scheduler.login_volume_gib", values),
        gres=instance.gpu_name.lower() or "none",
        longest_job_hours=asked.longest_job,
        usd_per_node_hour=_node_usd(scenario, COMPUTE),
        projects=tuple(projects) or (Project(name="main", share=1),),
        health_check="" if asked.health_check == "none" else asked.health_check.upper(),
        markets=Markets(
            nodes=scenario.nodes - scenario.spares,
            work_hours=round(returns.work_hours, 2),
            deadline_hours=round(returns.deadline_hours, 2),
            changeover_hours=round(returns.changeover_hours, 3),
            on_demand_usd_per_node_hour=_node_usd(scenario, COMPUTE_FALLBACK),
        )
        if returns
        else None,
    )


def _node_usd(scenario: Scenario, line: str) -> float:
    """USD an hour of a node; 0 where the bill has no price."""
    return next((float(entry.effective_unit_price) for entry in scenario.bill if entry.line == line), 0.0)


def budget_usd(scenario: Scenario) -> float:
    """USD at P90 that AWS bills for this stack, rounded up: without staff and without the unused part of a commitment.

    Raises UsageProblem if more than one outcome in ten does not finish, because the cost has no P90 then.
    """
    assert scenario.billed_usd is not None  # it is feasible
    usd = scenario.billed_usd.p90
    if math.isinf(usd):
        share = f"{scenario.unfinished_fraction:.1%}"
        raise UsageProblem(
            f"{scenario.id} does not finish in {share} of the outcomes: give its budget with --budget USD"
        )
    return budget_of(usd)


def _lines(scenario: Scenario) -> list[Line]:
    return [line for line in scenario.bill if bill_line(line.line).in_stack]


def _zone_of_price(plan: Plan, scenario: Scenario) -> str:
    """On spot, the zone whose price the plan uses."""
    return (plan.purchase.zone_id or "") if scenario.option.family in ("spot", "spot-fallback") else ""


def _buying(scenario: Scenario, given: FromAccount) -> Buying:
    block = scenario.purchase == "capacity-block" and not given.left_blocks
    kind = buying_of(scenario.purchase)[0]
    stays_on_spot = scenario.threshold_hours is None or (scenario.threshold_hours and not given.moved)
    if given.left_blocks or not stays_on_spot:
        kind = "on-demand"
    return Buying(
        kind="reservation" if kind == "on-demand" and given.reservation_id else kind,
        reservation_id=given.reservation_id or (f"{PLACEHOLDER}-reservation" if block else ""),
        placement_group=given.placement_group,
        starts=_moment(given.starts),
        ends=_moment(given.ends) or (f"{PLACEHOLDER}-ends" if block else ""),
        further_blocks=_further(scenario.nodes, given) if block else (),
        left_blocks=given.left_blocks,
        block_days=int(scenario.block_days or 0) if block else 0,
    )


def _further(nodes: int, given: FromAccount) -> tuple[Block, ...]:
    """The blocks beside the largest, as they were in the stack file if they have the same sizes."""
    sizes = block_sizes(nodes)[1:]
    if tuple(block.nodes for block in given.further_blocks) == sizes:
        return given.further_blocks
    return tuple(
        Block(nodes=size, reservation_id=f"{PLACEHOLDER}-reservation-{number}", ends=f"{PLACEHOLDER}-ends-{number}")
        for number, size in enumerate(sizes, start=2)
    )


def _fallback(plan: Plan, scenario: Scenario) -> Fallback | None:
    """The rule with which the scenario was priced; None for one that stays on its market."""
    if scenario.threshold_hours is None:
        return None
    assert scenario.goodput is not None  # it is feasible
    return Fallback(
        threshold_hours=round(scenario.threshold_hours, 2),
        nodes=scenario.nodes - scenario.spares,
        restart_hours=round(scenario.goodput.restart_hours, 3),
        checkpoint_interval_hours=round(scenario.goodput.checkpoint_interval_hours, 3),
    )


def _moment(text: str) -> str:
    """Start or end of a block in a uniform format; text that is not a time stays unchanged for the check to refuse."""
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


def _sections(deployment: Deployment, given: FromAccount) -> dict[str, object]:
    """The sections of a spec that only this layout has, with values from the account."""
    second = {"files": {"second_zone_id": given.second_zone_id or f"{PLACEHOLDER}-second-zone-id"}}
    found = {name: _SECTIONS[name](**fields, **second.get(name, {})) for name, fields in deployment.sections.items()}
    if "control" in found:
        found["control"] = replace(found["control"], ami=given.control_ami or f"{PLACEHOLDER}-control-ami")
    return found


def _at_the_plan(loaded: LoadedPlan, spec: ClusterSpec, finding: Finding) -> Problem:
    """A finding at the plan key or option that decides the value, because there is no stack file to point to."""
    path = ".".join(map(str, finding.path))
    key = next((key for start, key in _FROM_PLAN.items() if path.startswith(start)), "")
    if path.partition(".")[0] in _SECTIONS and ROOMS[spec.layout].has_settings:
        key = f"storage.{spec.layout}"
    message = f"{spec.scenario}: {finding.message}"
    if path in _FROM_CALL and (not key or split_path(key) not in loaded.places):
        return Problem(where=_FROM_CALL[path], line=None, column=None, message=message, remedy=finding.remedy)
    return loaded.problem_at(key or (), message, finding.remedy)
