"""Worker pools from Python, in the shape of training plans: a comparison of choices, a bill, a search, a number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

from planner.answer.measure import cost_of
from planner.api.arguments import age_limit, day_of, numbered, whole_number
from planner.api.books import Prices, book_for
from planner.api.scenarios import Lines
from planner.errors import UsageProblem
from planner.estimate.defaults import MAX_SEED
from planner.models.bill import PlannedLine
from planner.plan.load import LoadedPool
from planner.plan.wording import did_you_mean
from planner.report.wording.worker_pool_explained import Explained, explained, ids_of
from planner.worker_pool import result, search
from planner.worker_pool.check import check_against_book
from planner.worker_pool.compare import DEFAULT_RUNS, MOST_RUNS, compare_pool
from planner.worker_pool.relaxed import with_relaxations
from pricing.snapshot import BrokenBook

if TYPE_CHECKING:
    import pandas

    from pricing.book import PriceBook

WIDTH = 100


class PoolBill(Lines[PlannedLine]):
    """The lines of a bill, means over the runs. `bill["fleet.compute"]` is the line of that name."""

    __slots__ = ()

    def to_frame(self) -> pandas.DataFrame:
        """A DataFrame with a row a line: the keys of a bill line in `planner compare -f json`, costs in USD.

        Raises UsageProblem where pandas is not installed: it comes with the extra `notebook`.
        """
        from planner.api.frames import pandas_for
        from planner.report.data.worker_pool_json import line_document

        return pandas_for("to_frame").DataFrame([line_document(line) for line in self])

    def _repr_html_(self) -> str:
        from planner.report.html.notebook import table_html
        from planner.report.wording.worker_pool_tables import bill_columns

        return table_html("", bill_columns(self))


@dataclass(frozen=True, kw_only=True, repr=False)
class PoolScenario(result.PoolScenario):
    """One kind of node, bought one way: its cost, days, waits and losses as ranges over runs, and its bill."""

    bill: PoolBill = field(default_factory=PoolBill)

    def __repr__(self) -> str:
        cost, days = (f"{each.p50:.2f}" if each else None for each in (self.cost_usd, self.days))
        return f"PoolScenario(id={self.id!r}, cost_usd={cost}, days={days}, eligible={self.eligible})"

    def to_dict(self) -> dict[str, Any]:
        """The choice in the document of `planner compare -f json`, as plain data."""
        from planner.report.data.worker_pool_json import scenario_document

        return scenario_document(self)

    def _repr_html_(self) -> str:
        from planner.report.html.notebook import table_html
        from planner.report.wording.worker_pool import columns

        return table_html(self.id, columns([self]))


@dataclass(frozen=True, kw_only=True, repr=False)
class PoolComparison(result.PoolComparison):
    """Every choice of a worker pool, simulated: recommended, other eligible ones, complete ones, the others.

    A choice by id, by rank (`"#2"`) or as `"best"`, as in the comparison of a training plan. loaded, book: what the
    numbers come from.
    """

    scenarios: tuple[PoolScenario, ...]
    loaded: LoadedPool = field(compare=False)
    book: PriceBook = field(compare=False)

    def __getitem__(self, scenario: str | int) -> PoolScenario:
        if isinstance(scenario, str):
            found = named(self, scenario)
            return next(own for own in self.scenarios if own is found)
        return numbered(self.scenarios, scenario)

    def __iter__(self) -> Iterator[PoolScenario]:
        return iter(self.scenarios)

    def __len__(self) -> int:
        return len(self.scenarios)

    def __repr__(self) -> str:
        best = self.best
        return (
            f"PoolComparison(plan={self.plan_name!r}, prices={self.prices.as_of.isoformat()}, scenarios={len(self)}, "
            f"best={best.id if best else None!r})"
        )

    def to_dict(self) -> dict[str, Any]:
        """The document of `planner compare -f json`, as plain data."""
        from planner.report.data.worker_pool_json import document

        return document(self)

    def to_frame(self, *, bills: bool = False) -> pandas.DataFrame:
        """A DataFrame with a row a choice, or with bills=True a row a line of every bill. Columns are the keys of the
        JSON; a range is one column for each of its parts: `cost_usd_p50`, `queue_wait_hours_p90`.

        Raises UsageProblem where pandas is not installed: it comes with the extra `notebook`.
        """
        from planner.api.frames import pandas_for
        from planner.report.data.worker_pool_json import line_document

        pandas = pandas_for("to_frame")
        if bills:
            return pandas.DataFrame([{"scenario": one.id, **line_document(line)} for one in self for line in one.bill])
        rows = [_row(one.to_dict()) for one in self]
        columns = list(dict.fromkeys(name for row in rows for name in row))
        return pandas.DataFrame(rows, columns=columns)

    def _repr_html_(self) -> str:
        from planner.report.html.notebook import table_html
        from planner.report.wording.worker_pool import columns

        recommended = f"recommended: {self.best.id}" if self.best else "nothing is recommended"
        title = f"{self.plan_name}, prices of {self.prices.as_of.isoformat()}: {recommended}"
        return table_html(title, columns([one for one in self if one.feasible]))


@dataclass(frozen=True, kw_only=True, repr=False)
class PoolOptimum(search.PoolSearch):
    """How many nodes a pool should have. best: the recommended size, or None. sizes: each that was simulated."""

    def __repr__(self) -> str:
        best = self.best
        return f"PoolOptimum(best={best.scenario.id if best else None!r}, nodes={best.nodes if best else None})"

    def to_dict(self) -> dict[str, Any]:
        """The document of `planner optimize -f json`, as plain data: USD and days."""
        from planner.report.data.worker_pool_search_json import document

        return document(self)

    def _repr_html_(self) -> str:
        from planner.report.html.notebook import table_html
        from planner.report.wording.worker_pool import size_answer, size_columns

        return table_html(size_answer(self), size_columns(self))


@dataclass(frozen=True, kw_only=True, repr=False)
class PoolExplanation:
    """One number of one choice. value: its mean over the runs. `str()` is what `planner explain` prints, `to_dict()`
    what it prints as JSON."""

    scenario: result.PoolScenario
    found: Explained

    @property
    def id(self) -> str:
        return self.found.id

    @property
    def unit(self) -> str:
        return self.found.unit

    @property
    def value(self) -> float | None:
        return self.to_dict()["value"]["mean"]

    def to_dict(self) -> dict[str, Any]:
        from planner.report.terminal.worker_pool_explanation import number_document

        return number_document(self.scenario, self.found)

    def __str__(self) -> str:
        from planner.report.terminal.worker_pool_explanation import number

        return number(self.scenario, self.found, WIDTH)

    def __repr__(self) -> str:
        return f"PoolExplanation(id={self.id!r}, value={self.value!r}, scenario={self.scenario.id!r})"


def compare(
    plan: LoadedPool,
    prices: Prices,
    draws: int | None,
    seed: int,
    as_of: str | date | None,
    max_price_age_days: int | None,
) -> PoolComparison:
    """What `planner.compare` gives for a worker pool. draws: runs of each choice; None for as many as suit the number
    of jobs."""
    runs, day, age = None if draws is None else runs_of(draws, "draws"), _day(as_of), age_limit(max_price_age_days)
    seed = whole_number(seed, "seed", MAX_SEED)
    try:
        book = _book(plan, prices, day)
        found = compare_pool(plan, book, runs=runs, seed=seed, as_of=day, max_price_age_days=age)
        found = with_relaxations(found, plan, book)
    except BrokenBook as error:
        raise UsageProblem(str(error)) from error
    values: dict[str, Any] = dict(vars(found))
    values["scenarios"] = tuple(PoolScenario(**{**vars(s), "bill": PoolBill(s.bill)}) for s in values["scenarios"])
    return PoolComparison(**values, loaded=plan, book=book)


def runs_of(value: Any, argument: str) -> int:
    """How many runs of each choice, as asked. argument: what asks, for the message. Raises UsageProblem."""
    try:
        return whole_number(value, argument, MOST_RUNS, 1)
    except UsageProblem as problem:
        raise UsageProblem(
            f"{problem}: each is a whole run of the worker pool, job by job; without {argument} there are "
            f"{DEFAULT_RUNS}, fewer of very many jobs or in a search"
        ) from None


def optimize(
    plan: LoadedPool, minimize: str, prices: Prices, draws: int | None, seed: int, as_of: str | date | None
) -> PoolOptimum:
    """What `planner.optimize` gives for a worker pool. draws: as for `compare`; None for 20 runs of each size."""
    runs = search.RUNS if draws is None else runs_of(draws, "draws")
    seed, day = whole_number(seed, "seed", MAX_SEED), _day(as_of)
    try:
        book = _book(plan, prices, day)
        return PoolOptimum(**vars(search.search_pool(plan, book, minimize, runs=runs, seed=seed, as_of=day)))
    except BrokenBook as error:
        raise UsageProblem(str(error)) from error


def explain(comparison: PoolComparison, scenario: str | int | PoolScenario, number: str) -> PoolExplanation:
    """What `planner.explain` gives for a worker pool."""
    chosen = scenario if isinstance(scenario, result.PoolScenario) else comparison[scenario]
    return PoolExplanation(scenario=chosen, found=number_of(comparison, chosen, number))


def number_of(found: result.PoolComparison, chosen: result.PoolScenario, number: str) -> Explained:
    """One number. Raises UsageProblem where the choice has none of that id."""
    one = explained(found, chosen, number)
    if one is None:
        known = ids_of(chosen)
        raise UsageProblem(f"no number {number!r}: {did_you_mean(number, known) or 'there are ' + ', '.join(known)}")
    return one


def named(found: result.PoolComparison, text: str) -> result.PoolScenario:
    """A choice that was simulated, by id, rank (`2` or `#2`), `best`, `cheapest` or `safest`. Raises UsageProblem."""
    able = [s for s in found.scenarios if s.feasible]
    if not able:
        raise UsageProblem("no choice can be simulated: `planner compare` says why")
    if text == "best":
        if found.best is None:
            raise UsageProblem("no choice meets the limits: `planner compare` says why; cheapest names the cheapest")
        return found.best
    if text in ("cheapest", "safest"):
        part = "p50" if text == "cheapest" else "p90"
        return min(able, key=lambda s: cost_of(s, part))
    rank = text.removeprefix("#")
    if rank.isascii() and rank.isdigit() and 1 <= int(rank[:9]) <= len(able):
        return able[int(rank) - 1]
    one = next((s for s in able if text in (s.id, s.id.removeprefix("workers/"))), None)
    if one is None:
        ids = [s.id for s in able]
        raise UsageProblem(f"no scenario {text!r}: {did_you_mean(text, ids) or 'there are ' + ', '.join(ids)}")
    return one


def to_frame(comparison: PoolComparison, *, bills: bool) -> pandas.DataFrame:
    """What `planner.to_frame` gives for a worker pool."""
    return comparison.to_frame(bills=bills)


def _day(as_of: str | date | None) -> date | None:
    return None if as_of is None else day_of(as_of, "as_of")


def _book(plan: LoadedPool, prices: Prices, as_of: date | None = None) -> PriceBook:
    book = book_for(prices, plan.plan.price_date, day=as_of or plan.plan.start)
    check_against_book(plan, book)
    return book


def _row(document: dict[str, Any]) -> dict[str, Any]:
    """One flat row, with the means of what nodes are used for."""
    from planner.api.frames import flat

    row = flat(document, ("bill", "futures", "interrupted_job", "one_job_alone", "utilisation"))
    return row | {f"{name}_share": spread["mean"] for name, spread in (document["utilisation"] or {}).items()}
