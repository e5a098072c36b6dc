"""What a layout deploys: its part of a stack file, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fleet_pool.settings import BadSetting, low_watermark_percent

from planner.models.values import Values
from planner.plan.types import Plan

Fields = Mapping[str, str | int | bool]


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """The priced sizes, in the form of a stack file.

    sections: fields by section, without those that need an account. reserved_vcpu: vCPU of each GPU node reserved for
    the pool's target. why_not: why it cannot be deployed with these settings; empty if it can. previews: whether
    a preview can show it all the same.
    """

    sections: Mapping[str, Fields]
    reserved_vcpu: int = 0
    why_not: str = ""
    previews: bool = True


class NotDeployable(Exception):
    """Settings that can be priced but not deployed. The text says why, and what to change."""


def whole(key: str, values: Values) -> int:
    """An assumption that counts things or sizes a volume. Raises NotDeployable for a fraction."""
    value = values.central(key)
    if value != int(value):
        raise NotDeployable(f"assumptions.{key} is {value:g}: the stack file needs a whole number")
    return int(value)


def control_section(instance_type: str, count: int, values: Values) -> Fields:
    """The control nodes of a pool. Raises NotDeployable."""
    gib = whole("pool.control_volume_gib", values)
    return {"instance_type": instance_type, "count": count, "root_volume_gib": gib}


def pool_section(plan: Plan, values: Values) -> Fields:
    """The pool's engine settings, with the watermark that its capacity is planned with.

    Raises NotDeployable if the engine does not accept it.
    """
    try:
        percent = low_watermark_percent(values.central("converged.low_watermark_fraction"))
    except BadSetting as error:
        raise NotDeployable(f"assumptions.converged.low_watermark_fraction: {error}") from None
    return {"low_watermark_percent": percent, "tls": plan.deploy.pool_tls}
