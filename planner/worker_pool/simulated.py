"""One choice of a worker-pool plan simulated and billed: its ranges over the runs, and its outcomes in each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.answer.ranges import range_of, worst_tenth
from planner.answer.row import Outcomes
from planner.models.effort import effort_usd
from planner.models.number import each_draw, share_of
from planner.models.sheet import UNRECORDED
from planner.models.values import Values
from planner.models.worker_pool import worker_job_hours
from planner.plan.load import LoadedPool
from planner.plan.worker_pool_types import WorkerPoolPlan
from planner.worker_pool.alone import sampled_hours
from planner.worker_pool.bill import bill_of
from planner.worker_pool.choices import SPOT, Choice, rules_of
from planner.worker_pool.facts import sizeless
from planner.worker_pool.model import Rules
from planner.worker_pool.result import Alone, Floats, Interrupted, PoolScenario, segments_of, spread_of, typical
from planner.worker_pool.run import PoolRun
from planner.worker_pool.simulation import simulate_supply
from pricing.book import PriceBook
from pricing.offers import PurchaseOption

ALONE = 4000  # runs of one job
NOT_ON_AWS = "its nodes are of a price list, and a stack is on AWS"
Step = Callable[[], None]


@dataclass(frozen=True, kw_only=True)
class PoolOutcomes(Outcomes):
    """dead_letters: jobs that failed for good."""

    dead_letters: Floats


def simulated(
    choice: Choice, loaded: LoadedPool, book: PriceBook, drawn: Values, seed: int, step: Step
) -> tuple[PoolScenario, PoolOutcomes | None]:
    """A choice before it is judged, and its outcomes; None where it cannot be simulated."""
    plan, rules = loaded.plan, rules_of(loaded.plan)
    blank = PoolScenario(
        id=choice.id,
        choice=choice,
        option=choice.option,
        feasible=not choice.why_not,
        why_not=choice.why_not,
        complete=False,
        unpriced=choice.unpriced,
        priced_only=_priced_only(choice, plan, book),
        interruptions_observed=choice.interruptions_observed,
    )
    if not choice.supplies:
        return blank, None
    found: list[PoolRun] = []
    for at in range(drawn.draws):
        found.append(_run(choice, rules, seed, at))
        step()
    bill = bill_of(choice, plan, book, drawn, found)
    done = np.array([run.done for run in found], dtype=float)
    finished = np.array([run.finished for run in found])
    outcomes = PoolOutcomes(
        # what never finishes has no end and costs without end
        cost_usd=np.where(finished, bill.usd, math.inf),
        effort_usd=_effort(choice, found, drawn),
        days=np.array([run.makespan for run in found]) / 24,
        dead_letters=np.array([run.dead_letters for run in found], dtype=float),
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        per_job = np.where(done > 0, outcomes.cost_usd / done, math.inf)
    waits = np.concatenate([run.wait[np.isfinite(run.wait)] for run in found])
    busy = np.concatenate([run.busy[np.isfinite(run.end)] for run in found])
    if bill.node_usd_per_hour is not None:
        assert choice.price is not None  # of nodes without a price nothing is known
        choice = replace(choice, price=replace(choice.price, draws=bill.node_usd_per_hour))
    price = choice.price.draws if choice.price else np.full(len(found), math.nan)
    job_usd = np.concatenate([run.busy[np.isfinite(run.end)] * usd for run, usd in zip(found, price, strict=True)])
    counts = np.concatenate([run.interruptions for run in found])
    cost = range_of(math.fsum(line.effective_cost for line in bill.lines), outcomes.cost_usd, len(found))
    scenario = replace(
        blank,
        choice=choice,
        complete=not bill.unpriced,
        unpriced=bill.unpriced,
        cost_usd=cost,
        mean_cost_usd=float(outcomes.cost_usd.mean()) if finished.all() else None,
        worst_tenth_usd=worst_tenth(outcomes.cost_usd, cost.p90) if finished.all() else None,
        effort_usd=float(outcomes.effort_usd.mean()),
        days=range_of(float(outcomes.days.mean()), outcomes.days, len(found)),
        per_job=spread_of(per_job),
        per_step=spread_of(per_job / plan.jobs.steps),
        price=spread_of(price),
        dead_letters=spread_of(outcomes.dead_letters),
        wait_hours=spread_of(waits),
        job_hours=spread_of(busy),
        job_usd=spread_of(job_usd),
        loss_minutes=spread_of(np.concatenate([run.losses for run in found]) * 60),
        interruptions=float(counts.mean()),
        interrupted_fraction=float((counts > 0).mean()),
        shares={name: spread_of(values) for name, values in _shares(choice, found).items()},
        bill=bill.lines,
        finish_fraction=share_of(finished),
        nodes_lost=float(np.mean([run.nodes_lost for run in found])),
        nodes_replaced=float(np.mean([run.nodes_replaced for run in found])),
        most_nodes=max(run.most_nodes for run in found),
        events=sum(run.events for run in found),
        alone=_alone(choice, seed),
        left_spot_fraction=float(np.isfinite([run.left_spot for run in found]).mean()),
        interrupted=_most_interrupted(choice, rules, seed, found),
    )
    return scenario, outcomes


def _priced_only(choice: Choice, plan: WorkerPoolPlan, book: PriceBook) -> str:
    """Why its nodes cannot be deployed; empty where they can be, or where no choice of the plan is on AWS."""
    if choice.option is None:
        return NOT_ON_AWS if any(one.instance_type for one in plan.workers) else ""
    return sizeless([one.worker for one in choice.members] or [choice.worker], book)


def _effort(choice: Choice, found: Sequence[PoolRun], drawn: Values) -> Floats:
    """What operating it costs, on no bill: of a price list as of spot, whose nodes come and go likewise."""
    hours = np.array([run.makespan if math.isfinite(run.makespan) else 0.0 for run in found])
    option = choice.option or PurchaseOption(family=SPOT)
    return each_draw(effort_usd("s3-stream", option, hours, drawn, UNRECORDED), len(found))


def _run(choice: Choice, rules: Rules, seed: int, at: int, watched: frozenset[int] = frozenset()) -> PoolRun:
    """One run: every choice meets the same stream of random numbers in it."""
    rng = np.random.default_rng([seed, at])
    return simulate_supply(choice.supplies[at], rules, rng, watched=watched)


def _shares(choice: Choice, found: Sequence[PoolRun]) -> dict[str, Floats]:
    """Of the node hours that are paid: what they were used for, in each run."""
    boot = np.array([run.boot_hours if choice.boot_billed else 0.0 for run in found])
    parts = {
        "work": np.array([run.work_hours for run in found]),
        "repeated": np.array([run.repeated_hours for run in found]),
        "loading": np.array([run.load_hours for run in found]),
        "checkpoints": np.array([run.write_hours for run in found]),
        "failed": np.array([run.failed_hours for run in found]),
        "idle": np.array([run.idle_hours for run in found]),
        "boot": boot,
    }
    paid = np.maximum(np.array([run.node_hours for run in found]) + boot, 1e-12)
    return {name: values / paid for name, values in parts.items()}


def _alone(choice: Choice, seed: int) -> Alone:
    """One job with a node always at hand."""
    assert choice.jobs is not None  # it was simulated
    jobs, nodes = choice.jobs, typical(choice.nodes)
    if not nodes.interruptions_per_hour or nodes.shape != 1 or len(choice.members) > 1:
        return Alone(mtbf_hours=None, closed_hours=None, sampled=None, uninterrupted_hours=jobs.alone_hours)
    mtbf = 1 / nodes.interruptions_per_hour
    closed = worker_job_hours(
        segments=segments_of(jobs),
        segment_hours=jobs.segment_hours,
        write_hours=jobs.write_hours,
        load_hours=jobs.model_hours,
        resume_hours=jobs.resume_hours,
        mtbf_hours=mtbf,
    )
    try:
        sampled = spread_of(sampled_hours(jobs, mtbf, ALONE, np.random.default_rng(seed)))
    except ValueError:  # it does not end, which the pool says too
        sampled = None
    return Alone(mtbf_hours=mtbf, closed_hours=float(closed), sampled=sampled, uninterrupted_hours=jobs.alone_hours)


def _most_interrupted(choice: Choice, rules: Rules, seed: int, found: Sequence[PoolRun]) -> Interrupted | None:
    """The job with the most interruptions that ended, of the first run that has it; its run is simulated again."""
    most = [int(np.where(np.isfinite(run.end), run.interruptions, -1).max()) for run in found]
    at = int(np.argmax(most))
    if most[at] < 1:
        return None
    first = found[at]
    job = int(np.argmax(np.where(np.isfinite(first.end), first.interruptions, -1)))
    again = _run(choice, rules, seed, at, frozenset([job]))
    price = choice.price.draws[at] if choice.price else math.nan
    jobs = choice.supplies[at].markets[0].jobs
    return Interrupted(
        job=job,
        run=at,
        wait_hours=float(again.wait[job]),
        stalled_hours=rules.stalled_hours,
        checkpoint_hours=jobs.segment_hours + jobs.write_hours,
        interruptions=most[at],
        attempts=again.attempts,
        usd=float(again.busy[job] * price),
    )
