"""The lines of `planner check` and `planner acceptance` in a terminal, from plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planner.report.wording.wrapping import wrap

INDENT = "    "
# states in their order, with their colours; the last one is well
CHECK = {"blocks": "\x1b[31m", "not known": "\x1b[35m", "warns": "\x1b[33m", "fine": "\x1b[32m"}
ACCEPTANCE = {"miss": "\x1b[31m", "not measured": "\x1b[35m", "pass": "\x1b[32m"}


def table(
    lines: Sequence[Mapping[str, Any]],
    head: str,
    *,
    states: Mapping[str, str] = CHECK,
    width: int,
    colour: bool,
    quiet: bool,
) -> str:
    """What blocks first, then what nobody knows, warnings, and what is well in one line each. quiet: without the
    latter."""
    *_, well = states
    shown = [*wrap(head, width, INDENT), ""]
    for state in states:
        for line in lines:
            if line["state"] != state or (quiet and state == well):
                continue
            first, *rest = wrap(f"{state} {line['id']}: {line['asked']}: {line['said']}", width, INDENT)
            shown += [first.replace(state, f"{states[state]}{state}\x1b[0m", 1) if colour else first, *rest]
            if state == "fine":
                continue
            shown += wrap(f"{INDENT}{line['means']}", width, INDENT) if line["means"] else []
            shown += [f"{INDENT}{line['mends']}"] if line["mends"] else []  # whole, to be copied
    counted = [f"{sum(line['state'] == state for line in lines)} {state}" for state in states]
    return "\n".join([*shown, "", ", ".join(counted)]) + "\n"
