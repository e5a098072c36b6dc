"""Profiles of workloads: the assumption that has the read rate of one GPU, by profile and kind of GPU."""

from __future__ import annotations

from planner.plan.assumptions import default_assumptions

_KEY = "data.{profile}_mb_per_s_per_{gpu}"


def profile_key(profile: str, gpu: str) -> str:
    """The key in assumptions.csv; it is there only if a rate of this kind of GPU was published."""
    return _KEY.format(profile=profile.replace("-", "_"), gpu=gpu.lower())


def has_figure(profile: str, gpu: str) -> bool:
    """Whether a read rate of this profile on this kind of GPU was published."""
    return profile_key(profile, gpu) in default_assumptions()


def gpus_of(profile: str) -> list[str]:
    """Kinds of GPU with a published rate of this profile."""
    return _kinds_after(profile_key(profile, ""))


def _kinds_after(start: str) -> list[str]:
    """Kinds of GPU that an assumption's key ends with, of those keys that begin so."""
    return sorted(key.removeprefix(start).upper() for key in default_assumptions() if key.startswith(start))


# shares of the peak in planner/evidence/cases.csv and model cards; the highest whole run is Phi-2
PUBLISHED_MFU = "steps reach 30% to 65%, whole runs 4% to 60%"
HIGHEST_MFU = {"step": 0.65, "run": 0.60}


def mfu_key(gpu: str) -> str:
    """Key of the share of its bf16 peak that whole runs reach on a kind of GPU, failed nodes apart."""
    return f"workload.mfu_{gpu.lower()}"


def kinds_with_mfu() -> list[str]:
    """Kinds of GPU with a default share."""
    return _kinds_after(mfu_key(""))


def has_mfu(gpu: str) -> bool:
    """Whether that share, or that of the nearest kind, has been published."""
    return mfu_key(gpu) in default_assumptions()


def speed_key(gpu: str) -> str:
    """Key of the speed of training on a kind of GPU, relative to A100."""
    return f"workload.speed_{gpu.lower()}"


def kinds_with_speed() -> list[str]:
    """Kinds of GPU whose speed relative to another has been published."""
    return _kinds_after(speed_key(""))
