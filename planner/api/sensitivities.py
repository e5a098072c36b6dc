"""What a cost depends on, and what would change the recommendation: from Python and for the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from planner.api.arguments import checked_comparison, named
from planner.api.comparisons import LIST_IDS, WHY_NONE, Comparison
from planner.api.parallel import in_processes
from planner.decide.break_evens import Search
from planner.decide.comparison import Comparison as Compared
from planner.decide.narrow import as_listed
from planner.decide.probability import LowerCostProbability, lower_cost_probability
from planner.decide.search import Each
from planner.decide.sensitivity import Swing
from planner.decide.study import Study, study
from planner.errors import UsageProblem
from planner.estimate.request import Request
from planner.estimate.result import Scenario

if TYPE_CHECKING:
    import pandas

MOST_NAMED = 3  # unpriced lines named in a message


@dataclass(frozen=True, kw_only=True, repr=False)
class Sensitivity:
    """The effect of every assumption on one scenario. `str()` is what `planner sensitivity` prints.

    against: how often the scenario costs less than another, None where none was named.
    """

    comparison: Compared = field(repr=False)
    study: Study = field(repr=False)
    against: LowerCostProbability | None

    @property
    def scenario(self) -> Scenario:
        return self.study.scenario

    @property
    def swings(self) -> tuple[Swing, ...]:
        """The scenario at the 5th and the 95th percentile of each assumption, the largest effect on the cost first."""
        return self.study.swings

    @property
    def break_evens(self) -> tuple[Search, ...]:
        """The numbers at whose values another scenario becomes the recommended one, with these values."""
        return tuple(entry for entry in self.study.searches if entry.break_evens)

    def text(
        self,
        *,
        width: int = 100,
        ascii_only: bool = False,
        top: int = 0,
        of: str = "cost_usd",
        plan_path: str = "PLAN",
        again: Sequence[str] = (),
    ) -> str:
        """Lines of at most `width` cells (at least 32). top: rows of the table, 0 for all. of: "cost_usd" or "days".
        plan_path, again: the plan, and options that the next command must repeat."""
        from planner.report.terminal.sensitivity_text import render

        return render(
            *(self.comparison, self.study, self.against),
            width=width,
            ascii_only=ascii_only,
            top=top,
            of=of,
            plan_path=plan_path,
            again=again,
        )

    def to_dict(self) -> dict[str, Any]:
        """The document of `planner sensitivity -f json`, as plain data: USD and days."""
        from planner.report.data.sensitivity_json import document

        return document(self.comparison, self.study, self.against)

    def to_frame(self) -> pandas.DataFrame:
        """A row an assumption: its key, unit and values, and cost in USD, days and cheapest scenario at both ends.

        Raises UsageProblem where pandas is not installed: it comes with the extra `notebook`.
        """
        from planner.api.frames import pandas_for

        rows = [
            {name: swing[name] for name in ("key", "unit", "planned")}
            | {f"{end}_{name}": swing[end][name] for end in ("low", "high") for name in swing[end]}
            for swing in self.to_dict()["swings"]
        ]
        return pandas_for("to_frame").DataFrame(rows)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        first = self.swings[0].parameter.key if self.swings else None
        return (
            f"Sensitivity(scenario={self.scenario.id!r}, most={first!r}, "
            f"break_evens={[entry.parameter.key for entry in self.break_evens]!r})"
        )

    def _repr_html_(self) -> str:
        from planner.report.html.notebook import sensitivity_html

        return sensitivity_html(self.study)


def sensitivity(comparison: Comparison, scenario: str = "best", *, against: str | None = None) -> Sensitivity:
    """Vary every assumption of a comparison's plan around one scenario, one at a time, and recalculate each.

    scenario, against: ids, ranks (`"#3"`), `"best"`, `"cheapest"` or `"safest"`. against: shows in how many of the
    simulated outcomes the scenario costs less than this one.

    Raises UsageProblem for a scenario that the comparison does not have, or that has no complete price.
    """
    checked_comparison(comparison, "sensitivity")
    chosen = named(comparison, scenario, why=WHY_NONE, listing=LIST_IDS)
    other = None if against is None else named(comparison, against, why=WHY_NONE, listing=LIST_IDS)
    return sensitivity_of(comparison.request, comparison, chosen, other)


def sensitivity_of(
    request: Request,
    comparison: Compared,
    chosen: Scenario,
    other: Scenario | None = None,
    *,
    best: str = 'scenario="best"',
    against: str = "against",
    listing: str = LIST_IDS,
    each: Each = in_processes,
) -> Sensitivity:
    """What `sensitivity` gives for a request and its comparison; `planner sensitivity` prints it.

    best, against, listing: words of messages, as the caller's user writes them. each: see `planner.decide.search`.
    """
    if other is chosen:
        raise UsageProblem(f"{against} is the same scenario, {chosen.id}; name another one")
    found = study(request, comparison, chosen.id, grid=False, each=each)
    if found is None:
        another = f"{best}, or name another one" if comparison.best else listing
        raise UsageProblem(f"{chosen.id} cannot be varied: {_lacks(chosen)}; {another}")
    listed = as_listed(request, [s.nodes for s in comparison.scenarios])
    pair = lower_cost_probability(listed, chosen.id, other.id) if other else None
    if other and pair is None:
        raise UsageProblem(f"{other.id} has no range to compare with: {_lacks(other)}; name another one with {against}")
    return Sensitivity(comparison=comparison, study=found, against=pair)


def _lacks(scenario: Scenario) -> str:
    """Why a scenario has no range."""
    if not scenario.feasible:
        return "; ".join(scenario.why_not)
    missing: Sequence[str] = [f"{entry.line}: {entry.what}" for entry in scenario.unpriced]
    more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
    return f"no price for {', '.join(missing[:MOST_NAMED])}{more}" if missing else "nothing was drawn (draws is 0)"
