"""Prices out of offer files and Spot Advisor's data on disk."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path
from typing import Any

from planner.errors import UsageProblem
from planner.update.found import Found
from planner.update.wanted import Wanted
from pricing.price_list import wanted as price_list
from pricing.price_list.offer_file import read_offer_file
from pricing.price_list.plan_file import is_plan_file, read_plan_file
from pricing.price_list.product import BadPriceList, Product
from pricing.update.compute import compute_rows
from pricing.update.market import advisor_rows
from pricing.update.merge import Listed
from pricing.update.metered import metered_rows
from pricing.update.metered_rules import SERVICES
from pricing.update.rows import Provenance
from pricing.update.savings_plans import plan_rate_rows

ADVISOR_BYTES = 64 << 20  # Spot Advisor's data are a few MB


def from_files(paths: Iterable[Path], wanted: Wanted, today: date, say: Callable[[str], None]) -> Found:
    """What the files have of what is wanted. Raises UsageProblem for a file that is not understood."""
    found = Found()
    for path in paths:
        say(f"reading {path}")
        try:
            advisor = _advisor(path)
            if advisor is None and is_plan_file(path):
                _add_plans(found, path, wanted, today)
            elif advisor is None:
                _add_offers(found, path, wanted, today)
            else:
                source = f"AWS Spot Advisor data, file {path.name}, read {today}"
                found.add(advisor_rows(advisor, wanted.regions, Provenance(observed=today, source=source)))
        except BadPriceList as error:
            raise UsageProblem(str(error) if str(path) in str(error) else f"{path}: {error}") from None
        except OSError as error:
            raise UsageProblem(f"{path}: {error.strerror or error}") from None
    return found


def _add_plans(found: Found, path: Path, wanted: Wanted, today: date) -> None:
    file = read_plan_file(path, lambda name, region: region in wanted.regions and wanted.has_type(name))
    day = _day(file.published) or today
    for region in sorted({rate.region for rate in file.rates}):
        source = f"AWS price list, Savings Plans {region}, version {file.version}, file {path.name}"
        seen = Provenance(observed=day, source=source)
        found.add(plan_rate_rows((one for one in file.rates if one.region == region), seen, wanted.has_type))
    if not file.rates:
        found.problems.append(_nothing(path, wanted))


def _count(found: Found) -> int:
    return sum(map(len, found.rows.values()))


def _nothing(path: Path, wanted: Wanted) -> str:
    return f"{path}: nothing in it of {', '.join(wanted.regions)} is wanted"


def _advisor(path: Path) -> Any:
    """Spot Advisor's data, or None if the file is something else."""
    with path.open("rb") as file:
        begin = file.read(1 << 16)
    if b'"spot_advisor"' not in begin and b'"ranges"' not in begin and b'"instance_types"' not in begin:
        return None
    if b'"offerCode"' in begin or path.stat().st_size > ADVISOR_BYTES:
        return None
    try:
        return json.loads(path.read_bytes())
    except ValueError as error:
        raise BadPriceList(f"not complete JSON: {error}") from None


def _add_offers(found: Found, path: Path, wanted: Wanted, today: date) -> None:
    def accepts(product: Product) -> bool:
        if product.region and product.region not in wanted.regions:
            return False
        plain = not price_list.not_plain_linux(product) and wanted.has_type(product.get("instancetype"))
        return plain or not product.family.startswith("Compute Instance")

    offers = read_offer_file(path, price_list.Wanted(accepts=accepts, texts=_texts(path)))
    if offers.service not in SERVICES:
        raise UsageProblem(
            f"{path}: offers of {offers.service or 'no service'}; prices are read of {', '.join(SERVICES)}"
        )
    day = _day(offers.published) or today
    before = _count(found)
    regions = sorted({product.region for product in offers.products if product.region})
    for region in regions:
        source = f"AWS price list, {offers.service} {region}, version {offers.version}, file {path.name}"
        seen = Provenance(observed=day, source=source)
        products = [product for product in offers.products if product.region == region]
        if offers.service == "AmazonEC2":
            found.add(compute_rows(products, seen, wanted.has_type))
            if offers.proves_absence and any(not price_list.not_plain_linux(one) for one in products):
                found.lists.append(
                    Listed(table="on_demand", region=region, is_listed=wanted.has_type, source=source, observed=day)
                )
        found.add(metered_rows(products, seen))
    if _count(found) == before:
        found.problems.append(_nothing(path, wanted))


# Every wanted product of AmazonEC2 has one of these; the files of other services are small and read whole.
_TEXTS = frozenset({b'"Used"', b"EBS:", b"NatGateway"})


def _texts(path: Path) -> tuple[frozenset[bytes], ...]:
    with path.open("rb") as file:
        return (_TEXTS,) if b'"AmazonEC2"' in file.read(4096) else ()


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
