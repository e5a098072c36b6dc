"""A plan beside its bill, from Python and for the command line."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.api.arguments import checked_comparison, day_of, named
from planner.api.comparisons import LIST_IDS, WHY_NONE, Comparison
from planner.bills.charges import charges_in
from planner.bills.export_file import files_in, read_export
from planner.bills.job_log import JobRecord, read_job_logs
from planner.bills.measured import GPU_LINES, MOST_GOODPUT, Measured, goodput_of, measured_of, plan_values
from planner.bills.reconcile import ReconciledLine
from planner.bills.reconcile import Reconciliation as Found
from planner.bills.reconcile import reconcile as beside
from planner.decide.comparison import Comparison as Compared
from planner.demand.shares import node_hours
from planner.errors import UsageProblem
from planner.estimate.request import Request
from planner.estimate.result import Scenario
from planner.plan.textfile import label_of
from planner.report.wording.reconciliation import by_project

if TYPE_CHECKING:
    import pandas

    from planner.report.html.reconciliation import ReconciledView

Files = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
Reading = Callable[[Path], None]


@dataclass(frozen=True, kw_only=True, repr=False)
class Reconciliation:
    """A plan beside its bill: lines with quantity and price of both, what was measured, USD before tax.

    measured: values for the next plan. log: of the job, None without one.
    """

    plan_name: str
    found: Found = field(repr=False)
    measured: tuple[Measured, ...]
    log: JobRecord | None

    @property
    def lines(self) -> tuple[ReconciledLine, ...]:
        return self.found.lines

    @property
    def planned_usd(self) -> float:
        return self.found.planned_usd

    @property
    def billed_usd(self) -> float:
        return self.found.billed_usd

    @property
    def goodput(self) -> float | None:
        """Node-hours of kept work over all that were billed; None without a job log that says what was kept, and where
        more was kept than billed."""
        found = goodput_of(self.found, self.log) if self.log else None
        return found[0] if found and found[0] <= MOST_GOODPUT else None

    def __repr__(self) -> str:
        return (
            f"Reconciliation(plan={self.plan_name!r}, scenario={self.found.scenario!r}, "
            f"planned_usd={self.planned_usd:.2f}, billed_usd={self.billed_usd:.2f})"
        )

    def __str__(self) -> str:
        from planner.report.terminal.reconciliation_text import render

        return render(self.plan_name, self.found, self.measured, self.log, width=100, ascii_only=False)

    def to_frame(self) -> pandas.DataFrame:
        """A row a line: the columns of `planner reconcile -f csv`. Raises UsageProblem without the extra `notebook`."""
        from planner.api.frames import pandas_for
        from planner.report.data import reconciliation_csv

        rows = [reconciliation_csv.cells_of(line) for line in self.lines]
        return pandas_for("to_frame").DataFrame(rows, columns=list(reconciliation_csv.LINE_COLUMNS))

    def _repr_html_(self) -> str:
        from planner.report.html.notebook import reconciliation_html

        return reconciliation_html(self.found)

    def view(self) -> ReconciledView:
        """It as a section of the report: see `planner.render_html`."""
        from planner.report.html.reconciliation import reconciled_view

        return reconciled_view(self.plan_name, self.found, self.measured, self.log)

    def next_plan(self) -> dict[str, dict[str, Any]]:
        """What was measured, as the sections of a plan: the content of a file for `--set @FILE`."""
        source = f"stack {self.found.stack} to {self.found.until:%Y-%m-%d}"
        return plan_values(self.measured, source)


def reconcile(
    comparison: Comparison,
    bill: Files,
    *,
    scenario: str = "best",
    stack: str | None = None,
    until: str | date | None = None,
    jobs: Files = (),
    account: str | None = None,
    sacct: str | os.PathLike[str] | None = None,
    zone: str | None = None,
) -> Reconciliation:
    """Compare a plan with what AWS billed for its stack.

    comparison: of the plan, at the prices it was planned with. bill: exports of FOCUS 1.2 or CUR 2.0, CSV or Parquet,
    or folders of them. scenario: the one that was deployed. stack: its name; None: the plan's. until: the last day that
    the files have; None: that of the last use in them. jobs: logs of the run's attempts, for goodput and failure rates.
    account: id of the account that the stack is in, where several have a stack of its name. sacct: what sacct printed
    of the stack's cluster, by which the bill is divided among its accounts. zone: of its times, where they name none.

    Raises UsageProblem for files that cannot be read, or that have no charge of the stack.
    """
    checked_comparison(comparison, "reconcile")
    chosen = named(comparison, scenario, why=WHY_NONE, listing=LIST_IDS)
    day = None if until is None else day_of(until, "until")
    return reconciled(
        comparison.request,
        comparison,
        chosen,
        bill,
        stack=stack,
        until=day,
        jobs=jobs,
        account=account,
        sacct=None if sacct is None else os.fspath(sacct),
        zone=zone,
    )


def reconciled(
    request: Request,
    comparison: Compared,
    chosen: Scenario,
    bill: Files,
    *,
    stack: str | None = None,
    until: date | None = None,
    jobs: Files = (),
    account: str | None = None,
    sacct: str | None = None,
    zone: str | None = None,
    reading: Reading = lambda path: None,
) -> Reconciliation:
    """The same for a comparison of the command line. reading: called with each file before it is read."""
    plan = request.plan
    log = read_job_logs(_texts(jobs)) if jobs else None
    name = stack or plan.deploy.stack
    paths = files_in(_texts(bill))
    if not paths:
        raise UsageProblem("no bill: name at least one export of FOCUS 1.2 or CUR 2.0")
    exports = []
    for path in paths:
        reading(path)
        exports.append(read_export(path, name))
    found = beside(
        chosen,
        charges_in(exports),
        stack=name,
        start=request.start,
        retention_hours=plan.storage.retention_hours or 0.0,
        until=None if until is None else _midnight_after(until),
        account=account,
    )
    if sacct is not None:
        found = replace(found, notes=(*found.notes, _by_project(request, chosen, found, sacct, zone)))
    measured = measured_of(found, chosen.nodes, log, {entry.key: entry for entry in comparison.assumptions})
    return Reconciliation(plan_name=comparison.plan_name, found=found, measured=measured, log=log)


def _by_project(request: Request, chosen: Scenario, found: Found, sacct: str, zone: str | None) -> str:
    begin = found.bill.first_use or datetime(found.start.year, found.start.month, found.start.day)
    gpus = request.book.instance(chosen.instance_type).gpu_count
    held = node_hours(sacct, zone, begin, found.until, gpus)
    hours = math.fsum(line.billed_quantity or 0.0 for line in found.lines if line.line in GPU_LINES)
    return by_project(held, hours, found.billed_usd, label_of(sacct))


def _texts(files: Files) -> list[str]:
    given = [files] if isinstance(files, str | os.PathLike) else files
    return [os.fspath(file) for file in given]


def _midnight_after(day: date) -> datetime:
    return datetime(day.year, day.month, day.day) + timedelta(days=1)
