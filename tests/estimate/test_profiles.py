"""Profiles of workloads: published medians by kind of GPU, a second route to them, and what is refused."""

from __future__ import annotations

from typing import get_args

import pytest

from planner.models.datapath import required_read_rate
from planner.models.datasets import accelerator_sample_rate
from planner.plan.assumptions import default_assumptions
from planner.plan.catalogue_check import types_of
from planner.plan.check import check_plan
from planner.plan.profiles import gpus_of, has_figure, profile_key
from planner.plan.training_types import Profile
from tests.builders import book_of, plan_of, scenario_of

# workload -> samples in a batch, bytes of a sample, seconds of a batch on A100 and H100: mlcommons/storage caa90c9
BENCHMARK = {
    "unet3d": (7, 146_600_628, {"A100": 0.636, "H100": 0.323}),
    "resnet50": (400, 114_660.07, {"A100": 0.435, "H100": 0.224}),
    "cosmoflow": (1, 2_828_486, {"A100": 0.00551, "H100": 0.0035}),
}
# median MiB/s of an accelerator in 132 results of MLPerf Storage v1.0 (storage_results_v1.0 64c2ce4)
MEDIANS = {
    ("unet3d", "A100"): 1390,
    ("unet3d", "H100"): 2750,
    ("resnet50", "A100"): 92,
    ("resnet50", "H100"): 181,
    ("cosmoflow", "A100"): 347,
    ("cosmoflow", "H100"): 551,
}
TYPES = {"A100": "p4d.24xlarge", "H100": "p5.48xlarge", "L40S": "g6e.48xlarge"}


def profiled(profile: str, *gpus: str, **data):
    data = {"read_per_gpu": None, "profile": profile, **data}
    fleet = {"instance_types": [TYPES[gpu] for gpu in gpus]}
    return plan_of(data=data, fleet=fleet, purchase={"options": ["on-demand"]})


def findings(plan) -> list[str]:
    types = {instance.name: instance for instance in (book_of().instance(name) for name in TYPES.values())}
    return [message for _, message, _ in types_of(plan, types)]


@pytest.mark.parametrize(("profile", "gpu"), MEDIANS)
def test_a_run_needs_the_published_median_of_each_gpu(profile, gpu):
    found = scenario_of(profiled(profile, gpu), "s3")
    assert found.storage is not None
    per_gpu = found.storage.required_read_gb_per_s / found.gpus * 1e9 / 2**20
    assert per_gpu == pytest.approx(MEDIANS[profile, gpu], rel=0.005)


@pytest.mark.parametrize(("profile", "gpu"), MEDIANS)
def test_the_range_ends_where_an_accelerator_never_waits(profile, gpu):
    """The benchmark's own batch, sample and time of a batch: equations I13 and I1."""
    batch, sample, seconds = BENCHMARK[profile]
    rate = accelerator_sample_rate(accelerators=1, batch_samples=batch, compute_seconds=seconds[gpu])
    never_waiting = 1000 * required_read_rate(samples_per_second=rate, sample_bytes=sample)
    entry = default_assumptions()[profile_key(profile, gpu)]
    assert entry.high == pytest.approx(never_waiting, rel=0.002)
    # valid results use at least 90 % of the accelerator's time, of CosmoFlow 70 %
    floor = 0.70 if profile == "cosmoflow" else 0.90
    assert floor * 0.97 * never_waiting < entry.value < never_waiting


def test_every_profile_has_a_figure_and_every_figure_a_profile():
    profiles = get_args(Profile)
    assert all(gpus_of(profile) for profile in profiles)
    keys = {profile_key(profile, gpu) for profile in profiles for gpu in gpus_of(profile)}
    assert keys == {key for key in default_assumptions() if "_mb_per_s_per_" in key and not key.endswith("_per_gpu")}


@pytest.mark.parametrize(("profile", "gpu"), [("unet3d", "L40S"), ("webdataset-images", "H100")])
def test_a_gpu_without_a_published_rate_is_refused(profile, gpu):
    assert not has_figure(profile, gpu)
    (message,) = findings(profiled(profile, gpu))
    assert f"no read rate of {gpu} is published" in message
    assert not findings(profiled("tokens", "A100"))


def test_only_one_key_gives_the_read_rate():
    messages = [message for _, message, _ in check_plan(profiled("unet3d", "A100", sample="40KB"))]
    assert "profile and sample are both set, and each of them gives the read rate" in messages
