"""Many jobs by several rules on each recording, or on capacity generated like it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.spot.generator import fitted
from planner.spot.job import Job, Outcomes
from planner.spot.optimum import least_cost_fraction
from planner.spot.patient import PatientProgress
from planner.spot.replay import Policy, replay, windows
from planner.spot.rules import Fallback, Gated, Greedy, NextSpotOracle, UniformProgress
from planner.spot.trace import Flags, Trace

OPTIMUM = "omniscient"
POLICIES: dict[str, Policy] = {
    policy.name: policy
    for policy in (PatientProgress(), UniformProgress(), Gated(), Greedy(), Fallback(), NextSpotOracle())
}
NAMES = (*POLICIES, OPTIMUM)
ZONES = "_multi_zone"  # after the name of a rule that may use every recording as a zone
OVER_ZONES = (PatientProgress().name, Greedy().name, OPTIMUM)  # replayed on all recordings as zones, too


@dataclass(frozen=True, kw_only=True)
class Result:
    """What the jobs came to by one rule. outcomes: None for the optimum, of which only the cost is known."""

    policy: str
    cost_fraction: NDArray[np.float64]
    outcomes: Outcomes | None

    @property
    def late(self) -> int:
        return 0 if self.outcomes is None else int(self.outcomes.late.sum())


@dataclass(frozen=True, kw_only=True)
class Run:
    """One series, or all of them as zones, with one deadline and changeover. first: what the first job sees, in ticks,
    or ticks x zones."""

    series: str
    first: Flags
    job: Job
    starts: tuple[int, ...]
    results: tuple[Result, ...]


def simulate(
    traces: Sequence[Trace],
    jobs: Sequence[Callable[[int], Job]],
    policies: Sequence[str],
    starts: Sequence[int] | int,
    rng: np.random.Generator,
    *,
    generate: bool = False,
    step: Callable[[], None] = lambda: None,
) -> tuple[Run, ...]:
    """jobs: each gives a job for a tick of so many seconds. starts: ticks, or how many to draw. generate: on capacity
    drawn like each recording instead of the recording itself. step: called after each run.

    Raises ValueError if a job does not fit into its deadline or into a recording, or a generator cannot be fitted.
    """
    runs = []
    for job_of in jobs:
        seen: list[Flags] = []
        drawn: tuple[int, ...] | None = None
        for trace in traces:
            job = job_of(trace.gap_seconds)
            if generate:
                up, at = _generated(trace, job, starts, rng)
            else:
                if drawn is None:
                    drawn = _starts(traces, job_of, starts, rng)
                up, at = windows(trace.up(max(trace.most, 1)), drawn, job.ticks), drawn
            seen.append(up)
            results = results_of(up, job, policies)
            runs.append(Run(series=trace.name, first=up[:, 0], job=job, starts=at, results=results))
            step()
        if len(traces) > 1 and len({trace.gap_seconds for trace in traces}) == 1:
            zones = np.stack(seen, axis=1)
            together = results_of(zones, runs[-1].job, [name for name in policies if name in OVER_ZONES], ZONES)
            last, name = runs[-1], f"any of {len(traces)} zones"
            runs.append(Run(series=name, first=zones[:, :, 0], job=last.job, starts=last.starts, results=together))
            step()
    return tuple(runs)


def _starts(
    traces: Sequence[Trace], job_of: Callable[[int], Job], starts: Sequence[int] | int, rng: np.random.Generator
) -> tuple[int, ...]:
    """The ticks that were asked for, or as many at random that fit into every recording."""
    if not isinstance(starts, int):
        return tuple(starts)
    last = min(trace.ticks - job_of(trace.gap_seconds).ticks for trace in traces)
    if last < 0:
        shortest = min(traces, key=lambda trace: trace.ticks * trace.gap_seconds)
        raise ValueError(f"{shortest.name} has {shortest.days * 24:.0f} hours, fewer than the deadline")
    return tuple(int(start) for start in rng.integers(0, last + 1, starts))


def _generated(
    trace: Trace, job: Job, starts: Sequence[int] | int, rng: np.random.Generator
) -> tuple[Flags, tuple[int, ...]]:
    generator = fitted(trace.up(max(trace.most, 1)))
    if generator is None:
        raise ValueError(f"{trace.name} has too few whole spells to fit a generator")
    count = starts if isinstance(starts, int) else len(starts)
    return generator.series(job.ticks, count, rng).T, (0,) * count


def results_of(up: Flags, job: Job, policies: Sequence[str], ending: str = "") -> tuple[Result, ...]:
    found = []
    for name in policies:
        outcomes = None if name == OPTIMUM else replay(up, job, POLICIES[name])
        cost = least_cost_fraction(up, job) if outcomes is None else outcomes.cost_fraction
        found.append(Result(policy=name + ending, cost_fraction=cost, outcomes=outcomes))
    return tuple(found)
