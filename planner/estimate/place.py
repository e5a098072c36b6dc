"""The location of a phase: in the plan, and in the names of its numbers."""

from __future__ import annotations

from dataclasses import dataclass

from planner.plan.training_types import Phase
from planner.plan.types import Plan

# number of a phase -> its name if the run has only one phase, when it is the number of the whole run
_WHOLE = {
    "work_hours": "run.work_hours",
    "scaling_efficiency": "goodput.scaling_efficiency",
    "required_gb_per_s": "storage.required_read_gb_per_s",
    "input_fraction": "goodput.input_fraction",
}


@dataclass(frozen=True, kw_only=True)
class PhaseIds:
    """One phase. number: from 1, or 0 where the plan has no phases."""

    number: int

    def id(self, what: str) -> str:
        """The name of a number of this phase: `run.phase-2.work_hours`."""
        if self.number:
            return f"run.phase-{self.number}.{what}"
        return _WHOLE.get(what, f"run.{what}")

    def run(self, what: str) -> str:
        """The same as the origin of an input."""
        return f"run:{self.id(what)}"

    def plan(self, key: str) -> str:
        """A key of this phase's work in the plan, as an origin: `plan:run.work.samples`."""
        if self.number:
            return f"plan:run.phases[{self.number - 1}].{key}"
        return f"plan:run.{key}" if key == "throughput" else f"plan:run.work.{key}"


@dataclass(frozen=True, kw_only=True)
class PlannedPhase:
    """A phase that runs. slowdown: how many times as long it takes because an earlier phase is left out; slowed_by: the
    origin of that number."""

    place: PhaseIds
    phase: Phase
    slowdown: float = 1.0
    slowed_by: str = ""


def phases_of(plan: Plan) -> list[PlannedPhase]:
    """The phases of a plan that run; one if the plan has none.

    Without a phase that speeds up later ones, these are slower, and read the data that is there without it.
    """
    run = plan.run
    if run.phases:
        found: list[PlannedPhase] = []
        slowdown, slowed_by = 1.0, ""
        for number, phase in enumerate(run.phases, 1):
            place = PhaseIds(number=number)
            if phase.skip:
                slowdown, slowed_by = slowdown * (phase.speedup or 1.0), place.plan("speedup")
                continue
            raw = phase.model_copy(update={"hot_dataset_bytes": None, "sample_bytes": None}) if slowed_by else phase
            found.append(PlannedPhase(place=place, phase=raw, slowdown=slowdown, slowed_by=slowed_by))
        return found
    work = run.work
    assert work is not None  # the checks of the plan guarantee this
    whole = Phase.model_construct(
        name="training",
        samples=work.samples,
        gpu_hours=work.gpu_hours,
        flop=work.flop,
        mfu=work.mfu,
        mfu_by_gpu=work.mfu_by_gpu,
        mfu_basis=work.mfu_basis,
        throughput=run.throughput,
    )
    return [PlannedPhase(place=PhaseIds(number=0), phase=whole)]


def data_sets_of(plan: Plan) -> dict[str, float]:
    """Bytes of every data set that training reads, by origin: that of the plan, and those of phases."""
    found: dict[str, float] = {}
    for entry in phases_of(plan):
        own = entry.phase.hot_dataset_bytes
        origin = "plan:data.hot_dataset" if own is None else entry.place.plan("hot_dataset")
        found[origin] = plan.data.hot_dataset_bytes if own is None else own
    return found
