"""A throughput table for the next plan, from logs of one size or of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from planner.models.student_t import student_t_95
from planner.profile.measure import Measured

FACTOR = "workload.throughput_factor"


@dataclass(frozen=True, kw_only=True)
class Row:
    """gpus: that trained. samples_per_second: of the whole fleet, the mean over its logs. within: half width of the
    90 % range of a run of this size, as a fraction. repeated: whether several logs show how far runs differ."""

    gpus: int
    samples_per_second: float
    within: float
    repeated: bool


def rows_of(logs: Mapping[int, Sequence[Measured]], between: float) -> list[Row]:
    """A row for each size, the smallest first. between: half width of the range from run to run, as a fraction, where
    one log of a size cannot show it."""
    return [_row(gpus, found, between) for gpus, found in sorted(logs.items())]


def _row(gpus: int, found: Sequence[Measured], between: float) -> Row:
    rates = np.array([each.samples_per_second for each in found])
    mean, alone = float(rates.mean()), max(each.within for each in found)
    if len(rates) == 1:
        return Row(gpus=gpus, samples_per_second=mean, within=float(np.hypot(alone, between)), repeated=False)
    # the next run is one more of them: the mean's error, and its own
    scatter = float(rates.std(ddof=1)) / mean * float(np.sqrt(1 + 1 / len(rates)))
    return Row(
        gpus=gpus,
        samples_per_second=mean,
        within=max(student_t_95(len(rates) - 1) * scatter, alone),
        repeated=True,
    )


def efficiency(rows: Sequence[Row]) -> float | None:
    """Samples a second and GPU of the largest size over those of the smallest; None of one size."""
    if len(rows) < 2:
        return None
    first, last = rows[0], rows[-1]
    return (last.samples_per_second / last.gpus) / (first.samples_per_second / first.gpus)


def values_of(rows: Sequence[Row], source: str) -> dict[str, dict[str, Any]]:
    """Sections of a plan for `--set @FILE`: the table, how other sizes follow from it, and the range of a run."""
    within = max(row.within for row in rows)
    table = [{"gpus": row.gpus, "samples_per_second": float(f"{row.samples_per_second:.6g}")} for row in rows]
    factor = {"value": 1.0, "low": round(max(1 - within, 0.01), 4), "high": round(1 + within, 4), "source": source}
    return {
        "run": {"throughput": table, "scaling": "strong" if len(rows) > 1 else "linear"},
        "assumptions": {FACTOR: factor},
    }
