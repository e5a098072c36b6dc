"""Tables as text, and quantities in human-readable units."""

from __future__ import annotations

from collections.abc import Sequence

UNITS = ("B", "kB", "MB", "GB", "TB", "PB")


def columns(head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """A table with a heading. right: numbers of the columns to align right. Lines have no trailing blanks."""
    table = [head, *rows]
    widths = [max(len(row[number]) for row in table) for number in range(len(head))]
    lines = []
    for row in table:
        cells = [
            cell.rjust(width) if number in right else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def size(count: float) -> str:
    """Bytes in decimal units with three digits: 2.22 PB."""
    value, unit = float(count), UNITS[0]
    for unit in UNITS:
        if abs(value) < 999.5 or unit == UNITS[-1]:
            break
        value /= 1000
    return f"{value:.0f} {unit}" if unit == "B" else f"{value:.3g} {unit}"


def counted(number: int, thing: str) -> str:
    """1 target, 2 targets."""
    return f"{number:,} {thing}" + ("" if number == 1 else "s")


def listed(names: Sequence[str], most: int = 8) -> str:
    """a, b and 398 more."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
