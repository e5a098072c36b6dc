"""`planner validate`: every problem of every plan, with its line."""

from __future__ import annotations

import click

from planner.cli.options import book_for, common
from planner.cli.output import write_result
from planner.errors import PlanProblems, Problem


@click.command(short_help="Check plan files; every problem with its line.")
@click.argument("plans", nargs=-1, required=True, metavar="PLAN...")
@click.option("--set", "overrides", multiple=True, metavar="PATH=VALUE", help="Override a value of every plan.")
@click.option("--prices", metavar="DATE|DIR", help="Price book that knows the types. [default: the plan's]")
@common
def command(
    plans: tuple[str, ...], overrides: tuple[str, ...], prices: str | None, color: str, quiet: bool, debug: bool
) -> None:
    """Check each PLAN (- is standard input): one line for each that is right, every problem of the others."""
    problems: list[Problem] = []
    for plan in plans:
        try:
            name = _checked(plan, overrides, prices)
        except PlanProblems as error:
            problems += error.problems
        else:
            write_result(f"ok  {plan}  {name}\n", None)
    if problems:
        raise PlanProblems(tuple(problems))


def _checked(path: str, overrides: tuple[str, ...], prices: str | None) -> str:
    """The plan's name as a message may show it. Raises PlanProblems or UsageProblem."""
    from planner.plan.assumptions import default_assumptions
    from planner.plan.check import check_against_catalogue
    from planner.plan.load import load_plan
    from planner.plan.wording import shown

    loaded = load_plan(path, overrides=overrides)
    book = book_for(prices, loaded.plan.prices)
    problems = check_against_catalogue(loaded, book.instances(), tuple(default_assumptions()))
    if problems:
        raise PlanProblems(tuple(problems))
    return shown(loaded.plan.name)[1:-1]
