"""The stack of a choice of a fleet: one Slurm cluster for all its instance types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planner.fleet.result import FleetComparison, FleetScenario
from planner.kinds.asking import Ask, Look
from planner.kinds.fleet.answers import plan_of
from planner.kinds.fleet.summary import summary as summary_of
from planner.plan.load import LoadedFleet
from planner.report.wording.fleet import reasons
from planner.stack.changes import by_hand
from planner.stack.choose_fleet import FromOperator, fleet_spec_of
from planner.stack.choose_fleet import kept as kept_of
from planner.stack.spec import ClusterSpec


def stack_name(loaded: LoadedFleet) -> str:
    """The stack that the plan names."""
    return loaded.plan.deploy.stack


def given(options: Mapping[str, str | None]) -> FromOperator:
    """What only the account knows, by the options of `planner stack`."""
    values: dict[str, Any] = {name: options.get(name) or "" for name in ("ami", "control_ami", "zone_id", "notify")}
    return FromOperator(**values)


def lacks(chosen: FleetScenario) -> Sequence[str]:
    """Why a choice that is not eligible is not."""
    return reasons(chosen) or ["a price is missing"]


def planned(ask: Ask, found: FleetComparison, chosen: FleetScenario, stack: str, nic_profile: str) -> ClusterSpec:
    """The stack as the plan has it. Raises UsageProblem or PlanProblems."""
    return fleet_spec_of(plan_of(ask), found, chosen, ask.book, stack=stack, nic_profile=nic_profile)


def spec(
    ask: Ask,
    found: FleetComparison,
    chosen: FleetScenario,
    *,
    stack: str,
    kept: ClusterSpec | None,
    given: FromOperator,
    nic_profile: str | None,
    budget: float | None,
) -> ClusterSpec:
    """The stack; what the call and the plan do not say stays as the file before (kept) had it. Raises UsageProblem or
    PlanProblems."""
    loaded = plan_of(ask)
    profile = nic_profile or (kept.fleet.nic_profile if kept else "ip-saving")
    values = kept_of(kept, loaded.plan, given)
    made = fleet_spec_of(
        *(loaded, found, chosen, ask.book), stack=stack, nic_profile=profile, given=values, budget=budget
    )
    return by_hand(kept, made) if kept else made


def stored_usd_per_hour(chosen: FleetScenario) -> float | None:
    """What S3 bills for stored bytes changes from month to month."""
    return None


def summary(
    ask: Ask, spec: ClusterSpec, chosen: FleetScenario, look: Look, overrides: Sequence[str], out: str | None
) -> str:
    """What was written and what follows."""
    return summary_of(spec, chosen, plan_of(ask).plan, ask.book, look.plan_path, overrides, width=look.width)
