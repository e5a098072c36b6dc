"""The queue against closed forms, cases worked out by hand, and laws of backfill."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from planner.fleet import queue
from planner.fleet.model import HIGH, LOW, NORMAL, Owner, Policy, Ran, Rules
from planner.fleet.profile import earliest, profile_of, take
from planner.fleet.queue import simulated
from tests.fleet.queues import jobs, poisson

FIFO = Rules(fair_share=False, preempt=False)
ONE = [Owner()]


def policy(name: Policy) -> Rules:
    return Rules(policy=name, fair_share=False, preempt=False)


def within(samples: list[float], exact: float) -> float:
    """How many standard errors the mean of the samples is from the exact value."""
    return (float(np.mean(samples)) - exact) / (float(np.std(samples, ddof=1)) / math.sqrt(len(samples)))


def settled(ran: Ran, count: int) -> float:
    """Mean wait without the first jobs, which find an empty queue."""
    return float(ran.wait[count // 10 :].mean())


def test_the_wait_of_many_servers_is_erlangs() -> None:
    """M/M/c: mean wait = C(c, a) / (c mu - lambda), with Erlang's C from the recursion of B."""
    servers, rate, mean = 5, 4.0, 1.0
    load, blocked = rate * mean, 1.0
    for k in range(1, servers + 1):
        blocked = load * blocked / (k + load * blocked)
    waits = servers * blocked / (servers - load * (1 - blocked))
    exact = waits / (servers / mean - rate)
    assert exact == pytest.approx(0.5541, abs=1e-4)
    found = [settled(simulated(poisson(s, 8000, rate, mean), ONE, [servers], FIFO, math.inf), 8000) for s in range(30)]
    assert abs(within(found, exact)) < 3.5


def test_the_wait_by_priority_is_cobhams() -> None:
    """M/G/1 without preemption (Cobham 1954): W_k = (lambda E[S^2] / 2) / ((1 - s_(k-1)) (1 - s_k)), s_k the load of
    the classes up to k; here three equal classes of exponential times."""
    rate, mean, count = 0.8, 1.0, 8000
    owners = [Owner(tier=HIGH), Owner(tier=NORMAL), Owner(tier=LOW)]
    residual, each = rate * 2 * mean**2 / 2, rate * mean / 3
    found: list[list[float]] = [[], [], []]
    for seed in range(30):
        list_of = poisson(seed, count, rate, mean, owners=3)
        ran = simulated(list_of, owners, [1], FIFO, math.inf)
        for k in range(3):
            found[k].append(float(ran.wait[count // 10 :][list_of.owner[count // 10 :] == k].mean()))
    for k, samples in enumerate(found):
        exact = residual / ((1 - k * each) * (1 - (k + 1) * each))
        assert abs(within(samples, exact)) < 3.5


def test_backfill_worked_out_by_hand() -> None:
    """Four nodes: A holds 3 to hour 10; B wants 4 and waits to 10; C (1 node, 10 h) ends as A does: it may start at
    once. D (1 node, 9 h) waits for the node that C has."""
    listed = jobs((0, 3, 10), (1, 4, 5), (2, 1, 8), (3, 1, 9))
    starts = {name: simulated(listed, ONE, [4], policy(name), math.inf).start.tolist() for name in ("slurm", "fcfs")}
    assert starts == {"slurm": [0, 10, 2, 15], "fcfs": [0, 10, 15, 15]}


def test_slurm_protects_every_place_and_easy_only_the_first() -> None:
    """Six nodes: A holds 4 to 10. B wants 5 at 10 for 4 h, C wants 6 at 14. D (1 node, 30 h) fits beside A and B and
    never delays B, but with D at once C waits to 33: EASY starts D, Slurm does not."""
    listed = jobs((0, 4, 10), (1, 5, 4), (2, 6, 4), (3, 1, 30))
    easy = simulated(listed, ONE, [6], policy("easy"), math.inf).start.tolist()
    slurm = simulated(listed, ONE, [6], policy("slurm"), math.inf).start.tolist()
    assert easy == [0, 10, 33, 3]
    assert slurm == [0, 10, 14, 18]


def test_a_job_that_ends_early_lets_the_next_one_start() -> None:
    """Limits say 10 h, jobs take 2: backfill plans with the limits, and starts with the ends."""
    listed = jobs((0, 4, 2, 10), (1, 4, 2, 10), (1, 1, 2, 10))
    assert simulated(listed, ONE, [4], policy("slurm"), math.inf).start.tolist() == [0, 2, 4]


@pytest.mark.parametrize("seed", range(6))
def test_no_backfilled_job_delays_one_of_higher_priority(seed: int) -> None:
    """With limits that are exact, first come first served order and one group: taking all later jobs away changes no
    start, so no job starts later for one that was backfilled behind it."""
    listed = poisson(seed, 60, 2.0, 3.0, sizes=(1, 2, 4, 8))
    whole = simulated(listed, ONE, [8], policy("slurm"), math.inf)
    for keep in (10, 25, 40):
        first = type(listed)(**{name: column[:keep] for name, column in vars(listed).items()})
        alone = simulated(first, ONE, [8], policy("slurm"), math.inf)
        assert (whole.start[:keep] <= alone.start + 1e-9).all()


@pytest.mark.parametrize("name", ["slurm", "easy", "fcfs"])
def test_nodes_are_never_more_than_there_are(name: Policy) -> None:
    listed = poisson(3, 2000, 3.0, 2.0, sizes=(1, 2, 4, 8), owners=3, limit=2.0)
    owners = [Owner(tier=t, speeds=((0, 1.0), (1, 2.0)), checkpoint=1.0) for t in (HIGH, NORMAL, LOW)]
    rules = Rules(policy=name, failures=0.01, repair=3.0, restart=0.2)
    ran = simulated(listed, owners, [16, 8], rules, 600.0)
    for group, nodes in ((0, 16), (1, 8)):
        held = ran.held[ran.held[:, 0] == group]
        for when in held[:, 2]:
            assert held[(held[:, 2] <= when) & (held[:, 3] > when), 4].sum() <= nodes
        hours = ran.busy(group, 600)
        assert hours.max() <= nodes + 1e-6
        assert hours.sum() == pytest.approx(((held[:, 3] - held[:, 2]) * held[:, 4]).sum(), rel=1e-9)
    assert ran.failures
    assert ran.preempted
    assert ran.node_hours(2, 3, 600.0).sum() == pytest.approx(
        ((ran.held[:, 3] - ran.held[:, 2]) * ran.held[:, 4]).sum(), rel=1e-9
    )


def test_low_gives_way_and_resumes_from_its_checkpoint() -> None:
    """Low begins at 0 with 10 h of work and saves every 2 h; at 5 normal takes the nodes for 3 h. Low has 4 h kept, an
    hour of restart, then 6 h: it ends at 8 + 1 + 6."""
    owners = [Owner(tier=LOW, checkpoint=2.0), Owner(tier=NORMAL)]
    listed = jobs((0, 2, 10, 10, 0), (5, 2, 3, 3, 1))
    ran = simulated(listed, owners, [2], Rules(restart=1.0), math.inf)
    assert ran.end.tolist() == [15, 8]
    assert (ran.preempted, ran.lost, ran.wait.tolist()) == (1, 2.0, [3.0, 0.0])
    assert simulated(listed, owners, [2], Rules(preempt=False), math.inf).end.tolist() == [10, 13]


def test_failures_cost_what_the_renewal_formula_says() -> None:
    """100 h on one node, a checkpoint an hour, no restart: each of 100 segments takes (e^(L w) - 1) / L."""
    rate, count = 0.2, 400
    listed = jobs(*((0, 1, 100.0),) * count)
    rules = Rules(fair_share=False, failures=rate)
    ran = simulated(listed, [Owner(checkpoint=1.0)], [count], rules, math.inf, seed=5)
    exact = 100 * (math.exp(rate) - 1) / rate
    assert abs(within(ran.end.tolist(), exact)) < 3.5


def test_shares_decide_who_goes_first() -> None:
    """Two projects that always have jobs waiting use the nodes 3 to 1, as their shares are."""
    owners = [Owner(share=3.0), Owner(share=1.0)]
    listed = jobs(*((0, 1, 1.0, 1.0, at % 2) for at in range(4000)))
    ran = simulated(listed, owners, [10], Rules(overload=math.inf), 100.0)
    used = ran.node_hours(1, 2, 100.0)[0]
    assert used[0] / used[1] == pytest.approx(3.0, rel=0.05)


def test_a_queue_that_only_grows_is_given_up() -> None:
    ran = simulated(poisson(1, 5000, 4.0, 1.0), ONE, [2], Rules(overload=50.0), 5000.0)
    assert ran.overloaded
    assert ran.end[-1] == math.inf


def test_free_nodes_over_time() -> None:
    profile = profile_of(0.0, 1, [(2.0, 0, 2), (2.0, 1, 1), (5.0, 2, 4)])
    assert profile[:2] == ([0.0, 2.0, 5.0], [1, 4, 8])
    assert [earliest(profile, n, 1.0) for n in (1, 2, 4, 5, 8, 9)] == [0, 2, 2, 5, 5, math.inf]
    take(profile, 2.0, 3, 2.0)
    assert profile[:2] == ([0.0, 2.0, 4.0, 5.0], [1, 1, 4, 8])
    assert earliest(profile, 2, 1.0) == 4.0


def test_the_compiled_queue_is_the_same_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """To the last bit, where Numba is: every policy, two groups of other speeds, failures, preemption, jobs that may
    not use what their project may, and a queue in which nothing runs."""
    pytest.importorskip("numba", reason="needs numba: make .venv/.dev")
    owners = [Owner(tier=t, speeds=((0, 1.0), (1, 2.0)), checkpoint=1.0, share=1.0 + t) for t in (HIGH, NORMAL, LOW)]
    for seed, name in enumerate(("slurm", "easy", "fcfs", "slurm")):
        listed = poisson(seed, 600, 3.0, 2.0, sizes=(1, 2, 4, 8), owners=3, limit=2.0)
        listed = replace(listed, way=np.arange(600) % 3 - 1, ways=(((1, 1.0),), ((0, 0.5),)))
        rules = Rules(policy=name, failures=0.01, repair=3.0, restart=0.2, fair_share=seed < 3, parts=2)
        for nodes in ([16, 8], [0, 0]):
            before = listed.hours.copy()
            monkeypatch.setattr(queue, "WORTH_COMPILING", math.inf)
            plain = simulated(listed, owners, nodes, rules, 400.0, seed)
            monkeypatch.setattr(queue, "WORTH_COMPILING", 0)
            fast = simulated(listed, owners, nodes, rules, 400.0, seed)
            assert bool(plain.failures and plain.preempted) == (nodes != [0, 0])
            for field, value in vars(plain).items():
                assert np.array_equal(getattr(fast, field), value), field
            assert (listed.hours == before).all()
