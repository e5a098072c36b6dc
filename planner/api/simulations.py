"""The spot run of a plan by several rules, in its own markets or on recordings: for Python and the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from planner.api.arguments import named, whole_number
from planner.api.books import Prices
from planner.api.comparisons import LIST_IDS, WHY_NONE, request_of
from planner.decide.compare import compare
from planner.decide.spares import with_spares
from planner.decide.spot_runs import SpotRuns, on_recordings, spot_runs
from planner.errors import UsageProblem
from planner.estimate.defaults import MAX_SEED
from planner.estimate.request import Request
from planner.estimate.result import Scenario
from planner.plan.load import LoadedPlan
from pricing.snapshot import BrokenBook

if TYPE_CHECKING:
    import pandas

    from planner.spot.trace import Trace

RUNS, STARTS = 1000, 100  # in the plan's markets; on a recording
MOST_RUNS, MOST_STARTS = 10_000, 100_000
RULES = ("fallback", "own", "uniform_progress", "greedy")
OPTION = "spot-fallback"


@dataclass(frozen=True, kw_only=True, repr=False)
class SpotSimulation:
    """The runs of one scenario on spot with fallback, by rule. `str()` is what `planner simulate PLAN` prints.

    series: one for the markets of the plan, or one for each recording.
    """

    series: tuple[SpotRuns, ...] = field(repr=False)

    @property
    def scenario(self) -> Scenario:
        return self.series[0].scenario

    def text(self, *, width: int = 100, ascii_only: bool = False) -> str:
        """Lines of at most `width` cells (at least 32)."""
        from planner.report.terminal.spot_runs_text import render

        return render(self.series, width=width, ascii_only=ascii_only)

    def to_dict(self) -> dict[str, Any]:
        """The document of `planner simulate PLAN -f json`, as plain data: USD and days, those of each run too."""
        from planner.report.data.spot_runs_json import document

        return document(self.series)

    def to_frame(self, *, runs: bool = False) -> pandas.DataFrame:
        """A row a series and rule, with mean and percentiles in USD and days; or with runs=True a row a run.

        Raises UsageProblem where pandas is not installed: it comes with the extra `notebook`.
        """
        from planner.api.frames import pandas_for

        rows: list[dict[str, Any]] = []
        for one in self.to_dict()["runs"]:
            for rule, said in one["policies"].items():
                place = {"series": one["series"], "rule": rule}
                usd, days = said.pop("usd_per_run"), said.pop("days_per_run")
                pairs = zip(usd, days, strict=True)
                rows += [place | {"usd": u, "days": d} for u, d in pairs] if runs else [place | said]
        return pandas_for("to_frame").DataFrame(rows)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        rules = [rule.policy for rule in self.series[0].rules]
        return f"SpotSimulation(scenario={self.scenario.id!r}, series={len(self.series)}, rules={rules!r})"

    def _repr_html_(self) -> str:
        from planner.report.html.notebook import spot_runs_html

        return spot_runs_html(self.series)


def simulate(
    plan: LoadedPlan,
    *,
    scenario: str | None = None,
    recordings: str | Sequence[str] = (),
    rules: Sequence[str] = RULES,
    runs: int | None = None,
    prices: Prices = None,
    seed: int = 0,
) -> SpotSimulation:
    """Simulate the plan's run on spot with fallback, by several rules for when to leave spot.

    scenario: one on spot with fallback by id; None: the first of them. recordings: files of public spot recordings;
    none: capacity is drawn from the plan's own markets, as in `compare`. runs: how many; None: 1,000, or 100 starts on
    each recording. rules: of docs/spot-policies.md; fallback is what a stack carries out. prices: as for `compare`.

    Raises PlanProblems for what the price book does not know; UsageProblem for arguments that cannot be used, and where
    the plan has no such scenario.
    """
    from planner.spot.simulate import POLICIES
    from planner.spot.trace_file import trace_in

    files = [recordings] if isinstance(recordings, str) else list(recordings)
    most = MOST_STARTS if files else MOST_RUNS
    count = (STARTS if files else RUNS) if runs is None else whole_number(runs, "runs", most, 1)
    if unknown := [name for name in rules if name not in POLICIES]:
        raise UsageProblem(f"rules: {unknown[0]!r} is no rule; the rules are {', '.join(POLICIES)}")
    if not rules:
        raise UsageProblem(f"rules: name at least one of {', '.join(POLICIES)}")
    request = request_of("simulate", plan, prices, RUNS if files else count, whole_number(seed, "seed", MAX_SEED), None)
    request = on_spot(with_spares(request))
    traces = [trace_in(file) for file in files]
    try:
        chosen = spot_scenario(request, scenario)
        return simulation_of(request, chosen, rules, traces, count, seed)
    except BrokenBook as error:  # tables are read when they are first asked for
        raise UsageProblem(str(error)) from error


def on_spot(request: Request) -> Request:
    """The request with spot with fallback among its purchase options, and without derivations."""
    from dataclasses import replace

    plan = request.plan
    if (options := plan.purchase.options) and OPTION not in options:
        purchase = plan.purchase.model_copy(update={"options": (*options, OPTION)})
        plan = plan.model_copy(update={"purchase": purchase})
    return replace(request, plan=plan, derivations=False)


def spot_scenario(
    request: Request,
    scenario: str | None,
    *,
    option: str = "scenario=",
    why: str = WHY_NONE,
    listing: str = LIST_IDS,
) -> Scenario:
    """The scenario that is named, else the first on spot with fallback. option, why, listing: words of messages.
    Raises UsageProblem."""
    comparison = compare(request)
    on_spot = [s for s in comparison.complete if s.option.family == OPTION]
    found = named(comparison, scenario, why=why, listing=listing) if scenario else next(iter(on_spot), None)
    if found is None:
        raise UsageProblem(f"no layout is feasible and priced on spot with fallback: {why}")
    if found.option.family != OPTION or found not in on_spot:
        nearest = f": {on_spot[0].id}" if on_spot else ""
        raise UsageProblem(f"{option}{scenario}: {found.id} is not on {OPTION}; name one that is{nearest}")
    return found


def simulation_of(
    request: Request,
    chosen: Scenario,
    rules: Sequence[str],
    traces: Sequence[Trace],
    starts: Sequence[int] | int,
    seed: int,
) -> SpotSimulation:
    """What `simulate` gives for a request; `planner simulate PLAN` prints it. traces: none for the plan's markets, of
    which the request has one a draw. Raises UsageProblem where the deadline leaves no time for spot."""
    try:
        if traces:
            return SpotSimulation(series=on_recordings(request, chosen, rules, traces, starts, seed))
        return SpotSimulation(series=(spot_runs(request, chosen, rules, seed),))
    except ValueError as error:
        raise UsageProblem(f"{chosen.id}: {error}") from None
