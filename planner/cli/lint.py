"""`planner lint`: mistakes in a resource graph that the provider does not catch, found before deployment."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from planner import __version__
from planner.cli.options import (
    OUT,
    Asked,
    common,
    format_option,
    overrides_option,
    planned_stack,
    prices_option,
    scenario_option,
)
from planner.cli.output import format_of, room_of, say, write_result
from planner.cli.stack_shared import text_of
from planner.errors import ExitCode, UsageProblem

if TYPE_CHECKING:
    from planner.lint.read.graph import Graph
    from planner.lint.rule import Finding


@click.command()
@click.argument("plan", type=click.Path(), required=False)
@scenario_option("The scenario of PLAN", default="best")
@click.option(
    "--graph",
    "graph_file",
    type=click.Path(),
    metavar="FILE",
    help="A resource graph, or the output of `pulumi preview --json --show-sames` or `pulumi stack export`, instead of "
    "a plan; - is standard input.",
)
@planned_stack
@overrides_option()
@prices_option()
@click.option("--select", multiple=True, metavar="RULE,...", help="Check only these rules.")
@click.option("--ignore", multiple=True, metavar="RULE,...", help="Skip these rules.")
@click.option(
    "--baseline",
    type=click.Path(),
    metavar="FILE",
    help="Report only what is not in FILE, an earlier result of `-f json -o FILE`.",
)
@format_option(
    ["table", "json", "sarif"], "sarif is for code hosts and editors. [default: by FILE's ending, else table]"
)
@OUT
@common
def command(
    plan: str | None,
    scenario: str | None,
    graph_file: str | None,
    stack: str | None,
    nic_profile: str,
    overrides: tuple[str, ...],
    prices: str | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    baseline: str | None,
    style: str | None,
    out: str | None,
    color: str,
    quiet: bool,
    debug: bool,
) -> int:
    """Check the resources of a scenario of PLAN, or of any resource graph in FILE, against the rules of docs/lint.md.

    The exit code is 13 if there is an error; warnings are printed and do not change it.
    """
    from planner.lint.rules import RULES, lint

    style = format_of(style, out, ("table", "json", "sarif"))
    if graph_file is not None:
        if plan is not None or scenario is not None or stack is not None or overrides or prices is not None:
            raise UsageProblem("--graph takes no plan and none of its options")
        source, text = graph_file, text_of(graph_file)
        graph = _parsed(source, text)
    elif plan is None:
        raise UsageProblem("name a plan, or --graph FILE")
    elif plan.endswith(".json"):
        raise UsageProblem(f"a resource graph needs --graph: planner lint --graph {plan}")
    else:
        source, text = plan, ""
        graph = _of_plan(plan, scenario or "best", stack, nic_profile, overrides, prices)
    findings, known = _narrowed(lint(graph), select, ignore, baseline)
    if style == "json":
        found = {"schema_version": "1", "findings": [finding.as_json() for finding in findings]}
        text = json.dumps(found, indent=2) + "\n"
    elif style == "sarif":
        from planner.lint.sarif import sarif

        found = sarif(findings, RULES, graph, file=source, lines=_lines(graph, text), version=__version__)
        text = json.dumps(found, indent=2) + "\n"
    else:
        from planner.report.terminal.findings_text import table

        room = room_of(out, color)
        resources = sum(resource.type.startswith("aws:") for resource in graph.resources)
        text = table(
            [finding.as_json() for finding in findings],
            resources or len(graph.resources),
            width=room.width,
            colour=room.colour,
            quiet=quiet,
        )
        if known:
            say(f"{known} {'finding' if known == 1 else 'findings'} of {baseline} not repeated", quiet)
    write_result(text, out)
    return ExitCode.BLOCKER if any(finding.severity == "error" for finding in findings) else ExitCode.OK


def _narrowed(
    findings: list[Finding], select: tuple[str, ...], ignore: tuple[str, ...], baseline: str | None
) -> tuple[list[Finding], int]:
    """The findings asked for, and how many the baseline knows. Raises UsageProblem."""
    from planner.lint.narrow import NotABaseline, UnknownRule, baseline_of, new_since, of_rules, rule_ids
    from planner.lint.rules import RULES

    ids = [rule.id for rule in RULES]
    try:
        found = of_rules(findings, rule_ids(select, ids), rule_ids(ignore, ids))
    except UnknownRule as error:
        raise UsageProblem(f"{error}; docs/lint.md lists them") from error
    if baseline is None:
        return found, 0
    try:
        new = new_since(found, baseline_of(text_of(baseline)))
    except NotABaseline as error:
        raise UsageProblem(f"--baseline {baseline}: {error}") from error
    return new, len(found) - len(new)


def _parsed(source: str, text: str) -> Graph:
    from planner.lint.read.graph import NotAGraph, parse

    try:
        return parse(text)
    except NotAGraph as error:
        raise UsageProblem(
            f"{source}: {error}; `planner preview PLAN --scenario ID -f json`, "
            "`pulumi preview --json --show-sames` and `pulumi stack export` write one"
        ) from error


def _of_plan(
    plan: str, scenario: str, stack: str | None, nic_profile: str, overrides: tuple[str, ...], prices: str | None
) -> Graph:
    from planner.cli.preview import previewed_graph
    from planner.lint.read.graph import graph_from

    asked = Asked(plan=plan, overrides=overrides, prices=prices)
    document, _ = previewed_graph(asked, scenario, stack, nic_profile)
    return graph_from(document)


def _lines(graph: Graph, text: str) -> dict[str, int]:
    """URN -> the line of the file on which its resource has it."""
    found: dict[str, int] = {}
    wanted = {form: urn for urn in graph.by_urn for form in (json.dumps(urn), json.dumps(urn, ensure_ascii=False))}
    for number, line in enumerate(text.splitlines(), 1):
        key, colon, value = line.strip().partition(":")
        urn = wanted.get(value.strip().rstrip(",")) if colon and key == '"urn"' else None
        if urn is not None:
            found.setdefault(urn, number)
    return found
