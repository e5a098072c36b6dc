"""Findings of lint in words: what is wrong and where, the cost at risk, why, and the fix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planner.report.wording.figures import many, money, visible


def finding(entry: Mapping[str, Any]) -> str:
    """`RULE-ID: message [property]`."""
    where = f" [{visible(str(entry['property']))}]" if entry["property"] else ""
    return f"{entry['id']}: {visible(str(entry['message']))}{where}"


def at_risk(usd_per_day: float) -> str:
    return f"at risk: USD {money(usd_per_day)} per day"


def explanation(entry: Mapping[str, Any]) -> tuple[str, str]:
    """Why it matters, and the fix."""
    return f"Why: {entry['why']}.", f"Fix: {entry['remedy']}."


def count(findings: Sequence[Mapping[str, Any]], resources: int) -> str:
    """`1 error and 2 warnings in 70 resources`."""
    errors = sum(entry["severity"] == "error" for entry in findings)
    warnings = len(findings) - errors
    found = [many(number, word) for number, word in ((errors, "error"), (warnings, "warning")) if number]
    return f"{' and '.join(found) or 'No problems found'} in {many(resources, 'resource')}"
