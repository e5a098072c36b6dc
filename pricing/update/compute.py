"""On-Demand prices and Reserved Instance rates out of products of AmazonEC2."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal

from pricing.offers import HOURS_PER_YEAR
from pricing.price_list.product import Product, Rate
from pricing.price_list.wanted import not_plain_linux
from pricing.update.rows import Findings, Provenance, decimal_of, price_row

HOUR = "Hrs"
_OPTIONS = {"No Upfront": "no-upfront", "Partial Upfront": "partial-upfront", "All Upfront": "all-upfront"}
_YEARS = {"1yr": 1, "3yr": 3}
_CENT_OF_A_CENT = Decimal("0.000001")


def compute_rows(products: Iterable[Product], seen: Provenance, is_wanted: Callable[[str], bool]) -> Findings:
    """Rows of `on_demand` and `commitments` for plain Linux on shared hardware.

    is_wanted: of an instance type's name. A product whose price is zero, missing or ambiguous is a problem and gives
    no row. Capacity Blocks, licenses, pre-installed software, dedicated and unused capacity are left out: no prices.
    """
    rows: dict[str, list[dict[str, str]]] = {"on_demand": [], "commitments": []}
    found: dict[tuple[str, str], tuple[str, Decimal]] = {}
    ambiguous: set[tuple[str, str]] = set()
    problems: list[str] = []
    for product in products:
        name, region = product.get("instancetype"), product.region
        if not_plain_linux(product) or not is_wanted(name):
            continue
        if not region:
            problems.append(f"SKU {product.sku} ({name}): no Region is stated")
            continue
        place = {"instance_type": name, "region": region}
        usd = _hourly([rate for rate in product.rates if rate.term == "OnDemand"])
        if usd is None:
            problems.append(f"{name} in {region}: SKU {product.sku} has no On-Demand price above zero for an hour")
            continue
        other, price = found.setdefault((name, region), (product.sku, usd))
        if other != product.sku:
            if price != usd:
                problems.append(f"{name} in {region}: SKUs {other} and {product.sku} have different prices")
                ambiguous.add((name, region))
            continue
        rows["on_demand"].append(price_row(place, usd, HOUR, seen))
        for option, rates in _by_option(product).items():
            rate = _effective(rates)
            if option is None or rate is None:
                said = f"{rates[0].lease} {rates[0].offering_class} {rates[0].purchase_option}"
                problems.append(f"{name} in {region}: Reserved Instance rate {said!r} is not understood")
                continue
            rows["commitments"].append(price_row({**place, "option": option}, rate, HOUR, seen))
    sure = {
        table: [row for row in some if (row["instance_type"], row["region"]) not in ambiguous]
        for table, some in rows.items()
    }
    return Findings(rows=sure, problems=tuple(problems))


def _hourly(rates: list[Rate]) -> Decimal | None:
    if len(rates) != 1 or rates[0].unit != HOUR:
        return None
    return decimal_of(rates[0].usd) or None


def _by_option(product: Product) -> dict[str | None, list[Rate]]:
    """Reserved rates by purchase option; None for a wording that is not known."""
    groups: dict[str | None, list[Rate]] = {}
    for rate in product.rates:
        if rate.term == "Reserved":
            years, upfront = _YEARS.get(rate.lease), _OPTIONS.get(rate.purchase_option)
            kind = rate.offering_class if rate.offering_class in ("standard", "convertible") else None
            option = f"ri-{years}y-{kind}-{upfront}" if years and upfront and kind else None
            groups.setdefault(option, []).append(rate)
    return groups


def _effective(rates: list[Rate]) -> Decimal | None:
    """USD per hour with the upfront part spread over the term; None if the two parts are not what is expected."""
    hourly = [decimal_of(rate.usd) for rate in rates if rate.unit == HOUR]
    upfront = [decimal_of(rate.usd) for rate in rates if rate.unit == "Quantity"]
    if len(hourly) > 1 or len(upfront) > 1 or len(hourly) + len(upfront) != len(rates) or None in (*hourly, *upfront):
        return None
    hours = _YEARS.get(rates[0].lease, 0) * HOURS_PER_YEAR
    total = sum((one for one in hourly if one is not None), Decimal(0))
    if upfront and hours:
        total += sum((one for one in upfront if one is not None), Decimal(0)) / hours
    return total.quantize(_CENT_OF_A_CENT) or None
