"""Titles of the folded parts of a comment, headings of its tables, and names of rows that had to be left out."""

from __future__ import annotations

from collections.abc import Sequence

GATE_FAILED, GATES_PASS = "Gate failed", "All gates pass."
BILL_COLUMNS = ("Line", "Quantity", "Unit", "Unit price USD", "Cost USD", "Equation", "Price of", "Source")
ASSUMPTION_COLUMNS = ("Assumption", "Value", "Low", "High", "Unit", "Set by", "Source")
NOT_IN_THE_TABLE = "Not in the table (the full ranking has them)"
WITHOUT_A_ROW = "Commitments, and choices that are not in the table"
NOTES_TITLE = "Notes"
COMMAND_COLUMNS = ("#", "Command", "What it does")
IN_ORDER = "What to run next, in this order, and what each command spends"
# names of rows, where some are left out
RANKING_ROWS = "rows of the ranking"
UNPRICED_LINES = "lines without a price"
REASONS = "reasons for infeasible scenarios"
ASSUMPTIONS, NOTES, STALE, SOURCES, CHANGES = "assumptions", "notes", "out-of-date prices", "sources", "changes"
SCENARIOS = "scenarios"
COMMANDS = "commands"
PROVENANCE = "lines on how to reproduce this"


def full_ranking(scenarios: int) -> str:
    return f"Full ranking: {scenarios:,} scenarios"


def bill(rank: int) -> str:
    return f"Bill of no. {rank}"


def bill_lines(rank: int) -> str:
    return f"lines of the bill of no. {rank}"


def bill_total(scenario: str, usd: str) -> str:
    return f"{scenario}: {usd} planned, the sum of:"


def everything_in(command: str) -> str:
    return f"{command} has everything."


def left_out(limit: int, what: Sequence[str], instead: str) -> str:
    """what: names and numbers of the rows. instead: where everything is."""
    return f"Left out to stay below the {limit:,} characters of a comment: {', '.join(what)}; {instead}"
