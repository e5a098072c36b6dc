"""Savings Plans rates out of answers of DescribeSavingsPlansOfferingRates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pricing.update.compute import HOUR
from pricing.update.rows import Findings, Provenance, decimal_of, price_row

PLAN_TYPES = {"EC2Instance": "instance", "Compute": "compute"}
_UPFRONT = {"No Upfront": "no-upfront", "Partial Upfront": "partial-upfront", "All Upfront": "all-upfront"}
_YEAR_SECONDS = 365 * 24 * 3600
_USED = ("BoxUsage:", "-BoxUsage:")  # not DedicatedUsage, UnusedBox, HostBoxUsage


def savings_plan_rows(
    entries: Iterable[Mapping[str, Any]], seen: Provenance, is_wanted: Callable[[str], bool]
) -> Findings:
    """Rows of `commitments` for plain Linux on shared hardware.

    The rate is what an hour costs, whatever part is paid upfront; it is never that of a Reserved Instance.
    """
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    problems: list[str] = []
    for entry in entries:
        said = {one.get("name"): one.get("value", "") for one in entry.get("properties", ())}
        offer: Mapping[str, Any] = entry.get("savingsPlanOffering") or {}
        name, region = said.get("instanceType", ""), said.get("region", "")
        usage = entry.get("usageType", "")
        if (
            not is_wanted(name)
            or said.get("productDescription") not in ("Linux/UNIX", "Linux/UNIX (Amazon VPC)")
            or said.get("tenancy", "shared").lower() != "shared"
            or not (usage.startswith(_USED[0]) or _USED[1] in usage)
            or entry.get("operation", "RunInstances") != "RunInstances"
        ):
            continue
        kind, upfront = PLAN_TYPES.get(offer.get("planType", "")), _UPFRONT.get(offer.get("paymentOption", ""))
        years = round(offer.get("durationSeconds", 0) / _YEAR_SECONDS)
        usd = decimal_of(entry.get("rate", ""))
        where = f"Savings Plan rate of {name} in {region or 'no Region'}"
        if not kind or not upfront or years not in (1, 3) or not region:
            problems.append(f"{where}: its plan, payment, term or Region is not understood")
            continue
        if not usd or entry.get("unit") not in ("Hrs", "Hours") or offer.get("currency", "USD") != "USD":
            found = f"{entry.get('rate')!r} {offer.get('currency', 'USD')} for one {entry.get('unit')!r}"
            problems.append(f"{where}: {found} is no price in USD for an hour")
            continue
        place = {"instance_type": name, "region": region, "option": f"sp-{years}y-{kind}-{upfront}"}
        row = price_row(place, usd, HOUR, seen)
        before = rows.setdefault(tuple(place.values()), row)
        if before["usd"] != row["usd"]:
            problems.append(f"{where}: {place['option']} has the rates {before['usd']} and {row['usd']}")
    return Findings(rows={"commitments": list(rows.values())}, problems=tuple(dict.fromkeys(problems)))
