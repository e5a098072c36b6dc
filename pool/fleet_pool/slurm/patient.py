"""Patient progress: whether a job with a deadline runs on spot, On-Demand, or waits for spot.

One arithmetic for both who use it: the login node of a Slurm cluster decides about one gang, with floats and booleans;
`planner simulate` replays thousands of jobs, with arrays of them (`^ True` negates both). Times are in seconds.
docs/spot-policies.md has the proof on public recordings.
"""

from __future__ import annotations

from typing import Any

from fleet_pool.compat import frozen

STARTS_KEPT = 2  # changeovers that are never planned away: one to On-Demand, and one that fails
HOUR_S = 3600

# a float or a boolean, or an array of them with one entry a job
Number = Any
Flag = Any
Wish = tuple[Flag, Flag]  # run on spot, run On-Demand; neither: wait


@frozen
class Task:
    """What a job needs, in seconds. changeover: from the start of its nodes until it works."""

    work: Number
    deadline: Number
    changeover: Number


@frozen
class Patient:
    """Spot whenever there is some and the job is not On-Demand. The slack is the time that is left without work; its
    reserve falls to zero with a power of the time left. margin = (slack - 2 changeovers) / reserve, 1 on schedule.

    Without spot: wait, up to (wait_hours + wait_changeovers * changeover) * margin ** patience, then On-Demand. A job
    ahead of schedule waits long, one behind it does not wait.
    On On-Demand: back to spot once its capacity has lasted proof_changeovers * changeover / (margin * share), as
    capacity that has lasted a while is lost less often. share: of the time that the job saw capacity so far, starting
    from prior_share with the weight of prior_hours.

    The defaults were tuned on the recordings of October 2022 alone and rounded.
    """

    convexity: float = 1.2
    wait_hours: float = 2.0
    wait_changeovers: float = 4.0
    patience: float = 10.0
    proof_changeovers: float = 1.0
    prior_share: float = 0.6
    prior_hours: float = 32.0

    def margin(self, task: Task, progress: Number, left: Number) -> Number:
        """Slack beyond two starts by the reserve of this moment; 0 if there is none. left: until the deadline."""
        reserve = (task.deadline - task.work) * (left / task.deadline) ** self.convexity
        slack = progress + (left - task.work - STARTS_KEPT * task.changeover)
        return (slack > 0) * slack / (reserve + 1e-9)

    def longest_wait(self, task: Task, margin: Number) -> Number:
        """For how long a job without spot waits for it."""
        return (self.wait_hours * HOUR_S + self.wait_changeovers * task.changeover) * margin**self.patience

    def share(self, up: Number, seen: Number) -> Number:
        """Of the time with capacity. up: with it so far, of `seen`."""
        prior = self.prior_hours * HOUR_S
        return (up + self.prior_share * prior) / (seen + prior)

    def wish(self, task: Task, margin: Number, share: Number, age: Number, *, available: Flag, on_demand: Flag) -> Wish:
        """age: for how long what the job sees has lasted, capacity or its absence."""
        proven = age * share * margin > self.proof_changeovers * task.changeover
        spot = available & (on_demand ^ True | proven)
        waited = age > self.longest_wait(task, margin)
        return spot, (spot ^ True) & (on_demand | (available ^ True) & waited)


def in_time(wish: Wish, task: Task, progress: Number, left_after: Number, *, on_spot: Flag, works: Flag) -> Wish:
    """The safety net of every rule: On-Demand once there is only time for one more start, and no new spot nodes once
    there is only time for two. Spot nodes on which the job works already are kept.

    left_after: until the deadline, from the next time that somebody decides. works: whether its start is over.
    """
    spot, on_demand = wish
    one = task.work + task.changeover - left_after  # a progress below this leaves no time to try anything
    urgent = (progress < one + task.changeover) & (on_spot ^ True)
    spot, on_demand = spot & (urgent ^ True), on_demand | urgent
    last, kept = progress < one, on_spot & works
    return last & kept | (last ^ True) & spot, last & (kept ^ True) | (last ^ True) & on_demand
