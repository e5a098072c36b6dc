"""Published rules for when to run on spot, On-Demand or not at all, and the planner's own fallback rule.

Greedy, uniform progress and its forms are those of Wu et al., "Can't Be Late" (NSDI 2024). Uniform progress keeps work
done in step with the time that has passed: progress >= elapsed * work / deadline. Every rule has the safety net of
planner.spot.replay, which never lets a job be late.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.spot.job import Job
from planner.spot.replay import Rule, View, Wish, spell_left
from planner.spot.trace import SECONDS_PER_HOUR, Flags

# minutes of capacity after which the gated rule leaves On-Demand, by the hours that a start takes: read off the 2022
# recordings; between these, linear
GATE_MINUTES, GATE_HOURS = (0.0, 20.0, 40.0), (0.02, 0.2, 0.4)


@dataclass(frozen=True)
class Greedy:
    """Spot whenever there is some, else wait."""

    name: str = "greedy"

    def begin(self, job: Job, available: Flags) -> Rule:
        del job, available
        return lambda view: (view.available, np.zeros_like(view.available))


@dataclass(frozen=True)
class UniformProgress:
    """Spot whenever there is some; without it, On-Demand while behind, and there until two starts ahead."""

    name: str = "uniform_progress"

    def begin(self, job: Job, available: Flags) -> Rule:
        del available

        def rule(view: View) -> Wish:
            ahead = view.progress > _due(job, view.elapsed + 2 * job.changeover)
            spot = view.available & (~view.on_demand | ahead)
            return spot, _on_demand_while_behind(job, view, spot)

        return rule


@dataclass(frozen=True)
class Gated:
    """Uniform progress that leaves On-Demand as soon as it is ahead and capacity has lasted a while."""

    name: str = "uniform_progress_gated"

    def begin(self, job: Job, available: Flags) -> Rule:
        del available
        minutes = float(np.interp(job.changeover / SECONDS_PER_HOUR, GATE_HOURS, GATE_MINUTES))
        gate = minutes * 60 / job.gap

        def rule(view: View) -> Wish:
            ahead = (view.progress > _due(job, view.elapsed)) & (view.age > gate)
            spot = view.available & (~view.on_demand | ahead)
            return spot, _on_demand_while_behind(job, view, spot)

        return rule


@dataclass(frozen=True)
class NextSpotOracle:
    """Uniform progress that knows how long the capacity it sees will last, and takes it if it pays for its starts."""

    name: str = "uniform_progress_next_spot_oracle"

    def begin(self, job: Job, available: Flags) -> Rule:
        left = spell_left(available)
        worth = job.price_ratio * job.changeover / (job.price_ratio - 1) / job.gap if job.price_ratio > 1 else np.inf

        def rule(view: View) -> Wish:
            lasts = left[view.tick]
            spot = view.on_spot | (lasts > np.where(view.on_demand, 2 * worth, worth))
            return spot, _on_demand_while_behind(job, view, spot)

        return rule


@dataclass(frozen=True)
class Fallback:
    """The rule of the scenario "spot with fallback": spot until waits and restarts have cost half of the time that the
    deadline leaves (equation G15), then On-Demand to the end."""

    name: str = "fallback"

    def begin(self, job: Job, available: Flags) -> Rule:
        threshold = (job.deadline - job.work - job.changeover) / 2
        moved = np.zeros(available.shape[1], dtype=bool)

        def rule(view: View) -> Wish:
            lost = view.elapsed - view.progress
            np.logical_or(moved, lost > threshold, out=moved)
            return view.available & ~moved, moved.copy()

        return rule


def _due(job: Job, elapsed: int) -> int:
    """The most whole seconds of work that are not more than the share of the time that has passed."""
    return elapsed * job.work // job.deadline


def _on_demand_while_behind(job: Job, view: View, spot: Flags) -> Flags:
    """Without spot: On-Demand if it is running, or if work is behind the clock."""
    behind = view.progress < -(-view.elapsed * job.work // job.deadline)
    return ~spot & (view.on_demand | behind)
