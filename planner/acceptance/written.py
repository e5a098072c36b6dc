"""The lines as evidence: JSON with its date and masked account, JUnit XML, and the values for the next plan."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime
from typing import Any

from planner.acceptance.found import Found
from planner.acceptance.line import MISS, NOT_MEASURED, Line, counts
from planner.account.evidence import about
from planner.bills.measured import Measured, assumption_of, plan_values
from planner.junit_suite import Case, render
from planner.models.values import Values
from planner.stack.spec import ClusterSpec


def evidence(lines: list[Line], spec: ClusterSpec, found: Found, now: datetime) -> str:
    """The JSON document."""
    document: dict[str, Any] = {
        **about(spec, "accepted_at", now),
        "counts": counts(lines),
        "nodes": len(found.nodes),
        "parts": [asdict(part) for part in found.parts],
        "lines": [line.as_json() for line in lines],
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def junit(lines: list[Line], spec: ClusterSpec) -> str:
    """One test a line: a miss is a failure, what was not measured an error."""
    outcome = {MISS: "failure", NOT_MEASURED: "error"}
    cases = [
        Case(
            name=line.id,
            outcome=outcome.get(line.state, ""),
            kind=line.state,
            message=line.said,
            text="\n".join(part for part in (line.what, line.said, line.means, line.mends) if part),
        )
        for line in lines
    ]
    return render("planner acceptance", spec.stack, cases)


def next_plan(lines: list[Line], values: Values, source: str) -> dict[str, dict[str, object]]:
    """Sections for `--set @FILE`; {} if nothing was measured that a plan assumes. Each assumption once, by the first
    line that has it. source: named in each."""
    found: dict[str, Measured] = {}
    for line in lines:
        if line.assumption and line.value is not None and line.assumption not in found:
            found[line.assumption] = assumption_of(
                values.table, line.assumption, line.value, f"{line.what}: {line.said}"
            )
    return plan_values(tuple(found.values()), source)
