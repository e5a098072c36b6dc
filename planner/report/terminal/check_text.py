"""The lines of `planner check` in a terminal, from plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planner.report.wording.wrapping import wrap

INDENT = "    "
_ORDER = ("blocks", "not known", "warns", "fine")
_COLOURS = {"blocks": "\x1b[31m", "not known": "\x1b[35m", "warns": "\x1b[33m", "fine": "\x1b[32m"}


def table(lines: Sequence[Mapping[str, Any]], head: str, *, width: int, colour: bool, quiet: bool) -> str:
    """What blocks first, then what nobody knows, warnings, and what is fine in one line each. quiet: without the
    latter."""
    shown = [*wrap(head, width, INDENT), ""]
    for state in _ORDER:
        for line in lines:
            if line["state"] != state or (quiet and state == "fine"):
                continue
            first, *rest = wrap(f"{state} {line['id']}: {line['asked']}: {line['said']}", width, INDENT)
            shown += [first.replace(state, f"{_COLOURS[state]}{state}\x1b[0m", 1) if colour else first, *rest]
            if state == "fine":
                continue
            shown += wrap(f"{INDENT}{line['means']}", width, INDENT) if line["means"] else []
            shown += [f"{INDENT}{line['mends']}"] if line["mends"] else []  # whole, to be copied
    counted = [f"{sum(line['state'] == state for line in lines)} {state}" for state in _ORDER]
    return "\n".join([*shown, "", ", ".join(counted)]) + "\n"
