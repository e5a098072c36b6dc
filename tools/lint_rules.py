"""docs/lint.md: every rule of `planner lint`, generated from the rules."""

from __future__ import annotations

from planner.lint.rule import ERROR, Rule
from planner.lint.rules import HOUSE_STYLE, RULES, SUBJECTS
from tools.markdown import anchor, cell, prose

HEAD = """\
# What lint checks

<!-- written by `make docs` from planner/lint; a test fails when it is stale -->

`planner lint PLAN --scenario ID` checks the resources that a scenario would deploy. `planner lint --graph FILE.json`
checks any resource graph: the output of `planner preview -f json`, `pulumi preview --json --show-sames` or
`pulumi stack export`, also of another program. It accepts other names, missing keys, unknown resource types, plain ids
instead of references, secrets, and values that are not known yet. It makes no calls to AWS.

Errors exit with code 13 ([exit codes](cli.md#exit-codes)); warnings are printed and do not change the exit code. Use
`-f json` or `-f sarif` for programs. `--ignore RULE,...` leaves rules out, `--select RULE,...` takes some only, and
`--baseline FILE` reports what is new since an earlier `-f json -o FILE`.

How our own stacks are built is no rule for others. In the graph of another program, which has no tag that starts with
`planner:`, the rules of house style warn, and those on random names and missing tags are silent.

Every finding has the rule, the resource and the property, why it matters, how to fix it, and `usd_at_risk`: the cost of
the resource per day. For a launch template this is the cost of everything that starts from it.
"""


def text() -> str:
    """The current text of docs/lint.md."""
    errors = sum(rule.severity == ERROR for rule in RULES)
    parts = [
        HEAD,
        f"{len(RULES)} rules: {errors} errors and {len(RULES) - errors} warnings.",
        "",
        "| subject | rules |",
        "|---|---|",
    ]
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
        ("severity", f"{rule.severity}; a warning in other programs" if rule.id in HOUSE_STYLE else rule.severity),
        ("checks", subjects),
        ("why", f"{cell(rule.why)}."),
        ("fix", f"{cell(rule.remedy)}."),
        ("example", cell(rule.example)),
    )
    table = [f"| {name} | {value} |" for name, value in rows]
    return [f"### {rule.id}", "", prose(f"{rule.what[0].upper()}{rule.what[1:]}."), "", "| | |", "|---|---|", *table]
