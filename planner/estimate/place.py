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


def phases_of(plan: Plan) -> list[tuple[PhaseIds, Phase]]:
    """The phases of a plan; one if the plan has none."""
    run = plan.run
    if run.phases:
        return [(PhaseIds(number=number), phase) for number, phase in enumerate(run.phases, 1)]
    work = run.work
    assert work is not None  # the checks of the plan guarantee this
    whole = Phase.model_construct(
        name="training",
        samples=work.samples,
        gpu_hours=work.gpu_hours,
        flop=work.flop,
        mfu=work.mfu,
        mfu_by_gpu=work.mfu_by_gpu,
        throughput=run.throughput,
    )
    return [(PhaseIds(number=0), whole)]
