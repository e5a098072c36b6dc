"""A table as text: titles and values by column, before a format lays them out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.report.wording.wrapping import cells


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column of a table.

    keep: 0 is always shown; others are left out of a narrow table, the highest first, all of one number together.
    text: left-aligned and may be cut; anything else is a number, right-aligned and never cut. code: names of lines or
    scenarios, which Markdown shows as code.
    """

    title: str
    values: Sequence[str]
    text: bool = False
    keep: int = 0
    code: bool = False

    @property
    def natural(self) -> int:
        return max(map(cells, (self.title, *self.values)))
