"""Savings Plans rates: out of answers of DescribeSavingsPlansOfferingRates, and out of offer files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pricing.price_list.plan_file import PlanRate, instance_of
from pricing.update.compute import HOUR
from pricing.update.rows import Findings, Provenance, decimal_of, price_row

PLAN_TYPES = {"EC2Instance": "instance", "Compute": "compute"}
_UPFRONT = {"No Upfront": "no-upfront", "Partial Upfront": "partial-upfront", "All Upfront": "all-upfront"}
_YEAR_SECONDS = 365 * 24 * 3600


def savings_plan_rows(
    entries: Iterable[Mapping[str, Any]], seen: Provenance, is_wanted: Callable[[str], bool]
) -> Findings:
    """Rows of `commitments` out of answers of the API: see `plan_rate_rows`."""
    return plan_rate_rows(_rates(entries), seen, is_wanted)


def _rates(entries: Iterable[Mapping[str, Any]]) -> Iterator[PlanRate]:
    """The entries for plain Linux on shared hardware."""
    for entry in entries:
        said = {one.get("name"): one.get("value", "") for one in entry.get("properties", ())}
        offer: Mapping[str, Any] = entry.get("savingsPlanOffering") or {}
        name = said.get("instanceType", "")
        usage, operation = entry.get("usageType", ""), entry.get("operation", "RunInstances")
        if (
            said.get("productDescription") not in ("Linux/UNIX", "Linux/UNIX (Amazon VPC)")
            or said.get("tenancy", "shared").lower() != "shared"
            or not instance_of(entry.get("serviceCode", "AmazonEC2"), usage, operation)
        ):
            continue
        yield PlanRate(
            instance_type=name,
            region=said.get("region", ""),
            plan=offer.get("planType", ""),
            upfront=offer.get("paymentOption", ""),
            years=round(offer.get("durationSeconds", 0) / _YEAR_SECONDS),
            usd=entry.get("rate", ""),
            unit=entry.get("unit", ""),
            currency=offer.get("currency", "USD"),
        )


def plan_rate_rows(rates: Iterable[PlanRate], seen: Provenance, is_wanted: Callable[[str], bool]) -> Findings:
    """Rows of `commitments`. A rate that is no price, or that differs from another of the same option, is a problem.

    The rate is what an hour costs, whatever part is paid upfront; it is never that of a Reserved Instance.
    """
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    problems: list[str] = []
    for rate in rates:
        if not is_wanted(rate.instance_type):
            continue
        kind, upfront = PLAN_TYPES.get(rate.plan), _UPFRONT.get(rate.upfront)
        usd = decimal_of(rate.usd)
        where = f"Savings Plan rate of {rate.instance_type} in {rate.region or 'no Region'}"
        if not kind or not upfront or rate.years not in (1, 3) or not rate.region:
            problems.append(f"{where}: its plan, payment, term or Region is not understood")
            continue
        if not usd or rate.unit not in ("Hrs", "Hours") or rate.currency != "USD":
            found = f"{rate.usd!r} {rate.currency} for one {rate.unit!r}"
            problems.append(f"{where}: {found} is no price in USD for an hour")
            continue
        place = {
            "instance_type": rate.instance_type,
            "region": rate.region,
            "option": f"sp-{rate.years}y-{kind}-{upfront}",
        }
        row = price_row(place, usd, HOUR, seen)
        before = rows.setdefault(tuple(place.values()), row)
        if before["usd"] != row["usd"]:
            problems.append(f"{where}: {place['option']} has the rates {before['usd']} and {row['usd']}")
    return Findings(rows={"commitments": list(rows.values())}, problems=tuple(dict.fromkeys(problems)))
