"""The pool in discrete events: exact where there is a closed form, and laws of its books."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.models.worker_pool import batch_wait_hours
from planner.worker_pool.model import Jobs, Nodes, Rules
from planner.worker_pool.run import Attempt
from planner.worker_pool.simulation import simulate

SECOND, MINUTE = 1 / 3600, 1 / 60


def run_of(jobs: Jobs, nodes: Nodes, rules: Rules, seed: int = 0, watched: frozenset[int] = frozenset()):
    return simulate(jobs, nodes, rules, np.random.default_rng(seed), watched=watched)


class TestWithoutInterruptions:
    JOBS = Jobs(count=1000, work_hours=0.9, segment_hours=0.1)
    RULES = Rules(least=0, most=40)

    def test_the_makespan_is_the_rounds_of_the_nodes(self):
        run = run_of(self.JOBS, Nodes(), self.RULES)
        assert run.makespan == pytest.approx(25 * 0.9, rel=1e-12)
        assert (run.done, run.most_nodes, run.nodes_started) == (1000, 40, 40)

    def test_each_job_waits_for_the_rounds_before_it(self):
        run = run_of(self.JOBS, Nodes(), self.RULES)
        waits = batch_wait_hours(place=np.arange(1.0, 1001.0), nodes=40, job_hours=0.9)
        assert run.wait == pytest.approx(waits, abs=1e-9)

    def test_booting_delays_everything_once(self):
        run = run_of(self.JOBS, Nodes(boot_hours=0.5), self.RULES)
        assert run.makespan == pytest.approx(0.5 + 22.5, rel=1e-12)
        assert run.boot_hours == pytest.approx(40 * 0.5)

    def test_nodes_leave_after_the_cool_down(self):
        rules = Rules(least=0, most=40, every_hours=5 * MINUTE, cool_down_hours=10 * MINUTE)
        run = run_of(Jobs(count=40, work_hours=1.0, segment_hours=1.0), Nodes(), rules)
        # ready at 0, done at 1:00, not needed from the look at 1:00, gone at 1:10
        assert run.node_hours == pytest.approx(40 * (1 + 10 / 60), rel=1e-9)
        assert run.idle_hours == pytest.approx(40 / 6, rel=1e-9)

    def test_a_node_that_is_ready_too_late_leaves_too(self):
        nodes = Nodes(boot_hours=0.2, boot_p90_hours=2.0)
        for seed in range(20):
            run = run_of(Jobs(count=30, work_hours=0.5, segment_hours=0.5), nodes, self.RULES, seed=seed)
            assert run.idle_hours < 30 * 1.5

    def test_a_queue_target_starts_fewer_nodes(self):
        run = run_of(self.JOBS, Nodes(), Rules(least=0, most=400, jobs_per_node=10))
        assert run.most_nodes == 100
        assert run.makespan >= 10 * 0.9


class TestInterrupted:
    def test_a_loss_is_the_repeated_work_and_the_time_until_it_is_noticed(self):
        jobs = Jobs(count=400, work_hours=0.9, segment_hours=115.7 * SECOND)
        run = run_of(jobs, Nodes(interruptions_per_hour=1.0), Rules(least=0, most=400), seed=1)
        # half a segment, and 60 s less half of the 30 s between heartbeats, with another node at hand
        assert run.losses.mean() * 3600 == pytest.approx(115.7 / 2 + 45, rel=0.1)
        assert run.losses.max() * 3600 <= 115.7 + 60 + 1e-6

    def test_a_slower_stall_detection_costs_as_much_more(self):
        jobs = Jobs(count=400, work_hours=0.9, segment_hours=115.7 * SECOND)
        rules = [Rules(least=0, most=400, stalled_hours=s * SECOND) for s in (60, 600)]
        quick, slow = (run_of(jobs, Nodes(interruptions_per_hour=1.0), one, seed=1).losses.mean() for one in rules)
        assert (slow - quick) * 3600 == pytest.approx(540, rel=0.05)

    def test_a_checkpoint_on_notice_repeats_nothing(self):
        jobs = Jobs(count=400, work_hours=0.9, segment_hours=0.3, write_hours=10 * SECOND)
        rules = Rules(least=0, most=400, saves_on_notice=True)
        nodes = Nodes(interruptions_per_hour=1.0, notice_hours=120 * SECOND)
        run = run_of(jobs, nodes, rules, seed=1)
        assert run.interruptions.sum() > 100
        assert (run.done, run.repeated_hours) == (400, 0.0)
        assert run.work_hours == pytest.approx(400 * 0.9)

    def test_an_outage_takes_every_node_and_gives_none_for_its_time(self):
        jobs = Jobs(count=40, work_hours=5.0, segment_hours=0.1)
        nodes = Nodes(outages_per_hour=0.2, outage_hours=3.0)
        run = run_of(jobs, nodes, Rules(least=0, most=40), seed=2)
        assert len(set(run.interruptions.tolist())) == 1  # all together
        outages = int(run.interruptions[0])
        assert run.makespan == pytest.approx(5 + 3 * outages, abs=0.2 * outages + 1e-9)

    def test_stalled_jobs_go_before_waiting_ones(self):
        """Between the time when a stall is noticed and the takeover nobody starts a job for the first time."""
        jobs, everyone = Jobs(count=200, work_hours=1.0, segment_hours=0.1), frozenset(range(200))
        run = run_of(jobs, Nodes(interruptions_per_hour=0.2), Rules(least=0, most=10), seed=3, watched=everyone)
        of_job: dict[int, list[Attempt]] = {job: [] for job in everyone}
        for attempt in run.attempts:
            of_job[attempt.job].append(attempt)
        takeovers = [pair for mine in of_job.values() for pair in pairwise(mine)]
        assert len(takeovers) > 20
        for before, after in takeovers:
            noticed = before.end + 60 * SECOND
            assert not ((noticed < run.wait) & (run.wait < after.start)).any()

    def test_what_never_ends_is_said_and_ends_the_simulation(self):
        jobs = Jobs(count=5, work_hours=10.0, segment_hours=10.0)
        run = run_of(jobs, Nodes(interruptions_per_hour=3.0), Rules(least=0, most=5))
        assert not run.finished
        assert math.isinf(run.makespan)

    def test_a_node_that_the_market_does_not_have_is_not_billed(self):
        """The simulation gives up in an outage, with requests that wait for its end."""
        jobs = Jobs(count=5, work_hours=10.0, segment_hours=10.0)
        nodes = Nodes(outages_per_hour=1.0, outage_hours=30.0, boot_hours=0.05)
        for seed in range(20):
            run = run_of(jobs, nodes, Rules(least=0, most=5), seed=seed)
            assert not run.finished
            # each node that was ever there has booted for as long as the others; the last ones may be on their way
            assert 0.05 * (run.nodes_started - 5) - 1e-9 <= run.boot_hours <= 0.05 * run.nodes_started + 1e-9


class TestFailures:
    JOBS = Jobs(count=300, work_hours=0.5, segment_hours=0.1)

    def test_broken_jobs_become_dead_letters_and_nothing_else_does(self):
        jobs = Jobs(count=300, work_hours=0.5, segment_hours=0.1, broken_fraction=0.1)
        run = run_of(jobs, Nodes(), Rules(least=0, most=20, max_failures=3, node_failures=None))
        assert run.dead_letters == int((run.failures == 3).sum()) == 300 - run.done
        assert set(run.failures.tolist()) == {0, 3}

    def test_a_job_does_not_return_to_the_node_on_which_it_failed(self):
        jobs = Jobs(count=50, work_hours=0.5, segment_hours=0.1, broken_fraction=0.3)
        rules = Rules(least=0, most=10, max_failures=5, node_failures=None)
        run = run_of(jobs, Nodes(), rules, watched=frozenset(range(50)))
        failed = [(a.job, a.node) for a in run.attempts if a.how == "failed"]
        assert len(failed) == len(set(failed)) > 0

    def test_a_bad_node_is_replaced_after_its_failures(self):
        run = run_of(self.JOBS, Nodes(), Rules(least=0, most=20, bad_first=1, max_failures=3, node_failures=5))
        assert (run.nodes_replaced, int(run.failures.sum()), run.dead_letters, run.done) == (1, 5, 0, 300)


@settings(max_examples=40, deadline=None)
@given(
    count=st.integers(1, 60),
    most=st.integers(1, 15),
    rate=st.one_of(st.just(0.0), st.floats(0.001, 1.5)),
    shape=st.floats(0.5, 1.5),
    boot=st.one_of(st.just(0.0), st.floats(0.001, 0.3)),
    outage=st.sampled_from([0.0, 0.1]),
    bad=st.floats(0, 0.3),
    notice=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_the_books_balance(count, most, rate, shape, boot, outage, bad, notice, seed):
    jobs = Jobs(count=count, work_hours=0.7, segment_hours=0.1, write_hours=0.01, model_hours=0.02, resume_hours=0.01)
    nodes = Nodes(
        interruptions_per_hour=rate,
        shape=shape,
        boot_hours=boot,
        boot_p90_hours=2 * boot,
        outages_per_hour=outage,
        outage_hours=0.5,
        notice_hours=2 * MINUTE,
    )
    rules = Rules(least=0, most=most, bad_fraction=bad, max_failures=2, saves_on_notice=notice)
    run = run_of(jobs, nodes, rules, seed=seed, watched=frozenset(range(count)))
    assert run.finished
    assert run.done + run.dead_letters == count
    parts = run.work_hours + run.load_hours + run.write_hours + run.repeated_hours + run.failed_hours
    assert parts == pytest.approx(run.busy.sum())
    assert run.idle_hours >= -1e-9
    assert run.work_hours >= run.done * 0.7 - 1e-9
    assert len(run.losses) <= run.interruptions.sum()
    assert (run.losses >= -jobs.model_hours - 1e-9).all()  # a node that has the model is quicker than the lost one was
    # nothing is at two places, and no node has two jobs, at one time
    for key in (lambda a: a.job, lambda a: a.node):
        last: dict[int, float] = {}
        for attempt in sorted(run.attempts, key=lambda a: a.start):
            assert attempt.start >= last.get(key(attempt), 0.0) - 1e-9
            last[key(attempt)] = attempt.end
    # the same seed gives the same run
    again = run_of(jobs, nodes, rules, seed=seed)
    assert (again.makespan, again.events) == (run.makespan, run.events)
