"""Lines of evidence as JUnit XML, which CI systems show as tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree


@dataclass(frozen=True, kw_only=True)
class Case:
    """One test. outcome: failure, error, or "" where it passed. kind: the word for it. text: shown with it."""

    name: str
    outcome: str
    kind: str = ""
    message: str = ""
    text: str = ""


def render(suite: str, of: str, cases: Sequence[Case]) -> str:
    """The document. of: the class of each case."""
    counts = {f"{word}s": str(sum(case.outcome == word for case in cases)) for word in ("failure", "error")}
    totals = {"tests": str(len(cases)), **counts}
    top = ElementTree.Element("testsuites", totals)
    below = ElementTree.SubElement(top, "testsuite", {"name": suite, **totals, "skipped": "0", "time": "0"})
    for case in cases:
        made = ElementTree.SubElement(below, "testcase", {"classname": of, "name": case.name, "time": "0"})
        if case.outcome:
            found = ElementTree.SubElement(made, case.outcome, {"message": case.message, "type": case.kind})
            found.text = case.text
        elif case.text:
            ElementTree.SubElement(made, "system-out").text = case.text
    ElementTree.indent(top)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(top, encoding="unicode") + "\n"
