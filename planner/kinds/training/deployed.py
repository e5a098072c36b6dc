"""The stack of a training scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planner.decide.comparison import Comparison
from planner.estimate.result import Scenario
from planner.kinds.asking import Ask, Look
from planner.kinds.training.answers import plan_of
from planner.kinds.training.summary import summary as summary_of
from planner.plan.load import LoadedPlan
from planner.report.data.stored import stored_usd_per_hour
from planner.report.wording.eligibility import why_not
from planner.stack.changes import by_hand
from planner.stack.choose import FromAccount, spec_of
from planner.stack.kept import kept_of
from planner.stack.spec import ClusterSpec

__all__ = ["given", "lacks", "planned", "spec", "stack_name", "stored_usd_per_hour", "summary"]
# option of `planner stack` -> what it gives
_GIVEN = {
    "ami": "ami",
    "control_ami": "control_ami",
    "zone_id": "zone_id",
    "second_zone_id": "second_zone_id",
    "notify": "notify",
    "reservation": "reservation_id",
    "placement_group": "placement_group",
    "block_starts": "starts",
    "block_ends": "ends",
}


def stack_name(loaded: LoadedPlan) -> str:
    """The stack that the plan names."""
    return loaded.plan.deploy.stack


def given(options: Mapping[str, str | None]) -> FromAccount:
    """What only the account knows, by the options of `planner stack`."""
    values: dict[str, Any] = {name: options.get(option) or "" for option, name in _GIVEN.items()}
    return FromAccount(**values)


def lacks(chosen: Scenario) -> Sequence[str]:
    """Why a scenario that is not eligible is not."""
    return [*why_not(chosen), *([] if chosen.complete else ["a price is missing"])]


def planned(ask: Ask, found: Comparison, chosen: Scenario, stack: str, nic_profile: str) -> ClusterSpec:
    """The stack as the plan has it, even if it cannot be deployed yet. Raises UsageProblem or PlanProblems."""
    loaded = plan_of(ask)
    return spec_of(loaded, found, chosen, ask.book, stack=stack, nic_profile=nic_profile, preview=True)


def spec(
    ask: Ask,
    found: Comparison,
    chosen: Scenario,
    *,
    stack: str,
    kept: ClusterSpec | None,
    given: FromAccount,
    nic_profile: str | None,
    budget: float | None,
) -> ClusterSpec:
    """The stack; what the call and the plan do not say stays as the file before (kept) had it. Raises UsageProblem or
    PlanProblems."""
    loaded = plan_of(ask)
    profile = nic_profile or (kept.fleet.nic_profile if kept else "ip-saving")
    given = kept_of(kept, loaded.plan, chosen, given)
    made = spec_of(loaded, found, chosen, ask.book, stack=stack, nic_profile=profile, given=given, budget=budget)
    return by_hand(kept, made) if kept else made


def summary(
    ask: Ask, spec: ClusterSpec, chosen: Scenario, look: Look, overrides: Sequence[str], out: str | None
) -> str:
    """What was written and what follows. out: the folder that was asked for."""
    return summary_of(
        *(spec, chosen, plan_of(ask).plan, look.plan_path, overrides),
        out=out,
        width=look.width,
        ascii_only=look.ascii_only,
    )
