"""`planner simulate PLAN`: the spot run of a plan by several rules, in its own markets or on recordings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planner.cli.options import book_of
from planner.cli.progress import PRICING, SIMULATING, progress
from planner.errors import UsageProblem

if TYPE_CHECKING:
    from planner.cli.output import Room
    from planner.decide.spot_runs import SpotRuns
    from planner.estimate.request import Request
    from planner.estimate.result import Scenario
    from planner.plan.load import LoadedPlan

RUNS, STARTS = 1000, 100  # in the plan's markets; on a recording
MOST_RUNS = 10_000
RULES = ("fallback", "own", "uniform_progress", "greedy")
OPTION = "spot-fallback"


def spot_runs_of(
    loaded: LoadedPlan,
    prices: str | None,
    scenario: str | None,
    recordings: Sequence[str],
    rules: Sequence[str],
    starts: Sequence[int] | int | None,
    seed: int,
    quiet: bool,
) -> tuple[SpotRuns, ...]:
    """recordings: none for the markets of the plan. Raises PlanProblems or UsageProblem."""
    from planner.decide.spot_runs import on_recordings, spot_runs
    from planner.estimate.request import Request
    from planner.spot.simulate import OPTIMUM
    from planner.spot.trace_file import trace_in

    if OPTIMUM in rules:
        raise UsageProblem(f"--policies {OPTIMUM}: of a plan only rules that somebody could follow are simulated")
    if not recordings and not (starts is None or (isinstance(starts, int) and starts <= MOST_RUNS)):
        raise UsageProblem(f"--starts: of a plan without recordings, how many runs, up to {MOST_RUNS:,}")
    draws = starts if isinstance(starts, int) and not recordings else RUNS
    book = book_of(loaded, prices)
    plan_with = loaded.plan
    if (options := loaded.plan.purchase.options) and OPTION not in options:
        purchase = loaded.plan.purchase.model_copy(update={"options": (*options, OPTION)})
        plan_with = loaded.plan.model_copy(update={"purchase": purchase})
    request = Request(plan=plan_with, plan_sha256=loaded.sha256, book=book, draws=draws, seed=seed, derivations=False)
    with progress(PRICING, quiet=quiet):
        chosen = _chosen(request, scenario)
    traces = [trace_in(file) for file in recordings]
    with progress(SIMULATING, quiet=quiet):
        try:
            if traces:
                return on_recordings(request, chosen, rules, traces, STARTS if starts is None else starts, seed)
            return (spot_runs(request, chosen, rules, seed),)
        except ValueError as error:
            raise UsageProblem(f"{chosen.id}: {error}") from None


def _chosen(request: Request, scenario: str | None) -> Scenario:
    """The scenario that is named, else the first on spot with fallback."""
    from planner.api.arguments import named
    from planner.decide.compare import compare

    comparison = compare(request)
    on_spot = [s for s in comparison.complete if s.option.family == OPTION]
    found = named(comparison, scenario) if scenario else next(iter(on_spot), None)
    if found is None:
        raise UsageProblem("no layout is feasible and priced on spot with fallback: `planner compare` says why")
    if found.option.family != OPTION or found not in on_spot:
        nearest = f": {on_spot[0].id}" if on_spot else ""
        raise UsageProblem(f"--scenario {scenario}: {found.id} is not on {OPTION}; name one that is{nearest}")
    return found


def rendered(found: tuple[SpotRuns, ...], style: str, room: Room) -> str:
    """The result in a format."""
    if style == "json":
        from planner.report.data.spot_runs_json import render as render_json

        return render_json(found)
    if style == "svg":
        from planner.report.pictures.timeline import alone

        return alone(found[0].run)
    from planner.report.terminal.spot_runs_text import render

    return render(found, width=room.width, ascii_only=room.ascii_only)
