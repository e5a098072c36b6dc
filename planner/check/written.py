"""The lines as evidence: JSON with its date and masked account, and JUnit XML for CI systems."""

from __future__ import annotations

import json
from collections.abc import Sequence
from xml.etree import ElementTree

from planner.account.masking import MASK, masked
from planner.check.line import BLOCKS, NOT_KNOWN, WARNS, Line
from planner.check.run import counts
from planner.check.wanted import Wanted

REQUEST = "aws service-quotas request-service-quota-increase"


def requests(lines: Sequence[Line]) -> list[str]:
    """The quota increases that are prepared, each once."""
    return list(dict.fromkeys(line.mends for line in lines if line.mends.startswith(REQUEST)))


def evidence(lines: list[Line], wanted: Wanted) -> str:
    """The JSON document."""
    spec = wanted.spec
    document = {
        "schema_version": "1",
        "checked_at": wanted.now.isoformat(timespec="seconds").replace("+00:00", "Z"),
        "account": MASK,
        "region": spec.region,
        "stack": spec.stack,
        "scenario": spec.scenario,
        "plan": {"name": masked(spec.plan_name), "sha256": spec.plan_sha256},
        "counts": counts(lines),
        "quota_requests": requests(lines),
        "lines": [line.as_json() for line in lines],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def junit(lines: list[Line], wanted: Wanted) -> str:
    """One test a line: blocks is a failure, not known an error; a warning passes and has its text as output."""
    found = counts(lines)
    totals = {"tests": str(len(lines)), "failures": str(found[BLOCKS]), "errors": str(found[NOT_KNOWN])}
    top = ElementTree.Element("testsuites", totals)
    suite = ElementTree.SubElement(top, "testsuite", {"name": "planner check", **totals, "skipped": "0", "time": "0"})
    for line in lines:
        said = line.as_json()
        named = {"classname": wanted.spec.stack, "name": said["id"], "time": "0"}
        case = ElementTree.SubElement(suite, "testcase", named)
        text = "\n".join(f"{key}: {said[key]}" for key in ("asked", "said", "means", "mends") if said[key])
        if line.state in (BLOCKS, NOT_KNOWN):
            kind = "failure" if line.state == BLOCKS else "error"
            ElementTree.SubElement(case, kind, {"message": said["said"], "type": line.state}).text = text
        elif line.state == WARNS:
            ElementTree.SubElement(case, "system-out").text = text
    ElementTree.indent(top)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(top, encoding="unicode") + "\n"
