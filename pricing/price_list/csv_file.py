"""The wanted products of an offer file in CSV: one line a rate, and only lines of what is wanted are parsed."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, BinaryIO

from pricing.price_list.product import BadPriceList, Product, Rate, plain_name
from pricing.price_list.wanted import Wanted

BLOCK_BYTES = 1 << 20
_METADATA = {
    "formatversion": "formatVersion",
    "publicationdate": "publicationDate",
    "version": "version",
    "offercode": "offerCode",
}
_RATE_COLUMNS = ("sku", "termtype", "unit", "priceperunit", "currency")
# what a line says of its rate; all other columns are attributes of the product
_OF_RATES = frozenset(
    {
        *_RATE_COLUMNS,
        "offertermcode",
        "ratecode",
        "pricedescription",
        "effectivedate",
        "startingrange",
        "endingrange",
        "relatedto",
        "leasecontractlength",
        "purchaseoption",
        "offeringclass",
        "productfamily",
    }
)


def read(file: BinaryIO, wanted: Wanted) -> tuple[dict[str, Any], list[Product]]:
    """What the lines above the header say, and the wanted products with their rates. Raises BadPriceList."""
    lines = lines_of(file)
    header: dict[str, Any] = {}
    columns: list[str] = []
    for line in lines:
        cells = cells_of(line)
        name = plain_name(cells[0]) if cells else ""
        if name == "sku":
            columns = [plain_name(cell) for cell in cells]
            break
        if name in _METADATA and len(cells) > 1:
            header[_METADATA[name]] = cells[1]
        elif name != "disclaimer":
            break
    if missing := [name for name in _RATE_COLUMNS if name not in columns]:
        raise BadPriceList(f"it is not an offer file of AWS: it has no column {', '.join(missing)}")
    products: dict[str, Product] = {}
    rates: dict[str, list[Rate]] = {}
    may_accept, accepts = wanted.may_accept, wanted.accepts
    line = b""
    for line in lines:
        if not line or not may_accept(line):
            continue
        cells = cells_of(line)
        if len(cells) != len(columns):
            raise BadPriceList(f"a line has {len(cells)} values for {len(columns)} columns; the first is {cells[0]!r}")
        row = dict(zip(columns, cells, strict=True))
        sku = row["sku"]
        if sku not in rates:
            product = Product(
                sku=sku,
                family=row.get("productfamily", ""),
                service=header.get("offerCode") or row.get("servicecode", ""),
                attributes={name: value for name, value in row.items() if value and name not in _OF_RATES},
            )
            if not accepts(product):
                continue
            products[sku], rates[sku] = product, []
        if row["termtype"] in ("OnDemand", "Reserved"):
            rates[sku].append(_rate(row))
    if not line:
        raise BadPriceList("it ends before its first rate: the download is not complete")
    return header, [replace(one, rates=tuple(rates[sku])) for sku, one in products.items()]


def _rate(row: dict[str, str]) -> Rate:
    if row["currency"] != "USD":
        raise BadPriceList(f"SKU {row['sku']}: its price is in {row['currency'] or 'no currency'}, not in USD")
    return Rate(
        term=row["termtype"],
        unit=row["unit"],
        usd=row["priceperunit"],
        begin=row.get("startingrange") or "0",
        end=row.get("endingrange") or "Inf",
        effective=row.get("effectivedate", "")[:10],
        description=row.get("pricedescription", ""),
        lease=row.get("leasecontractlength", ""),
        offering_class=row.get("offeringclass", ""),
        purchase_option=row.get("purchaseoption", ""),
    )


def cells_of(line: bytes) -> list[str]:
    """The values of a line. Raises BadPriceList."""
    try:
        return [str(cell) for cell in next(csv.reader((line.decode("utf-8"),)), ())]
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadPriceList(f"a line cannot be read: {error}") from None


def lines_of(file: BinaryIO) -> Iterator[bytes]:
    """Lines without their ends; AWS's cells contain no line breaks. Raises BadPriceList where the last line is cut."""
    rest = b""
    while block := file.read(BLOCK_BYTES):
        *lines, rest = (rest + block).split(b"\n")
        for line in lines:
            yield line.rstrip(b"\r")
    if rest:
        if rest.count(b'"') % 2 or (rest.startswith(b'"') and not rest.endswith(b'"')):  # AWS quotes every cell or none
            raise BadPriceList("it ends early: the download is not complete")
        yield rest
