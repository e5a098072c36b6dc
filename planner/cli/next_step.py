"""What to do after an answer, with the command: one line on standard error, and none beside what a machine reads.

The rule: without a recommendation, change the plan; an answer is approved; what is approved is bought or deployed; what
was previewed is deployed. `planner stack` itself prints what is left to do.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from planner.cli.output import say

if TYPE_CHECKING:
    from planner.answer.compared import Compared
    from planner.answer.row import R, Row
    from planner.cli.options import Asked

FOR_PEOPLE = ("table", "text", "html", "md")
APPROVE, DEPLOY = "approve", "deploy"
HOW_ROWS_ARE_BOUGHT = {
    "capacity-block": "it says the rest: check the account, see the offers, buy the block, `pulumi up`",
    "ri": "the Reserved Instances are bought in your account",
    "sp": "the Savings Plan is bought in your account",
}


def after(
    asked: Asked, found: Compared[R], style: str, *, step: str, quiet: bool, settings: Sequence[str] = ()
) -> None:
    """Say the next step. step: "approve" or "deploy", of the recommended scenario. settings: what the answer adds to
    the plan."""
    after_row(asked, found.best, style, step=step, quiet=quiet, settings=settings, change=cheapest_change(found))


def cheapest_change(found: Compared[R]) -> Sequence[str]:
    """What to change in the plan so that something is recommended, for the least cost; nothing where none was found."""
    cheapest = min(found.relaxations, key=lambda each: (not each.complete, each.cost_usd), default=None)
    return cheapest.settings if cheapest else ()


def after_row(
    asked: Asked,
    row: Row | None,
    style: str,
    *,
    step: str,
    quiet: bool,
    settings: Sequence[str] = (),
    change: Sequence[str] = (),
) -> None:
    """The same of one row. row: the recommended one; change: of the plan, with which there is one."""
    if style not in FOR_PEOPLE or quiet or asked.plan == "-":
        return  # a plan that was piped in cannot be named again
    say(f"Next, {_line(asked, row, step, settings, change)}")


def _line(asked: Asked, row: Row | None, step: str, settings: Sequence[str], change: Sequence[str]) -> str:
    asked = replace(asked, overrides=(*asked.overrides, *settings))
    if row is None or not row.eligible:
        if not change:
            return f"to see what each choice lacks: {command_of('compare', asked, ['--all'])}"
        changed = replace(asked, overrides=(*asked.overrides, *change))
        return f"to try the cheapest of these changes: {command_of('compare', changed, [])}"
    if step == APPROVE:
        return f"to approve it: {command_of('report', asked, ['--sheet', '-o', 'sheet.html'])}"
    if row.priced_only:
        return f"choose another: the planner cannot deploy it ({row.priced_only})"
    how = HOW_ROWS_ARE_BOUGHT.get(row.option.family, "") if row.option else ""
    # the command stays whole, on a line that can be copied
    return f"to deploy it: {command_of('stack', asked, ['--scenario', 'best'])}" + (f"\n  {how}" if how else "")


def command_of(verb: str, asked: Asked, words: Sequence[str]) -> str:
    """A command for the same plan at the same prices."""
    return shlex.join(["planner", verb, asked.plan, *asked.again, *words])
