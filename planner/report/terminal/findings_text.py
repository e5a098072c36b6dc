"""Findings of lint in a terminal, from plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planner.report.wording import findings as words
from planner.report.wording.wrapping import wrap

RED, YELLOW, BOLD, PLAIN = "\x1b[31m", "\x1b[33m", "\x1b[1m", "\x1b[0m"
INDENT = "    "


def table(
    findings: Sequence[Mapping[str, Any]], resources: int, *, width: int = 80, colour: bool = False, quiet: bool = False
) -> str:
    """One block per finding, then the count. quiet: without why and remedy."""
    lines: list[str] = []
    explained: set[str] = set()
    for finding in findings:
        first, *rest = wrap(f"{finding['severity']} {words.finding(finding)}", width, INDENT)
        lines += [_coloured(first, finding["severity"]) if colour else first, *rest]
        if finding["usd_at_risk"]:
            lines.append(f"{INDENT}{words.at_risk(finding['usd_at_risk'])}")
        # once per rule: thirty interfaces with the same mistake need one explanation
        if not quiet and finding["id"] not in explained:
            explained.add(finding["id"])
            for text in words.explanation(finding):
                lines += wrap(f"{INDENT}{text}", width, INDENT * 2)
        lines.append("")
    lines.append(words.count(findings, resources))
    return "\n".join(lines) + "\n"


def _coloured(line: str, severity: str) -> str:
    return f"{RED if severity == 'error' else YELLOW}{BOLD}{severity}{PLAIN}{line.removeprefix(severity)}"
