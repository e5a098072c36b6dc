"""What a run does: its work, its data, its Region, and the read rate that the choice of storage rests on."""

from __future__ import annotations

from planner.decide.comparison import Comparison
from planner.estimate.result import Scenario
from planner.report.wording import figures, spoken
from planner.report.wording.left_out import READING
from planner.report.wording.recommendation import section


def sentences(comparison: Comparison, best: Scenario) -> tuple[str, ...]:
    """`38,000 GPU-hours of training on 80 TB of data, in us-east-1.` and the read rate."""
    return (f"{_work(best)}{_data(comparison)}, in {comparison.region}.", *read_rate(comparison, best))


def _work(best: Scenario) -> str:
    if best.is_held and best.days is not None:
        return f"Nodes for {spoken.run_days(best.days.plan)}"
    return f"{best.useful_gpu_hours or 0.0:,.0f} GPU-hours of training"


def _data(comparison: Comparison) -> str:
    size = section(comparison, "data").get("hot_dataset")
    return f" on {figures.plain(size / 1e12, 4)} TB of data" if isinstance(size, int | float) else ""


def read_rate(comparison: Comparison, best: Scenario) -> tuple[str, ...]:
    """`Reads 96 MB/s a GPU, 15.4 GB/s in all: assumed (15 to 1460 MB/s in the range), and the storage is chosen for it:
    measure yours (data.read_per_gpu).`"""
    if best.storage is None or not best.gpus:
        return ()
    total = best.storage.required_read_gb_per_s
    each = f"Reads {figures.plain(total * 1e3 / best.gpus, 3)} MB/s a GPU, {figures.plain(total, 3)} GB/s in all"
    for entry in comparison.assumptions:
        if entry.key == READING and entry.origin == "default":
            ends = f"assumed, {entry.low:g} to {entry.high:g} MB/s in the range"
            return (f"{each} ({ends}); the storage is chosen for it: measure yours (data.read_per_gpu).",)
    profile = section(comparison, "data").get("profile")
    return (f"{each} ({f'published for {profile}' if profile else 'as the plan says'}).",)
