"""`planner reserve --extend`: more days for a Capacity Block, by the rule of the first purchase."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from planner.cli.confirm import NOTHING, agreed
from planner.cli.output import columns, say, warn, write_result
from planner.errors import AwsProblem, ExitCode, UsageProblem

if TYPE_CHECKING:
    from planner.account.extensions import Extension
    from planner.account.offers import Offer
    from planner.account.reservations import Reservation
    from planner.stack.spec import ClusterSpec


def extended(
    path: Path,
    spec: ClusterSpec,
    *,
    days: int | None,
    offering: str | None,
    accept_usd: float | None,
    dry_run: bool,
    quiet: bool,
) -> int:
    """Extend the block of a stack that ends first. Returns an exit code: GATE where nothing was bought."""
    from planner.account import aws_client
    from planner.account.extensions import FAILED, PENDING, blocks_with, buy_extension, extensions_of
    from planner.cli import extension_words as words
    from planner.stack.extensions import why_not_extendable, with_ends
    from planner.stack.reservations import bought, check_days

    ids = [block.reservation_id for block in bought(spec)]
    if not ids:
        raise UsageProblem(f"--extend: {path} has no Capacity Block that is bought; `planner reserve` buys one")
    if days is not None:
        check_days(days)
    now, ec2 = datetime.now(UTC), aws_client.client("ec2", spec.region)
    blocks, past = blocks_with(ec2, ids), extensions_of(ec2, ids)
    ends = {block.id: _end(block, past) for block in blocks}
    as_at_aws = with_ends(spec, ends)
    if as_at_aws != spec:
        say(f"{words.moved_ends(spec, as_at_aws)}: {NOTHING}")
        if not dry_run:
            return _written(path, spec, as_at_aws, quiet)
    block = min(blocks, key=lambda one: (_end_to_come(one, past), ids.index(one.id)))
    earlier = [one for one in past if one.reservation_id == block.id]
    for one in earlier:
        say(words.earlier_extension(one))
    pending = next((one for one in earlier if one.status == PENDING), None)
    if pending:
        say(f"{words.waits_for_payment(pending, now)}: {NOTHING}. Run the command again then")
        return ExitCode.OK if dry_run else ExitCode.GATE
    reason = why_not_extendable(block.id, block.state, ends[block.id], now, spec.stack)
    if reason:
        say(f"{reason}: {NOTHING}")
        return ExitCode.GATE
    chosen = _chosen(ec2, spec, block, days, offering, now)
    if chosen is None or dry_run:
        return ExitCode.OK if dry_run else ExitCode.GATE
    if accept_usd is not None and offering is None and any(one.status != FAILED for one in earlier):
        # the same words may be a script that runs twice, and a second purchase is as final as the first
        say(f"{block.id} was extended before: {NOTHING}. To extend it again, name the offer: --offering {chosen.id}")
        return ExitCode.GATE
    if not agreed(chosen.fee_usd, "the fee", accept_usd):
        return ExitCode.GATE
    offer = _still_offered(ec2, block.id, chosen)
    if offer is None:
        return ExitCode.GATE
    # once: a call that AWS has heard and not answered must not be made again by the client itself
    made = buy_extension(aws_client.client("ec2", spec.region, attempts=1), offer, block.id)
    return _bought(path, spec, offer, made, quiet)


def _chosen(
    ec2: object, spec: ClusterSpec, block: Reservation, days: int | None, offering: str | None, now: datetime
) -> Offer | None:
    """The offer to buy, after all of them were shown; None where there is none, or no choice among lengths."""
    from planner.account.extensions import extension_offers
    from planner.cli.extension_words import extension_lines
    from planner.report.wording.figures import many
    from planner.stack.extensions import SHOWN_DAYS, payment_due

    lengths = SHOWN_DAYS if days is None else (days,)
    offers = [offer for length in lengths for offer in extension_offers(ec2, block.id, length * 24)]
    fitting = [offer for offer in offers if offering in (None, offer.id)]
    if not fitting:
        asked = f"{block.id} by {', '.join(map(str, lengths))} days"
        none = f"{offering} is not among {many(len(offers), 'offer')} to extend" if offering else "no offer to extend"
        say(
            f"{none} {asked}: {NOTHING}. AWS extends a block only where it has capacity. Try other --days, or later; "
            f"after the end, `planner leave --stack {spec.stack}` continues the run On-Demand"
        )
        return None
    chosen = fitting[0] if days is not None or offering is not None else None
    due = payment_due(now, offers[0].starts)
    shown = extension_lines(spec, block.id, fitting, chosen, due, columns())
    write_result("\n".join(shown) + "\n", None)
    if chosen is None:
        say(f"to buy, choose a length with --days: {NOTHING}")
    return chosen


def _still_offered(ec2: object, reservation_id: str, chosen: Offer) -> Offer | None:
    """The offer as AWS has it now, None where its price is another: typing one takes a while, and the purchase names
    no price. AWS does not say that an offer keeps its id, so it is known by what it gives."""
    from planner.account.extensions import extension_offers

    offers = extension_offers(ec2, reservation_id, round(chosen.hours))
    same = [now for now in offers if (now.ends, now.instances) == (chosen.ends, chosen.instances)]
    now = next((offer for offer in same if offer.id == chosen.id), same[0] if same else None)
    if now is not None and now.fee_usd == chosen.fee_usd:
        return now
    found = (
        f"AWS no longer offers to extend {reservation_id} until {chosen.ends:%Y-%m-%d %H:%M} UTC"
        if now is None
        else f"AWS has changed the fee to extend {reservation_id} from {chosen.fee_usd:,.2f} to {now.fee_usd:,.2f}"
    )
    say(f"{found}: {NOTHING}. Run the command again to see what it offers now")
    return None


def _bought(path: Path, spec: ClusterSpec, chosen: Offer, made: Extension, quiet: bool) -> int:
    """What follows from the state of the payment."""
    from planner.account.extensions import FAILED, PAID
    from planner.cli import extension_words as words
    from planner.stack.extensions import with_ends
    from planner.stack.reservations import amounts_agree

    if made.fee_usd is not None and not amounts_agree(made.fee_usd, chosen.fee_usd):
        warn(
            f"AWS charges {made.fee_usd:,.2f} for {made.reservation_id}, and {chosen.fee_usd:,.2f} was confirmed: "
            "open a billing case with AWS Support"
        )
    if made.status == FAILED:
        raise AwsProblem(
            f"the payment to extend {made.reservation_id} failed: the block still ends at {made.starts:%Y-%m-%d %H:%M} "
            "UTC. Look at the payment method in the AWS Billing console, then run the same command again"
        )
    if made.status == PAID:
        return _written(path, spec, with_ends(spec, {made.reservation_id: made.ends}), quiet)
    write_result(f"{made.reservation_id}\n", None)
    say(f"Bought. {words.waits_for_payment(made, datetime.now(UTC))}. {path} keeps the end until then")
    say(f"Next: run `planner reserve --stack {spec.stack} --extend` again; it buys nothing and writes the new end")
    return ExitCode.OK


def _written(path: Path, before: ClusterSpec, after: ClusterSpec, quiet: bool) -> int:
    """Write the new ends to the stack file, and say what must follow before the old ones."""
    from planner.cli.extension_words import next_after_extension
    from planner.stack.file import open_file, rendered, write

    write(path, rendered(after, open_file(path).text, where=str(path)))
    moved = [new.reservation_id for old, new in zip(before.blocks, after.blocks, strict=True) if old != new]
    write_result("".join(f"{id}\n" for id in moved), None)
    say(f"Wrote {path}. {next_after_extension(before, after)}", quiet)
    return ExitCode.OK


def _end(block: Reservation, past: Sequence[Extension]) -> datetime:
    """The end of a block, with every extension that is paid. Raises AwsProblem for a reservation without an end."""
    from planner.account.extensions import PAID

    paid = [one.ends for one in past if one.reservation_id == block.id and one.status == PAID]
    if block.ends is None:
        raise AwsProblem(f"{block.id} has no end: it is not a Capacity Block. Write the id of one into the stack file")
    return max([block.ends, *paid])


def _end_to_come(block: Reservation, past: Sequence[Extension]) -> datetime:
    """The same, with an extension whose payment is pending."""
    from planner.account.extensions import PENDING

    pending = [one.ends for one in past if one.reservation_id == block.id and one.status == PENDING]
    return max([_end(block, past), *pending])
