"""Patient progress (fleet_pool.slurm.patient), replayed for many jobs: the planner's own rule and its default.

It sees only what the job itself has seen so far. docs/spot-policies.md has its proof on public recordings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from fleet_pool.slurm.patient import Patient
from numpy.typing import NDArray

from planner.spot.job import Job
from planner.spot.replay import Rule, View, Wish, task_of
from planner.spot.trace import Flags


@dataclass(frozen=True, kw_only=True)
class PatientProgress(Patient):
    """The rule for a replay. The login node of a Slurm cluster decides by the same functions."""

    name: str = "own"

    def begin(self, job: Job, available: Flags) -> Rule:
        task, up = task_of(job), np.zeros(available.shape[1], dtype=np.float32)

        def rule(view: View) -> Wish:
            np.add(up, view.available, out=up)
            share = self.share(up * np.float32(job.gap), (view.tick + 1) * job.gap)
            age = view.age.astype(np.float32) * np.float32(job.gap)
            return self.wish(task, self.margin_of(view), share, age, available=view.available, on_demand=view.on_demand)

        return rule

    def margin_of(self, view: View) -> NDArray[np.float32]:
        """Of each job: slack beyond two starts by the reserve of this moment; 0 if there is none."""
        job: Job = view.job
        return self.margin(task_of(job), view.progress.astype(np.float32), job.deadline - view.elapsed)
