"""The spot run of one scenario, simulated: its job by several rules, on capacity drawn from the plan's own markets or
on recordings.

Only the market differs from run to run, everything else is as planned; so the closed form (G15 to G18) in the same
markets stands beside the simulated rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.decide.explain import evaluated_again, numbers_in, request_of_one
from planner.estimate.people_time import FACTORS
from planner.estimate.request import Request
from planner.estimate.result import Scenario
from planner.estimate.spot import within_ends
from planner.models.number import each_draw, median
from planner.models.values import Values
from planner.spot.generator import exponential_spells
from planner.spot.job import Job
from planner.spot.patient import PatientProgress
from planner.spot.simulate import Result, Run, results_of, simulate
from planner.spot.trace import SECONDS_PER_HOUR, Trace

TOTALS = ("cost_usd", "days")  # numbers of a scenario that a simulated run has as well
RETURNING = PatientProgress().name
SHORTEST_TICK_SECONDS = 600  # of the public recordings
MOST_TICKS = 5000  # of a run; a longer one has longer ticks
Draws = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class RuleRuns:
    """What the runs came to by one rule: dollars and days of each, the bill of everything else included. days: infinite
    where the deadline passed. moved: whether the run was ever On-Demand."""

    policy: str
    cost_usd: Draws
    days: Draws
    moved: NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class SpotRuns:
    """The runs of a scenario on one series of capacity. run: the jobs, as a replay knows them. closed: the closed form
    of the scenario's rule in the same markets; None for recordings, whose market the model does not know."""

    scenario: Scenario
    run: Run
    rules: tuple[RuleRuns, ...]
    closed: RuleRuns | None

    @property
    def of_closed(self) -> RuleRuns | None:
        """The simulated runs by the rule of the closed form."""
        return next((rule for rule in self.rules if self.closed and rule.policy == self.closed.policy), None)


@dataclass(frozen=True, kw_only=True)
class _Planned:
    """The job of a scenario in hours, and what an hour costs: on spot and of everything else by draw. restart: of the
    job on nodes that are there; boot: of On-Demand nodes until then."""

    work: float
    deadline: float
    restart: float
    boot: float
    bring_up: float
    nodes: int
    spot_usd: Draws
    on_demand_usd: float
    other_usd: Draws
    waits_billed: Draws

    @property
    def gap_seconds(self) -> int:
        """A tick: ten minutes, or as long that a run has not too many."""
        return max(SHORTEST_TICK_SECONDS, ceil(self.deadline * 60 / MOST_TICKS) * 60)

    def job(self, gap_seconds: int) -> Job:
        if self.work + self.restart + gap_seconds / SECONDS_PER_HOUR > self.deadline:
            raise ValueError(f"its limit leaves no time for spot: On-Demand alone takes {self.work / 24:.1f} days")
        ratio = max(self.on_demand_usd / median(self.spot_usd), 1.0)
        return Job.of_hours(
            gap_seconds, work=self.work, deadline=self.deadline, changeover=self.restart, price_ratio=ratio
        )


def rule_of(scenario: Scenario) -> str:
    """The rule with which a scenario on spot with fallback was priced, and which its stack carries out."""
    return RETURNING if scenario.returns else "fallback"


def spot_runs(request: Request, scenario: Scenario, policies: Sequence[str], seed: int) -> SpotRuns:
    """As many runs as the request has draws, each in the market of its draw.

    A market with capacity for a mean time, and without it for a mean time, both exponential: where it is scarce for the
    whole gang, else for one node at a time. Raises ValueError if On-Demand alone does not keep the deadline.
    """
    numbers, values = _in_its_markets(request, scenario)
    planned = _planned(scenario, numbers, request.draws)
    job = planned.job(planned.gap_seconds)
    tick = job.gap / SECONDS_PER_HOUR

    def each(id: str) -> Draws:
        return each_draw(numbers[id], request.draws)

    gang = each("goodput.gang_interruptions_per_hour")
    rate = gang + each("goodput.node_reclaims_per_hour")
    scarce_wait = each_draw(within_ends("spot.gang_wait_hours", values)[0], request.draws)
    wait = np.where(gang > 0, scarce_wait, each("goodput.node_wait_hours"))
    up = exponential_spells(
        up_ticks=1 / np.maximum(rate, 1e-12) / tick,
        down_ticks=wait / tick,
        first_ticks=each("run.first_wait_hours") / tick,
        ticks=job.ticks,
        rng=np.random.default_rng(seed),
    )
    results = results_of(up, job, policies)
    rules = tuple(_rule(result, planned, job, scenario) for result in results if result.outcomes is not None)
    closed = RuleRuns(
        policy=rule_of(scenario),
        cost_usd=each("cost_usd"),
        days=each("days"),
        moved=each("run.spot_hours") < each("run.hours"),
    )
    shown = up[:, _shown(rules[0].cost_usd)] if rules else up[:, 0]
    run = Run(series="markets of the plan", first=shown, job=job, starts=(0,) * request.draws, results=results)
    return SpotRuns(scenario=scenario, run=run, rules=rules, closed=closed)


def on_recordings(
    request: Request,
    scenario: Scenario,
    policies: Sequence[str],
    traces: Sequence[Trace],
    starts: Sequence[int] | int,
    seed: int,
) -> tuple[SpotRuns, ...]:
    """The same job on recordings, at the planned spot price. Raises ValueError where it does not fit into one."""
    planned = replace(_planned(scenario, _as_planned(request, scenario), 1), waits_billed=np.zeros(1))
    runs = simulate(traces, [planned.job], policies, starts, np.random.default_rng(seed))
    return tuple(
        SpotRuns(
            scenario=scenario,
            run=run,
            rules=tuple(
                _rule(result, planned, run.job, scenario) for result in run.results if result.outcomes is not None
            ),
            closed=None,
        )
        for run in runs
    )


def _in_its_markets(request: Request, scenario: Scenario) -> tuple[Mapping[str, Any], Values]:
    """Every number of the scenario by id, with one entry a draw, where only the market is drawn."""
    alone = request_of_one(request, scenario)
    central = alone.central()
    fixed = {
        key: entry if key.startswith("spot.") else replace(entry, low=entry.value, high=entry.value)
        for key, entry in central.table.items()
    }
    fixed |= {key: replace(fixed[key], value=1.0, low=1.0, high=1.0) for key in FACTORS.values()}  # as planned
    values = replace(alone.drawn(central, recording=True), table=fixed)
    spread = evaluated_again(alone, scenario, central, values).spread
    assert spread is not None
    return numbers_in(spread), values


def _as_planned(request: Request, scenario: Scenario) -> Mapping[str, Any]:
    alone = request_of_one(request, scenario)
    planned = evaluated_again(alone, scenario, alone.central(), None).planned
    assert planned is not None
    return numbers_in(planned)


def _planned(scenario: Scenario, numbers: Mapping[str, Any], draws: int) -> _Planned:
    def each(id: str) -> Draws:
        return each_draw(numbers[id], draws)

    def one(id: str) -> float:
        return median(each(id))

    nodes_usd = each("fleet.compute") + each("fleet.compute-on-demand")
    bring_up, work = one("on_demand.run.start_hours"), one("on_demand.run.training_hours")
    limit = one("on_demand.run.hours") + 2 * one("run.fallback_threshold_hours")
    one_by_one = each("goodput.gang_interruptions_per_hour") == 0
    return _Planned(
        work=work,
        deadline=limit - bring_up,
        restart=one("goodput.restart_hours"),
        boot=max(one("run.changeover_hours") - one("on_demand.goodput.restart_hours"), 0.0),
        bring_up=bring_up,
        nodes=scenario.nodes,
        spot_usd=each("fleet.compute.effective_unit_price"),
        on_demand_usd=one("fleet.compute-on-demand.effective_unit_price"),
        other_usd=(each("cost_usd") - nodes_usd) / each("run.hours"),
        # while one node is replaced the others are billed; without capacity for the gang nothing is
        waits_billed=np.where(one_by_one, (scenario.nodes - 1) / scenario.nodes, 0.0),
    )


def _rule(result: Result, planned: _Planned, job: Job, scenario: Scenario) -> RuleRuns:
    assert result.outcomes is not None
    found, tick = result.outcomes, job.gap / SECONDS_PER_HOUR
    lived = np.where(found.late, job.ticks, found.end)
    waited = (lived - found.spot_ticks - found.on_demand_ticks) * planned.waits_billed
    # a cluster's spot nodes come back by themselves, and are billed while the gang is still On-Demand; nodes that it
    # launches On-Demand are billed from their boot
    returns = scenario.returns is not None and result.policy == RETURNING
    proving = found.seen_ticks if returns else 0
    boots = found.on_demand_starts * planned.boot if returns else 0.0
    spot_hours = planned.bring_up + (found.spot_ticks + waited + proving) * tick
    hours = planned.bring_up + lived * tick
    nodes_usd = spot_hours * planned.spot_usd + (found.on_demand_ticks * tick + boots) * planned.on_demand_usd
    return RuleRuns(
        policy=result.policy,
        cost_usd=planned.nodes * nodes_usd + planned.other_usd * hours,
        days=np.where(found.late, np.inf, hours / 24),
        moved=found.on_demand_ticks > 0,
    )


def _shown(cost_usd: Draws) -> int:
    """The run that a picture shows: that at the P90, in which something happens."""
    return int(np.argsort(cost_usd, kind="stable")[int(0.9 * (len(cost_usd) - 1))])
