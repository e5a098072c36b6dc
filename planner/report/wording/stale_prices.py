"""Sentences about prices that are out of date."""

from __future__ import annotations

from collections.abc import Sequence

from planner.decide.price_age import StalePrice
from planner.report.wording import figures


def sentences(stale: Sequence[StalePrice]) -> list[str]:
    """One sentence a bill line and price date, with the purchase options that share it."""
    return [f"{_name(entry)}: {_age(entry)}" for entry in stale]


def json_texts(stale: Sequence[StalePrice]) -> list[str]:
    """The `stale` list of the JSON document: one text a line, or a purchase option of the GPU nodes."""
    names = [(entry, [option.id for option in entry.purchases] or [entry.line]) for entry in stale]
    return sorted(f"{name}: {_age(entry)}" for entry, found in names for name in found)


def _name(entry: StalePrice) -> str:
    options = ", ".join(figures.short_purchase(option) for option in entry.purchases)
    return f"{entry.line} ({options})" if options else entry.line


def _age(entry: StalePrice) -> str:
    return f"price of {entry.price_date} is {entry.age_days} days old, over the limit of {entry.limit_days}"
