"""Checkpoints that are saved in the background: training pauses for the copy, and a failure loses the time to save."""

from __future__ import annotations

import numpy as np
import pytest

from planner.models.goodput import availability
from tests.builders import exact, plan_of, scenario_of

NODES = 2048
LLAMA_3 = {
    "run": {"work": {"gpu_hours": None, "flop": 3.8e25, "mfu": "41%"}},
    "fleet": {"instance_types": ["p5.48xlarge"], "nodes": NODES + 16, "spares": 16},
    "data": {"read_per_gpu": "1MB/s", "checkpoint": "5.67TB"},
    "purchase": {"options": ["on-demand"]},
    "storage": {"layouts": ["s3-stream"]},
    "assumptions": {
        **exact("goodput.failures_per_1000_node_days", 3.79),
        **exact("goodput.restart_minutes", 5),
        **exact("goodput.replacement_hours", 0.5),
    },
}


def goodput(**reliability: str):
    found = scenario_of(plan_of(**LLAMA_3, reliability=reliability), "s3-stream/").goodput
    assert found is not None
    return found


def simulated_availability(
    work: float, write: float, save: float, restart: float, mtbf: float, random: np.random.Generator, segments: int
) -> float:
    """Kept share of the time: a checkpoint counts once it is saved, and a failure goes back to the newest one."""
    clock, done, durable, pending = 0.0, 0, 0, []
    failure = random.exponential(mtbf)
    while done < segments:
        if clock + work + write <= failure:
            clock += work + write
            done += 1
            pending.append((clock + save, done))
            continue
        clock = failure
        durable = max([durable, *(count for at, count in pending if at <= clock)])
        done, pending = durable, []
        while True:  # a restart can fail too
            failure = clock + random.exponential(mtbf)
            clock = min(clock + restart, failure)
            if clock < failure:
                break
    return segments * work / clock


@pytest.mark.parametrize(("work", "save"), [(0.2, 0.05), (0.5, 0.5), (0.1, 0.02)])
def test_the_time_to_save_is_lost_at_each_failure(work, save):
    """The closed form with the time to save added to the restart, against a simulation."""
    random = np.random.default_rng(7)
    write, restart, mtbf = 0.002, 0.1, 6.0
    runs = [simulated_availability(work, write, save, restart, mtbf, random, 8000) for _ in range(8)]
    by_formula = availability(
        work_hours=work, write_hours=write, restart_hours=restart + save, wait_hours=0.0, mtbf_hours=mtbf
    )
    assert by_formula == pytest.approx(np.mean(runs), rel=0.01)


def test_llama_3_is_effective_for_more_than_nine_tenths_of_its_time():
    """arXiv 2407.21783: over 90 % on 16,384 GPUs; 0.59 s of blocking as of ByteCheckpoint (arXiv 2407.20143), restarts
    of 200 to 600 s as of FT-HSDP (arXiv 2602.00277)."""
    found = goodput(checkpoint_blocking="0.59s")
    assert found.mtbf_hours == pytest.approx(3.09, abs=0.01)
    assert 0.90 < found.availability_fraction < 0.97
    half_an_hour = goodput(checkpoint_blocking="0.59s", checkpoint_interval="30m")
    assert half_an_hour.availability_fraction == pytest.approx(0.89, abs=0.01)


def test_saving_in_the_background_is_never_worse_than_waiting_for_it():
    waiting, background = goodput(), goodput(checkpoint_blocking="1s")
    assert background.availability_fraction > waiting.availability_fraction
    assert background.write_hours < waiting.write_hours


def test_no_checkpoint_begins_before_the_one_before_it_is_saved():
    """5.67 TB at 2,064 GB/s and 30 s of overhead are 33 s; without them the optimum would be 0.6 s."""
    found = goodput(checkpoint_blocking="0.00002s")
    saved_in = (30 + 5670 / (NODES + 16)) / 3600
    assert found.checkpoint_interval_hours == pytest.approx(saved_in, rel=0.01)
