"""`planner owned`: the GPU nodes of a run rented, reserved and on machines of one's own."""

from __future__ import annotations

import click

from planner.api.arguments import named
from planner.cli.options import OUT, Asked, common, format_option, priced_plan, scenario_option
from planner.cli.output import format_of, room_of, write_result
from planner.errors import UsageProblem


@click.command()
@priced_plan
@scenario_option("The scenario whose nodes, hours and storage are compared", default="best, else cheapest")
@click.option("-v", "--verbose", is_flag=True, help="Show every assumption with its range and source.")
@format_option(["table", "json"], "[default: by FILE's ending, else table]")
@OUT
@common
def command(
    asked: Asked,
    scenario: str | None,
    verbose: bool,
    style: str | None,
    out: str | None,
    color: str,
    quiet: bool,
    debug: bool,
) -> None:
    """Show what the GPU nodes of PLAN's run cost rented, reserved and on machines of your own, with energy and CO2.

    Owned machines cost their loss in value, interconnect and electricity, with the shares that Epoch AI published for
    training runs. Prices of servers, their use, and electricity are assumptions with a range: set your own, such as
    --set assumptions.owned.usd_per_h100=30000 or --set assumptions.owned.utilization_fraction=0.6.
    """
    from planner.decide.compare import compare
    from planner.decide.ways import ways_of

    style = format_of(style, out, ("table", "json"))
    request = asked.request(derivations=False)
    comparison = compare(request)
    chosen = named(comparison, scenario) if scenario else comparison.best or comparison.cheapest
    if chosen is None:
        raise UsageProblem("no scenario has a price for every line; `planner compare` says why, --scenario names one")
    ways = ways_of(request, comparison, chosen)
    if style == "json":
        from planner.report.data.ways_json import render as render_json

        text = render_json(comparison, ways)
    else:
        from planner.report.terminal.ways_text import render

        room = room_of(out, color)
        text = render(comparison, ways, width=room.width, ascii_only=room.ascii_only, verbose=verbose)
    write_result(text, out)
