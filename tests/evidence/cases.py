"""Files of cases for tests."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from planner.evidence.case import COLUMNS, Case, cases_in
from planner.evidence.replay import Result, backtest


def text_of(*rows: dict[str, str]) -> str:
    """A CSV file of these rows."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def row(equation: str, inputs: str, published: str, **more: str) -> dict[str, str]:
    return {"id": "one", "equation": equation, "inputs": inputs, "published_result": published, **more}


def cases_of(folder: Path, *rows: dict[str, str]) -> tuple[Case, ...]:
    path = folder / "cases.csv"
    path.write_text(text_of(*rows), encoding="utf-8")
    return cases_in(path)


def replayed(folder: Path, equation: str, inputs: str, published: str, **more: str) -> Result:
    """The result of one case."""
    return backtest(cases_of(folder, row(equation, inputs, published, **more))).results[0]
