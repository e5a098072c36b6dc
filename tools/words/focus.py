"""Columns of `planner compare -f focus` that a forecast fills in its own way; FOCUS 1.2 defines all others."""

from __future__ import annotations

COLUMNS: dict[str, str] = {
    "BillingAccountId": "`planned`: no account has been billed yet",
    "BillingPeriodStart": "first of the calendar month on whose bill the charge will be, UTC",
    "ChargePeriodStart": "the first hour that the charge is for; the run begins at midnight UTC of its first day",
    "ChargeCategory": "Usage; Purchase for the payments of a commitment or a Capacity Block",
    "BilledCost": "what the bill of that month will have; 0 for hours that a purchase has paid",
    "EffectiveCost": "the purchase spread over the hours that it pays for, used or not; 0 for the purchase itself",
    "ContractedCost": "quantity at the price before commitments: with your discount, at the spot price, after tiers",
    "ListCost": "quantity at the On-Demand list price",
    "CommitmentDiscountId": "`planned:` and the scenario: AWS gives the id when it sells the commitment",
    "CapacityReservationId": "the same for a Capacity Block",
    "PricingUnit": "our pricing units, spelled as FOCUS asks: GB-Mo is GB-Months, 1k requests are 1000 Requests",
    "SkuId": "service and line of the bill, ours and stable; AWS's SKU is known on its bill only",
    "Tags": "the tags that the deployed resources have: `planner:stack` and `planner:component`",
    "InvoiceId": "empty, as are the names of resources and of the payer's accounts",
    "ProviderName": "AWS; `in-house` for salaries, `price list` for nodes of a pool's own price list",
    "x_ScenarioCostP10": "the range of the whole scenario, repeated in every row (also P50, P90); it does not add up",
}
