"""A plan beside its bill, in a terminal."""

from __future__ import annotations

from planner.bills.job_log import JobRecord
from planner.bills.measured import Measured, goodput_of
from planner.bills.reconcile import Reconciliation
from planner.report.terminal.columns import whole
from planner.report.terminal.comparison_text import NARROWEST
from planner.report.wording import reconciliation as words
from planner.report.wording.figures import visible
from planner.report.wording.wrapping import for_terminal, wrap


def render(
    plan_name: str,
    found: Reconciliation,
    values: tuple[Measured, ...],
    log: JobRecord | None,
    *,
    width: int,
    ascii_only: bool,
) -> str:
    """The result as lines of at most `width` cells (at least 32)."""
    width = max(width, NARROWEST)
    lines = [*wrap(visible(words.title(plan_name, found)), width, "  "), ""]
    lines += [*wrap(words.headline(found), width, "  "), ""]
    lines += [line for text in words.misses(found) for line in wrap(f"- {visible(text)}", width, "  ")]
    lines += ["", *whole(words.columns(found), width, "-" if ascii_only else "─")]
    noted = [line for text in words.notes(found) for line in wrap(f"- {visible(text)}", width, "  ")]
    lines += ["", *noted] if noted else []
    said = words.measured(values, goodput_of(found, log) if log else None, log)
    if said:
        lines += ["", "Measured"]
        lines += [line for text in said for line in wrap(f"- {visible(text)}", width, "  ")]
    text = "\n".join(lines) + "\n"
    return for_terminal(text, ascii_only)
