"""G: spot as a policy: saving work within the interruption notice, and moving to On-Demand by an observed rule."""

from __future__ import annotations

import numpy as np

from planner.models.equation import equation
from planner.models.goodput import AVAILABILITY_FLOOR
from planner.models.number import Number

NOTICE_HOURS = 2 / 60  # EC2 User Guide, "Spot Instance interruption notices": two minutes before the instance stops


@equation(
    "G14",
    "availability-with-notice",
    units={
        "unannounced_fraction": "fraction",
        "announced_per_hour": "1/h",
        "announced_wait_fraction": "h of waiting per h of training",
        "restart_hours": "h",
        "write_hours": "h",
    },
    result_unit="fraction",
    source="EC2 User Guide: an interrupted spot instance has a notice of two minutes; G5 without lost work",
    steps=(
        "restarts = exp(min(announced_per_hour * restart_hours, 50))",
        "stretch = restarts * (1 + announced_wait_fraction) + announced_per_hour * write_hours",
        "result = max(unannounced_fraction / stretch, 0.001)",
    ),
)
def availability_with_notice(
    *,
    unannounced_fraction: Number,
    announced_per_hour: Number,
    announced_wait_fraction: Number,
    restart_hours: Number,
    write_hours: Number,
) -> Number:
    """Share of the time whose work is kept, where some interruptions leave time to write a checkpoint.

    unannounced_fraction: the share with all other interruptions (G5). An announced one loses no work: the job writes
    for C hours, waits D hours for nodes, and restarts in R hours, during which it can be interrupted again:
    E[T] = e^(sR) (1 + sD) + sC hours for each hour of G5's, at s interruptions an hour. At least 1 in 1,000.
    """
    restarts = np.exp(np.minimum(announced_per_hour * restart_hours, 50.0))
    stretch = restarts * (1 + announced_wait_fraction) + announced_per_hour * write_hours
    return np.maximum(unannounced_fraction / stretch, AVAILABILITY_FLOOR)


@equation(
    "G15",
    "fallback-threshold",
    units={"limit_hours": "h", "on_demand_hours": "h"},
    result_unit="h",
    source="decision of ours: spot may cost half of the time that is left; the other half is for what else goes wrong",
    steps=("result = max((limit_hours - on_demand_hours) / 2, 0)",),
)
def fallback_threshold(*, limit_hours: Number, on_demand_hours: Number) -> Number:
    """Hours that spot interruptions may cost a run in all before it moves to On-Demand.

    limit_hours: by when the run has to end. on_demand_hours: of the same run On-Demand, as planned.
    """
    return np.maximum((limit_hours - on_demand_hours) / 2, 0.0)


@equation(
    "G16",
    "fallback-spot-fraction",
    units={
        "first_wait_hours": "h",
        "spot_training_hours": "h",
        "on_demand_training_hours": "h",
        "threshold_hours": "h",
    },
    result_unit="fraction",
    source="derived here: at mean rates, a share f of the work on spot has cost first wait + f (spot - On-Demand) h",
    steps=(
        "lost = max(spot_training_hours - on_demand_training_hours, 0)",
        "left = max(threshold_hours - first_wait_hours, 0)",
        "result = 1 if first_wait_hours + lost <= threshold_hours else min(left / max(lost, 1e-9), 1)",
    ),
)
def fallback_spot_fraction(
    *,
    first_wait_hours: Number,
    spot_training_hours: Number,
    on_demand_training_hours: Number,
    threshold_hours: Number,
) -> Number:
    """Share of the work that is done on spot before the rule moves the run to On-Demand; 1 if it never does.

    The rule moves the run once spot interruptions have taken more than threshold_hours: the wait for the first nodes,
    later waits, restarts and repeated work. Training hours: of all the work, on each kind of nodes.

    Limits: interruptions at their mean rate; right where the threshold is many interruptions away.
    """
    lost = np.maximum(spot_training_hours - on_demand_training_hours, 0.0)
    left = np.maximum(threshold_hours - first_wait_hours, 0.0)
    reached = np.minimum(left / np.maximum(lost, 1e-9), 1.0)
    return np.where(first_wait_hours + lost <= threshold_hours, 1.0, reached)[()]


@equation(
    "G17",
    "fallback-spot-hours",
    units={
        "first_wait_hours": "h",
        "start_hours": "h",
        "spot_training_hours": "h",
        "spot_fraction": "fraction",
        "threshold_hours": "h",
    },
    result_unit="h",
    source="derived here: without nodes by the threshold, the run moves; else it trains on spot until it ends or moves",
    steps=(
        "waited = min(first_wait_hours, threshold_hours)",
        "result = start_hours + spot_fraction * spot_training_hours if spot_fraction > 0 else waited",
    ),
)
def fallback_spot_hours(
    *,
    first_wait_hours: Number,
    start_hours: Number,
    spot_training_hours: Number,
    spot_fraction: Number,
    threshold_hours: Number,
) -> Number:
    """Hours from the request for spot nodes until the run ends, or until the rule moves it to On-Demand.

    start_hours: until training starts, the first wait included.
    """
    waited = np.minimum(first_wait_hours, threshold_hours)
    return np.where(np.asarray(spot_fraction) > 0, start_hours + spot_fraction * spot_training_hours, waited)[()]


@equation(
    "G18",
    "fallback-hours",
    units={
        "spot_hours": "h",
        "spot_fraction": "fraction",
        "changeover_hours": "h",
        "on_demand_training_hours": "h",
    },
    result_unit="h",
    source="hours on spot (G17), then the rest of the work On-Demand",
    steps=(
        "rest = 1 - spot_fraction",
        "result = spot_hours + (changeover_hours + rest * on_demand_training_hours if rest > 0 else 0)",
    ),
)
def fallback_hours(
    *, spot_hours: Number, spot_fraction: Number, changeover_hours: Number, on_demand_training_hours: Number
) -> Number:
    """Hours of a run that starts on spot and moves to On-Demand with the rest of its work.

    changeover_hours: from the decision until training continues. on_demand_training_hours: of all the work.
    """
    rest = 1.0 - np.asarray(spot_fraction)
    moved = changeover_hours + rest * on_demand_training_hours
    return (spot_hours + np.where(rest > 0, moved, 0.0))[()]
