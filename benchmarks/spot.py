"""A1-A5: rules for spot on the public recordings beside their published costs, the optimum, and jobs a second."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.draws import median_seconds
from benchmarks.measure import ROOT
from planner.spot.job import Job
from planner.spot.optimum import least_cost_fraction
from planner.spot.patient import PatientProgress
from planner.spot.replay import Policy, replay, windows
from planner.spot.rules import UniformProgress
from planner.spot.trace import Flags
from tests.spot import jobs as published
from tests.spot.recordings import PUBLIC

JOBS = 10_000
GOAL_JOBS_PER_SECOND = 100_000
GOAL_OPTIMUM_SECONDS = 0.020
GOAL_RATIO, GOAL_WORST, GOAL_ZONES = 0.975, 1.01, 1.05


def plain_python(up: list[bool], job: Job) -> float:
    """Uniform progress of one job in a plain loop, as simulators without arrays do it: the reference of A5."""
    on, warming, progress, spot, on_demand = "", 0, 0, 0, 0
    for tick in range(job.ticks):
        elapsed, available = tick * job.gap, up[tick]
        on = "" if on == "spot" and not available else on
        left, until = job.work - progress, (job.deadline - elapsed) // job.gap
        ahead = progress * job.deadline > (elapsed + 2 * job.changeover) * job.work
        if available:
            wish = "spot" if on != "on-demand" or ahead else on
        else:
            wish = "on-demand" if on == "on-demand" or progress * job.deadline < elapsed * job.work else ""
        if -(-(left + 2 * job.changeover) // job.gap) >= until and on != "spot":
            wish = "on-demand"
        if -(-(left + job.changeover) // job.gap) >= until:
            wish = "spot" if on == "spot" and not warming else "on-demand"
        warming = job.changeover if wish and wish != on else warming
        on = wish
        spot, on_demand = spot + (on == "spot"), on_demand + (on == "on-demand")
        used = min(warming, job.gap) if on else 0
        warming, progress = warming - used, progress + (job.gap - used if on else 0)
        if progress >= job.work:
            break
    return (spot + job.price_ratio * on_demand) * job.gap / (job.work * job.price_ratio)


def verdict(good: bool) -> str:
    return "met" if good else "MISSED"


def speed() -> list[str]:
    job = published.job_of(0.2, 60)
    up = published.twin(job, JOBS, 1)
    one = [[bool(flag) for flag in up[:, at]] for at in range(20)]
    reference = median_seconds(lambda: [plain_python(each, job) for each in one], 3) / len(one)
    lines = []
    for policy in (UniformProgress(), PatientProgress()):
        rate = JOBS / median_seconds(lambda policy=policy: replay(up, job, policy), 5)
        lines.append(
            f"A5 {policy.name:<18}{rate:>10,.0f} jobs/s, {rate * reference:,.0f} x a plain loop"
            f"  (goal {GOAL_JOBS_PER_SECOND:,} {verdict(rate >= GOAL_JOBS_PER_SECOND)})"
        )
    alone = median_seconds(lambda: least_cost_fraction(up[:, :1], job), 5)
    many = median_seconds(lambda: least_cost_fraction(up[:, :64], job), 3) / 64
    good = verdict(alone <= GOAL_OPTIMUM_SECONDS)
    lines.append(
        f"A2 optimum of one job {alone * 1e3:.1f} ms, of 64 together {many * 1e3:.1f} ms each"
        f", {many / reference:.1f} x one plain replay  (goal {GOAL_OPTIMUM_SECONDS * 1e3:.0f} ms {good})"
    )
    return lines


def agreement() -> list[str]:
    worst, late, jobs, gap = 0.0, 0, 0, 0.0
    for (dataset, series), rows in published.per_start().items():
        trace = published.recordings(dataset)[series]
        job = published.job_of(0.2, 60, trace.gap_seconds)
        up = windows(trace.up(1), [int(row["start"]) for row in rows], job.ticks)
        for policy in published.PUBLISHED:
            found = replay(up, job, policy)
            expected = np.array([float(row[policy.name]) for row in rows])
            worst, late = max(worst, float(np.abs(found.cost_fraction - expected).max())), late + int(found.late.sum())
            jobs += len(rows)
        some = slice(None, None, 10)
        least = np.array([float(row["omniscient"]) for row in rows])[some]
        gap = max(gap, float(np.abs(least_cost_fraction(up[:, some], job) - least).max()))
    return [
        f"A1 {jobs:,} published costs of four rules: largest difference {worst:.1e}, {late} late"
        f"  (goal 1e-6 {verdict(worst <= 1e-6 and not late)})",
        f"A2 published optima, every tenth: largest difference {gap:.1e}  (goal 1e-6 {verdict(gap <= 1e-6)})",
    ]


def own_rule() -> list[str]:
    lines = []
    for dataset in (published.OLD, published.NEW):
        means = [
            [_mean(dataset, *setting, p) for p in (PatientProgress(), UniformProgress())]
            for setting in published.SETTINGS
        ]
        own, uniform = np.array(means).T
        ratio, worst = own.mean() / uniform.mean(), (own / uniform).max()
        lines.append(
            f"A3 {dataset}: own rule {own.mean():.4f}, uniform progress {uniform.mean():.4f}, ratio {ratio:.3f}, "
            f"worst setting {worst:.3f}  (goal {GOAL_RATIO} and {GOAL_WORST} "
            f"{verdict(ratio <= GOAL_RATIO and worst <= GOAL_WORST)})"
        )
    return lines


def _mean(dataset: str, changeover: float, deadline: float, policy: Policy) -> float:
    traces = published.recordings(dataset)
    job = published.job_of(changeover, deadline, next(iter(traces.values())).gap_seconds)
    up = np.concatenate([published.seen(dataset, name, job) for name in traces], axis=1)
    return float(replay(up, job, policy).cost_fraction.mean())


def zones() -> list[str]:
    traces = list(published.recordings(published.NEW).values())
    job = published.job_of(0.2, 60, traces[0].gap_seconds)
    starts = published.published_starts(published.NEW, traces[0].name)
    together: Flags = np.stack([windows(trace.up(1), starts, job.ticks) for trace in traces], axis=1)
    own = replay(together, job, PatientProgress()).cost_fraction.mean()
    least = least_cost_fraction(together, job).mean()
    alone = min(replay(together[:, z], job, PatientProgress()).cost_fraction.mean() for z in range(len(traces)))
    good = verdict(own <= GOAL_ZONES * least and own <= alone)
    return [
        f"A4 {len(traces)} zones: own rule {own:.4f}, optimum {least:.4f}, ratio {own / least:.3f}, best single zone "
        f"{alone:.4f}  (goal {GOAL_ZONES} and below the best zone {good})"
    ]


def main() -> str:
    begin = time.perf_counter()
    lines = speed()
    if (PUBLIC / "README.md").exists():
        lines += [*agreement(), *own_rule(), *zones()]
    else:
        lines.append(f"A1, A3, A4: not measured, the public recordings are not in {PUBLIC.relative_to(ROOT.parent)}")
    return "\n".join((*sorted(lines), f"in {time.perf_counter() - begin:.0f} s"))


if __name__ == "__main__":
    print(f"== {__doc__}\n{main()}\n")
