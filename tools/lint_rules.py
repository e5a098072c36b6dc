"""docs/lint.md: every rule of `planner lint`, from the rules themselves."""

from __future__ import annotations

from planner.lint.rule import ERROR, Rule
from planner.lint.rules import RULES, SUBJECTS
from tools.markdown import anchor, cell, prose

HEAD = """\
# What lint finds

<!-- written by `make docs` from planner/lint; a test fails when it is stale -->

`planner lint PLAN --scenario ID` checks what a scenario would stand up, `planner lint --graph FILE.json` any resource
graph as `planner preview -f json` writes it, also one of another program, and what Pulumi itself prints for any
program: `pulumi preview --json --show-sames` and `pulumi stack export`. Names, missing keys, resources of other types,
plain ids in place of references, secrets and values that are not known yet do not disturb it. Nothing is asked of AWS.
An error exits with 13 ([exit codes](cli.md#exit-codes)); warnings are printed and pass. `-f json` and `-f sarif` are
for programs.

Every finding names the rule, the resource and the property, why it matters and what to do, and `usd_at_risk`: what the
resource costs in a day while it stands (of a launch template, what starts from it).
"""


def text() -> str:
    """docs/lint.md as it is today."""
    errors = sum(rule.severity == ERROR for rule in RULES)
    parts = [HEAD, f"{len(RULES)} rules, {errors} of them errors:", "", "| subject | rules |", "|---|---|"]
    for subject, rules in SUBJECTS.items():
        links = " ".join(f"[{rule.id}](#{anchor(rule.id)})" for rule in rules)
        parts.append(f"| [{subject}](#{anchor(subject)}) | {links} |")
    for subject, rules in SUBJECTS.items():
        parts += ["", f"## {subject}"]
        for rule in rules:
            parts += ["", *_one(rule)]
    return "\n".join(parts) + "\n"


def _one(rule: Rule) -> list[str]:
    subjects = ", ".join(f"`{subject}`" for subject in rule.subjects) or "every resource"
    rows = (
        ("severity", rule.severity),
        ("looks at", subjects),
        ("why", cell(rule.why)),
        ("remedy", cell(rule.remedy)),
        ("example", cell(rule.example)),
    )
    table = [f"| {name} | {value} |" for name, value in rows]
    return [f"### {rule.id}", "", prose(f"{rule.what[0].upper()}{rule.what[1:]}."), "", "| | |", "|---|---|", *table]
