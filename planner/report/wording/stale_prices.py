"""Sentences about prices that are out of date."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from planner.answer.compared import Prices
from planner.answer.price_age import ALL_LINES, StalePrice
from planner.models.bill_lines import COMPUTE, bill_line
from planner.report.wording import figures


def aged(prices: Prices) -> str:
    """`, 34 days old on 2026-10-05`: the run's start or --as-of, never today; "" without either."""
    days = prices.age_days
    if days is None:
        return ""
    day = prices.as_of + timedelta(days=days)
    return f", {days} days old on {day}" if days >= 0 else f", {-days} days younger than {day}"


def sentences(stale: Sequence[StalePrice]) -> list[str]:
    """One sentence a bill line and price date, with the purchase options that share it."""
    return [f"{_name(entry)}: {_age(entry)}" for entry in stale]


def json_texts(stale: Sequence[StalePrice]) -> list[str]:
    """The `stale` list of the JSON document: one text a line, or a purchase option of the GPU nodes."""
    names = [(entry, [option.id for option in entry.purchases] or [entry.line]) for entry in stale]
    return sorted(f"{name}: {_age(entry)}" for entry, found in names for name in found)


def warnings(stale: Sequence[StalePrice]) -> list[str]:
    """What an answer says first where its prices are later than the day that they are for."""
    return [
        later(entry.price_date, entry.day) if entry.line == ALL_LINES else _of_plan(entry)
        for entry in stale
        if entry.later
    ]


def later(book: date, day: date) -> str:
    """The same of a price book that is later than the day."""
    return (
        f"Warning: these prices were observed on {book}, {figures.many((book - day).days, 'day')} after {day}, the "
        "date that you priced for. AWS may have charged different prices then. Correct the date (start or --as-of), or "
        "choose another price book with --prices."
    )


def _of_plan(entry: StalePrice) -> str:
    return (
        f"Warning: {_name(entry)}: {_age(entry)}. Correct the date of that price in the plan, or that day (start, or "
        "--as-of)."
    )


def line_name(entry: StalePrice) -> str:
    """`GPU nodes` for the nodes, else the line of the bill."""
    return bill_line(entry.line).part if entry.line == COMPUTE else entry.line


def _name(entry: StalePrice) -> str:
    options = ", ".join(figures.short_purchase(option) for option in entry.purchases)
    return f"{entry.line} ({options})" if options else entry.line


def _age(entry: StalePrice) -> str:
    if entry.later:
        return f"observed {figures.many(-entry.age_days, 'day')} after {entry.day}, on {entry.price_date}"
    return f"price of {entry.price_date} is {entry.age_days} days old; the limit is {entry.limit_days}"
