"""Findings as SARIF 2.1.0 for code hosts and editors: each rule once, each finding at its line of the file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from planner.lint.read.graph import Graph
from planner.lint.read.values import Json
from planner.lint.rule import Finding, Rule

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def sarif(
    findings: Sequence[Finding],
    rules: Sequence[Rule],
    graph: Graph,
    *,
    file: str,
    lines: Mapping[str, int],
    version: str,
) -> Json:
    """file: the graph or its plan. lines: URN -> its line in the file, counted from 1."""
    places = {rule.id: i for i, rule in enumerate(rules)}
    driver = {"name": "planner lint", "version": version, "rules": [_rule(rule) for rule in rules]}
    results = [_result(finding, places[finding.id], graph, file, lines) for finding in findings]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Rule) -> Json:
    return {
        "id": rule.id,
        "name": "".join(part.capitalize() for part in rule.id.split("-")),
        "shortDescription": {"text": rule.what},
        "fullDescription": {"text": rule.why},
        "help": {"text": f"{rule.remedy}\n\nExample: {rule.example}"},
        "defaultConfiguration": {"level": rule.severity},
    }


def _result(finding: Finding, place: int, graph: Graph, file: str, lines: Mapping[str, int]) -> Json:
    resource = graph.by_urn[finding.resource]
    where = {"name": resource.name, "fullyQualifiedName": finding.resource, "kind": "resource"}
    physical = {
        "artifactLocation": {"uri": quote(file.encode("utf-8", "replace"))},
        "region": {"startLine": lines.get(finding.resource, 1)},
    }
    # the same finding has the same fingerprint in every run
    mark = hashlib.sha256("\0".join((finding.id, finding.resource, finding.property)).encode("utf-8", "replace"))
    return {
        "ruleId": finding.id,
        "ruleIndex": place,
        "level": finding.severity,
        "message": {"text": f"{finding.message} ({finding.property}). {finding.why}. Fix: {finding.remedy}."},
        "locations": [{"physicalLocation": physical, "logicalLocations": [where]}],
        "partialFingerprints": {"resourceProperty/v1": mark.hexdigest()},
        "properties": {"property": finding.property, "usd_at_risk": finding.usd_at_risk},
    }
