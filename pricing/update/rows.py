"""Rows of a price book as an update finds them: as in its tables, but with the text of the source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, InvalidOperation

LARGEST_USD = Decimal(10) ** 12


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """Where and when rows were seen. grade: A (AWS itself), B, C. note: put on every row."""

    observed: date
    source: str
    grade: str = "A"
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Findings:
    """rows: by table. problems: sentences about what could not be used, for a person."""

    rows: Mapping[str, list[dict[str, str]]] = field(default_factory=dict[str, list[dict[str, str]]])
    problems: tuple[str, ...] = ()


def decimal_of(text: str) -> Decimal | None:
    """The value of a price; None if the text is not a finite number, or negative."""
    try:
        value = Decimal(text)
    except (InvalidOperation, TypeError):
        return None
    return value if value.is_finite() and 0 <= value < LARGEST_USD else None


def written(value: Decimal) -> str:
    """A price without zeros at its end: `21.957642`."""
    return format(value.normalize(), "f")


def price_row(place: Mapping[str, str], usd: Decimal, unit: str, seen: Provenance, note: str = "") -> dict[str, str]:
    """A row of a price table. `carried` is filled in when the book is made (merge.py)."""
    return {
        **place,
        "usd": written(usd),
        "unit": unit,
        "observed": seen.observed.isoformat(),
        "grade": seen.grade,
        "carried": "",
        "source": seen.source,
        "note": "; ".join(part for part in (seen.note, note) if part),
    }
