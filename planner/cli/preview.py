"""`planner preview`: every resource that `pulumi up` would create, without engine, account or credentials."""

from __future__ import annotations

from typing import Any

import click

from planner.api.graphs import graph_of
from planner.cli.next_step import FOR_PEOPLE, command_of
from planner.cli.options import (
    OUT,
    Asked,
    all_option,
    common,
    format_option,
    planned_stack,
    priced_plan,
    scenario_option,
)
from planner.cli.output import format_of, room_of, say, write_result
from planner.cli.stack_shared import planned


@click.command()
@priced_plan
@scenario_option("The scenario to deploy", default="best")
@planned_stack
@format_option(
    ["table", "json", "svg"],
    "json is the resource graph that `planner lint --graph` reads, svg is a picture. "
    "[default: by FILE's ending, else table]",
)
@OUT
@all_option("every resource by its name, not one row for each component")
@common
def command(
    asked: Asked,
    scenario: str | None,
    stack: str | None,
    nic_profile: str,
    style: str | None,
    out: str | None,
    everything: bool,
    color: str,
    quiet: bool,
    debug: bool,
) -> None:
    """Show the AWS resources of one scenario of PLAN: by component, with cost per hour and bill lines.

    Runs the Pulumi program without AWS and records what it would create. IDs that only an account has are
    placeholders.
    """
    from planner.report.data import resource_graph
    from planner.report.terminal import resources_text

    style = format_of(style, out, ("table", "json", "svg"))
    graph, stored_usd = previewed_graph(asked, scenario or "best", stack, nic_profile)
    if style == "json":
        text = resource_graph.as_json(graph)
    elif style == "svg":
        from planner.report.pictures.architecture import svg

        text = svg(graph, stored_usd=stored_usd)
    else:
        room = room_of(out)
        text = resources_text.table(
            graph, stored_usd=stored_usd, width=room.width, ascii_only=room.ascii_only, everything=everything
        )
    write_result(text, out)
    if style in FOR_PEOPLE and asked.plan != "-":
        say(f"Next, to deploy it: {command_of('stack', asked, ['--scenario', scenario or 'best'])}", quiet)


def previewed_graph(
    asked: Asked, scenario: str, stack: str | None, nic_profile: str
) -> tuple[dict[str, Any], float | None]:
    """The resource graph of a scenario of a plan, and what it stores in S3 in dollars an hour.

    Raises UsageProblem or PlanProblems.
    """
    ask = asked.ask()
    spec, chosen = planned(ask, scenario, stack or "", nic_profile=nic_profile, quiet=True)
    stored_usd_per_hour = ask.loaded.kind.part("deployed").stored_usd_per_hour
    return graph_of(spec, "the preview runs"), stored_usd_per_hour(chosen)
