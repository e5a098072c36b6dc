"""A plan beside its bill as CSV: one row a line."""

from __future__ import annotations

import csv

from planner.bills.reconcile import ReconciledLine, Reconciliation
from planner.report.data.compared_json import number, usd
from planner.report.data.comparison_csv import Rows, safe
from planner.report.data.encoding import utf8

LINE_COLUMNS = (
    *("line", "in_plan", "unit"),
    *("planned_quantity", "billed_quantity", "planned_unit_usd", "billed_unit_usd"),
    *("planned_usd", "billed_usd", "difference_usd", "quantity_effect_usd", "price_effect_usd"),
)
COLUMNS = ("scenario", "stack", "until", *LINE_COLUMNS)


def render(found: Reconciliation) -> str:
    """Every line, then what the bill has apart from them, with in_plan empty."""
    written = Rows()
    writer = csv.writer(written, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    head = (found.scenario, found.stack, f"{found.until:%Y-%m-%dT%H:%M:%SZ}")
    for line in found.lines:
        writer.writerow([safe(cell) for cell in (*head, *_texts(cells_of(line)))])
    for kind, billed in found.bill.apart.items():
        cells = {"line": kind, "billed_usd": usd(billed)}
        writer.writerow([*head, *(cells.get(name, "") for name in COLUMNS[len(head) :])])
    return utf8("".join(written))


def cells_of(line: ReconciledLine) -> list[object]:
    """Its values, in the order of LINE_COLUMNS; None where it has none."""
    return [
        *(line.line, line.in_plan, line.unit),
        *(number(line.planned_quantity), number(line.billed_quantity)),
        *(number(line.planned_unit_usd), number(line.billed_unit_usd)),
        *(usd(line.planned_usd), usd(line.billed_usd), usd(line.difference_usd)),
        *(usd(line.quantity_effect_usd), usd(line.price_effect_usd)),
    ]


def _texts(cells: list[object]) -> list[object]:
    return [str(cell).lower() if isinstance(cell, bool) else cell for cell in cells]
