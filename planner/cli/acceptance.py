"""`planner acceptance`: a deployed stack, measured on all nodes at once, against its plan."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from planner.cli.gates import check_junit
from planner.cli.options import STACK, Asked, common, evidence_options, priced_plan, scenario_option
from planner.cli.output import check_out, format_of, room_of, say, write_result
from planner.cli.progress import progress
from planner.cli.stack_shared import FILE_SYSTEM, deployed, linked_folder, nodes_of
from planner.errors import ExitCode, PlannerError

if TYPE_CHECKING:
    from planner.acceptance.found import Found
    from planner.account.commands import Fleet
    from planner.estimate.request import Request
    from planner.stack.spec import ClusterSpec

KEPT = "acceptance/"  # of results, in the stack's own data bucket
SMALL = (100_000, 1_000_000)  # bytes of objects beside those of the plan
LARGEST = 2**30


@click.command()
@priced_plan
@scenario_option("The deployed scenario", default="the stack file's, else best")
@STACK
@click.option("--against", type=click.Path(), metavar="FILE", help="Also hold it against the figures in FILE.")
@click.option("--tcp", is_flag=True, help="Also measure the gang without EFA, for the price of a fallback to TCP.")
@click.option("--measured", metavar="FILE", help="Write what was measured; `--set @FILE` gives it to the next plan.")
@evidence_options("was not measured")
@common
def command(
    asked: Asked,
    scenario: str | None,
    stack: str | None,
    against: str | None,
    tcp: bool,
    measured: str | None,
    strict: bool,
    junit: str | None,
    style: str | None,
    out: str | None,
    color: str,
    quiet: bool,
    debug: bool,
) -> int:
    """Measure the stack of one scenario of PLAN before it takes jobs: readiness, reads by object size (from the pool,
    FSx for Lustre or S3), a checkpoint of the planned size, starts, bandwidth between nodes.

    Systems Manager runs the measurement on all nodes at once; it takes minutes and what the nodes cost. Each value is
    beside the plan's range; a miss says what it costs over the run. The result goes to acceptance/ in the stack's data
    bucket. Exits with 13 if something misses.
    """
    from planner.acceptance.judge import Accepted, lines_of
    from planner.acceptance.line import MISS, NOT_MEASURED, counts
    from planner.acceptance.targets import lines_against, read_targets
    from planner.acceptance.written import evidence, next_plan
    from planner.acceptance.written import junit as as_junit
    from planner.report.terminal.check_text import ACCEPTANCE, table

    style = format_of(style, out, ("table", "json"))
    check_junit(junit, out)
    check_out(measured)
    targets = read_targets(against) if against else None
    spec, asking = deployed(asked, scenario, stack, quiet)
    request = asking.loaded.kind.part("answers").request_of(asking, derivations=False)
    now = datetime.now(UTC)
    found, fleet, bucket = _measured(request, spec, tcp, now, quiet)
    lines = lines_of(Accepted(request=request, scenario=spec.scenario, spec=spec, found=found))
    lines += lines_against(targets, found) if targets else []
    document = evidence(lines, spec, found, now)
    if style == "json":
        text = document
    else:
        room = room_of(out, color)
        head = f"Stack {spec.stack}: {spec.scenario} in {spec.region}, measured on {now:%Y-%m-%d %H:%M} UTC"
        plain = [{**line.as_json(), "asked": line.what} for line in lines]
        text = table(plain, head, states=ACCEPTANCE, width=room.width, colour=room.colour, quiet=quiet)
    if junit is not None:
        write_result(as_junit(lines, spec), junit)
    write_result(text, out)
    _kept(fleet, bucket, f"{KEPT}{now:%Y-%m-%dT%H%M%SZ}.json", document, quiet)
    source = f"planner acceptance of {spec.stack}, {now:%Y-%m-%d}"
    sections = next_plan(lines, request.central(recording=False), source)
    if measured is not None and sections:
        from planner.plan.values_file import written

        write_result(written(sections, f"Measured: {spec.scenario}, stack {spec.stack}"), measured)
        say(f"Wrote {measured}. Next: planner compare {asked.plan} --set @{measured}", quiet)
    elif measured is not None:
        say("nothing was measured that a plan assumes", quiet)
    states = counts(lines)
    return ExitCode.BLOCKER if states[MISS] or (strict and states[NOT_MEASURED]) else ExitCode.OK


def _measured(request: Request, spec: ClusterSpec, tcp: bool, now: datetime, quiet: bool) -> tuple[Found, Fleet, str]:
    from planner.acceptance import ask
    from planner.acceptance.planned import evaluated
    from planner.models.number import median

    entry = evaluated(request, spec.scenario)
    assert entry.planned is not None
    demand = entry.planned.run.demand
    planned = int(min(median(demand.object_bytes), LARGEST))
    fleet = nodes_of(spec)
    asked = ask.Asked(
        run=f"{now:%Y%m%dT%H%M%S}",
        sizes=tuple(sorted({*SMALL, planned})),
        checkpoint_bytes=int(median(demand.checkpoint_bytes)),
        storage=ask.POOL if spec.pool else ask.FOLDER if spec.lustre else ask.S3,
        gpus=spec.fleet.gpus if spec.fleet.nodes > 1 else 0,
        tcp=tcp,
        folder=FILE_SYSTEM if spec.lustre else "",  # its root is linked to no bucket
        linked=linked_folder(spec, exported=True),
        slurm=spec.scheduler is not None,
        # no more than a quarter of a node's share of the data, so that nothing is evicted for it
        most_bytes=int(min(2**30, max(demand.hot_bytes / demand.nodes / 4, 2**20))),
    )
    with progress("Measuring", quiet=quiet) as shown:

        def started(part: str) -> None:
            shown.what = f"Asking the nodes: {part}"

        found, bucket = ask.measured(fleet, asked, started)
        started("times of starts")
        hours = fleet.start_hours(bucket, fleet.members()) if bucket else {}
    if hours:
        return replace(found, boot_hours=max(hours.values())), fleet, bucket
    no_record = "AWS PCS starts these nodes: no record" if spec.scheduler else "no node has a record of its start"
    return replace(found, why={"boot": no_record, **found.why}), fleet, bucket


def _kept(fleet: Fleet, bucket: str, key: str, document: str, quiet: bool) -> None:
    """The result is here in any case; what keeps it out of the bucket is said."""
    if not bucket:
        return
    try:
        fleet.keep(bucket, key, document)
    except PlannerError as problem:
        say(f"note: not kept in the bucket: {problem}")
        return
    say(f"Kept as s3://{bucket}/{key}", quiet)
