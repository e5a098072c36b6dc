"""What `planner reserve` says before it asks: the fee, what it comes to, and what is lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from planner.report.terminal.columns import fitted, rows
from planner.report.wording.figures import many, visible
from planner.report.wording.table import Column
from planner.report.wording.wrapping import wrap
from planner.stack.reservations import HOURS_LOST_AT_END

if TYPE_CHECKING:
    from planner.account.offers import Offer
    from planner.stack.spec import ClusterSpec

SHOWN = 8


def block_lines(spec: ClusterSpec, offers: Sequence[Offer], chosen: Offer, gpus: int, width: int) -> list[str]:
    """Every offer with its fee, the chosen one first, and what buying it means in words."""
    own = (
        ("Zone", lambda offer: visible(offer.zone_id or offer.zone)),
        ("Starts (UTC)", lambda offer: moment_text(offer.starts)),
    )
    table = offer_table(offers, chosen, gpus, width, *own)
    hours = chosen.hours - HOURS_LOST_AT_END
    count = f"{chosen.instances} x {visible(chosen.instance_type)}, {chosen.instances * gpus:,} GPUs"
    said = [
        f"* {count}: ${chosen.fee_usd:,.2f} in all, paid at once and non-refundable; it cannot be cancelled or moved.",
        f"  {chosen.hours:g} hours, less the last 30 minutes, in which AWS ends the nodes: {hours:g} hours to train, "
        f"${_per_gpu_hour(chosen, gpus) * chosen.hours / hours:.4f} a usable GPU-hour.",
        f"  {against_plan(spec, chosen)}",
    ]
    return [*table, "", *(line for part in said for line in wrap(part, width, "  "))]


def open_ended_lines(spec: ClusterSpec, zone_id: str, usd_per_hour: float | None, width: int) -> list[str]:
    """What a reservation without an end bills."""
    what = f"{spec.fleet.nodes} x {visible(spec.fleet.instance_type)} in {visible(zone_id)}"
    price = f"${usd_per_hour:,.2f} an hour, ${usd_per_hour * 24:,.2f} a day" if usd_per_hour is not None else "unpriced"
    said = f"{what}, reserved On-Demand: {price}, from now until you cancel it, whether or not nodes run in it."
    end = f"aws ec2 cancel-capacity-reservation --region {spec.region} --capacity-reservation-id ID"
    return [*wrap(said, width, "  "), "To end it:", f"  {end}"]


def against_plan(spec: ClusterSpec, offer: Offer) -> str:
    """The offer beside the plan's own price of such hours."""
    planned = spec.usd_per_hour.get("fleet.compute")
    if not planned:
        return "The plan has no price for it to compare with."
    planned_fee = planned / spec.fleet.nodes * offer.instances * offer.hours
    change = offer.fee_usd / planned_fee - 1
    word = "the same" if abs(change) < 0.0005 else f"{abs(change):.1%} {'more' if change > 0 else 'less'}"
    return f"By the plan's price these hours cost ${planned_fee:,.2f}: the offer is {word}."


def offer_table(
    offers: Sequence[Offer], chosen: Offer | None, gpus: int, width: int, *own: tuple[str, Callable[[Offer], str]]
) -> list[str]:
    """A row for each offer, the chosen one first. own: title and text of columns beside fee, end and id."""
    first = [chosen] if chosen is not None else []
    shown = [*first, *(offer for offer in offers if offer is not chosen)][:SHOWN]
    placed = [
        Column(title="", values=["*" if offer is chosen else "" for offer in shown], text=True),
        Column(title="Fee $", values=[f"{offer.fee_usd:,.2f}" for offer in shown]),
        Column(title="$/GPU-h", values=[f"{_per_gpu_hour(offer, gpus):.4f}" for offer in shown]),
        *(Column(title=title, values=[text(offer) for offer in shown], text=True) for title, text in own),
        Column(title="Ends (UTC)", values=[moment_text(offer.ends) for offer in shown], text=True),
        Column(title="Offering", values=[visible(offer.id) for offer in shown], text=True, keep=1),
    ]
    left = len(offers) - len(shown)
    more = [f"and {many(left, 'offer')} more, costlier or later"] if left else []
    return [*rows(fitted(placed, width) or [(column, column.natural) for column in placed]), *more]


def _per_gpu_hour(offer: Offer, gpus: int) -> float:
    return offer.fee_usd / (offer.instances * gpus * offer.hours)


def moment_text(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"
