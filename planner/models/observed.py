"""G: what others observed of failures and interruptions, in the terms of the model: rates, means, survival, loss."""

from __future__ import annotations

import numpy as np

from planner.models.equation import equation
from planner.models.number import Number

_SALAD = "SaladTechnologies/salad-cloud-docs service-performance.mdx (504c704)"
_WORKER = "SaladTechnologies/dreambooth-orchestrator readme.md (294561a)"


@equation(
    "G19",
    "observed-rate",
    units={"events": "events", "nodes": "nodes", "days": "days"},
    result_unit="1/(1000 node-days)",
    source="events over exposure; OPT-175B chronicles: about 2 machines a day of 128",
    steps=("result = events / (nodes * days) * 1000",),
)
def observed_rate(*, events: Number, nodes: Number, days: Number) -> Number:
    """Failures per 1,000 node-days, from a count of failures."""
    return events / (nodes * days) * 1000


@equation(
    "G20",
    "observed-interval",
    units={"hours": "h", "events": "events"},
    result_unit="h",
    source="arXiv 2407.21783, section 3.3.4: 419 unexpected interruptions in 54 days",
    steps=("result = hours / events",),
)
def observed_interval(*, hours: Number, events: Number) -> Number:
    """Mean time between observed events; with instance-hours and runs, the mean time that a run lasts."""
    return hours / events


@equation(
    "G21",
    "survival",
    units={"events_per_hour": "1/h", "hours": "h"},
    result_unit="fraction",
    source="constant hazard rate; " + _SALAD + ": 25 of 100 instances lasted 168 h, where it gives 16",
    steps=("result = exp(-min(events_per_hour * hours, 700))",),
)
def survival(*, events_per_hour: Number, hours: Number) -> Number:
    """Share of nodes without an interruption after some hours, at a constant rate.

    Limits: too low where the rate falls with the age of a node, as it did in Salad's test.
    """
    return np.exp(-np.minimum(events_per_hour * hours, 700.0))


@equation(
    "G22",
    "interruption-loss",
    units={"interruptions": "events", "detection_seconds": "s", "interval_seconds": "s"},
    result_unit="s",
    source=_WORKER + ": a job is taken over 60 s after its last heartbeat, and resumes from its last checkpoint",
    steps=("result = interruptions * (detection_seconds + interval_seconds / 2)",),
)
def interruption_loss(*, interruptions: Number, detection_seconds: Number, interval_seconds: Number) -> Number:
    """Clock time that a job loses to interruptions: until each is noticed, and half a checkpoint interval of work.

    Limits: another worker is free at once and loads the job in no time.
    """
    return interruptions * (detection_seconds + interval_seconds / 2)


@equation(
    "G23",
    "checkpoint-overhead",
    units={"write_hours": "h", "interval_hours": "h"},
    result_unit="fraction",
    source="stas00/ml-engineering (744d01e): BLOOM-176B, 40 s every 3 h are 0.37 %",
    steps=("result = write_hours / interval_hours",),
)
def checkpoint_overhead(*, write_hours: Number, interval_hours: Number) -> Number:
    """Share of the time in which training pauses for checkpoints. interval_hours: from one to the next."""
    return write_hours / interval_hours


@equation(
    "G24",
    "observed-availability",
    units={"spells": "spells", "mean_spell_hours": "h", "hours": "h"},
    result_unit="fraction",
    source="skypilot-org/spot-traces (221da1a): 269 spells of 1.16 h in 27.05 days",
    steps=("result = spells * mean_spell_hours / hours",),
)
def observed_availability(*, spells: Number, mean_spell_hours: Number, hours: Number) -> Number:
    """Share of the time in which a node could be had, from how often and how long."""
    return spells * mean_spell_hours / hours


@equation(
    "G25",
    "gang-availability",
    units={"interruptions_per_day": "1/day", "wait_hours": "h"},
    result_unit="fraction",
    source="alternating renewal: mean time up over mean time up and down, of the rates of spot.gang_*",
    steps=(
        "up_hours = 24 / interruptions_per_day",
        "result = up_hours / (up_hours + wait_hours)",
    ),
)
def gang_availability(*, interruptions_per_day: Number, wait_hours: Number) -> Number:
    """Share of the time in which a gang has all its spot nodes. Interruptions per day in which it has them."""
    up_hours = 24 / interruptions_per_day
    return up_hours / (up_hours + wait_hours)
