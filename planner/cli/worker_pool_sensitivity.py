"""What `sensitivity` does with the plan of a worker pool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.cli import worker_pool
from planner.cli.output import format_of, room_of, say, write_result
from planner.cli.progress import STUDY, progress
from planner.errors import ExitCode, UsageProblem

if TYPE_CHECKING:
    from planner.cli.options import Asked
    from planner.plan.load import LoadedPool


def sensitivity(
    loaded: LoadedPool,
    asked: Asked,
    scenario: str | None,
    against: str | None,
    of: str,
    style: str | None,
    out: str | None,
    *,
    top: int,
    color: str,
    quiet: bool,
) -> ExitCode:
    """One choice with every number at both ends. Exit 10 if none is recommended and none is named."""
    from planner.worker_pool.sensitivity import RUNS, lacks, parameters_of, runs_in_study, study_pool

    if against is not None:
        raise UsageProblem("--against: not of a worker pool; `planner compare` shows the P10 to P90 of each choice")
    style = format_of(style, out, ("table", "json", "svg"))
    if style == "svg":
        raise UsageProblem("-f svg: not of a worker pool; use -f table or -f json")
    runs = worker_pool.asked_runs() or RUNS
    found, book = worker_pool.simulated(loaded, asked, runs=runs, quiet=quiet)
    if found.best is None and scenario in (None, "best"):
        say("gate (10): no choice meets the limits; `planner compare` shows the reasons, --scenario ID varies one")
        return ExitCode.GATE
    chosen = worker_pool.named(found, scenario)
    if why := lacks(chosen):
        raise UsageProblem(f"{chosen.id} cannot be varied: {why}; `planner compare` shows all")
    parameters = parameters_of(found, chosen)
    with progress(STUDY, total=runs_in_study(loaded, book, parameters, runs), quiet=quiet) as shown:
        study = study_pool(loaded, book, found, chosen, parameters, step=shown.step)
    if style == "json":
        from planner.report.data.worker_pool_sensitivity_json import render as render_json

        write_result(render_json(study), out)
        return ExitCode.OK
    from planner.report.terminal.worker_pool_sensitivity_text import render

    room = room_of(out, color)
    key = "cost_usd" if of == "cost" else "days"
    write_result(render(study, width=room.width, ascii_only=room.ascii_only, top=top, of=key), out)
    return ExitCode.OK
