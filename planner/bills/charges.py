"""The charges of exports in one form, whichever format they came in: what was used, at what effective cost.

CUR 2.0 has the cost of a commitment in columns of its own, by the type of the line; what the effective cost is follows
AWS's "Understanding your amortized reservation / Savings Plans data" in the Data Exports user guide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from planner.bills.columns import CUR
from planner.bills.export_file import KEYS, Export, Sums
from planner.errors import UsageProblem

USAGE, PURCHASE, TAX, CREDIT, REFUND, DISCOUNT, OTHER = (
    *("usage", "purchase", "tax", "credit", "refund", "discount", "other"),
)
_FOCUS_KINDS = {"Usage": USAGE, "Purchase": PURCHASE, "Tax": TAX, "Credit": CREDIT, "Adjustment": REFUND}
_CUR_KINDS = {
    "Usage": USAGE,
    "DiscountedUsage": USAGE,
    "SavingsPlanCoveredUsage": USAGE,
    "Fee": PURCHASE,
    "RIFee": PURCHASE,
    "SavingsPlanUpfrontFee": PURCHASE,
    "SavingsPlanRecurringFee": PURCHASE,
    "Tax": TAX,
    "Credit": CREDIT,
    "Refund": REFUND,
}
_OFFSET = "SavingsPlanNegation"  # takes the On-Demand cost of covered usage back: no charge
_HOURS = ("hrs", "hours", "hour")
UNUSED, USED = "Unused", "Used"


@dataclass(frozen=True, kw_only=True)
class BilledCharge:
    """Charges with everything in common but their time. commitment, reservation: ids of AWS, "" without.

    status: Used or Unused part of a commitment or reservation, "" for neither. line: of our own forecast. account: that
    used it, "" for other stacks' charges. quantity: in `unit`. billed: on the bill; effective: with upfront and
    recurring fees spread over what they cover; USD.
    """

    kind: str
    service: str
    usage_type: str
    operation: str
    unit: str
    commitment: str
    reservation: str
    status: str
    stack: str
    component: str
    line: str
    account: str
    quantity: float
    billed: float
    effective: float
    listed: float
    rows: int
    begin: datetime | None
    end: datetime | None

    @property
    def in_hours(self) -> bool:
        return self.unit.lower() in _HOURS


def charges_in(exports: Sequence[Export]) -> tuple[BilledCharge, ...]:
    """Every charge of some files. Raises UsageProblem for the same rows in two files, and other money than USD."""
    _refuse_repeats(exports)
    return tuple(charge for export in exports for charge in _charges(export))


def _refuse_repeats(exports: Sequence[Export]) -> None:
    seen: dict[tuple[object, ...], Path] = {}
    for export in exports:
        if not export.rows:
            continue
        mark = tuple(
            sorted(
                (key, sums.rows, sums.first, sums.last, *(f"{value:.6g}" for value in sums.amounts.values()))
                for key, sums in export.groups.items()
            )
        )
        if mark in seen:
            raise UsageProblem(
                f"{export.path} has the same charges as {seen[mark]}, which would count twice: give one of them"
            )
        seen[mark] = export.path


def _charges(export: Export) -> Iterator[BilledCharge]:
    for values, sums in export.groups.items():
        key = dict(zip(KEYS, values, strict=True))
        if key["currency"] not in ("USD", ""):
            raise UsageProblem(f"{export.path}: charges in {key['currency']}; only bills in USD can be compared")
        try:
            yield from (_of_cur if export.format == CUR else _of_focus)(key, sums)
        except ValueError as error:
            raise UsageProblem(f"{export.path}: {error}") from None


def _of_focus(key: dict[str, str], sums: Sums) -> Iterator[BilledCharge]:
    kind = _FOCUS_KINDS.get(key["category"], OTHER)
    status = key["commitment_status"] or key["reservation_status"]
    yield _charge(kind, key, sums, status=status, effective=sums.amounts["effective"])


def _of_cur(key: dict[str, str], sums: Sums) -> Iterator[BilledCharge]:
    category, amounts = key["category"], sums.amounts
    if category == _OFFSET:
        return
    kind = DISCOUNT if category.endswith("Discount") else _CUR_KINDS.get(category, OTHER)
    key = key | {"commitment": key["commitment"] or key["savings_plan"]}
    effective, status = amounts["billed"], _of_reservation(key["reservation_status"])
    if category == "DiscountedUsage":
        effective, status = amounts["reserved_effective"], USED
    elif category == "SavingsPlanCoveredUsage":
        effective, status = amounts["plan_effective"], USED
    elif kind == PURCHASE:
        effective = 0.0
    charge = _charge(kind, key, sums, status=status, effective=effective)
    if category in ("DiscountedUsage", "SavingsPlanCoveredUsage"):
        charge = replace(charge, billed=0.0)  # its fee is what is billed
    yield charge
    if category == "RIFee":
        unused = amounts["reserved_unused_upfront"] + amounts["reserved_unused_recurring"]
        yield _unused(charge, unused, amounts["reserved_unused_quantity"])
    elif category == "SavingsPlanRecurringFee":
        yield _unused(charge, amounts["plan_commitment"] - amounts["plan_used"], 0.0)


def _unused(fee: BilledCharge, usd: float, quantity: float) -> BilledCharge:
    """The part of a commitment that nothing used, as FOCUS has it in a row of its own."""
    return replace(fee, kind=USAGE, status=UNUSED, quantity=quantity, billed=0.0, effective=usd, listed=0.0, rows=0)


def _of_reservation(status: str) -> str:
    return {"used": USED, "unused": UNUSED}.get(status.lower(), "")


def _charge(kind: str, key: dict[str, str], sums: Sums, *, status: str, effective: float) -> BilledCharge:
    return BilledCharge(
        kind=kind,
        service=key["service"],
        usage_type=key["usage_type"],
        operation=key["operation"],
        unit=key["unit"],
        commitment=key["commitment"],
        reservation=key["reservation"],
        status=status,
        stack=key["stack"],
        component=key["component"],
        line=key["line"],
        account=key["account"],
        quantity=sums.amounts["quantity"],
        billed=sums.amounts["billed"],
        effective=effective,
        listed=sums.amounts["listed"],
        rows=sums.rows,
        begin=_time(sums.first),
        end=_time(sums.last),
    )


def _time(text: str) -> datetime | None:
    """UTC without a zone, to the second; None where there is none. Raises ValueError for text that is no time."""
    if not text.strip():
        return None
    try:
        found = datetime.fromisoformat(text.strip().replace(" UTC", "Z"))
    except ValueError:
        raise ValueError(f"{text!r} is no time; exports have times like 2026-11-02T08:00:00Z") from None
    return (found.astimezone(UTC) if found.tzinfo else found).replace(tzinfo=None, microsecond=0)
