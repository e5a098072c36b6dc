"""What is left of a stack, in a terminal and as JSON: billed resources first, then free and retained ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planner.report.terminal.columns import fitted, rows
from planner.report.wording import leftovers as words
from planner.report.wording.figures import plain, visible
from planner.report.wording.table import Column
from planner.report.wording.wrapping import wrap
from planner.stack.remaining_resources import Remaining, usd_per_day

SCHEMA_VERSION = "1"
ODD = ("doubled", "AWS only")  # resources that `pulumi destroy` does not delete


def as_json(stack: str, left: Sequence[Remaining], *, state: bool, tags: bool) -> dict[str, Any]:
    usd, unknown = usd_per_day([row for row in left if not row.retained])
    kept, kept_unknown = usd_per_day([row for row in left if row.retained])
    return {
        "schema_version": SCHEMA_VERSION,
        "stack": stack,
        "asked": {"state": state, "tags": tags},
        "usd_per_day": round(usd, 6),
        "unknown": list(unknown),
        "retained_usd_per_day": round(kept, 6),
        "retained_unknown": list(kept_unknown),
        "left": [_entry(row) for row in left],
    }


def _entry(row: Remaining) -> dict[str, Any]:
    return {
        "name": row.name,
        "kind": row.kind,
        "found": row.found,
        "ids": list(row.ids),
        "usd_per_day": None if row.usd_per_day is None else round(row.usd_per_day, 6),
        "by_use": list(row.by_use),
        "retained": row.retained,
        "note": row.note,
    }


def table(stack: str, left: Sequence[Remaining], *, width: int = 80, ascii_only: bool = False) -> str:
    """Resources that are or may be billed as rows; free ones in a sentence."""
    name = visible(stack)
    gone = [row for row in left if not row.retained]
    kept = [row for row in left if row.retained]
    lines: list[str] = []
    if gone:
        lines += wrap(words.still_costs(name, words.total(*usd_per_day(gone))), width, "  ")
        lines += ["", *_rows(gone, width, ascii_only)]
    else:
        lines += wrap(words.nothing_left(name), width, "  ")
    if kept:
        lines += ["", *wrap(words.kept(words.total(*usd_per_day(kept))), width, "  "), *_rows(kept, width, ascii_only)]
    return "\n".join(lines) + "\n"


def _rows(left: Sequence[Remaining], width: int, ascii_only: bool) -> list[str]:
    more = "..." if ascii_only else "…"
    shown = [row for row in left if row.usd_per_day != 0 or row.by_use or row.found in ODD]
    shown.sort(key=lambda row: row.found not in ODD)
    lines: list[str] = []
    if shown:
        placed = [
            Column(title=words.NAME, values=[visible(row.name or words.NO_NAME) for row in shown], text=True),
            Column(title=words.KIND, values=[visible(row.kind) for row in shown], text=True, keep=2),
            Column(title=words.FOUND, values=[row.found for row in shown]),
            Column(title=words.PER_DAY, values=[_usd(row) for row in shown]),
            Column(title=words.ID, values=[_ids(row) for row in shown], text=True),
        ]
        fit = fitted(placed, width) or [(column, column.natural) for column in placed]
        lines += rows(fit, "-" if ascii_only else "─", more)
        for row in shown:
            if row.note:
                lines += wrap(f"{visible(row.name)}: {row.note}", width, "  ")
        for row in shown:
            if row.found in ODD:
                # in full, to be copied into the command that deletes it
                lines += [f"{row.found}: {visible(row.name or words.NO_NAME)} {visible(id_)}" for id_ in row.ids]
    free = [visible(row.name) for row in left if row not in shown]
    if free:
        lines += wrap(words.free(free), width, "  ")
    return lines


def _usd(row: Remaining) -> str:
    if row.usd_per_day is None:
        return words.BY_USE if row.by_use else words.UNKNOWN
    small = 0 < row.usd_per_day < 0.005
    return (plain(row.usd_per_day, 2) if small else f"{row.usd_per_day:,.2f}") + ("+" if row.by_use else "")


def _ids(row: Remaining) -> str:
    first = visible(row.ids[0]) if row.ids else ""
    return f"{len(row.ids)}: {first} ..." if len(row.ids) > 1 else first
