"""What the parts of an update found, put together."""

from __future__ import annotations

from dataclasses import dataclass, field

from pricing.update.merge import Listed
from pricing.update.rows import Findings


@dataclass(kw_only=True)
class Found:
    """rows: by table. lists: sources that list everything. problems: for a person. facts: for the manifest."""

    rows: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    lists: list[Listed] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    facts: dict[str, object] = field(default_factory=dict)

    def add(self, findings: Findings) -> None:
        for table, rows in findings.rows.items():
            self.rows.setdefault(table, []).extend(rows)
        self.problems += [one for one in findings.problems if one not in self.problems]
