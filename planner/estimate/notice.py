"""The notice before a spot interruption: which interruptions leave time to save the work, and which lose it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.estimate.job_rates import JobRates
from planner.layouts.base import Service
from planner.models.derived import Sourced, SourcedQuantity
from planner.models.goodput import checkpoint_write_hours
from planner.models.number import Number
from planner.models.sheet import Sheet
from planner.models.spot import NOTICE_HOURS
from planner.models.values import Values

NOTICE: Sourced = (NOTICE_HOURS, "rule:EC2 User Guide: a spot instance has a notice of two minutes")


@dataclass(frozen=True, kw_only=True)
class Announced:
    """Spot interruptions whose notice is long enough for a checkpoint: per hour, hours of waiting per hour; hours to
    write that checkpoint. Of all other interruptions: mean time between them, and the wait after one."""

    per_hour: Sourced
    waiting: Sourced
    write_hours: Sourced
    other_mtbf_hours: Sourced
    other_wait_hours: Sourced


def announced_of(checkpoint_gb: Sourced, service: Service, rates: JobRates, values: Values, sheet: Sheet) -> Announced:
    """Which interruptions of a job on spot lose no work."""
    durable = durable_write(checkpoint_gb, service, values, sheet, "goodput.notice_write_hours")
    fits = sheet.arithmetic(
        "goodput.notice_fits",
        np.where(np.asarray(durable) <= NOTICE_HOURS, 1.0, 0.0)[()],
        "fraction",
        "1 if write <= notice else 0",
        "1 if a checkpoint can be written within the interruption notice",
        write=(durable, "run:goodput.notice_write_hours", "h"),
        notice=(*NOTICE, "h"),
    )
    notice: SourcedQuantity = (fits, "run:goodput.notice_fits", "fraction")
    reclaims = {"node_reclaims": _with(rates.node_reclaims, "1/h"), "gang_rate": _with(rates.gang_rate, "1/h")}
    failures = _with(rates.failures, "1/h")
    waits = {
        "node_wait": _with(rates.node_wait, "h"),
        "gang_wait": _with(rates.gang_wait, "h"),
    }
    per_hour = rates.node_reclaims[0] + rates.gang_rate[0]
    waiting = rates.node_reclaims[0] * rates.node_wait[0] + rates.gang_rate[0] * rates.gang_wait[0]
    announced = sheet.arithmetic(
        "goodput.announced_per_hour",
        per_hour * fits,
        "1/h",
        "(node_reclaims + gang_rate) * notice_fits",
        "spot interruptions that lose no work",
        **reclaims,
        notice_fits=notice,
    )
    announced_wait = sheet.arithmetic(
        "goodput.announced_wait_fraction",
        waiting * fits,
        "h of waiting per h of training",
        "(node_reclaims * node_wait + gang_rate * gang_wait) * notice_fits",
        **reclaims,
        **waits,
        notice_fits=notice,
    )
    other = sheet.arithmetic(
        "goodput.unannounced_mtbf_hours",
        1.0 / (rates.failures[0] + per_hour * (1.0 - fits)),
        "h",
        "1 / (failures + (node_reclaims + gang_rate) * (1 - notice_fits))",
        "mean time between interruptions that lose work",
        failures=failures,
        **reclaims,
        notice_fits=notice,
    )
    other_wait = sheet.arithmetic(
        "goodput.unannounced_wait_hours",
        other * (rates.failures[0] * rates.node_wait[0] + waiting * (1.0 - fits)),
        "h",
        "mtbf * (failures * node_wait + (node_reclaims * node_wait + gang_rate * gang_wait) * (1 - notice_fits))",
        mtbf=(other, "run:goodput.unannounced_mtbf_hours", "h"),
        failures=failures,
        **reclaims,
        **waits,
        notice_fits=notice,
    )
    return Announced(
        per_hour=(announced, "run:goodput.announced_per_hour"),
        waiting=(announced_wait, "run:goodput.announced_wait_fraction"),
        write_hours=(durable, "run:goodput.notice_write_hours"),
        other_mtbf_hours=(other, "run:goodput.unannounced_mtbf_hours"),
        other_wait_hours=(other_wait, "run:goodput.unannounced_wait_hours"),
    )


def _with(sourced: Sourced, unit: str) -> SourcedQuantity:
    return sourced[0], sourced[1], unit


def durable_write(checkpoint_gb: Sourced, service: Service, values: Values, sheet: Sheet, id: str) -> Number:
    """Hours until the whole checkpoint is in storage."""
    return sheet.equation(
        id,
        checkpoint_write_hours,
        checkpoint_gb=checkpoint_gb,
        write_gb_per_s=(service.write_gb_per_s, "run:storage.write_gb_per_s"),
        overhead_seconds=values.given("checkpoint.overhead_seconds"),
    )
