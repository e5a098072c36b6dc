"""The plan of a fleet beside AWS's bill of its stacks, by project."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path

from planner.api.fleet_bills import fleet_reconciled
from planner.api.reconciliations import Reconciliation
from planner.errors import UsageProblem
from planner.kinds.asking import Ask, Watch
from planner.kinds.fleet.answers import compared, named, plan_of


def beside(
    ask: Ask,
    scenario: str,
    bills: tuple[str, ...],
    *,
    stack: str | None,
    until: date | None,
    jobs: tuple[str, ...],
    account: str | None,
    sacct: str | None,
    zone: str | None,
    reading: Callable[[Path], None],
    watch: Watch,
) -> Reconciliation:
    """A line a project. jobs: of training. Raises UsageProblem."""
    if sacct is None:
        raise UsageProblem(
            "the bill of a fleet is compared by project, and AWS does not know whose a node-hour was: give what sacct "
            "printed of the cluster with --sacct FILE (docs/fleet.md has the command)"
        )
    plan = plan_of(ask).plan
    found = fleet_reconciled(
        plan,
        ask.book,
        named(compared(ask, watch), scenario),
        bills,
        stacks=stack or "dev",
        sacct=sacct,
        zone=zone,
        until=None if until is None else datetime(until.year, until.month, until.day) + timedelta(days=1),
        account=account,
        reading=reading,
    )
    return Reconciliation(plan_name=plan.name, found=found, measured=(), log=None)
