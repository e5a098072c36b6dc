"""The stack of a choice of a worker pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planner.kinds.asking import Ask, Look
from planner.kinds.workers.answers import plan_of
from planner.kinds.workers.summary import summary as summary_of
from planner.plan.load import LoadedPool
from planner.report.wording.worker_pool import reasons
from planner.stack.changes import by_hand
from planner.stack.choose_workers import STACK, FromUser, worker_spec_of
from planner.stack.choose_workers import kept as kept_of
from planner.stack.spec import ClusterSpec
from planner.worker_pool.result import PoolComparison, PoolScenario


def stack_name(loaded: LoadedPool) -> str:
    """The stack of a worker pool without a name of its own."""
    return STACK


def given(options: Mapping[str, str | None]) -> FromUser:
    """What only the user knows, by the options of `planner stack`."""
    values: dict[str, Any] = {name: options.get(name) or "" for name in ("image", "zone_id", "notify")}
    return FromUser(**values)


def lacks(chosen: PoolScenario) -> Sequence[str]:
    """Why a choice that is not eligible is not."""
    return reasons(chosen) or ["a price is missing"]


def planned(ask: Ask, found: PoolComparison, chosen: PoolScenario, stack: str, nic_profile: str) -> ClusterSpec:
    """The stack as the plan has it. nic_profile: of gangs. Raises UsageProblem or PlanProblems."""
    return worker_spec_of(plan_of(ask), found, chosen, ask.book, stack=stack)


def spec(
    ask: Ask,
    found: PoolComparison,
    chosen: PoolScenario,
    *,
    stack: str,
    kept: ClusterSpec | None,
    given: FromUser,
    nic_profile: str | None,
    budget: float | None,
) -> ClusterSpec:
    """The stack; what the call and the plan do not say stays as the file before (kept) had it. nic_profile: of gangs.
    Raises UsageProblem or PlanProblems."""
    loaded = plan_of(ask)
    values = kept_of(kept, loaded.plan.region, given)
    made = worker_spec_of(loaded, found, chosen, ask.book, stack=stack, given=values, budget=budget)
    return by_hand(kept, made) if kept else made


def stored_usd_per_hour(chosen: PoolScenario) -> float | None:
    """What S3 bills for stored bytes is not known by the hour."""
    return None


def summary(
    ask: Ask, spec: ClusterSpec, chosen: PoolScenario, look: Look, overrides: Sequence[str], out: str | None
) -> str:
    """What was written and what follows."""
    return summary_of(spec, chosen, look.plan_path, width=look.width)
