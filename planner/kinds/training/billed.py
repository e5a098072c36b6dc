"""A training plan beside AWS's bill of its stack."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

from planner.api.arguments import named
from planner.api.reconciliations import Reconciliation, reconciled
from planner.decide.compare import compare
from planner.kinds.asking import Ask, Watch
from planner.kinds.training.answers import request_of


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
    """Line by line. Raises UsageProblem."""
    request = request_of(ask)
    comparison = compare(request)
    return reconciled(
        request,
        comparison,
        named(comparison, scenario),
        bills,
        stack=stack,
        until=until,
        jobs=jobs,
        account=account,
        sacct=sacct,
        zone=zone,
        reading=reading,
    )
