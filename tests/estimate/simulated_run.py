"""A run on spot as a sequence of events, with the rule that moves it to On-Demand: a second route to the closed form.

It takes rates, waits and times; no formula of the planner. Each failure and interruption is drawn, work since the last
checkpoint is lost or saved, and the rule sees only the hours that spot has cost so far.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """Of one simulated outcome, in hours and per hour."""

    training_hours: float
    failures_per_hour: float
    node_reclaims_per_hour: float
    gang_reclaims_per_hour: float
    replacement_hours: float
    gang_wait_hours: float
    write_hours: float
    restart_hours: float
    notice_fits: bool
    first_wait_hours: float
    start_hours: float  # bring-up and warm-up
    changeover_hours: float
    threshold_hours: float
    nodes: int


@dataclass
class Simulated:
    """hours: of the run; node_hours: billed on spot and On-Demand."""

    hours: float = 0.0
    spot_node_hours: float = 0.0
    on_demand_node_hours: float = 0.0
    moved: bool = False


@dataclass
class Job:
    """The job while it runs: what is saved, and what is not yet."""

    conditions: Conditions
    random: np.random.Generator
    saved: float = 0.0
    unsaved: float = 0.0
    result: Simulated = field(default_factory=Simulated)

    def interval(self, on_spot: bool) -> float:
        """Young's interval at the rate that loses work, at most all the work."""
        c = self.conditions
        rate = c.failures_per_hour
        if on_spot and not c.notice_fits:
            rate += c.node_reclaims_per_hour + c.gang_reclaims_per_hour
        return min(math.sqrt(2 * c.write_hours / rate), c.training_hours)

    def until_next(self, on_spot: bool) -> tuple[float, str]:
        """Hours until something stops the job, and what."""
        c = self.conditions
        rates = {"failure": c.failures_per_hour}
        if on_spot:
            rates |= {"node": c.node_reclaims_per_hour, "gang": c.gang_reclaims_per_hour}
        total = sum(rates.values())
        names = list(rates)
        which = self.random.random() * total
        for name in names[:-1]:
            if which < rates[name]:
                return self.random.exponential(1 / total), name
            which -= rates[name]
        return self.random.exponential(1 / total), names[-1]

    def train(self, hours: float, interval: float) -> float:
        """Train for at most so many hours of wall time, with checkpoints; returns the hours until the work is done."""
        c, spent = self.conditions, 0.0
        while spent < hours:
            left = c.training_hours - self.saved
            segment = min(interval, left)
            need = segment - self.unsaved
            if need + c.write_hours > hours - spent:
                self.unsaved = min(self.unsaved + hours - spent, segment)
                return hours
            spent += need + c.write_hours
            self.saved, self.unsaved = self.saved + segment, 0.0
            if self.saved >= c.training_hours - 1e-9:
                return spent
        return hours

    @property
    def done(self) -> bool:
        return self.saved >= self.conditions.training_hours - 1e-9


def simulate(conditions: Conditions, random: np.random.Generator) -> Simulated:
    """One run: on spot until it ends or the rule moves it, then On-Demand."""
    job = Job(conditions=conditions, random=random)
    _on_spot(job)
    if not job.done:
        job.result.moved = True
        started = job.result.hours
        job.result.hours += conditions.changeover_hours
        _on_demand(job)
        job.result.on_demand_node_hours = conditions.nodes * (job.result.hours - started)
    return job.result


def _on_spot(job: Job) -> None:
    c, result = job.conditions, job.result
    lost = c.first_wait_hours
    if lost > c.threshold_hours:
        result.hours = c.threshold_hours
        return
    result.hours = c.first_wait_hours + c.start_hours
    result.spot_node_hours = c.nodes * c.start_hours
    interval, best = job.interval(on_spot=True), 0.0  # best: the most work that was ever done
    repeated_by_spot = 0.0
    while not job.done:
        until, why = job.until_next(on_spot=True)
        before = job.saved + job.unsaved
        trained = job.train(until, interval)
        result.hours += trained
        result.spot_node_hours += c.nodes * trained
        again = max(min(best, job.saved + job.unsaved) - before, 0.0)
        lost += min(again, repeated_by_spot)
        repeated_by_spot = max(repeated_by_spot - again, 0.0)
        if job.done:
            return
        best = max(best, job.saved + job.unsaved)
        by_spot = why != "failure"
        if by_spot and c.notice_fits:
            job.saved, job.unsaved = job.saved + job.unsaved, 0.0
            result.hours += c.write_hours
            result.spot_node_hours += c.nodes * c.write_hours
            lost += c.write_hours
        elif by_spot:
            repeated_by_spot += job.unsaved
        job.unsaved = 0.0
        down = _down(job, why, lost if by_spot else -math.inf)
        lost += down if by_spot else 0.0
        if lost > c.threshold_hours:
            return


def _down(job: Job, why: str, lost: float) -> float:
    """Wait and restart, again if something stops the restart; ends early once the rule moves the run."""
    c, result, spent = job.conditions, job.result, 0.0
    while True:
        wait = c.gang_wait_hours if why == "gang" else c.replacement_hours
        wait = job.random.exponential(wait) if wait else 0.0
        if lost + spent + wait > c.threshold_hours:
            wait = max(c.threshold_hours - lost - spent, 0.0) + 1e-9
        billed = {"gang": 0, "node": c.nodes - 1, "failure": c.nodes}[why]
        result.hours += wait
        result.spot_node_hours += billed * wait
        spent += wait
        if lost + spent > c.threshold_hours:
            return spent
        until, why = job.until_next(on_spot=True)
        restart = min(until, c.restart_hours)
        result.hours += restart
        result.spot_node_hours += c.nodes * restart
        spent += restart
        if until >= c.restart_hours:
            return spent


def _on_demand(job: Job) -> None:
    c, result = job.conditions, job.result
    interval = job.interval(on_spot=False)
    while True:
        until, _ = job.until_next(on_spot=False)
        result.hours += job.train(until, interval)
        if job.done:
            return
        job.unsaved = 0.0
        until = 0.0
        while until < c.restart_hours:
            result.hours += job.random.exponential(c.replacement_hours)
            until, _ = job.until_next(on_spot=False)
            result.hours += min(until, c.restart_hours)
