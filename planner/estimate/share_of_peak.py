"""Useful GPU-hours of a phase: of its FLOP, by the share of the GPUs' peak that a whole run reaches."""

from __future__ import annotations

import math

import numpy as np

from planner.estimate.place import PhaseIds
from planner.models.derived import Sourced
from planner.models.number import Number
from planner.models.sheet import Sheet
from planner.models.values import Values
from planner.models.workload import gpu_hours_from_flop
from planner.plan.profiles import HIGHEST_MFU, PUBLISHED_MFU, has_mfu, mfu_key
from planner.plan.training_types import Phase
from pricing.catalog import InstanceType

WHOLE_RUN = "workload.whole_run_of_step_fraction"
NO_LANGUAGE = "workload.no_language_model_factor"
PER_DOUBLING = "workload.mfu_per_doubling_factor"
BY_WORK = ("H100", "H200", "B200", "B300")  # on A100 the share does not follow the size of the work
AT_FLOP, MOST_FLOP = 1e23, 4e25
SMALL_FLEET = "workload.small_fleet_factor"
ONE_NODE = "workload.one_node_factor"
FEW_GPUS, MANY_GPUS = 64, 512  # in between, the whole-run share spreads less the larger the fleet


def gpu_hours_of(
    phase: Phase, place: PhaseIds, instance: InstanceType, gpus: int, profile: str | None, values: Values, sheet: Sheet
) -> tuple[Sourced, float]:
    """Useful GPU-hours of a phase, from the plan or calculated from its FLOP, and their planned number.

    gpus: of the whole fleet.

    Raises ValueError.
    """
    if phase.gpu_hours is not None:
        return (phase.gpu_hours, place.plan("gpu_hours")), phase.gpu_hours
    if phase.flop is None or (_given(phase, instance.gpu_name.upper()) is None and not has_mfu(instance.gpu_name)):
        raise ValueError(f"phase {phase.name}: its work cannot be converted to time")
    if instance.peak_tflops is None:
        raise ValueError(f"the peak FLOP/s of {instance.name} is not known, so FLOP cannot be converted to time")
    mfu, planned_mfu = _mfu(phase, place, instance, gpus, profile, values, sheet)
    busy = sheet.equation(
        place.id("gpu_hours"),
        gpu_hours_from_flop,
        flop=(phase.flop, place.plan("flop")),
        peak_tflops=(instance.peak_tflops, f"catalogue:{instance.name}.peak_tflops"),
        mfu_fraction=mfu,
    )
    planned = gpu_hours_from_flop(flop=phase.flop, peak_tflops=instance.peak_tflops, mfu_fraction=planned_mfu)
    return (busy, place.run("gpu_hours")), float(planned)


def ideal_share(phase: Phase, kind: str, values: Values) -> Number:
    """Hours at the speed of steps, as a share of a phase's hours: 0 if its speed is that of whole published runs."""
    if phase.flop is None:
        return 1.0
    of_steps = _given(phase, kind) is not None
    return values[WHOLE_RUN] if of_steps and phase.mfu_basis != "run" else 0.0


def high_mfu(phase: Phase, kind: str) -> str:
    """A note on an mfu that nobody has published; "" for others."""
    given, basis = _given(phase, kind), phase.mfu_basis or "step"
    if phase.flop is None or given is None or given <= HIGHEST_MFU[basis]:
        return ""
    return (
        f"mfu of {given:.0%} is above every published figure: {PUBLISHED_MFU}. Check that the FLOP and the peak are of "
        "one precision, and that activations that are calculated again do not count"
    )


def _given(phase: Phase, kind: str) -> float | None:
    """What the plan says of a kind of GPU."""
    return phase.mfu_by_gpu.get(kind, phase.mfu)


def _mfu(
    phase: Phase, place: PhaseIds, instance: InstanceType, gpus: int, profile: str | None, values: Values, sheet: Sheet
) -> tuple[Sourced, float]:
    """The share over the whole run, and the planned one: the plan's, else what published runs reached."""
    kind = instance.gpu_name.upper()
    given = _given(phase, kind)
    if given is not None:
        key = f"mfu_by_gpu.{kind}" if kind in phase.mfu_by_gpu else "mfu"
        if phase.mfu_basis == "run":
            return (given, place.plan(key)), given
        what = "evaluation, ramps and slow starts lower it; failed nodes are counted apart"
        return _lowered((given, place.plan(key)), given, "whole_run_of_step", WHOLE_RUN, what, place, values, sheet)
    share, planned = values.given(mfu_key(kind)), values.central(mfu_key(kind))
    if kind in BY_WORK:
        share, planned = _by_work(share, planned, (phase.flop or 0.0, place.plan("flop")), place, values, sheet)
    if gpus <= instance.gpu_count:
        share, planned = _on_one_node(share, planned, place, values, sheet)
    if gpus < MANY_GPUS:
        share = _of_small_fleet(share, gpus, place, values, sheet), place.run("mfu_of_fleet")
    if profile in (None, "tokens"):
        return share, planned
    what = "what language models reach; training on images and the like reaches less"
    return _lowered(share, planned, "no_language_model", NO_LANGUAGE, what, place, values, sheet)


def _by_work(
    share: Sourced, planned: float, flop: tuple[float, str], place: PhaseIds, values: Values, sheet: Sheet
) -> tuple[Sourced, float]:
    """The share of work of this size, drawn and planned."""
    growth, doublings = values.given(PER_DOUBLING), math.log2(min(flop[0], MOST_FLOP) / AT_FLOP)
    of_work = sheet.arithmetic(
        place.id("mfu_of_work"),
        share[0] * growth[0] ** doublings,
        "fraction",
        "mfu * per_doubling ** log2(min(flop, most_flop) / at_flop)",
        "small runs reach less of a fast GPU's peak",
        mfu=(*share, "fraction"),
        per_doubling=(*growth, "ratio"),
        flop=(*flop, "FLOP"),
        most_flop=(MOST_FLOP, "rule:no larger run is published", "FLOP"),
        at_flop=(AT_FLOP, "rule:the work of which the assumption is", "FLOP"),
    )
    return (of_work, place.run("mfu_of_work")), planned * values.central(PER_DOUBLING) ** doublings


def _on_one_node(
    share: Sourced, planned: float, place: PhaseIds, values: Values, sheet: Sheet
) -> tuple[Sourced, float]:
    """The share where no network lies between the GPUs, drawn and planned; no step is above `most`."""
    factor, most = values.given(ONE_NODE), HIGHEST_MFU["step"]
    on_it = sheet.arithmetic(
        place.id("mfu_of_node"),
        np.minimum(share[0] * factor[0], np.maximum(share[0], most)),
        "fraction",
        "min(mfu * one_node, max(mfu, most))",
        "one node waits for no network and for no other node",
        mfu=(*share, "fraction"),
        one_node=(*factor, "ratio"),
        most=(most, "rule:no published step reaches more", "fraction"),
    )
    return (on_it, place.run("mfu_of_node")), min(planned * values.central(ONE_NODE), max(planned, most))


def _of_small_fleet(share: Sourced, gpus: int, place: PhaseIds, values: Values, sheet: Sheet) -> Number:
    """The share on a fleet of this size, as probable above as below the share of large ones; no step is above `most`.

    In three doublings of the fleet it loses its spread, so that in no draw but one of millions more GPUs take longer.
    """
    factor, most = values.given(SMALL_FLEET), HIGHEST_MFU["step"]
    small = min(1.0, math.log2(MANY_GPUS / gpus) / math.log2(MANY_GPUS / FEW_GPUS))
    return sheet.arithmetic(
        place.id("mfu_of_fleet"),
        np.minimum(share[0] * factor[0] ** small, np.maximum(share[0], most)),
        "fraction",
        "min(mfu * small_fleet ** min(1, log2(many_gpus / gpus) / log2(many_gpus / few_gpus)), max(mfu, most))",
        "small fleets are of experts as well as of beginners",
        mfu=(*share, "fraction"),
        small_fleet=(*factor, "ratio"),
        gpus=(gpus, "run:gpus", "GPUs"),
        many_gpus=(MANY_GPUS, "rule:fleets of this size spread no more than larger ones", "GPUs"),
        few_gpus=(FEW_GPUS, "rule:fleets of this size spread as much as smaller ones", "GPUs"),
        most=(most, "rule:no published step reaches more", "fraction"),
    )


def _lowered(
    share: Sourced, planned: float, name: str, key: str, what: str, place: PhaseIds, values: Values, sheet: Sheet
) -> tuple[Sourced, float]:
    """A share times an assumption, drawn and planned. name: of that assumption in the equation."""
    factor = values.given(key)
    over_the_run = sheet.arithmetic(
        place.id("mfu_of_run"),
        share[0] * factor[0],
        "fraction",
        f"mfu * {name}",
        what,
        mfu=(*share, "fraction"),
        **{name: (*factor, "fraction")},
    )
    return (over_the_run, place.run("mfu_of_run")), planned * values.central(key)
