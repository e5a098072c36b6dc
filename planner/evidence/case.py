"""A published figure as one row of a CSV file, and the reading of such files."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from planner.errors import PlanProblems, Problem
from planner.evidence.published import Published, published_in_text

SHIPPED = Path(__file__).with_name("cases.csv")
# columns of a file of cases; the others may be left out
NEEDED = ("id", "published_result", "equation", "inputs")
COLUMNS = (
    "id",
    "story",
    "quantity",
    "given_inputs",
    "published_result",
    "unit",
    "tolerance",
    "notes",
    "source_ref",
    "equation",
    "inputs",
    "date",
    "prices",
    "comment",
)
MAX_BYTES = 10_000_000


@dataclass(frozen=True, kw_only=True)
class Case:
    """One published figure.

    equation: a name or number of `planner calc`, `plan`, `assumption`, or "" if it cannot be asked. inputs: as text.
    date: when the figure was published, which must agree with the day of its prices. prices: date of the price book.
    comment: one sentence for a contradiction, or why the figure cannot be asked. file, line: where the row is.
    """

    id: str
    story: str
    quantity: str
    given: str
    published: Published
    unit: str
    notes: str
    source: str
    equation: str
    inputs: str
    date: date | None
    prices: str
    comment: str
    file: Path
    line: int

    def problem(self, message: str, remedy: str = "") -> Problem:
        """A problem of this row."""
        where = f"{self.file}:{self.line}" if self.file != SHIPPED else f"cases.csv:{self.line}"
        return Problem(where=f"{where} ({self.id})", line=None, column=None, message=message, remedy=remedy)


def shipped_cases() -> tuple[Case, ...]:
    """The cases that the planner brings."""
    return cases_in(SHIPPED)


def cases_in(path: Path) -> tuple[Case, ...]:
    """The cases of a CSV file. Raises PlanProblems with every row that cannot be read."""
    rows = _rows(path)
    problems: list[Problem] = []
    found: list[Case] = []
    seen: dict[str, int] = {}
    for line, row in rows:
        try:
            case = _case(path, line, row)
        except ValueError as error:
            message, _, remedy = str(error).partition("\n")
            problems.append(_problem(path, message, remedy, line))
            continue
        if case.id in seen:
            problems.append(_problem(path, f"id {case.id!r} is on line {seen[case.id]} too", "ids differ", line))
        seen.setdefault(case.id, line)
        found.append(case)
    if problems:
        raise PlanProblems(tuple(problems))
    return tuple(found)


def _problem(path: Path, message: str, remedy: str = "", line: int | None = None) -> Problem:
    where = str(path) if line is None else f"{path}:{line}"
    return Problem(where=where, line=None, column=None, message=message, remedy=remedy)


def _rows(path: Path) -> list[tuple[int, Mapping[str, str]]]:
    """(line, cells by column) of every row that is not blank. Raises PlanProblems."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PlanProblems((_problem(path, f"cannot be read: {error.strerror}", "name a CSV file"),)) from None
    if len(content) > MAX_BYTES:
        raise PlanProblems((_problem(path, "larger than 10 MB, which no file of cases is", "split it"),))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PlanProblems((_problem(path, f"byte {error.start} is not UTF-8", "save it as CSV in UTF-8"),)) from None
    reader = csv.DictReader(io.StringIO(text, newline=""))
    columns = [name.strip() for name in reader.fieldnames or ()]
    missing = [name for name in NEEDED if name not in columns]
    if missing:
        remedy = (
            "the first line names the columns; equation is a name of `planner calc --list`, empty where none fits, and"
            " inputs are its inputs as k=v; k=v"
        )
        raise PlanProblems((_problem(path, f"no column {', '.join(missing)}", remedy, 1),))
    reader.fieldnames = columns
    found: list[tuple[int, Mapping[str, str]]] = []
    problems: list[Problem] = []
    before = 1
    try:
        for row in reader:
            line, before = before + 1, reader.line_num
            if None in row:
                remedy = "put quotes around a cell with a comma"
                problems.append(_problem(path, f"more cells than the {len(columns)} columns", remedy, line))
                continue
            cells = {name: (value or "").strip() for name, value in row.items()}
            if any(cells.values()):
                found.append((line, cells))
    except csv.Error as error:
        problems.append(_problem(path, f"not CSV: {error}", "", reader.line_num))
    if problems:
        raise PlanProblems(tuple(problems))
    if not found:
        raise PlanProblems((_problem(path, "no cases below the line with the columns"),))
    return found


def _case(path: Path, line: int, row: Mapping[str, str]) -> Case:
    """One row. Raises ValueError."""
    if not row["id"]:
        raise ValueError("a row without an id\nevery case needs one, to be named in the result")
    given = row.get("date", "")
    try:
        day = date.fromisoformat(given) if given else None
    except ValueError:
        raise ValueError(f"{row['id']}: date {given!r} is not a day\nwrite 2022-08-22") from None
    return Case(
        id=row["id"],
        story=row.get("story", ""),
        quantity=row.get("quantity", ""),
        given=row.get("given_inputs", ""),
        published=published_in_text(row["published_result"], row.get("tolerance", ""), row["id"]),
        unit=row.get("unit", ""),
        notes=row.get("notes", ""),
        source=row.get("source_ref", ""),
        equation=row["equation"],
        inputs=row["inputs"],
        date=day,
        prices=row.get("prices", ""),
        comment=row.get("comment", ""),
        file=path,
        line=line,
    )
