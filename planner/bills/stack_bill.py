"""The charges of one stack: those with its tag, its part of the commitments that it used, fees spread over use.

A commitment is bought by the payer's account and has no tag of the stack. It is found by its id, which the hours have
that it covers. AWS bills a Capacity Block as one fee at its purchase, and its hours at zero: here each hour that it
covers has its part of the fee.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from planner.account.masking import masked
from planner.bills.charges import (
    CREDIT,
    DISCOUNT,
    OTHER,
    PURCHASE,
    REFUND,
    TAX,
    UNUSED,
    USAGE,
    USED,
    BilledCharge,
)
from planner.errors import UsageProblem

MOST_NAMED = 5
LONGEST_MONTH = timedelta(days=31)


@dataclass(frozen=True, kw_only=True)
class StackBill:
    """What a stack was billed, in USD.

    used: charges of use, each with its effective cost. unspread_usd: of fees, what covers time after the bill's end.
    apart: kind of charge -> USD that no line of a plan has: credits, taxes, refunds, discounts; those that name no
    stack are in elsewhere. first_use, until: of the first charge of use, and of the last in the files.
    """

    used: tuple[BilledCharge, ...]
    unspread_usd: float
    apart: dict[str, float]
    elsewhere: dict[str, float]
    notes: tuple[str, ...]
    rows: int
    first_use: datetime | None
    until: datetime


def stack_bill(
    charges: Sequence[BilledCharge],
    stack: str,
    *,
    block_node_hours: float | None,
    block_ends: datetime | None,
    until: datetime | None = None,
    account: str | None = None,
) -> StackBill:
    """The charges of a stack. block_node_hours, block_ends: of the plan's Capacity Block, None without one. until: the
    end of what is billed; None: the last use in the files. account: whose charges of that name are the stack's.

    Raises UsageProblem if the stack is in none of the files, if several accounts have one of that name, or if its use
    goes on after `until`.
    """
    own = _of_one_account([charge for charge in charges if charge.stack == stack], stack, account)
    if not any(charge.kind == USAGE for charge in own):
        raise UsageProblem(_nothing(charges, stack))
    later = max((c.end for c in own if c.kind == USAGE and c.rows and c.end), default=datetime.min)
    if until and later > until:
        raise UsageProblem(
            f"the files have charges of the stack {stack} up to {later:%Y-%m-%d}, and what was added up cannot be cut "
            f"at the end of {until - timedelta(days=1):%Y-%m-%d}: leave out the files of later months, or --until"
        )
    last = until or _last_use(charges)
    used = [charge for charge in own if charge.kind == USAGE]
    ids = {name for charge in used for name in (charge.commitment, charge.reservation) if name}
    fees = [c for c in charges if c.kind == PURCHASE and (c.stack == stack or (not c.stack and _ids(c) & ids))]
    unused = [c for c in charges if c.kind == USAGE and c.status == UNUSED and not c.stack and _ids(c) & ids]
    notes: list[str] = []
    for charge in unused:
        share = _share(charge, charges, stack)
        used.append(replace(charge, quantity=charge.quantity * share, effective=charge.effective * share))
        if share < 1:
            name = masked(charge.commitment or charge.reservation)
            notes.append(f"the stack used {share:.0%} of {name}; it bears as much of its unused part")
    first_use = min((charge.begin for charge in used if charge.begin and charge.stack), default=None)
    used, unspread, found = _spread(used, fees, block_node_hours, block_ends, last)
    if not fees and (loose := sum(c.billed for c in charges if c.kind == PURCHASE and not c.stack and not _ids(c))):
        found = [f"{note}. Fees without a tag and an id in these files: {loose:,.2f} USD" for note in found]
    return StackBill(
        used=tuple(used),
        unspread_usd=unspread,
        apart=_sums(own),
        elsewhere=_sums(charge for charge in charges if not charge.stack),
        notes=(*notes, *found),
        rows=sum(charge.rows for charge in charges),
        first_use=first_use,
        until=last,
    )


def _of_one_account(own: list[BilledCharge], stack: str, account: str | None) -> list[BilledCharge]:
    """Those of one account: two stacks of the same name are two runs. A purchase may be of the payer's account."""
    used = {charge.account for charge in own if charge.kind == USAGE and charge.account}
    if account is not None:
        if account not in used:
            raise UsageProblem(f"no charge of the stack {stack} belongs to that account; {len(used)} others have some")
        return [charge for charge in own if charge.account in (account, "") or charge.kind == PURCHASE]
    if len(used) > 1:
        raise UsageProblem(
            f"{len(used)} accounts have charges of a stack {stack}, which would be added up: name one with --account "
            "(account=... in Python), as SubAccountId or line_item_usage_account_id has it"
        )
    return own


def _last_use(charges: Sequence[BilledCharge]) -> datetime:
    """The end of the last use that anybody was billed for. Fees and taxes reach to the end of their month or term, so
    that they do not count; nor does the unused part of a commitment that CUR states for the month that is not over."""
    metered = max((c.end for c in charges if c.kind == USAGE and c.rows and c.end), default=datetime.min)
    stated = max((c.end for c in charges if c.kind == USAGE and not c.rows and c.end), default=datetime.min)
    return stated if stated - metered > LONGEST_MONTH else metered


def _ids(charge: BilledCharge) -> set[str]:
    return {name for name in (charge.commitment, charge.reservation) if name}


def _share(unused: BilledCharge, charges: Sequence[BilledCharge], stack: str) -> float:
    """The part of the used hours of a commitment that are the stack's."""
    covered = [c for c in charges if c.kind == USAGE and c.status != UNUSED and _ids(c) & _ids(unused)]
    weights = [(c, c.effective or c.quantity) for c in covered]
    whole = sum(weight for _, weight in weights)
    return sum(weight for c, weight in weights if c.stack == stack) / whole if whole else 1.0


def _spread(
    used: list[BilledCharge],
    fees: Sequence[BilledCharge],
    block_node_hours: float | None,
    block_ends: datetime | None,
    until: datetime,
) -> tuple[list[BilledCharge], float, list[str]]:
    """(charges of use, unspread USD, notes): the fee of a Capacity Block on the hours that it covers."""
    if block_node_hours is None:
        return used, 0.0, []
    blocks = [fee for fee in fees if fee.billed]
    covered = [charge for charge in used if _in_block(charge)]
    fee_usd = sum(fee.billed for fee in blocks)
    already = any(_ids(charge) and charge.effective and not charge.billed for charge in used)
    if already or not fee_usd:
        missing = not already and not fee_usd
        why = "no fee of a Capacity Block is in these files: it is on the bill of the month of its purchase"
        return used, 0.0, [why] if missing else []
    hours = sum(charge.quantity for charge in covered if charge.status != UNUSED)
    idle = sum(charge.quantity for charge in covered if charge.status == UNUSED)
    paid = sum(fee.quantity for fee in blocks if fee.in_hours)
    whole = max(paid if paid > hours else block_node_hours, hours + idle)
    rate = fee_usd / whole
    spread = [replace(c, effective=c.quantity * rate, status=c.status or USED) if _in_block(c) else c for c in used]
    rest = fee_usd - (hours + idle) * rate
    note = f"the fee of {fee_usd:,.2f} USD is spread over {whole:,.0f} node-hours, {rate:,.4f} USD each"
    if rest <= 0.005:
        return spread, 0.0, [note]
    if block_ends is not None and until < block_ends:
        return spread, rest, [note]
    first = blocks[0]
    tail = replace(
        first, kind=USAGE, status=UNUSED, quantity=whole - hours - idle, unit="Hrs", billed=0.0, effective=rest, line=""
    )
    return [*spread, tail], 0.0, [note]


def _in_block(charge: BilledCharge) -> bool:
    """Whether it is hours of a GPU node without a cost of their own, as AWS bills those in a Capacity Block."""
    nodes = any(word in charge.usage_type for word in ("BoxUsage", "UnusedBox", "Reservation"))
    is_block = charge.reservation or ":CB" in charge.operation or (nodes and charge.component == "fleet")
    return bool(is_block) and not charge.effective and not charge.billed


def _sums(charges: Iterable[BilledCharge]) -> dict[str, float]:
    found: dict[str, float] = {}
    for charge in charges:
        if charge.kind in (TAX, CREDIT, REFUND, DISCOUNT, OTHER):
            found[charge.kind] = found.get(charge.kind, 0.0) + charge.billed
    return {kind: usd for kind, usd in found.items() if usd}


def _nothing(charges: Sequence[BilledCharge], stack: str) -> str:
    rows = sum(charge.rows for charge in charges)
    if not rows:
        return "the files have no charge at all: AWS fills an export within a day of its creation"
    others = sorted({charge.stack for charge in charges if charge.stack})
    if others:
        named = ", ".join(map(masked, others[:MOST_NAMED])) + (", ..." if len(others) > MOST_NAMED else "")
        return f"none of {rows:,} rows is of the stack {stack}; the files have {named}: name it with --stack"
    return (
        f"none of {rows:,} rows has the tag planner:stack: activate it under Billing, Cost allocation tags "
        "(planner:stack and planner:component); AWS tags charges from then on, and on request the last 12 months"
    )
