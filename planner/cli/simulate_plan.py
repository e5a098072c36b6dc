"""`planner simulate PLAN`: the spot run of a plan by several rules, in its own markets or on recordings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planner.cli.options import book_of
from planner.cli.progress import PRICING, SIMULATING, progress
from planner.errors import UsageProblem

if TYPE_CHECKING:
    from planner.api.simulations import SpotSimulation
    from planner.cli.output import Room
    from planner.plan.load import LoadedPlan


def spot_runs_of(
    loaded: LoadedPlan,
    prices: str | None,
    scenario: str | None,
    recordings: Sequence[str],
    rules: Sequence[str],
    starts: Sequence[int] | int | None,
    seed: int,
    quiet: bool,
) -> SpotSimulation:
    """rules: none for the four of `planner.simulate`. recordings: none for the markets of the plan. Raises PlanProblems
    or UsageProblem."""
    from planner.api.simulations import MOST_RUNS, RULES, RUNS, STARTS, on_spot, simulation_of, spot_scenario
    from planner.decide.spares import with_spares
    from planner.estimate.request import Request
    from planner.spot.simulate import OPTIMUM
    from planner.spot.trace_file import trace_in

    if OPTIMUM in rules:
        raise UsageProblem(f"--policies {OPTIMUM}: of a plan only rules that somebody could follow are simulated")
    if not recordings and not (starts is None or (isinstance(starts, int) and starts <= MOST_RUNS)):
        raise UsageProblem(f"--starts: of a plan without recordings, how many runs, up to {MOST_RUNS:,}")
    draws = starts if isinstance(starts, int) and not recordings else RUNS
    book = book_of(loaded, prices)
    asked = Request(plan=loaded.plan, plan_sha256=loaded.sha256, book=book, draws=draws, seed=seed)
    request = on_spot(with_spares(asked))
    with progress(PRICING, quiet=quiet):
        why, listing = "`planner compare` says why", "`planner explain PLAN` lists the ids"
        chosen = spot_scenario(request, scenario, option="--scenario ", why=why, listing=listing)
    traces = [trace_in(file) for file in recordings]
    with progress(SIMULATING, quiet=quiet):
        return simulation_of(request, chosen, rules or RULES, traces, STARTS if starts is None else starts, seed)


def rendered(found: SpotSimulation, style: str, room: Room) -> str:
    """The result in a format."""
    if style == "json":
        from planner.report.data.spot_runs_json import render as render_json

        return render_json(found.series)
    if style == "svg":
        from planner.report.pictures.timeline import alone

        return alone(found.series[0].run)
    return found.text(width=room.width, ascii_only=room.ascii_only)
