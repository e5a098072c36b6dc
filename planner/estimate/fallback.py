"""Spot with fallback: a run that starts on spot and moves to On-Demand by a rule on what has been observed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.estimate.returning import Course, Returns, returning
from planner.estimate.stage import Stage
from planner.layouts.base import Demand, Layout, Service
from planner.models.derived import Sourced, SourcedQuantity
from planner.models.number import Number
from planner.models.sheet import Sheet
from planner.models.spot import fallback_hours, fallback_spot_fraction, fallback_spot_hours, fallback_threshold
from planner.models.values import Values
from planner.plan.types import Plan

ON_SPOT, ON_DEMAND = "on_spot.", "on_demand."  # before the ids of the numbers of each stage
# numbers of the spot stage that the run has too, mixed from both stages
MIXED = (
    "goodput.input_fraction",
    "goodput.availability_fraction",
    "run.training_hours",
    "run.hours",
    "run.checkpoints_written",
    "storage.s3_read_bytes",
)
THRESHOLD = "run:run.fallback_threshold_hours"


RETURNING = (
    "Start each time on spot or On-Demand by patient progress: wait for spot as long as the deadline leaves time, else "
    "run On-Demand until spot has lasted a while. The cluster's login node carries it out each minute."
)


@dataclass(frozen=True, kw_only=True)
class FallbackRule:
    """When a run moves from spot to On-Demand; fixed before the run, from central values.

    threshold_hours: that spot may cost in all: the wait for the first nodes, and from each interruption until the job
    is where it was. All of it is observed; the draw's own rates are never used. returns: where a Slurm cluster carries
    out another rule, which also goes back to spot; None for an Auto Scaling group.
    """

    threshold_hours: float
    returns: Returns | None = None

    @property
    def sentence(self) -> str:
        if self.returns:
            return RETURNING
        if not self.threshold_hours:
            return "Run On-Demand from the start, because the deadline leaves no time for spot interruptions."
        return (
            f"Start on spot; once waits for spot nodes, restarts and repeated work have taken more than "
            f"{_time(self.threshold_hours)} in all, move the run to On-Demand and stay there."
        )

    def moves(self, lost_hours: float) -> bool:
        """Whether a run that has lost this much to spot moves to On-Demand now."""
        return lost_hours > self.threshold_hours


def _time(hours: float) -> str:
    return f"{hours:.1f} hours" if hours < 48 else f"{hours / 24:.1f} days"


@dataclass(frozen=True, kw_only=True)
class Mixed:
    """A run of two stages.

    spot_hours: until it moves, or until its end. unheld_hours: on spot without a node to bill, mean over the nodes.
    """

    hours: Number
    spot_hours: Number
    unheld_hours: Number
    input_fraction: Number
    availability_fraction: Number
    s3_read_bytes: Number
    read_bytes: Number
    checkpoints: Number


def rule_of(
    plan: Plan, on_demand: Stage, changeover: Number, sheet: Sheet, decided: FallbackRule | None
) -> FallbackRule:
    """The rule of a plan, from the On-Demand stage at central values; in draws, the one that was decided there.
    changeover: hours of a start On-Demand."""
    if decided is not None:
        threshold = (decided.threshold_hours, "rule:decided before the run, at central values")
        sheet.taken(THRESHOLD.removeprefix("run:"), "h", threshold=threshold)
        return decided
    planned: Sourced = (float(on_demand.hours), f"run:{ON_DEMAND}run.hours")
    limit = _limit(plan, planned, sheet)
    hours = sheet.equation(
        THRESHOLD.removeprefix("run:"), fallback_threshold, limit_hours=limit, on_demand_hours=planned
    )
    if plan.deploy.scheduler != "slurm":
        return FallbackRule(threshold_hours=float(hours))
    returns = Returns(
        work_hours=float(on_demand.training_hours),
        deadline_hours=limit[0] - float(on_demand.start_hours),
        changeover_hours=float(on_demand.interruptions.restart_hours),
    )
    return FallbackRule(threshold_hours=float(hours), returns=returns)


def _limit(plan: Plan, planned: Sourced, sheet: Sheet) -> Sourced:
    """Hours within which the run has to end: the plan's limit, else a multiple of what On-Demand takes."""
    deadline, most_days = plan.run.deadline_hours, plan.constraints.max_days
    if deadline is not None and (most_days is None or deadline <= most_days * 24):
        return deadline, "plan:run.deadline"
    if most_days is not None:
        days = (most_days, "plan:constraints.max_days", "days")
        sheet.arithmetic("run.limit_hours", most_days * 24, "h", "days * 24", days=days)
        return most_days * 24, "run:run.limit_hours"
    slack = (plan.decision.slack, "rule:decision.slack, because the plan has no deadline", "ratio")
    limit = plan.decision.slack * planned[0]
    sheet.arithmetic("run.limit_hours", limit, "h", "slack * on_demand", slack=slack, on_demand=(*planned, "h"))
    return limit, "run:run.limit_hours"


def mixed(
    rule: FallbackRule, spot: Stage, on_demand: Stage, changeover: Number, work_hours: Number, sheet: Sheet
) -> Mixed:
    """The run by the rule, in each draw at the constant rate of its market. changeover: see `changeover_of`."""
    started: Sourced = (changeover, "run:run.changeover_hours")
    if rule.returns:
        deadline = (rule.returns.deadline_hours, "rule:decided before the run, at central values")
        course = returning(spot, on_demand, started, deadline, ON_SPOT, sheet)
    else:
        course = _leaving_once(rule, spot, on_demand, started, sheet)
    share = (*course.fraction, "fraction")
    pair = _Pair(fraction=share, sheet=sheet)
    training_hours = pair.sum("run.training_hours", "h", spot.training_hours, on_demand.training_hours)
    inputs = pair.harmonic(
        "goodput.input_fraction", "fraction", spot.data_input.fraction, on_demand.data_input.fraction
    )
    available = sheet.arithmetic(
        "goodput.availability_fraction",
        work_hours / inputs / training_hours,
        "fraction",
        "work_hours / input_fraction / training_hours",
        "of both stages together",
        work_hours=(work_hours, "run:run.work_hours", "h"),
        input_fraction=(inputs, "run:goodput.input_fraction", "fraction"),
        training_hours=(training_hours, "run:run.training_hours", "h"),
    )
    read = spot.data_input.s3_read_bytes, on_demand.data_input.s3_read_bytes
    return Mixed(
        hours=course.hours,
        spot_hours=course.spot_hours,
        unheld_hours=course.unheld_hours,
        input_fraction=inputs,
        availability_fraction=available,
        s3_read_bytes=pair.sum("storage.s3_read_bytes", "bytes", *read),
        read_bytes=spot.data_input.read_bytes,
        checkpoints=pair.sum("run.checkpoints_written", "checkpoints", spot.checkpoints, on_demand.checkpoints),
    )


def _leaving_once(rule: FallbackRule, spot: Stage, on_demand: Stage, changeover: Sourced, sheet: Sheet) -> Course:
    """Until the rule moves it, on spot; then On-Demand to its end."""
    training: Sourced = (spot.training_hours, f"run:{ON_SPOT}run.training_hours")
    rest: Sourced = (on_demand.training_hours, f"run:{ON_DEMAND}run.training_hours")
    threshold: Sourced = (rule.threshold_hours, THRESHOLD)
    fraction: Sourced = (
        sheet.equation(
            "run.spot_fraction",
            fallback_spot_fraction,
            first_wait_hours=spot.market.first_wait,
            spot_training_hours=training,
            on_demand_training_hours=rest,
            threshold_hours=threshold,
        ),
        "run:run.spot_fraction",
    )
    spot_hours = sheet.equation(
        "run.spot_hours",
        fallback_spot_hours,
        first_wait_hours=spot.market.first_wait,
        start_hours=(spot.start_hours, "run:run.start_hours"),
        spot_training_hours=training,
        spot_fraction=fraction,
        threshold_hours=threshold,
    )
    hours = sheet.equation(
        "run.hours",
        fallback_hours,
        spot_hours=(spot_hours, "run:run.spot_hours"),
        spot_fraction=fraction,
        changeover_hours=changeover,
        on_demand_training_hours=rest,
    )
    first_wait = (*spot.market.first_wait, "h")
    unheld = sheet.arithmetic(
        "fleet.unheld_hours",
        np.minimum(first_wait[0], spot_hours) + fraction[0] * spot.unheld_hours,
        "h",
        "min(first_wait, spot_hours) + spot_fraction * unheld_training_hours",
        "on spot without nodes to bill",
        first_wait=first_wait,
        spot_hours=(spot_hours, "run:run.spot_hours", "h"),
        spot_fraction=(*fraction, "fraction"),
        unheld_training_hours=(spot.unheld_hours, "run:run.unheld_training_hours", "h"),
    )
    return Course(fraction=fraction, spot_hours=spot_hours, hours=hours, unheld_hours=unheld)


@dataclass(frozen=True, kw_only=True)
class _Pair:
    """The same number of both stages as one of the run, weighted with the shares of the work."""

    fraction: SourcedQuantity
    sheet: Sheet

    def _inputs(self, id: str, unit: str, spot: Number, on_demand: Number) -> dict[str, SourcedQuantity]:
        return {
            "spot_fraction": self.fraction,
            "spot": (spot, f"run:{ON_SPOT}{id}", unit),
            "on_demand": (on_demand, f"run:{ON_DEMAND}{id}", unit),
        }

    def sum(self, id: str, unit: str, spot: Number, on_demand: Number) -> Number:
        share = self.fraction[0]
        text = "spot_fraction * spot + (1 - spot_fraction) * on_demand"
        value = share * spot + (1 - share) * on_demand
        return self.sheet.arithmetic(id, value, unit, text, "", **self._inputs(id, unit, spot, on_demand))

    def harmonic(self, id: str, unit: str, spot: Number, on_demand: Number) -> Number:
        share = self.fraction[0]
        text = "1 / (spot_fraction / spot + (1 - spot_fraction) / on_demand)"
        value = 1 / (share / spot + (1 - share) / on_demand)
        return self.sheet.arithmetic(id, value, unit, text, "", **self._inputs(id, unit, spot, on_demand))


def changeover_of(
    on_demand: Stage, demand: Demand, layout: Layout, service: Service, values: Values, sheet: Sheet
) -> Number:
    """Hours from the decision until training continues On-Demand, with a fast tier on the nodes filled again."""
    bring_up = values.given("goodput.bring_up_hours")
    restart = on_demand.interruptions.restart_hours
    inputs: dict[str, SourcedQuantity] = {
        "bring_up": (*bring_up, "h"),
        "restart": (restart, f"run:{ON_DEMAND}goodput.restart_hours", "h"),
    }
    hours, expression = bring_up[0] + restart, "bring_up + restart"
    if layout.emptied_by_interruption:
        hours = hours + demand.hot_bytes / 1e9 / service.cold_gb_per_s / 3600
        expression += " + hot_bytes / 10**9 / cold_gb_per_s / 3600"
        inputs["hot_bytes"] = (demand.hot_bytes, "run:data.hot_bytes", "bytes")
        inputs["cold_gb_per_s"] = (service.cold_gb_per_s, "run:storage.cold_read_gb_per_s", "GB/s")
    label = "start On-Demand nodes, read the checkpoint" + (", fill the cache" if "hot_bytes" in inputs else "")
    return sheet.arithmetic("run.changeover_hours", hours, "h", expression, label, **inputs)
