"""Gates as JUnit XML, which CI systems show as tests: one case a gate, failed with what violates it."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from planner.answer.gates import FEASIBLE, LIMITS, Gates, Violation
from planner.report.wording.figures import visible

SUITE = "planner gates"


def render(plan: str, gates: Gates, found: Sequence[Violation]) -> str:
    """The document. plan: its name, shown as the class of each case."""
    cases = _cases(gates)
    failed = {name: [violation for violation in found if _fails(violation, name)] for name in cases}
    counts = {"tests": str(len(cases)), "failures": str(sum(map(bool, failed.values()))), "errors": "0"}
    top = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(top, "testsuite", {"name": SUITE, **counts, "skipped": "0", "time": "0"})
    for name, title in cases.items():
        case = ElementTree.SubElement(suite, "testcase", {"classname": visible(plan), "name": title, "time": "0"})
        messages = [f"{visible(violation.message)} (exit code {violation.code:d})" for violation in failed[name]]
        if messages:
            failure = ElementTree.SubElement(case, "failure", {"message": messages[0], "type": name})
            failure.text = "\n".join(messages)
    ElementTree.indent(top)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(top, encoding="unicode") + "\n"


def _fails(violation: Violation, name: str) -> bool:
    """Whether a gate fails by a violation; without a feasible or eligible choice, every limit does."""
    return violation.gate == name or (violation.gate in (FEASIBLE, LIMITS) and name in ("max-cost", "max-days"))


def _cases(gates: Gates) -> dict[str, str]:
    """Gate -> what it asks for, of those that the caller set; the first holds always."""
    found = {FEASIBLE: "a choice is feasible"}
    if gates.max_cost_usd is not None:
        found["max-cost"] = f"--max-cost {gates.max_cost_usd:.12g} --at {gates.at}"
    if gates.max_days is not None:
        found["max-days"] = f"--max-days {gates.max_days:.12g} --at {gates.at}"
    if gates.strict:
        found |= {"strict-dates": "--strict: no price is out of date", "strict-prices": "--strict: every price is firm"}
    if gates.max_unpriced is not None:
        found["max-unpriced"] = f"--max-unpriced {gates.max_unpriced}"
    return found
