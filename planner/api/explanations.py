"""Any number of a scenario explained: its formula, its inputs with their origins, and what it depends on."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, overload

from planner.api.arguments import checked_comparison, python_of
from planner.decide import explain as explaining
from planner.decide.comparison import Comparison
from planner.decide.spot_runs import TOTALS, SpotRuns, rule_of, spot_runs
from planner.errors import UsageProblem
from planner.estimate.derivations import known_of
from planner.estimate.request import Request
from planner.estimate.result import Scenario
from planner.models.bill import Unpriced
from planner.plan.load import LoadedPlan
from planner.plan.overrides import split_path
from planner.plan.wording import did_you_mean, nearest, shown
from planner.report.data import explanation_json
from planner.report.terminal import explanation_text
from planner.report.wording.origins import OriginIndex, origin_index

if TYPE_CHECKING:
    from planner.api.comparisons import Comparison as PythonComparison
    from planner.api.pools import PoolComparison, PoolExplanation, PoolScenario

RUNS = 1000  # simulated beside the closed form
MOST_RANKS = 5  # of the scenarios that have what the named one lacks


@dataclass(frozen=True, kw_only=True, repr=False)
class Explanation:
    """One number of one scenario. `str()` is what `planner explain` prints, `to_dict()` what it prints as JSON.

    found: the number, or the bill line that the price book has no price for. simulated: runs by the rule of spot with
    fallback, beside its cost or its days.
    """

    comparison: Comparison
    scenario: Scenario
    found: explaining.Explanation | Unpriced
    origins: OriginIndex = field(compare=False)
    plan_path: str
    simulated: SpotRuns | None = field(default=None, compare=False)

    @property
    def id(self) -> str:
        """Its path in the scenario, or the name of its bill line."""
        return self.found.line if isinstance(self.found, Unpriced) else self.found.derived.id

    @property
    def value(self) -> Any:
        """In `unit`; None where it has no price."""
        return None if isinstance(self.found, Unpriced) else self.found.derived.value

    @property
    def unit(self) -> str:
        return "USD" if isinstance(self.found, Unpriced) else self.found.derived.unit

    def text(
        self, *, width: int = 100, depth: int | None = 2, again: Sequence[str] = (), everything: bool = True
    ) -> str:
        """Lines of at most `width` cells (at least 40). depth: levels of inputs that are opened, None for all.
        again: options that a next command must repeat. everything: not only the largest parts and effects."""
        if isinstance(self.found, Unpriced):
            return explanation_text.unpriced(self.comparison, self.scenario, self.found, width)
        again = (self.plan_path, *again)
        return explanation_text.render(
            *(self.comparison, self.found, self.origins, self.simulated),
            width=width,
            depth=depth,
            again=again,
            everything=everything,
        )

    def to_dict(self) -> dict[str, Any]:
        """The document of `planner explain -f json`, as plain data."""
        if isinstance(self.found, Unpriced):
            return explanation_json.unpriced(self.comparison, self.scenario, self.found)
        return explanation_json.explanation(self.comparison, self.found, self.origins, self.simulated)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"Explanation(id={self.id!r}, value={self.value!r}, unit={self.unit!r}, scenario={self.scenario.id!r})"


@overload
def explain(comparison: PythonComparison, scenario: str | int | Scenario, number: str) -> Explanation: ...
@overload
def explain(comparison: PoolComparison, scenario: str | int | PoolScenario, number: str) -> PoolExplanation: ...
def explain(comparison: Any, scenario: Any, number: str) -> Explanation | PoolExplanation:
    """Explain a number of a scenario.

    scenario: itself, its id, its rank (`"#3"`), `"best"` or its number from 0. number: a line of its bill, such as
    `storage.s3.standard` (USD); any number of the JSON by its path in the scenario, such as `goodput.mtbf_hours` or
    `bill[0].list_cost`; or the key of an assumption.

    Raises UsageProblem for a scenario or a number that the comparison does not have, with the nearest one.
    """
    return python_of(comparison).explain(comparison, scenario, number)


def explain_training(comparison: PythonComparison, scenario: str | int | Scenario, number: str) -> Explanation:
    """What `explain` gives for a training plan."""
    checked_comparison(comparison, "explain")
    chosen = scenario if isinstance(scenario, Scenario) else comparison[scenario]
    if not isinstance(number, str):
        raise UsageProblem(f"number is text, such as 'cost_usd' or 'goodput.mtbf_hours', not {number!r}")
    if not chosen.derived:
        raise UsageProblem(f"{chosen.id} has no numbers: {'; '.join(chosen.why_not)}")
    where = comparison.loaded.where
    return explanation_of(comparison.loaded, comparison.request, comparison, chosen, number, plan_path=where)


def explanation_of(
    loaded: LoadedPlan, request: Request, comparison: Comparison, chosen: Scenario, number: str, *, plan_path: str
) -> Explanation:
    """The explanation of a number of a scenario that has numbers. plan_path: the plan as next commands name it.
    Raises UsageProblem."""
    missing = explaining.missing_line(chosen, number)
    found = missing or _found(request, comparison, chosen, number, plan_path)
    return Explanation(
        comparison=comparison,
        scenario=chosen,
        found=found,
        origins=origin_index(comparison, chosen, known_of(chosen), place_in(loaded)),
        plan_path=plan_path,
        simulated=None if isinstance(found, Unpriced) else _simulated(request, chosen, found.derived.id),
    )


def _simulated(request: Request, chosen: Scenario, id: str) -> SpotRuns | None:
    """Runs by the rule, for a total of a scenario on spot with fallback; None without draws, without all prices, or
    where the limit leaves no time for spot."""
    total = id.split(".")[0] in TOTALS
    if not (total and request.draws and chosen.complete and chosen.option.family == "spot-fallback"):
        return None
    try:
        return spot_runs(replace(request, draws=RUNS, derivations=False), chosen, [rule_of(chosen)], request.seed)
    except ValueError:
        return None


def _found(request: Request, comparison: Comparison, chosen: Scenario, id: str, plan: str) -> explaining.Explanation:
    """The explanation of an id. Raises UsageProblem, which says where that id is, or which one was meant."""
    try:
        return explaining.explain(request, chosen, id)
    except KeyError:
        pass
    ranks = [rank for rank, other in enumerate(comparison.scenarios, 1) if id in known_of(other)]
    if ranks:
        some = ", ".join(f"#{rank}" for rank in ranks[:MOST_RANKS]) + (" and more" if len(ranks) > MOST_RANKS else "")
        again = f"planner explain {shlex.quote(plan)} {shlex.quote(f'#{ranks[0]}')} {shlex.quote(id)}"
        raise UsageProblem(f"{chosen.id} has no {shown(id)}; {some} have: `{again}`")
    keys = [entry.key for entry in comparison.assumptions]
    if id in keys:
        raise UsageProblem(f"{chosen.id} does not depend on the assumption {shown(id)}, other scenarios do")
    if id.startswith(("bill.", "bill[")):
        raise UsageProblem(f"{chosen.id} has no {shown(id)}: its bill is bill.0 to bill.{len(chosen.bill) - 1}")
    near = did_you_mean(id, [*known_of(chosen), *keys])
    listed = f"`planner explain {shlex.quote(plan)} {shlex.quote(chosen.id)} --all` lists all"
    raise UsageProblem(f"{chosen.id} has no number {shown(id)}: {near or listed}")


def is_number(comparison: Comparison, chosen: Scenario, text: str) -> bool:
    """Whether a text where a scenario is expected is the id of a number, or close to one."""
    if "/" in text or text.lstrip("#").isdigit():
        return False
    known = [*known_of(chosen), *(entry.key for entry in comparison.assumptions)]
    return text in known or text.startswith(("bill.", "bill[")) or bool(nearest(text, known))


def place_in(loaded: LoadedPlan) -> Callable[[str], str]:
    """Where a key of the plan stands: file and line, the --set that gave it, or that it is the default."""

    def place(key: str) -> str:
        path = split_path(key)
        for length in range(len(path), 0, -1):
            if path[:length] in loaded.overridden:
                return loaded.overridden[path[:length]]
        if path not in loaded.places:
            return "default"
        return f"{loaded.where}:{loaded.places[path][0]}"

    return place
