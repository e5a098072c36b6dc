"""A difference in a terminal, or as JSON: the change of the answer, then scenarios, bills, reasons, values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from planner.report.data.encoding import json_text
from planner.report.data.provenance import made_by
from planner.report.diff.differences import Changes
from planner.report.terminal.columns import TABLE_FROM, fitted, records, rows
from planner.report.wording import changes as diff_words
from planner.report.wording import figures
from planner.report.wording.change_columns import bill_columns, scenario_columns
from planner.report.wording.table import Column
from planner.report.wording.wrapping import cut, for_terminal, wrap

SCHEMA_VERSION = "1"
NARROWEST = 32
BOLD, PLAIN = "\x1b[1m", "\x1b[0m"


def render_json(changes: Changes) -> str:
    """The JSON document, with the keys of the types in `differences`; the same input gives the same bytes."""
    return json_text({"schema_version": SCHEMA_VERSION, "planner": made_by(), **asdict(changes)})


def render(changes: Changes, *, width: int, colour: bool, ascii_only: bool, top: int) -> str:
    """The difference as lines of at most `width` cells (at least 32). top: entries of each list; 0 for all."""
    width = max(width, NARROWEST)
    more = "..." if ascii_only else "…"
    rule = "-" if ascii_only else "─"
    lines = [cut(" ".join(figures.visible(text).split()), width, more) for text in diff_words.names(changes)]
    lines += [line for text in diff_words.origins(changes) for line in wrap(figures.visible(text), width, indent="  ")]
    first = wrap(figures.visible(diff_words.headline(changes)), width, indent="  ")
    lines += ["", *(f"{BOLD}{line}{PLAIN}" if colour else line for line in first)]
    for text in filter(None, [diff_words.lowest_p90(changes)]):
        lines += wrap(figures.visible(text), width, indent="  ")
    shown = [row for row in changes.scenarios if row.differs]
    if shown:
        kept = shown[: top or None]
        lines += ["", *_table(scenario_columns(kept), width, rule, more)]
        lines += _rest(len(shown) - len(kept), width, more)
        same = len(changes.scenarios) - len(shown)
        lines += wrap(diff_words.unchanged_scenarios(same), width) if same else []
    for bill in changes.bills:
        differing = diff_words.changed_lines(bill)
        if differing:
            kept = differing[: top or None]
            lines += ["", *wrap(figures.visible(diff_words.bill_title(bill)), width, indent="  ")]
            lines += _table(bill_columns(bill, kept), width, rule, more)
            lines += _rest(len(differing) - len(kept), width, more)
            for text in diff_words.bill_remarks(bill):
                lines += wrap(figures.visible(text), width, indent="  ")
    for title, texts in diff_words.lists(changes):
        lines += ["", f"{title}:"]
        kept = texts[: top or None]
        lines += [line for text in kept for line in wrap(f"  {figures.visible(text)}", width, indent="    ")]
        lines += _rest(len(texts) - len(kept), width, more)
    text = "\n".join(lines) + "\n"
    return for_terminal(text, ascii_only)


def _rest(count: int, width: int, more: str) -> list[str]:
    return wrap(diff_words.more_entries(count, more), width) if count > 0 else []


def _table(columns: Sequence[Column], width: int, rule: str, more: str) -> list[str]:
    placed = fitted(columns, width) if width >= TABLE_FROM else None
    return rows(placed, rule=rule, more=more) if placed else records(columns, width, skip=("", "-"))
