"""G: a rate from a count of events and its interval, and what a rate means for one job."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from planner.models.equation import equation
from planner.models.number import Number

_GARWOOD = "exact interval of a Poisson mean (Garwood 1936): 4 events are 1.37 to 9.15 at 90 %"
_META = "arXiv 2410.21680"
_UNITS = {"events": "events", "nodes": "nodes", "days": "days", "confidence_fraction": "fraction"}
_STEPS = 200  # of a bisection; each halves the interval
MOST_EVENTS = 100_000


@cache
def _mean_at(events: int, cumulative: float) -> float:
    """The mean of a Poisson distribution that has at most `events` events with this probability."""
    counts = np.arange(events + 1)
    logs = np.concatenate([[0.0], np.cumsum(np.log(counts[1:]))])

    def at_most(mean: float) -> float:
        return float(np.sum(np.exp(counts * math.log(mean) - mean - logs)))

    low, high = 1e-12, events + 20.0 + 12.0 * math.sqrt(events)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if at_most(middle) > cumulative else (low, middle)
    return (low + high) / 2


def fewest_expected(events: float, confidence_fraction: float = 0.9) -> float:
    """The lower end of the interval of the mean count; 0 without events."""
    count = int(events)
    return _mean_at(count - 1, (1 + confidence_fraction) / 2) if count else 0.0


def most_expected(events: float, confidence_fraction: float = 0.9) -> float:
    """The upper end of the interval of the mean count: 3.0 without events."""
    return _mean_at(int(events), (1 - confidence_fraction) / 2)


def _refuse(*, events: float, nodes: float, days: float, confidence_fraction: float) -> str:
    if events != int(events) or events > MOST_EVENTS:
        return f"events is a count: a whole number to {MOST_EVENTS:,}"
    if not 0 < confidence_fraction < 1:
        return "confidence_fraction lies between 0 and 1"
    return "" if nodes * days > 0 else "nodes and days are above 0"


def _show_low(*, events: float, nodes: float, days: float, confidence_fraction: float) -> list[str]:
    mean, tail = fewest_expected(events, confidence_fraction), (1 - confidence_fraction) / 2
    return [
        f"least mean m for which {events:g} events or more have a probability of {tail:.4g}: m = {mean:.6g}",
        f"result = m / ({nodes:g} x {days:g}) x 1000 = {mean / (nodes * days) * 1000:.6g}",
    ]


def _show_high(*, events: float, nodes: float, days: float, confidence_fraction: float) -> list[str]:
    mean, tail = most_expected(events, confidence_fraction), (1 - confidence_fraction) / 2
    return [
        f"largest mean m for which {events:g} events or fewer have a probability of {tail:.4g}: m = {mean:.6g}",
        f"result = m / ({nodes:g} x {days:g}) x 1000 = {mean / (nodes * days) * 1000:.6g}",
    ]


@equation(
    "G27",
    "observed-rate-low",
    units=_UNITS,
    result_unit="1/(1000 node-days)",
    source=_GARWOOD,
    show=_show_low,
    refuse=_refuse,
)
def observed_rate_low(*, events: Number, nodes: Number, days: Number, confidence_fraction: Number = 0.9) -> Number:
    """Lower end of the interval of a rate (G19) that was counted: few events say little.

    Limits: events that come alone and at a constant rate; bursts make the interval too narrow.
    """
    return fewest_expected(float(events), float(confidence_fraction)) / (nodes * days) * 1000


@equation(
    "G28",
    "observed-rate-high",
    units=_UNITS,
    result_unit="1/(1000 node-days)",
    source=_GARWOOD,
    show=_show_high,
    refuse=_refuse,
)
def observed_rate_high(*, events: Number, nodes: Number, days: Number, confidence_fraction: Number = 0.9) -> Number:
    """Upper end of the interval of a rate (G19) that was counted; without any event, what cannot be excluded.

    Limits: as of the lower end (G27).
    """
    return most_expected(float(events), float(confidence_fraction)) / (nodes * days) * 1000


@equation(
    "G29",
    "rate-from-mtbf",
    units={"nodes": "nodes", "mtbf_hours": "h"},
    result_unit="1/(1000 node-days)",
    source=_META + ": jobs of 1,024 GPUs failed every 7.9 h, which are 23.7 per 1,000 node-days",
    steps=("result = 24000 / (nodes * mtbf_hours)",),
)
def rate_from_mtbf(*, nodes: Number, mtbf_hours: Number) -> Number:
    """Job-level failure rate: all that stops jobs of a size, per node, from the mean time between their failures.

    It counts software and people as well as nodes, so that it is above the rate of the nodes (6.5 on the same cluster).
    """
    return 24_000 / (nodes * mtbf_hours)


@equation(
    "G30",
    "job-failures",
    units={"nodes": "nodes", "days": "days", "failures_per_1000_node_days": "1/(1000 node-days)"},
    result_unit="events",
    source="rate times exposure; arXiv 2407.21783: 419 failures of 2,048 nodes in 54 days are 3.79",
    steps=("result = nodes * days * failures_per_1000_node_days / 1000",),
)
def job_failures(*, nodes: Number, days: Number, failures_per_1000_node_days: Number) -> Number:
    """Failures that a job meets on average."""
    return nodes * days * failures_per_1000_node_days / 1000


@equation(
    "G31",
    "failed-job-fraction",
    units={"nodes": "nodes", "hours": "h", "failures_per_1000_node_days": "1/(1000 node-days)"},
    result_unit="fraction",
    source="constant hazard rate: one less the survival (G21) of all nodes",
    steps=("result = 1 - exp(-min(nodes * hours * failures_per_1000_node_days / 24000, 700))",),
)
def failed_job_fraction(*, nodes: Number, hours: Number, failures_per_1000_node_days: Number) -> Number:
    """Share of jobs of a size and length that fail at least once."""
    return 1 - np.exp(-np.minimum(nodes * hours * failures_per_1000_node_days / 24_000, 700.0))
