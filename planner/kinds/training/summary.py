"""What `planner stack` prints of a training plan: the deployment and its cost, missing values, next commands."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from planner.kinds.training.failed_starts import giving_up
from planner.report.terminal.columns import fitted, rows
from planner.report.wording.eligibility import duty, why_not
from planner.report.wording.figures import dollars, many, money, usd, visible
from planner.report.wording.next_commands import hourly, purchases
from planner.report.wording.table import Column
from planner.report.wording.wrapping import wrap
from planner.stack.component import component_of, usd_per_hour_by_component, usd_per_hour_now
from planner.stack.file import name_of
from planner.stack.placeholders import missing_ids
from planner.stack.run_dates import crosses_new_year
from planner.stack.spec import BUDGET_ACTION, PLACEHOLDER, is_known
from pricing.offers import PurchaseOption

if TYPE_CHECKING:
    from datetime import date

    from planner.estimate.result import Scenario
    from planner.plan.types import Plan
    from planner.stack.spec import ClusterSpec

MOST_DAYS = 3 * 365  # beyond, a draw that never ends has been counted


def summary(
    spec: ClusterSpec,
    scenario: Scenario,
    plan: Plan,
    plan_path: str,
    overrides: Sequence[str],
    *,
    out: str | None,
    width: int,
    ascii_only: bool,
) -> str:
    """The whole answer, no line longer than `width` but commands, which must stay whole to be copied."""
    blocks = [
        _what(spec, scenario, width),
        _table(spec, width, ascii_only),
        _notes(spec, scenario, plan, width),
        _missing(spec, width),
        _next(spec, scenario, plan_path, overrides, out, width),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _what(spec: ClusterSpec, scenario: Scenario, width: int) -> list[str]:
    fleet, guard = spec.fleet, spec.guard
    lines = [f"Stack {spec.stack}: {visible(spec.plan_name)}, {spec.scenario}"]
    efa = f", {fleet.efa_interfaces} EFA a node ({fleet.nic_profile})" if fleet.efa_interfaces else ""
    count = f"1 of {fleet.nodes:,}" if spec.canary else f"{fleet.nodes:,}"
    lines.append(f"{count} x {fleet.instance_type}, {_bought(spec)}{efa}, {spec.region} {_zone(spec)}".rstrip())
    if spec.lustre:
        iops = f", {spec.lustre.metadata_iops:,} metadata IOPS" if spec.lustre.metadata_iops else ""
        efa = ", over EFA" if spec.lustre.efa else ""
        lines.append(
            f"FSx for Lustre {spec.lustre.deployment}: {spec.lustre.capacity_gib:,} GiB at "
            f"{spec.lustre.mbps_per_tib} MB/s per TiB{iops}{efa}"
        )
    if spec.nvme:
        lines.append(f"{spec.nvme.nodes} x {spec.nvme.instance_type} for storage, {spec.nvme.spares} of them spare")
    if spec.control.count:
        lines.append(f"{spec.control.count} x {spec.control.instance_type} control{_engine(spec)}")
    assert scenario.days is not None  # it is feasible
    assert scenario.cost_usd is not None
    lines.append(
        f"Planned: ${money(scenario.cost_usd.plan)} in {scenario.days.plan:.1f} days; "
        f"P90 {usd(scenario.cost_usd.p90)}; budget of the stack ${money(guard.budget_usd)}"
    )
    return [part for line in lines for part in wrap(line, width, "  ")]


def _engine(spec: ClusterSpec) -> str:
    return f"; the pool is {spec.pool.engine} {spec.pool.engine_version}" if spec.pool else ""


def _zone(spec: ClusterSpec) -> str:
    return "" if "zone_id" in spec.placeholders else spec.zone_id


def _bought(spec: ClusterSpec) -> str:
    buying = spec.buying
    if buying.kind == "capacity-block":
        several = len(spec.blocks) > 1
        return ", ".join(
            f"Capacity Block {f'of {block.nodes} ' if several else ''}{_id(block.reservation_id)}"
            f"{f'from {block.starts} ' if block.starts else ''}until {_id(block.ends) or 'its end'}".rstrip()
            for block in spec.blocks
        )
    if buying.kind == "reservation":
        group = f" of placement group {buying.placement_group_name}" if buying.placement_group else ""
        return f"in reservation {buying.reservation_id}{group}"
    after = f", after Capacity Block {', '.join(buying.left_blocks)}" if buying.left_blocks else ""
    return f"{buying.kind}{after}"


def _id(text: str) -> str:
    return "" if PLACEHOLDER in text else f"{text} "


def _table(spec: ClusterSpec, width: int, ascii_only: bool) -> list[str]:
    found = usd_per_hour_by_component(spec)
    total = math.fsum(found.values())
    names = [*found, "all"]
    usd = [*found.values(), total]
    by_name = {name: [line for line in spec.usd_per_hour if component_of(line) == name] for name in found}
    lines = [[line.removeprefix(f"{name}.") for line in every] for name, every in by_name.items()]
    placed = [
        Column(title="Component", values=names, text=True),
        Column(title="$/hour", values=[f"{value:,.4f}" for value in usd]),
        Column(title="$/day", values=[dollars(value * 24) for value in usd]),
        Column(title="Lines of the bill", values=[*(", ".join(entry) for entry in lines), ""], text=True),
    ]
    fit = fitted(placed, width) or [(column, column.natural) for column in placed]
    return rows(fit, "-" if ascii_only else "─", "..." if ascii_only else "…")


def _notes(spec: ClusterSpec, scenario: Scenario, plan: Plan, width: int) -> list[str]:
    notes = [f"! {warning}." for warning in scenario.all_warnings]
    if scenario.rule:
        notes.append(f"! {duty(scenario, f'planner spot watch --stack {spec.stack}')}")
    if not scenario.eligible:
        notes.append(f"! Not recommended: {'; '.join(why_not(scenario)) or 'a price is missing'}.")
    priced_in = _zone_of_spot_price(plan, scenario)
    if priced_in and spec.zone_id != priced_in and "zone_id" not in spec.placeholders:
        notes.append(f"! The spot price is that of zone {priced_in}, but the stack is in {spec.zone_id}.")
    if spec.buying.kind == "reservation" and not spec.buying.placement_group and spec.fleet.nodes > 1:
        notes.append(
            "! No placement group: nodes are placed close together only in the group that the reservation was made in. "
            "If it has one, give --placement-group GROUP."
        )
    if spec.unpriced:
        listed = ", ".join(spec.unpriced)
        notes.append(f"! The stack costs more than this: no price for {listed}. It can still be deployed.")
        notes.append("! The budget is too low as well, so its action would come too early: set it with --budget USD.")
    else:
        notes.append(
            "The budget is the P90 of what AWS bills for this stack, rounded up; `--budget USD` sets another one."
        )
    notes.append(_action(spec))
    notes += giving_up(spec)
    notes += _new_year(scenario, plan.start)
    if spec.metered:
        notes.append(f"Billed by use or once, not by the hour: {', '.join(spec.metered)}")
    if PurchaseOption.parse(scenario.purchase).family in ("ri", "sp"):
        notes.append("Buy the Reserved Instances or Savings Plan separately; without them these nodes bill On-Demand.")
    return [part for note in notes for part in wrap(note, width, "  ")]


def _zone_of_spot_price(plan: Plan, scenario: Scenario) -> str:
    """The zone whose spot price was planned with; "" where it is another kind of price."""
    of_zone = scenario.purchase == "spot" and plan.purchase.spot_usd_per_hour is None
    return (plan.purchase.zone_id or "") if of_zone else ""


def _action(spec: ClusterSpec) -> str:
    if BUDGET_ACTION not in spec.guard.more:
        return "! The budget only sends notices: this stack has no action that stops people from buying more."
    roles = f" and {', '.join(spec.guard.roles)}" if spec.guard.roles else ""
    return (
        "When the budget is spent, its action stops members of the stack's operator group "
        f"(empty until you add them){roles} from buying more. It does not stop running nodes: they bill until "
        "`pulumi destroy`."
    )


def _new_year(scenario: Scenario, start: date | None) -> list[str]:
    assert scenario.days is not None  # it is feasible
    if start is None or not crosses_new_year(start, scenario.days.p90):
        return []
    surely = crosses_new_year(start, scenario.days.plan)
    days = scenario.days.plan if surely else scenario.days.p90
    lasts = f"{days:,.1f} days" if days <= MOST_DAYS else "more than 3 years"
    return [
        f"! From {start} the run {'goes' if surely else 'may go'} on into {start.year + 1} "
        f"({'planned' if surely else 'P90'}: {lasts}). The budget is per calendar year: on 1 January it starts again "
        "from zero, and the stack could spend it a second time. Then write this file again with the amount that is "
        "left: --budget USD."
    ]


def _missing(spec: ClusterSpec, width: int) -> list[str]:
    missing = missing_ids(spec)
    if not missing:
        return []
    count = many(len(missing), "value")
    lines = wrap(f"{count} missing: `pulumi preview` accepts placeholders, `pulumi up` does not.", width, "  ")
    for entry in missing:
        also = f", or {entry.key} in the plan" if entry.key else ""
        given = f": {entry.option} {entry.example}{also}" if entry.option else ", bought and written by"
        lines += wrap(f"- {entry.what}{given}", width, "  ")
        if entry.command:
            lines.append(f"    {entry.command}")
    return lines


def _next(
    spec: ClusterSpec, scenario: Scenario, plan_path: str, overrides: Sequence[str], out: str | None, width: int
) -> list[str]:
    """The commands that are left, and what each spends. out: the folder that was asked for; they lead there again."""
    folder = shlex.quote(visible(out)) if out else ""
    path = " ".join([shlex.quote(visible(plan_path)), *(f"--set {shlex.quote(visible(one))}" for one in overrides)])
    lines = ["Next:"]
    missing = missing_ids(spec)
    blocks = [entry for entry in missing if entry.name in ("buying.reservation_id", "buying.further_blocks")]
    bought = (
        {"buying.reservation_id", "buying.ends", "zone_id"} if any(entry.option for entry in blocks) else set[str]()
    )
    given = [entry.option for entry in missing if entry.option and entry.name not in bought]
    if given:
        again = " ".join(f"{option} ..." for option in given)
        again += " --canary" if spec.canary else ""
        again += f" --out {folder}" if folder else ""
        lines.append(f"  planner stack {path} --scenario {spec.scenario} --stack {spec.stack} {again}")
    lines.append(f"  planner check {path} --scenario {spec.scenario} --stack {spec.stack}")
    if blocks:
        file = f"{folder}/{name_of(spec.stack)}" if folder else f"--stack {spec.stack}"
        sizes = [block.nodes for block in spec.blocks if not is_known(block.reservation_id)] or [spec.fleet.nodes]
        for one in purchases(scenario, f"planner reserve {file}", sizes):
            lines += [*wrap(f"  # {one.note}", width, "  # "), f"  {one.text}"]
    lines.append(f"  planner preview {path} --scenario {spec.scenario}")
    where = f"-C {folder} " if folder else ""
    lines.append(f"  pulumi {where}preview --stack {spec.stack}")
    up = f"  pulumi {where}up --stack {spec.stack}"
    lines += [*wrap(f"  # {_bills(spec)}", width, "  # "), up]
    if spec.canary:
        to = f" --out {folder}" if folder else ""
        lines.append("  # when the canary is in service")
        lines.append(f"  planner stack {path} --scenario {spec.scenario} --stack {spec.stack}{to}")
        lines += [*wrap(f"  # {_bills(replace(spec, canary=False))}", width, "  # "), up]
    return lines


def _bills(spec: ClusterSpec) -> str:
    """What `pulumi up` spends."""
    return hourly(usd_per_hour_now(spec), block=spec.buying.kind == "capacity-block")
