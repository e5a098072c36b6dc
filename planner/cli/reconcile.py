"""`planner reconcile`: a plan beside what AWS billed for its stack."""

from __future__ import annotations

import click

from planner.api.arguments import day_of
from planner.cli.options import OUT, STACK, Asked, common, format_option, priced_plan, scenario_option
from planner.cli.output import check_out, format_of, room_of, say, write_result
from planner.cli.progress import Watched
from planner.errors import UsageProblem


@click.command()
@priced_plan
@click.option(
    "--bill",
    "bills",
    multiple=True,
    required=True,
    metavar="FILE|DIR",
    help="Export of FOCUS 1.2 or CUR 2.0, CSV or Parquet, or a folder of them; may repeat.",
)
@click.option(
    "--jobs",
    multiple=True,
    metavar="FILE",
    help="Log of the run's attempts (CSV or JSON Lines: begin, end, nodes, ended, kept_hours); may repeat.",
)
@click.option("--sacct", metavar="FILE", help="What sacct printed of the stack's cluster: the bill by its accounts.")
@click.option("--zone", metavar="ZONE", help="Time zone of sacct's times, where they name no offset.")
@scenario_option("The scenario that was deployed", default="best")
@STACK
@click.option("--account", metavar="ID", help="Account of the stack, where several have one of its name.")
@click.option("--until", metavar="DATE", help="Last day that the bill has. [default: of its last use]")
@click.option(
    "--measured", metavar="FILE", help="Write what was measured to FILE; `--set @FILE` gives it to the next plan."
)
@format_option(["table", "csv", "html"], "[default: by FILE's ending, else table]")
@OUT
@common
def command(
    asked: Asked,
    bills: tuple[str, ...],
    jobs: tuple[str, ...],
    sacct: str | None,
    zone: str | None,
    scenario: str | None,
    stack: str | None,
    account: str | None,
    until: str | None,
    measured: str | None,
    style: str | None,
    out: str | None,
    color: str,
    quiet: bool,
    debug: bool,
) -> None:
    """Compare PLAN with what AWS billed for its stack, line by line, by quantity and price.

    Charges are found by the tag planner:stack, which has to be active as a cost allocation tag. Fees of a Capacity
    Block and upfront payments are spread over the hours that they cover; credits, refunds and taxes are listed apart.
    A bill that ends before the plan does is compared up to its end.

    Of a fleet the bill is compared by project, with --sacct; --stack takes several names, separated by commas.
    """
    style = format_of(style, out, ("table", "csv", "html"))
    if measured is not None:
        check_out(measured)
        if measured == "-" or measured == out:
            raise UsageProblem("--measured needs a file of its own")
    last = day_of(until, "--until") if until else None
    ask = asked.ask()
    found = ask.loaded.kind.part("billed").beside(
        ask,
        scenario or "best",
        bills,
        stack=stack,
        until=last,
        jobs=jobs,
        account=account,
        sacct=sacct,
        zone=zone,
        reading=lambda path: say(f"reading {path}", quiet),
        watch=Watched(quiet),
    )
    if style == "csv":
        from planner.report.data.reconciliation_csv import render as render_csv

        text = render_csv(found.found)
    elif style == "html":
        from planner.report.html.reconciliation import render as render_html

        text = render_html(found.view())
    else:
        from planner.report.terminal.reconciliation_text import render

        room = room_of(out, color)
        text = render(
            found.plan_name, found.found, found.measured, found.log, width=room.width, ascii_only=room.ascii_only
        )
    write_result(text, out)
    if measured is not None:
        if not found.measured:
            say("nothing was measured: the bill has no hours of GPU nodes", quiet)
            return
        from planner.plan.values_file import written

        write_result(
            written(found.next_plan(), f"Measured: {found.found.scenario}, stack {found.found.stack}"), measured
        )
        say(f"Wrote {measured}. Next: planner compare PLAN --set @{measured}", quiet)
