"""The columns of AWS's cost exports: which format a file has, and what each column of it means here.

Sources: AWS Data Exports user guide, table dictionaries "FOCUS 1.2 with AWS columns", "FOCUS 1.0 with AWS columns" and
"Cost and Usage Report (CUR) 2.0". FOCUS 1.2 has the usage type in SkuMeter, 1.0 in x_UsageType.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

FOCUS, CUR = "FOCUS", "CUR 2.0"
# in a batch: text by which rows are grouped, times of which the first and last count, amounts that are added up
TEXTS = (
    *("category", "service", "usage_type", "operation", "unit", "currency"),
    *("commitment", "savings_plan", "commitment_status", "reservation", "reservation_status", "line", "account"),
)
TIMES = ("begin", "end")
TAGS, REGION = "tags", "region"
# amounts that only CUR has, by the type of line that they count for: see `planner.bills.charges`
CUR_AMOUNTS = (
    *("reserved_effective", "reserved_unused_upfront", "reserved_unused_recurring", "reserved_unused_quantity"),
    *("plan_effective", "plan_commitment", "plan_used"),
)
AMOUNTS = ("quantity", "billed", "effective", "listed", *CUR_AMOUNTS)

# each of ours -> the columns that may have it, the preferred one first
_FOCUS: Mapping[str, tuple[str, ...]] = {
    "category": ("ChargeCategory",),
    "service": ("x_ServiceCode", "ServiceName"),
    "usage_type": ("SkuMeter", "x_UsageType"),
    "operation": ("x_Operation",),
    "unit": ("PricingUnit", "ConsumedUnit"),
    "currency": ("BillingCurrency",),
    "commitment": ("CommitmentDiscountId",),
    "commitment_status": ("CommitmentDiscountStatus",),
    "reservation": ("CapacityReservationId",),
    "reservation_status": ("CapacityReservationStatus",),
    "line": ("x_Line",),
    "account": ("SubAccountId",),
    "begin": ("ChargePeriodStart",),
    "end": ("ChargePeriodEnd",),
    "quantity": ("PricingQuantity", "ConsumedQuantity"),
    "billed": ("BilledCost",),
    "effective": ("EffectiveCost",),
    "listed": ("ListCost",),
    REGION: ("RegionId",),
    TAGS: ("Tags",),
}
_CUR: Mapping[str, tuple[str, ...]] = {
    "category": ("line_item_line_item_type",),
    "service": ("line_item_product_code",),
    "usage_type": ("line_item_usage_type",),
    "operation": ("line_item_operation",),
    "unit": ("pricing_unit",),
    "currency": ("line_item_currency_code",),
    "commitment": ("reservation_reservation_a_r_n",),
    "savings_plan": ("savings_plan_savings_plan_a_r_n",),
    "reservation": ("capacity_reservation_capacity_reservation_arn",),
    "reservation_status": ("capacity_reservation_capacity_reservation_status",),
    "account": ("line_item_usage_account_id",),
    "begin": ("line_item_usage_start_date",),
    "end": ("line_item_usage_end_date",),
    "quantity": ("line_item_usage_amount",),
    "billed": ("line_item_unblended_cost",),
    "listed": ("pricing_public_on_demand_cost",),
    "reserved_effective": ("reservation_effective_cost",),
    "reserved_unused_upfront": ("reservation_unused_amortized_upfront_fee_for_billing_period",),
    "reserved_unused_recurring": ("reservation_unused_recurring_fee",),
    "reserved_unused_quantity": ("reservation_unused_quantity",),
    "plan_effective": ("savings_plan_savings_plan_effective_cost",),
    "plan_commitment": ("savings_plan_total_commitment_to_date",),
    "plan_used": ("savings_plan_used_commitment",),
    REGION: ("product_region_code",),
    TAGS: ("resource_tags", "tags"),
}
_NEEDED = {
    FOCUS: ("category", "usage_type", "quantity", "unit", "billed", "effective", "begin", "end"),
    CUR: ("category", "usage_type", "quantity", "unit", "billed", "begin", "end"),
}
_OF_HOURS = (
    *("category", "usage_type", "unit", "quantity", "begin", "end"),
    "commitment_status",
    "reservation_status",
    REGION,
)
# AWS writes the tag planner:stack as user:planner:stack, or as user_planner_stack in the map of CUR 2.0
TAG_KEYS = {
    name: tuple(f"{user}planner{mark}{name}" for user in ("", "user:", "user_") for mark in (":", "_"))
    for name in ("stack", "component")
}


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Where a file has what. names: ours -> its column. flat_tags: our tag -> its own column, in flattened exports."""

    format: str
    names: Mapping[str, str]
    flat_tags: Mapping[str, str]

    @property
    def read(self) -> tuple[str, ...]:
        """The columns of the file that are read at all."""
        return tuple(dict.fromkeys((*self.names.values(), *self.flat_tags.values())))


def columns_of(present: Iterable[str], *, hours: bool = False) -> Columns | str:
    """The columns of a file with these names; or what is wrong with it, in words. hours: only those that say what ran
    when, so that costs and tags may be missing."""
    there = list(dict.fromkeys(present))
    by_format = {FOCUS: _FOCUS, CUR: _CUR}
    kind = FOCUS if "ChargeCategory" in there else CUR if "line_item_line_item_type" in there else None
    if kind is None:
        old = any(name.lower().startswith("lineitem/") for name in there)
        which = "a legacy Cost and Usage Report" if old else "neither a FOCUS nor a CUR 2.0 export"
        return f"it is {which}: it has no column ChargeCategory (FOCUS 1.2) or line_item_line_item_type (CUR 2.0)"
    names = {}
    for ours, candidates in by_format[kind].items():
        if (ours not in _OF_HOURS) if hours else ours == REGION:
            continue
        found = next((name for name in candidates if name in there), None)
        if found is not None:
            names[ours] = found
    needed = [ours for ours in _NEEDED[kind] if not hours or ours in _OF_HOURS]
    missing = [by_format[kind][ours][0] for ours in needed if ours not in names]
    if missing:
        return f"this {kind} export lacks the column{'s' * (len(missing) > 1)} {', '.join(missing)}"
    flat = {}
    if hours:
        return Columns(format=kind, names=names, flat_tags=flat)
    for name in there:
        match = re.search(r"tags?[_./]+(?:user[_:])?planner[_:](stack|component)$", name.lower())
        if match:
            flat[match[1]] = name
    if TAGS not in names and "stack" not in flat:
        column = by_format[kind][TAGS][0]
        return f"this {kind} export has no tags (column {column}), by which the charges of a stack are found"
    return Columns(format=kind, names=names, flat_tags=flat)
