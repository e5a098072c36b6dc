"""The lines as evidence: JSON with its date and masked account, and JUnit XML for CI systems."""

from __future__ import annotations

import json
from collections.abc import Sequence

from planner.account.evidence import about
from planner.check.line import BLOCKS, FINE, NOT_KNOWN, Line
from planner.check.run import counts
from planner.check.wanted import Wanted
from planner.junit_suite import Case, render

REQUEST = "aws service-quotas request-service-quota-increase"


def requests(lines: Sequence[Line]) -> list[str]:
    """The quota increases that are prepared, each once."""
    return list(dict.fromkeys(line.mends for line in lines if line.mends.startswith(REQUEST)))


def evidence(lines: list[Line], wanted: Wanted) -> str:
    """The JSON document."""
    document = {
        **about(wanted.spec, "checked_at", wanted.now),
        "counts": counts(lines),
        "quota_requests": requests(lines),
        "lines": [line.as_json() for line in lines],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def junit(lines: list[Line], wanted: Wanted) -> str:
    """One test a line: blocks is a failure, not known an error; a warning passes and has its text as output."""
    cases = []
    for line in lines:
        said = line.as_json()
        text = "\n".join(f"{key}: {said[key]}" for key in ("asked", "said", "means", "mends") if said[key])
        cases.append(
            Case(
                name=said["id"],
                outcome={BLOCKS: "failure", NOT_KNOWN: "error"}.get(line.state, ""),
                kind=line.state,
                message=said["said"],
                text="" if line.state == FINE else text,
            )
        )
    return render("planner check", wanted.spec.stack, cases)
