"""Changed plans, each with the `--set` that changes them, for trying what would make an infeasible plan feasible."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from planner.layouts.registry import DEFAULTS, ROOMS
from planner.plan.catalogue_check import types_of
from planner.plan.check import check_plan
from planner.plan.profiles import has_mfu
from planner.plan.quantities import Accelerators
from planner.plan.types import Plan
from pricing.catalog import InstanceType
from pricing.offers import DEFAULT_PURCHASE_OPTIONS

MOST_NODES = 100_000


@dataclass(frozen=True, kw_only=True)
class ChangedPlan:
    """settings: `path=value` as in `--set`; plan: the plan with them."""

    settings: tuple[str, ...]
    plan: Plan

    def also(self, other: ChangedPlan) -> ChangedPlan:
        """Both changes; `other` was made from this plan."""
        return ChangedPlan(settings=(*self.settings, *other.settings), plan=other.plan)


def same(plan: Plan) -> ChangedPlan:
    return ChangedPlan(settings=(), plan=plan)


def with_value(base: ChangedPlan, section: str, name: str, value: Any, text: str) -> ChangedPlan:
    """name: of the field; text: `path=value`. A setting of one layout has `storage.` in its section."""
    outer, _, inner = section.partition(".")
    changed = {name: value}
    if inner:
        changed = {inner: getattr(getattr(base.plan, outer), inner).model_copy(update=changed)}
    whole = getattr(base.plan, outer).model_copy(update=changed)
    return ChangedPlan(settings=(*base.settings, text), plan=base.plan.model_copy(update={outer: whole}))


def is_right(plan: Plan, instances: Sequence[InstanceType]) -> bool:
    """Whether the checks of a plan find no problem."""
    known = {instance.name: instance for instance in instances}
    return not check_plan(plan) and not any(types_of(plan, known))


def purchases(base: ChangedPlan) -> Iterator[ChangedPlan]:
    """Each default purchase option that the plan leaves out."""
    mine = base.plan.purchase.options or DEFAULT_PURCHASE_OPTIONS
    for option in DEFAULT_PURCHASE_OPTIONS:
        if option not in mine:
            yield with_value(base, "purchase", "options", (option,), f"purchase.options=[{option}]")


def layouts(base: ChangedPlan) -> Iterator[ChangedPlan]:
    """Each layout that the plan leaves out."""
    for layout in DEFAULTS:
        if layout not in base.plan.storage.layouts:
            yield with_value(base, "storage", "layouts", (layout,), f"storage.layouts=[{layout}]")


_WORDS = {False: "false", None: "null"}


def defaults(base: ChangedPlan) -> Iterator[ChangedPlan]:
    """Each setting of a layout that can rule it out, set to its default."""
    for layout, room in ROOMS.items():
        for name in room.may_refuse:
            section = layout.replace("-", "_")
            here = getattr(base.plan.storage, section)
            field = type(here).model_fields[name]
            if getattr(here, name) != field.default:
                setting = f"storage.{layout}.{field.alias or name}={_WORDS.get(field.default, field.default)}"
                yield with_value(base, f"storage.{section}", name, field.default, setting)


def types(base: ChangedPlan, instances: Sequence[InstanceType]) -> Iterator[ChangedPlan]:
    """Each other instance type on which the plan's work means the same: GPUs, since AWS's own chips have another mfu.

    Those with the same GPU, or any if the work is in FLOP; with at least as many GPUs per node, and with EFA if the
    plan's types have it.
    """
    plan = base.plan
    mine = [instance for instance in instances if instance.name in plan.fleet.instance_types]
    parts = (*plan.run.phases, *([plan.run.work] if plan.run.work else []))
    anywhere = plan.fleet.gpus is None and all(part.flop is not None for part in parts)
    if plan.purchase.spot_usd_per_hour is not None or len({entry.gpu_name for entry in mine}) > 1:
        return  # a price of one type, or GPUs of several kinds, would not fit another type
    published = any(part.flop is not None and part.mfu is None and not part.mfu_by_gpu for part in parts)
    for instance in instances:
        if (
            instance not in mine
            and instance.has_gpus
            and (has_mfu(instance.gpu_name) or not published)
            and (anywhere or instance.gpu_name == mine[0].gpu_name)
            and instance.gpu_count >= min(entry.gpu_count for entry in mine)
            and (instance.efa_interfaces or not any(entry.efa_interfaces for entry in mine))
        ):
            name = instance.name
            yield with_value(base, "fleet", "instance_types", (name,), f"fleet.instance_types=[{name}]")


@dataclass(frozen=True, kw_only=True)
class Size:
    """The size of a fleet in the plan's terms: nodes, or GPUs of one kind in steps of one node."""

    sizes: tuple[int, ...]
    least: int
    gpu: str = ""
    step: int = 1

    def at(self, base: ChangedPlan, count: int) -> ChangedPlan:
        if not self.gpu:
            return with_value(base, "fleet", "nodes", (count,), f"fleet.nodes={count}")
        wanted = Accelerators(gpu=self.gpu, count=count * self.step)
        return with_value(base, "fleet", "gpus", (wanted,), f"fleet.gpus={self.gpu}:{wanted.count}")


def size_of(plan: Plan, instances: Sequence[InstanceType]) -> Size | None:
    """None if several kinds of GPUs are compared, because the size is then not one number."""
    fleet = plan.fleet
    if fleet.nodes is not None:
        return Size(sizes=fleet.nodes, least=fleet.spares + 1)
    wanted = fleet.gpus
    if not wanted or len({entry.gpu for entry in wanted}) != 1:
        return None
    mine = [instance for instance in instances if instance.name in fleet.instance_types]
    step = math.lcm(*(instance.gpu_count for instance in mine))
    return Size(sizes=tuple(entry.count // step for entry in wanted), least=1, gpu=wanted[0].gpu, step=step)
