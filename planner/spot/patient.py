"""Patient progress: the planner's own rule for spot with a deadline, and its default.

It sees only what the job itself has seen so far. docs/spot-policies.md has its proof on public recordings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.spot.job import Counts, Job
from planner.spot.replay import Rule, View, Wish
from planner.spot.trace import SECONDS_PER_HOUR, Flags

STARTS_KEPT = 2  # changeovers that are never planned away: one to On-Demand, and one that fails


@dataclass(frozen=True, kw_only=True)
class PatientProgress:
    """Spot whenever there is some and the job is not On-Demand. The slack is the time that is left without work; its
    reserve falls to zero with a power of the time left. margin = (slack - 2 changeovers) / reserve, 1 on schedule.

    Without spot: wait, up to (wait_hours + wait_changeovers * changeover) * margin ** patience, then On-Demand. A job
    ahead of schedule waits long, one behind it does not wait.
    On On-Demand: back to spot once its capacity has lasted proof_changeovers * changeover / (margin * share), as
    capacity that has lasted a while is lost less often. share: of the time that the job saw capacity so far, starting
    from prior_share with the weight of prior_hours.

    The defaults were tuned on the recordings of October 2022 alone and rounded.
    """

    name: str = "own"
    convexity: float = 1.2
    wait_hours: float = 2.0
    wait_changeovers: float = 4.0
    patience: float = 10.0
    proof_changeovers: float = 1.0
    prior_share: float = 0.6
    prior_hours: float = 32.0

    def begin(self, job: Job, available: Flags) -> Rule:
        changeover = job.changeover / SECONDS_PER_HOUR
        wait_ticks = (self.wait_hours + self.wait_changeovers * changeover) * SECONDS_PER_HOUR / job.gap
        # the margin below which a wait of as many ticks is too long: the same question without a power in every tick
        ages = np.arange(job.ticks + 1)
        enough = ((ages / max(wait_ticks, 1e-9)) ** (1 / self.patience)).astype(np.float32)
        proof_ticks = np.float32(self.proof_changeovers * job.changeover / job.gap)
        prior_ticks = self.prior_hours * SECONDS_PER_HOUR / job.gap
        up_ticks = np.full(available.shape[1], self.prior_share * prior_ticks, dtype=np.float32)

        def rule(view: View) -> Wish:
            np.add(up_ticks, view.available, out=up_ticks)
            share = up_ticks * np.float32(1 / (view.tick + 1 + prior_ticks))
            margin = self.margin(view)
            proven = view.age.astype(np.float32) * share * margin > proof_ticks
            spot = view.available & (~view.on_demand | proven)
            waited = margin < enough.take(view.age)
            return spot, ~spot & (view.on_demand | ~view.available & waited)

        return rule

    def margin(self, view: View) -> NDArray[np.float32]:
        """Of each job: slack beyond two starts by the reserve of this moment; 0 if there is none."""
        job: Job = view.job
        left = job.deadline - view.elapsed
        reserve = (job.deadline - job.work) * (left / job.deadline) ** self.convexity
        slack: Counts = view.progress + np.int32(left - job.work - STARTS_KEPT * job.changeover)
        return np.maximum(slack, 0).astype(np.float32) * np.float32(1 / max(reserve, 1e-9))
