"""`planner validate`: every problem of every plan, with its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from planner.cli.options import book_of, common, overrides_option, prices_option
from planner.cli.output import write_result
from planner.errors import PlanProblems, Problem

if TYPE_CHECKING:
    from planner.plan.load import Loaded


@click.command()
@click.argument("plans", nargs=-1, required=True, metavar="PLAN...")
@overrides_option("Override a value of every plan.")
@prices_option("Price book to check instance types against. [default: the plan's]")
@common
def command(
    plans: tuple[str, ...], overrides: tuple[str, ...], prices: str | None, color: str, quiet: bool, debug: bool
) -> None:
    """Check each PLAN (- is standard input): print one line for a valid plan, every problem of an invalid one."""
    problems: list[Problem] = []
    for plan in plans:
        try:
            loaded = checked(plan, overrides, prices)
        except PlanProblems as error:
            problems += error.problems
        else:
            from planner.plan.wording import shown

            write_result(f"ok  {plan}  {shown(loaded.plan.name)[1:-1]}\n", None)
    if problems:
        raise PlanProblems(tuple(problems))


def checked(plan: str, overrides: tuple[str, ...], prices: str | None) -> Loaded:
    """A plan of any kind, checked against its price book. Raises PlanProblems or UsageProblem."""
    from planner.plan.load import load_any

    loaded = load_any(plan, overrides=overrides)
    book_of(loaded, prices)
    return loaded
