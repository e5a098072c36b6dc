"""Options that several verbs share: the plan, its prices, the output."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planner.api.arguments import day_of
from planner.cli.output import room_of, say, warn
from planner.errors import UsageProblem
from planner.estimate.defaults import DEFAULT_DRAWS, DEFAULT_SEED, MAX_DRAWS, MAX_SEED

if TYPE_CHECKING:
    from planner.estimate.request import Request
    from planner.kinds.asking import Ask, Look
    from planner.kinds.kind import Kind
    from planner.plan.load import Loaded
    from pricing.book import PriceBook


STACK = click.option("--stack", metavar="NAME", help="Name of the Pulumi stack. [default: the plan's, else dev]")
PROFILES = click.Choice(["ip-saving", "bandwidth", "efa-every-card"])
PROFILES_HELP = "ip-saving: one address a node; bandwidth: IP on more cards; efa-every-card: AWS's earlier layout."
INIT_FILE = "plan.yaml"
DRAWS, SEEDS = click.IntRange(0, MAX_DRAWS), click.IntRange(0, MAX_SEED)


OUT = click.option("-o", "--out", metavar="FILE", help="Write to FILE instead of standard output.")


class Limit(click.FloatRange):
    """A number within its bounds; `nan`, to which no bound applies, is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        found = super().convert(value, param, ctx)
        if math.isnan(found):
            self.fail(f"{value!r} is not a number", param, ctx)
        return found


def prices_option(help: str = "Price book. [default: the plan's, else that of its start]") -> Callable[..., Any]:
    """--prices."""
    return click.option("--prices", metavar="DATE|DIR", help=help)


def overrides_option(
    help: str = "Override a value of the plan; @FILE has several, by section.",
    option: str = "--set",
    name: str = "overrides",
) -> Callable[..., Any]:
    """--set, which may repeat; of one path the last is taken, with a warning."""
    return click.option(option, name, multiple=True, metavar="PATH=VALUE", help=help, callback=last_of_each)


def last_of_each(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """Of each path the last value; a warning for each that is left out."""
    kept = latest(given)
    for text in given:
        path = text.partition("=")[0].strip()
        if text not in kept and not context.params.get("quiet"):
            used = next(one for one in kept if one.partition("=")[0].strip() == path)
            warn(f"{option.opts[0]} {path} is given twice: {text} is left out, {used} is used")
    return kept


def latest(overrides: Sequence[str]) -> tuple[str, ...]:
    """Of each path the last one, as a plan takes it."""
    return tuple({text.partition("=")[0].strip(): text for text in overrides}.values())


def scenario_option(what: str, default: str = "") -> Callable[..., Any]:
    """--scenario. what: it is for. default: the help's words for what is taken without it."""
    help = f"{what}: an id, a rank such as 3, best (recommended), cheapest or safest." + (
        f" [default: {default}]" if default else ""
    )
    return click.option("--scenario", metavar="ID", help=help)


def format_option(styles: Sequence[str], help: str) -> Callable[..., Any]:
    """--format, of the verbs that otherwise take the format from the ending of --out."""
    return click.option("-f", "--format", "style", type=click.Choice(list(styles)), help=help)


def evidence_options(unknown: str) -> Callable[..., Any]:
    """--strict, --junit, --format and --out of a verb whose lines are evidence. unknown: words for what it could not
    tell."""

    def with_options(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in (
            OUT,
            format_option(
                ["table", "json"],
                "json is evidence: dated, the account masked. [default: by FILE's ending, else table]",
            ),
            click.option("--junit", metavar="FILE", help="Write the lines to FILE as JUnit XML: one test a line."),
            click.option("--strict", is_flag=True, help=f"Also exit with 13 for what {unknown}."),
        ):
            function = option(function)
        return function

    return with_options


def all_option(what: str) -> Callable[..., Any]:
    """--all, of a verb whose lists are folded. what: it shows then."""
    return click.option("--all", "everything", is_flag=True, help=f"Show {what}.")


def top_option(help: str) -> Callable[..., Any]:
    """--top, the rows of a table."""
    return click.option("--top", type=click.IntRange(0), default=12, show_default=True, help=help)


def common(function: Callable[..., Any]) -> Callable[..., Any]:
    """--color, --quiet and --debug, on every verb."""
    for option in (
        click.option("--debug", is_flag=True, help="Show the traceback of an unexpected error."),
        click.option("-q", "--quiet", is_flag=True, help="Print no notes or warnings to standard error."),
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
    """--stack and --nic-profile, of the stack that a plan would deploy."""
    profile = click.option("--nic-profile", type=PROFILES, default="ip-saving", show_default=True, help=PROFILES_HELP)
    return STACK(profile(function))


def gate_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """--strict, --max-cost, --max-days, --at and --max-unpriced, as one argument `gates`; and --junit."""
    limits = "Fail (10) if every eligible scenario"

    @functools.wraps(function)
    def with_gates(
        *args: Any,
        strict: bool,
        max_cost: float | None,
        max_days: float | None,
        at: str,
        max_unpriced: int | None,
        **more: Any,
    ) -> Any:
        from planner.answer.gates import Gates

        gates = Gates(strict=strict, max_cost_usd=max_cost, max_days=max_days, max_unpriced=max_unpriced, at=at)
        return function(*args, gates=gates, **more)

    for option in (
        click.option("--junit", metavar="FILE", help="Write the gates to FILE as JUnit XML: one test a gate."),
        click.option(
            "--max-unpriced", type=click.IntRange(0), metavar="N", help="Fail (12) if more lines have no price."
        ),
        click.option(
            "--at",
            type=click.Choice(["plan", "p50", "p90"]),
            default="p50",
            show_default=True,
            help="The figure that --max-cost and --max-days check.",
        ),
        click.option("--max-days", type=Limit(0), metavar="DAYS", help=f"{limits} takes longer."),
        click.option("--max-cost", type=Limit(0), metavar="USD", help=f"{limits} costs more."),
        click.option("--strict", is_flag=True, help="Fail on prices that are out of date (11), missing or weak (12)."),
    ):
        with_gates = option(with_gates)
    return with_gates


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A plan and how to price it, as the command line states it."""

    plan: str
    overrides: tuple[str, ...]
    draws: int | None = None
    seed: int = DEFAULT_SEED
    prices: str | None = None
    as_of: str | None = None
    max_price_age: int | None = None
    own: bool = False

    @property
    def again(self) -> tuple[str, ...]:
        """What a next command must repeat to price the same: every option here that is not at its default."""
        words = [word for text in latest(self.overrides) for word in ("--set", text)]
        for name, value, default in (
            ("--draws", self.draws, None),
            ("--seed", self.seed, DEFAULT_SEED),
            ("--prices", self.prices, None),
            ("--as-of", self.as_of, None),
            ("--max-price-age", self.max_price_age, None),
        ):
            words += [name, str(value)] if value != default else []
        return (*words, "--own") if self.own else tuple(words)

    def ask(self) -> Ask:
        """The plan, of any kind, and how to price it. Raises PlanProblems or UsageProblem, also for an option of the
        command line that its kind does not take."""
        from planner.plan.load import load_any

        return self.ask_of(load_any(self.plan, overrides=self.overrides))

    def ask_of(self, loaded: Loaded, book: PriceBook | None = None) -> Ask:
        """The same for a plan that is already loaded. book: of another plan, which knows what this one names."""
        from planner.kinds.asking import Ask

        refuse(loaded.kind)
        if book is None:
            book = book_of(loaded, self.prices, self.as_of)
        else:
            loaded.kind.part("book").check_book(loaded, book)
        return Ask(
            loaded=loaded,
            book=own_book(book, loaded) if self.own else book,
            draws=self.draws,
            seed=self.seed,
            as_of=day_of(self.as_of, "--as-of") if self.as_of else None,
            max_price_age_days=self.max_price_age,
        )

    def request(self, *, derivations: bool = True) -> Request:
        """Everything that the models of a training plan need. Raises PlanProblems or UsageProblem."""
        from planner.kinds.training.answers import request_of
        from planner.plan.load import load_plan

        return request_of(self.ask_of(load_plan(self.plan, overrides=self.overrides)), derivations=derivations)


def refuse(kind: Kind) -> None:
    """Raises UsageProblem for a verb, or an option that was given, that a kind of plan does not take."""
    context = click.get_current_context(silent=True)
    if context is None:
        return  # a completion: the verb says it when it is called
    verb = context.info_name or ""
    if verb in kind.refused:
        raise UsageProblem(kind.refused[verb])
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") is click.core.ParameterSource.COMMANDLINE
        for name in parameter.opts:
            why = kind.refused.get(name) or kind.refused.get(f"{verb} {name}")
            if given and why and context.params.get(parameter.name or ""):
                raise UsageProblem(f"{name}: {why}")


def check_format(style: str, known: Sequence[str], kind: Kind) -> None:
    """Raises UsageProblem for a format that the verb does not write of a kind of plan."""
    if style not in known:
        raise UsageProblem(f"-f {style}: not available for {kind.title}; use {' or '.join(known)}")


def look_of(asked: Asked, out: str | None = "", color: str = "never", **more: Any) -> Look:
    """How an answer is written there. more: what the verb's options say of it."""
    from planner.kinds.asking import Look

    room = room_of(out, color)
    return Look(
        width=room.width,
        colour=room.colour,
        ascii_only=room.ascii_only,
        plan_path=asked.plan,
        again=asked.again,
        **more,
    )


def _plan_or_here(context: click.Context, argument: click.Parameter, plan: str | None) -> str:
    """The plan that is named, else the file that `planner init` writes, where it is in the current folder."""
    if plan is None and not Path(INIT_FILE).is_file():
        raise click.MissingParameter(ctx=context, param=argument)
    return INIT_FILE if plan is None else plan


def priced_plan(function: Callable[..., Any]) -> Callable[..., Any]:
    """The plan, its overrides, the price book and the draws, as one `asked`."""

    @functools.wraps(function)
    def with_asked(**given: Any) -> Any:
        asked = Asked(**{field.name: given.pop(field.name) for field in fields(Asked)})
        return function(asked=asked, **given)

    wrapped: Callable[..., Any] = with_asked
    for option in (
        click.option(
            "--max-price-age",
            type=click.IntRange(1),
            metavar="DAYS",
            help="Days after which a price is out of date. [default: 120 for EC2, 1095 for the rest]",
        ),
        click.option("--as-of", metavar="DATE", help="Date to price for. [default: the plan's start]"),
        click.option(
            "--own", is_flag=True, help="Use your own prices (`planner prices add`) that are valid at the plan's start."
        ),
        prices_option(),
        click.option("--seed", type=SEEDS, default=DEFAULT_SEED, show_default=True, help="Seed of the draws."),
        click.option(
            "--draws",
            type=DRAWS,
            help=f"Monte Carlo draws (simulated outcomes). [default: {DEFAULT_DRAWS}; of a worker pool 200 runs]",
        ),
        overrides_option(),
    ):
        wrapped = option(wrapped)
    return click.argument("plan", type=click.Path(), required=False, metavar="PLAN", callback=_plan_or_here)(wrapped)


def book_for(prices: str | None, planned: date | None = None, day: date | None = None) -> PriceBook:
    """The price book of --prices, else of the plan's `prices`, else of the day that the prices are for, else the
    newest. Raises UsageProblem."""
    from planner.api import books

    book = books.book_for(prices, planned, day=day, option="--prices")
    note = books.earlier(book, prices, planned)
    if prices is None and planned is None:
        note = books.before_the_newest(book, day) or books.newer_of_yours(book)
    if note:
        context = click.get_current_context(silent=True)
        say(f"note: {note}", quiet=bool(context and context.params.get("quiet")))
    return book


def own_book(book: PriceBook, loaded: Loaded) -> PriceBook:
    """The book with the own prices that are valid when the run starts, else on the book's date. Raises UsageProblem."""
    from planner.api.books import with_own

    found, note = with_own(book, loaded, caller="--own")
    if note:
        say(f"note: {note}")
    return found


def book_of(loaded: Loaded, prices: str | None, as_of: str | None = None) -> PriceBook:
    """The price book of a plan, once it is known to hold what the plan names. as_of: --as-of, else the
    plan's start. Raises PlanProblems or UsageProblem."""
    book = book_for(prices, loaded.plan.price_date, day_of(as_of, "--as-of") if as_of else loaded.plan.start)
    loaded.kind.part("book").check_book(loaded, book)
    return book
