"""Jobs and series for tests of rules, and the published tables of what rules cost on the public recordings."""

from __future__ import annotations

import csv
import json
from functools import cache

import numpy as np

from planner.spot.generator import SpellLaw
from planner.spot.job import Job
from planner.spot.patient import PatientProgress
from planner.spot.replay import Policy, windows
from planner.spot.rules import Fallback, Gated, Greedy, NextSpotOracle, UniformProgress
from planner.spot.trace import Flags, Trace
from tests.spot.recordings import PUBLIC, alternating, public

# On-Demand by spot price of a p3.2xlarge in the published runs: USD 3.06 and 0.9731 an hour
PRICE_RATIO = 3.06 / 0.9731
POLICIES: tuple[Policy, ...] = (Greedy(), UniformProgress(), Gated(), NextSpotOracle(), Fallback(), PatientProgress())
PUBLISHED = POLICIES[:4]
OLD, NEW = "aws-10-26-2022", "aws-02-15-2023"
SETTINGS = [(changeover, deadline) for changeover in (0.02, 0.2, 0.4) for deadline in (52, 60, 70)]


def job_of(changeover: float, deadline: float, gap_seconds: int = 600, work: float = 48) -> Job:
    return Job.of_hours(
        work=work, deadline=deadline, changeover=changeover, gap_seconds=gap_seconds, price_ratio=PRICE_RATIO
    )


@cache
def recordings(dataset: str) -> dict[str, Trace]:
    return {trace.name: trace for trace in public(f"availability/1-node/{dataset}")}


@cache
def per_start() -> dict[tuple[str, str], list[dict[str, str]]]:
    """Rows by (data set, series): 0.2 h of changeover, 60 h until the deadline."""
    found: dict[tuple[str, str], list[dict[str, str]]] = {}
    with (PUBLIC / "reference_per_start_d0.2_deadline60.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found.setdefault((row["dataset"], row["series"]), []).append(row)
    return found


@cache
def means() -> list[dict[str, str]]:
    with (PUBLIC / "reference_means.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@cache
def published_starts(dataset: str, series: str) -> tuple[int, ...]:
    """The starts of a series: those of 2023 are published for a deadline of 60 hours only."""
    if dataset == OLD:
        return tuple(json.loads((PUBLIC / f"starts_{OLD}.json").read_text(encoding="utf-8"))["starts"])
    return tuple(int(row["start"]) for row in per_start()[dataset, series])


def seen(dataset: str, series: str, job: Job, step: int = 1) -> Flags:
    """What the jobs of the published starts see; starts too close to the end of the recording are left out."""
    trace = recordings(dataset)[series]
    starts = [start for start in published_starts(dataset, series)[::step] if start + job.ticks <= trace.ticks]
    return windows(trace.up(1), starts, job.ticks)


def twin(job: Job, jobs: int, seed: int, share: float = 0.6) -> Flags:
    """A market like the recorded ones: spells of Weibull lengths, 1.5 hours up on average at a share of 0.6."""
    up = SpellLaw(shape=0.6, scale_ticks=3600 / job.gap * share / 0.6)
    down = SpellLaw(shape=0.6, scale_ticks=3600 / job.gap * (1 - share) / 0.6)
    series = alternating(up, down, 40_000, seed)
    starts = np.random.default_rng(seed).integers(0, len(series) - job.ticks, jobs)
    return windows(series, list(starts), job.ticks)
