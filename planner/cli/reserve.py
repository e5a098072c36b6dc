"""`planner reserve`: the only verb that spends money, and only for a dollar amount that a person confirms."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planner.api.arguments import day_of
from planner.cli.confirm import NOTHING, agreed
from planner.cli.options import common
from planner.cli.output import columns, say, write_result
from planner.cli.stack_shared import stack_path
from planner.errors import AwsProblem, ExitCode, UsageProblem

if TYPE_CHECKING:
    from planner.account.reservations import Reservation
    from planner.stack.spec import ClusterSpec


@click.command()
@click.argument("stackfile", type=click.Path(), required=False)
@click.option(
    "--stack", metavar="NAME", help="Name of the stack, whose file is beside Pulumi.yaml; replaces STACKFILE."
)
@click.option("--nodes", type=click.IntRange(1), metavar="N", help="Show offers of another size; needs --dry-run.")
@click.option(
    "--days",
    type=click.IntRange(1, 182),
    metavar="DAYS",
    help="Length of the block, or of its extension. [default: the plan's]",
)
@click.option("--starts-after", metavar="DATE", help="Earliest start, like 2026-12-01. [default: the earliest offer]")
@click.option("--zone-id", metavar="ZONE", help="Only offers in this zone. [default: the stack's, if set]")
@click.option("--offering", metavar="ID", help="Choose this offer. [default: the lowest fee, then the earliest]")
@click.option(
    "--capacity-reservation", "open_ended", is_flag=True, help="Reserve On-Demand capacity, billed until you cancel it."
)
@click.option("--placement-group", metavar="ARN", default="", help="Cluster placement group of --capacity-reservation.")
@click.option("--extend", is_flag=True, help="Extend a block that is bought, instead of buying one.")
@click.option(
    "--accept-usd", type=float, metavar="USD", help="Buy without a prompt if the price is within 0.5 % of this."
)
@click.option("--dry-run", is_flag=True, help="Show the offers; buy nothing.")
@common
def command(
    stackfile: str | None,
    stack: str | None,
    nodes: int | None,
    days: int | None,
    starts_after: str | None,
    zone_id: str | None,
    offering: str | None,
    open_ended: bool,
    placement_group: str,
    extend: bool,
    accept_usd: float | None,
    dry_run: bool,
    color: str,
    quiet: bool,
    debug: bool,
) -> int:
    """Show what AWS offers for the nodes of a stack, and buy it once you confirm the dollar amount.

    A Capacity Block is paid at once and is not refundable. Where a fleet needs several, each call buys the next one.
    Exits with 10 if nothing was bought. The purchase is written to the stack file. If an earlier call bought it but
    failed before writing, it is found by its tag and not bought again.

    --extend adds days to the end of a block, by the same rule. AWS takes them from 56 days to one hour before the end.
    Where a fleet has several blocks, each call extends the one that ends first. The new end is written to the stack
    file once it is paid: until then, the same command buys nothing more and looks whether it is.
    """
    from planner.account import aws_client
    from planner.account.reservations import reservations_of
    from planner.stack.check import findings_of
    from planner.stack.file import open_file, read, rendered, write
    from planner.stack.reservations import bought, check_purchasable, to_buy, with_reservation

    path = path_of(stackfile, stack)
    spec = read(path)
    if extend:
        from planner.cli.reserve_extension import extended

        if nodes or starts_after or zone_id or open_ended or placement_group:
            raise UsageProblem(
                "--extend keeps the nodes and the zone of a block: only --days, --offering, --accept-usd "
                "and --dry-run go with it"
            )
        return extended(path, spec, days=days, offering=offering, accept_usd=accept_usd, dry_run=dry_run, quiet=quiet)
    check_purchasable(spec, open_ended=open_ended)
    wanted = spec.fleet.nodes if open_ended else to_buy(spec)[1].nodes
    if nodes not in (None, wanted) and not dry_run:
        raise UsageProblem(f"the stack needs {wanted} nodes: --nodes {nodes} needs --dry-run")
    if (days or starts_after or offering) and open_ended:
        raise UsageProblem("--days, --starts-after and --offering apply only to Capacity Blocks")
    if placement_group and not open_ended:
        raise UsageProblem("--placement-group needs --capacity-reservation: a Capacity Block has no placement group")
    zone = _zone(spec, zone_id)
    ec2 = aws_client.client("ec2", spec.region)
    bought_before = reservations_of(ec2, spec.stack)
    known = {block.reservation_id for block in bought(spec)}
    held = [
        entry
        for entry in bought_before
        if entry.held and entry.instance_type == spec.fleet.instance_type and entry.id not in known
    ]
    if held and not dry_run:
        found = _of(held, wanted, open_ended)
        say(f"{found.id} was bought before for this stack ({found.state}): {NOTHING}", quiet)
    elif open_ended:
        over = [entry.id for entry in bought_before if not entry.held]
        found = _open_ended(spec, ec2, zone, placement_group, over, accept_usd, dry_run)
    else:
        after = None
        if starts_after:
            day = day_of(starts_after, "--starts-after")
            after = datetime(day.year, day.month, day.day, tzinfo=UTC)
        found = _block(spec, ec2, nodes or wanted, days, after, zone, offering, accept_usd, dry_run)
    if found is None:
        return ExitCode.OK if dry_run else ExitCode.GATE
    after_it = with_reservation(
        spec,
        reservation_id=found.id,
        zone_id=found.zone_id,
        starts=found.starts,
        ends=found.ends,
        placement_group=placement_group,
    )
    wrong = [finding.message for finding in findings_of(after_it)]
    if bought(spec) and found.zone_id not in ("", zone):
        wrong.append(f"it is in {found.zone_id}, and the other Capacity Block in {zone}")
    if wrong:
        listed = "; ".join(wrong)
        raise AwsProblem(f"{found.id} was bought but does not fit {path}: {listed}")
    write(path, rendered(after_it, open_file(path).text, where=str(path)))
    write_result(f"{found.id}\n", None)
    say(f"Wrote {path}: {_written(after_it)}", quiet)
    return ExitCode.OK


def path_of(stackfile: str | None, stack: str | None) -> Path:
    """The stack file that was named, or that of a stack beside the project file. Raises UsageProblem."""
    if (stackfile is None) == (stack is None):
        raise UsageProblem("name a stack file, or --stack NAME")
    return Path(stackfile) if stackfile is not None else stack_path(str(stack))


def _block(
    spec: ClusterSpec,
    ec2: object,
    nodes: int,
    days: int | None,
    after: datetime | None,
    where: str,
    offering: str | None,
    accept_usd: float | None,
    dry_run: bool,
) -> Reservation | None:
    from planner.account import aws_client
    from planner.account.offers import block_offers
    from planner.account.reservations import buy_block
    from planner.cli.reserve_words import block_lines
    from planner.stack.reservations import block_days, check_days, tags_of, to_buy, together

    number, _ = to_buy(spec)
    length = days or spec.buying.block_parts[0] or block_days(spec.guard.max_days)
    check_days(length)
    kind = spec.fleet.instance_type
    offers = block_offers(ec2, instance_type=kind, instances=nodes, hours=length * 24, after=after)
    fitting = [
        offer
        for offer in offers
        if offer.instances == nodes and where in ("", offer.zone_id) and together(spec, offer.starts, offer.ends)
    ]
    if offering is not None:
        fitting = [offer for offer in fitting if offer.id == offering]
    if not fitting:
        beside = f" ({len(offers)} elsewhere)" if offers else ""
        place = f" in {where}" if where else ""
        place += " beside the block that is bought" if number else ""
        say(f"no offer of {nodes} x {kind} for {length} days{place}{beside}: {NOTHING}")
        return None
    chosen = fitting[0]
    write_result("\n".join(block_lines(spec, fitting, chosen, _gpus(kind), columns())) + "\n", None)
    if dry_run or not agreed(chosen.fee_usd, "the fee", accept_usd):
        return None
    # once: a call that AWS has heard and not answered must not be made again by the client itself
    return buy_block(aws_client.client("ec2", spec.region, attempts=1), chosen, tags_of(spec, number))


def _zone(spec: ClusterSpec, asked: str | None) -> str:
    """The zone to buy in: the one that was asked for, else the stack's; empty for any. Raises UsageProblem where blocks
    are bought and theirs is another, or not known: all nodes of a stack stand in one zone."""
    from planner.stack.reservations import bought

    stacks = "" if "zone_id" in spec.placeholders else spec.zone_id
    if bought(spec) and not stacks:
        raise UsageProblem("the stack file has a Capacity Block and no zone: write the zone of that block as zone_id")
    if bought(spec) and asked not in (None, stacks):
        raise UsageProblem(f"--zone-id {asked}: the stack's other Capacity Block is in {stacks}, and so must this be")
    return asked or stacks


def _open_ended(
    spec: ClusterSpec,
    ec2: object,
    where: str,
    group: str,
    over: list[str],
    accept_usd: float | None,
    dry_run: bool,
) -> Reservation | None:
    from planner.account.reservations import reserve
    from planner.cli.reserve_words import open_ended_lines
    from planner.stack.reservations import tags_of

    if not where:
        raise UsageProblem("name a zone with --zone-id, like use1-az4")
    usd = spec.usd_per_hour.get("fleet.compute")
    write_result("\n".join(open_ended_lines(spec, where, usd, columns())) + "\n", None)
    if usd is None:
        say(f"the plan has no price of {spec.fleet.instance_type}, so there is no amount to confirm: {NOTHING}")
        return None
    if dry_run or not agreed(usd * 24, "a day's dollars", accept_usd):
        return None
    return reserve(
        ec2,
        instance_type=spec.fleet.instance_type,
        instances=spec.fleet.nodes,
        zone_id=where,
        group=group,
        tags=tags_of(spec),
        over=over,
    )


def _of(held: list[Reservation], nodes: int, open_ended: bool) -> Reservation:
    """The one that fits the stack. Raises UsageProblem where that is not plain."""
    kind = "reservation" if open_ended else "capacity-block"
    fitting = [entry for entry in held if entry.kind == kind and entry.instances == nodes]
    if len(fitting) != 1:
        listed = ", ".join(f"{entry.id} ({entry.instances} x {entry.instance_type}, {entry.kind})" for entry in held)
        raise UsageProblem(
            f"this stack has {listed} at AWS already: {NOTHING}. Write the one to use into the stack file"
        )
    return fitting[0]


def _gpus(instance_type: str) -> int:
    """GPUs of a node. Raises UsageProblem for a type that the newest price book does not know."""
    from planner.cli.options import book_for

    try:
        return book_for(None).instance(instance_type).gpu_count
    except LookupError as error:
        raise UsageProblem(str(error)) from None


def _written(spec: ClusterSpec) -> str:
    from planner.report.wording.figures import many
    from planner.stack.reservations import bought

    held = bought(spec)
    last = held[-1] if held else spec.buying
    starts = f", starts {last.starts}" if last.starts else ""
    ends = f", ends {last.ends}" if last.ends else ""
    missing = len(spec.blocks) - len(held)
    more = f". {many(missing, 'block')} more to buy: run it again" if missing else ""
    if not missing and len(parts := spec.buying.block_parts) > 1:
        more = f". The plan asks for {many(parts[1], 'day')} more, bought today: `planner reserve --stack {spec.stack} "
        more += f"--extend --days {parts[1]}`"
    return f"{last.reservation_id} in {spec.zone_id}{starts}{ends}{more}"
