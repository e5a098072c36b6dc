"""The study of `sensitivity` for a worker pool: every choice simulated again at both ends of each number."""

from __future__ import annotations

from dataclasses import replace

from planner.errors import UsageProblem
from planner.kinds.asking import STUDYING, Ask, Look, Watch
from planner.kinds.workers.answers import compared, named_or_first, plan_of, runs_of
from planner.worker_pool.sensitivity import RUNS, PoolStudy, lacks, parameters_of, runs_in_study, study_pool

FORMATS = ("table", "json", "svg")
NOTHING = "no choice meets the limits; `planner compare` shows the reasons, --scenario ID varies one"


def studied(ask: Ask, scenario: str | None, against: str | None, watch: Watch) -> PoolStudy | None:
    """One choice with every number at both ends; None where none is recommended and none is named. against: of kinds
    that take it. Raises UsageProblem."""
    runs = RUNS if ask.draws is None else runs_of(ask.draws, "--draws")
    found = compared(replace(ask, draws=runs), watch)
    if found.best is None and scenario in (None, "best"):
        return None
    chosen = named_or_first(found, scenario)
    if why := lacks(chosen):
        raise UsageProblem(f"{chosen.id} cannot be varied: {why}; `planner compare` shows all")
    loaded, parameters = plan_of(ask), parameters_of(found, chosen)
    with watch.steps(STUDYING, runs_in_study(loaded, ask.book, parameters, runs)) as step:
        return study_pool(loaded, ask.book, found, chosen, parameters, step=step)


def written(found: PoolStudy, style: str, look: Look) -> str:
    """In a format."""
    if style == "json":
        from planner.report.data.worker_pool_sensitivity_json import render as render_json

        return render_json(found)
    if style == "svg":
        from planner.report.pictures.tornado import alone
        from planner.report.wording.worker_pool_sensitivity import tornado

        return alone(tornado(found))
    from planner.report.terminal.worker_pool_sensitivity_text import render

    return render(found, width=look.width, ascii_only=look.ascii_only, top=look.top or 0, of=look.of)
