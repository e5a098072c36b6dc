"""Findings of lint on a terminal: each with its place, its consequence, the fix, and the cost at risk.

Takes findings as plain data, so that nothing here depends on the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planner.report.wording.figures import many, money, visible
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
        where = f" [{visible(str(finding['property']))}]" if finding["property"] else ""
        head = f"{finding['severity']} {finding['id']}: {visible(str(finding['message']))}{where}"
        first, *rest = wrap(head, width, INDENT)
        lines += [_coloured(first, finding["severity"]) if colour else first, *rest]
        if finding["usd_at_risk"]:
            lines.append(f"{INDENT}at risk: USD {money(finding['usd_at_risk'])} per day")
        # once per rule: thirty interfaces with the same mistake need one explanation
        if not quiet and finding["id"] not in explained:
            explained.add(finding["id"])
            lines += wrap(f"{INDENT}Why: {finding['why']}.", width, INDENT * 2)
            lines += wrap(f"{INDENT}Fix: {finding['remedy']}.", width, INDENT * 2)
        lines.append("")
    lines.append(_count(findings, resources))
    return "\n".join(lines) + "\n"


def _coloured(line: str, severity: str) -> str:
    word, _, rest = line.partition(" ")
    return f"{RED if severity == 'error' else YELLOW}{BOLD}{word}{PLAIN} {rest}"


def _count(findings: Sequence[Mapping[str, Any]], resources: int) -> str:
    errors = sum(finding["severity"] == "error" for finding in findings)
    warnings = len(findings) - errors
    found = [many(count, word) for count, word in ((errors, "error"), (warnings, "warning")) if count]
    return f"{' and '.join(found) or 'No problems found'} in {many(resources, 'resource')}"
