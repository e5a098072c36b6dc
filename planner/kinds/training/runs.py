"""What `simulate` replays of a training plan: its spot run by several rules, in its own markets or on recordings."""

from __future__ import annotations

from collections.abc import Sequence

from planner.api.simulations import MOST_RUNS, RULES, RUNS, STARTS, on_spot, simulation_of, spot_scenario
from planner.decide.spares import with_spares
from planner.errors import UsageProblem
from planner.estimate.request import Request
from planner.kinds.asking import PRICING, REPLAYING, Ask, Look, Watch
from planner.kinds.training.answers import plan_of
from planner.spot.simulate import NAMES, OPTIMUM, POLICIES
from planner.spot.trace_file import trace_in


def replayed(
    ask: Ask,
    scenario: str | None,
    recordings: Sequence[str],
    policies: str | None,
    starts: Sequence[int] | int | None,
    style: str,
    look: Look,
    watch: Watch,
) -> str:
    """In a format. recordings: none for the markets of the plan. policies: separated by commas; None for the four of
    `planner.simulate`. Raises PlanProblems or UsageProblem."""
    rules = [name.strip() for name in policies.split(",")] if policies else []
    rules = list(POLICIES if rules == ["all"] else rules)
    if unknown := [name for name in rules if name not in NAMES]:
        raise UsageProblem(f"--policies: {unknown[0]!r} is no rule; the rules are {', '.join(NAMES)}, or all")
    if OPTIMUM in rules:
        raise UsageProblem(f"--policies {OPTIMUM}: of a plan only rules that somebody could follow are simulated")
    if not recordings and not (starts is None or (isinstance(starts, int) and starts <= MOST_RUNS)):
        raise UsageProblem(f"--starts: of a plan without recordings, how many runs, up to {MOST_RUNS:,}")
    draws = starts if isinstance(starts, int) and not recordings else RUNS
    loaded = plan_of(ask)
    asked = Request(plan=loaded.plan, plan_sha256=loaded.sha256, book=ask.book, draws=draws, seed=ask.seed)
    request = on_spot(with_spares(asked))
    with watch.steps(PRICING, 0):
        why, listing = "`planner compare` says why", "`planner explain PLAN` lists the ids"
        chosen = spot_scenario(request, scenario, option="--scenario ", why=why, listing=listing)
    traces = [trace_in(file) for file in recordings]
    with watch.steps(REPLAYING, 0):
        count = STARTS if starts is None else starts
        found = simulation_of(request, chosen, rules or RULES, traces, count, ask.seed)
    if style == "json":
        from planner.report.data.spot_runs_json import render as render_json

        return render_json(found.series)
    if style == "svg":
        from planner.report.pictures.timeline import alone

        return alone(found.series[0].run)
    return found.text(width=look.width, ascii_only=look.ascii_only)
