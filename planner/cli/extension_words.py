"""What `planner reserve --extend` says: the offers, the earlier extensions, and what follows from a payment."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from planner.cli.reserve_words import against_plan, moment_text, offer_table
from planner.report.wording.figures import many, visible
from planner.report.wording.wrapping import wrap
from planner.stack.extensions import payment_due
from planner.stack.spec import BEFORE_END, is_known
from planner.stack.timestamps import parse_timestamp

if TYPE_CHECKING:
    from planner.account.extensions import Extension
    from planner.account.offers import Offer
    from planner.stack.spec import ClusterSpec


def extension_lines(
    spec: ClusterSpec, id: str, offers: Sequence[Offer], chosen: Offer | None, due: datetime, width: int
) -> list[str]:
    """Every offer to extend a block, and what buying the chosen one means. due: the latest time of its payment."""
    gpus = spec.fleet.gpus
    table = offer_table(offers, chosen, gpus, width, ("Days", lambda offer: f"{offer.hours / 24:g}"))
    if chosen is None:
        return table
    said = [
        f"* {id} with {chosen.instances} nodes, {chosen.instances * gpus:,} GPUs, ends on {moment_text(chosen.ends)} "
        f"UTC, not on {moment_text(chosen.starts)}: ${chosen.fee_usd:,.2f} in all, paid at once and non-refundable.",
        f"  If AWS cannot charge it by {moment_text(due)} UTC, the block ends as before.",
        f"  {against_plan(spec, chosen)}",
    ]
    return [*table, "", *(line for part in said for line in wrap(part, width, "  "))]


def earlier_extension(one: Extension) -> str:
    """An extension that was bought before, and what became of its payment."""
    when = f" on {moment_text(one.bought)} UTC" if one.bought else ""
    fee = f" for ${one.fee_usd:,.2f}" if one.fee_usd is not None else ""
    became = {
        "payment-failed": "its payment failed, so it adds nothing: look at the payment method in the AWS Billing "
        "console",
        "payment-succeeded": f"paid, until {moment_text(one.ends)} UTC",
    }.get(one.status, one.status)
    return f"{one.reservation_id} was extended by {many(round(one.hours / 24), 'day')}{when}{fee}: {became}"


def waits_for_payment(one: Extension, now: datetime) -> str:
    """An extension whose payment is pending, and until when the block ends as before."""
    due = moment_text(payment_due(one.bought or now, one.starts))
    return (
        f"The payment to extend {one.reservation_id} is pending. Once it is paid, the block ends on "
        f"{moment_text(one.ends)} UTC; if it is not by {due} UTC, on {moment_text(one.starts)} UTC as before"
    )


def moved_ends(before: ClusterSpec, after: ClusterSpec) -> str:
    """Ends that AWS has and the stack file has not."""
    pairs = zip(before.blocks, after.blocks, strict=True)
    return "; ".join(
        f"{new.reservation_id} ends at {new.ends}, the stack file has {visible(old.ends)}"
        for old, new in pairs
        if old != new
    )


def next_after_extension(before: ClusterSpec, after: ClusterSpec) -> str:
    """What has to be done before the fleet scales to zero for the old end."""
    first = min((old.ends for old, new in zip(before.blocks, after.blocks, strict=True) if old != new), default="")
    by = f" before {moment_text(parse_timestamp(first) - BEFORE_END)} UTC" if is_known(first) else ""
    return f"Next: pulumi up --stack {after.stack}{by}, or the fleet scales to zero for the old end"
