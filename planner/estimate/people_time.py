"""Time that people take: bugs, diverged training, restarts by hand. In the range, not in what is planned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from planner.estimate.fallback import Mixed
from planner.estimate.share_of_peak import WHOLE_RUN
from planner.estimate.work import FleetWork
from planner.models.values import Values
from planner.plan.types import Plan

FACTORS = {"first-time": "run.first_time_factor", "proven": "run.proven_factor"}


def with_people(plan: Plan, work: FleetWork, machines: Mixed, values: Values) -> Mixed:
    """The run with the time that people take; at central values, and where nothing counts ideal hours, as it is.

    Published runs took a factor over their ideal days, in which failed nodes and slow steps are as well. So a draw
    takes the longer of the two: what the machines need, or ideal hours times the factor. Where the machines' part is
    the share that a whole run keeps of its steps' speed, both are measures of the same runs, so that one low draw is
    one high factor: of two independent ones the longer would take 1.29 times the ideal. Work whose speed is that of
    whole published runs has all of it already.
    """
    ideal = work.ideal_hours
    if not values.draws or plan.run.held_hours is not None or not np.any(ideal):
        return machines
    factor = values.sampled(FACTORS[plan.run.recipe or "first-time"], WHOLE_RUN, opposed=True)
    needed = machines.hours * work.counted_hours / work.hours
    more = np.maximum(ideal * factor - needed, 0.0)
    on_spot = np.asarray(machines.spot_hours) >= machines.hours
    return replace(machines, hours=machines.hours + more, spot_hours=machines.spot_hours + np.where(on_spot, more, 0.0))
