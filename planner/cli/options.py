"""Options that several verbs share, and what they mean: which plan, which prices, which colours."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planner.cli.output import say
from planner.errors import UsageProblem
from planner.estimate.defaults import DEFAULT_DRAWS, DEFAULT_SEED

if TYPE_CHECKING:
    from planner.decide.compare import Request
    from planner.estimate.result import Comparison, Scenario
    from planner.plan.load import LoadedPlan
    from pricing.book import PriceBook


STACK = click.option("--stack", metavar="NAME", help="Name of the Pulumi stack. [default: the plan's, else dev]")
PROFILES = click.Choice(["ip-saving", "bandwidth", "efa-every-card"])
PROFILES_SAID = "ip-saving: one address a node; bandwidth: IP on more cards; efa-every-card: as AWS had it before."
DRAWS, SEEDS = click.IntRange(0, 1_000_000), click.IntRange(0, 2**32 - 1)


def common(function: Callable[..., Any]) -> Callable[..., Any]:
    """--color, --quiet and --debug, on every verb."""
    for option in (
        click.option("--debug", is_flag=True, help="Show the traceback of an unexpected error."),
        click.option("-q", "--quiet", is_flag=True, help="No notes and warnings on standard error."),
        click.option(
            "--color",
            type=click.Choice(["auto", "always", "never"]),
            default="auto",
            help="Colour in terminals; NO_COLOR and FORCE_COLOR are honoured.",
        ),
    ):
        function = option(function)
    return function


def planned_stack(function: Callable[..., Any]) -> Callable[..., Any]:
    """--stack and --nic-profile, of a stack that a plan would have."""
    profile = click.option("--nic-profile", type=PROFILES, default="ip-saving", show_default=True, help=PROFILES_SAID)
    return STACK(profile(function))


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A plan and what was said about how to price it."""

    plan: str
    overrides: tuple[str, ...]
    draws: int = DEFAULT_DRAWS
    seed: int = DEFAULT_SEED
    prices: str | None = None
    as_of: str | None = None
    max_price_age: int | None = None

    @property
    def again(self) -> tuple[str, ...]:
        """What a next command must repeat to price the same: every option here that is not at its default."""
        words = [word for text in self.overrides for word in ("--set", text)]
        for name, value, default in (
            ("--draws", self.draws, DEFAULT_DRAWS),
            ("--seed", self.seed, DEFAULT_SEED),
            ("--prices", self.prices, None),
            ("--as-of", self.as_of, None),
            ("--max-price-age", self.max_price_age, None),
        ):
            words += [name, str(value)] if value != default else []
        return tuple(words)

    def request(self, *, told: bool = True) -> Request:
        """Everything that `compare` needs, checked. Raises PlanProblems or UsageProblem."""
        return self.request_of(*checked_plan(self.plan, self.overrides, self.prices), told=told)

    def request_of(self, loaded: LoadedPlan, book: PriceBook, *, told: bool = True) -> Request:
        """The same for a plan that was read already. told: whether who asks shows how numbers came about.
        Raises UsageProblem."""
        from planner.decide.compare import Request

        return Request(
            plan=loaded.plan,
            plan_sha256=loaded.sha256,
            book=book,
            draws=self.draws,
            seed=self.seed,
            as_of=parse_date(self.as_of, "--as-of") if self.as_of else None,
            max_price_age_days=self.max_price_age,
            told=told,
        )


def priced_plan(function: Callable[..., Any]) -> Callable[..., Any]:
    """The plan, its overrides, the price book and the draws, as one `asked`."""

    @functools.wraps(function)
    def gathered(**given: Any) -> Any:
        asked = Asked(**{field.name: given.pop(field.name) for field in fields(Asked)})
        return function(asked=asked, **given)

    wrapped: Callable[..., Any] = gathered
    for option in (
        click.option(
            "--max-price-age",
            type=click.IntRange(1),
            metavar="DAYS",
            help="Days after which a price is stale. [default: 120 of EC2, 1095 of the rest]",
        ),
        click.option(
            "--as-of", metavar="DATE", help="Day to count the age of prices from. [default: the plan's start]"
        ),
        click.option("--prices", metavar="DATE|DIR", help="Price book. [default: the plan's, else the newest]"),
        click.option("--seed", type=SEEDS, default=DEFAULT_SEED, show_default=True, help="Seed."),
        click.option(
            "--draws",
            type=DRAWS,
            default=DEFAULT_DRAWS,
            show_default=True,
            help="Monte Carlo draws.",
        ),
        click.option("--set", "overrides", multiple=True, metavar="PATH=VALUE", help="Override a value of the plan."),
    ):
        wrapped = option(wrapped)
    return click.argument("plan", type=click.Path())(wrapped)


def parse_date(text: str, option: str) -> date:
    """A day from YYYY-MM-DD. Raises UsageProblem."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageProblem(f"{option} {text!r} is not a day: write 2026-09-01") from None


def book_for(prices: str | None, planned: date | None = None) -> PriceBook:
    """The price book of --prices, else of the plan's `prices`, else the newest. Raises UsageProblem."""
    from pricing.book import BrokenBook, PriceBook, default_book, load_as_of

    try:
        if prices is not None and Path(prices).is_dir():
            return PriceBook.load(prices)
        day = planned if prices is None else parse_date(prices, "--prices")
        if day is None:
            return default_book()
        book = load_as_of(day)
    except (BrokenBook, LookupError, FileNotFoundError) as error:
        raise UsageProblem(str(error.args[0] if error.args else error)) from error
    if book.as_of != day:
        context = click.get_current_context(silent=True)
        say(
            f"note: there is no price book of {day}: these are the prices of {book.as_of}, the newest before it",
            quiet=bool(context and context.params.get("quiet")),
        )
    return book


def checked_plan(plan: str, overrides: tuple[str, ...], prices: str | None) -> tuple[LoadedPlan, PriceBook]:
    """A plan that is right by itself and by its price book's catalogue, and that book.

    Raises PlanProblems or UsageProblem.
    """
    from planner.plan.load import load_plan

    loaded = load_plan(plan, overrides=overrides)
    return loaded, book_of(loaded, prices)


def book_of(loaded: LoadedPlan, prices: str | None) -> PriceBook:
    """The price book of a plan, once it is known to hold what the plan names. Raises PlanProblems or UsageProblem."""
    from planner.errors import PlanProblems
    from planner.plan.assumptions import default_assumptions
    from planner.plan.catalogue_check import check_against_catalogue
    from planner.plan.wording import did_you_mean, listed

    book = book_for(prices, loaded.plan.prices)
    problems = check_against_catalogue(loaded, book.instances(), tuple(default_assumptions()))
    region = loaded.plan.region
    # the on-demand table is read anyway; the others only for a region that it does not know
    if not any(row["region"] == region for row in book.rows("on_demand")) and region not in book.regions():
        known = book.regions()
        message = f"no price of any instance type in {region} is in the book of {book.as_of}"
        remedy = did_you_mean(region, known) or f"known: {listed(known)}"
        problems.append(loaded.problem_at(("region",), message, remedy))
    if problems:
        raise PlanProblems(tuple(problems))
    return book


def named(comparison: Comparison, text: str) -> Scenario:
    """The scenario of an id, of a rank (`3` or `#3`) or `best`. Raises UsageProblem."""
    from planner.plan.wording import did_you_mean

    if text == "best":
        if comparison.best is None:
            raise UsageProblem(
                "no scenario is both feasible and completely priced, so none is best: `planner compare` says why"
            )
        return comparison.best
    rank = text.removeprefix("#")
    if rank.isascii() and rank.isdigit() and 1 <= int(rank[:9]) <= len(comparison.scenarios):
        return comparison.scenarios[int(rank) - 1]
    found = next((s for s in comparison.scenarios if s.id == text), None)
    if found is None:
        near = did_you_mean(text, [s.id for s in comparison.scenarios])
        hint = near or f"ranks are 1 to {len(comparison.scenarios)}; `planner explain PLAN` lists the ids"
        raise UsageProblem(f"no scenario {text!r}: {hint}")
    return found
