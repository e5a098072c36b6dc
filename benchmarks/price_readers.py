"""The rates of an offer file by one of several ways, each in a process of its own: METHOD FILE [all].

Prints how many rates it found: those of p4d.24xlarge and p5.48xlarge, or with `all` those of every type, with plain
Linux on shared hardware.
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

from benchmarks.offer_file import WANTED_TYPES
from pricing.price_list.offer_file import read_offer_file
from pricing.price_list.wanted import plain_linux

PLAIN = {
    "operatingSystem": "Linux",
    "tenancy": "Shared",
    "preInstalledSw": "NA",
    "capacitystatus": "Used",
    "marketoption": "OnDemand",
}
COLUMNS = ["instanceType", *PLAIN, "PricePerUnit"]
LINES_ABOVE = 5


def _plain(attributes: dict[str, str], every: bool) -> bool:
    wanted = every or attributes["instanceType"] in WANTED_TYPES
    return wanted and all(attributes[name] == value for name, value in PLAIN.items())


def planner(path: Path, every: bool) -> int:
    wanted = plain_linux(None if every else WANTED_TYPES)
    return sum(len(product.rates) for product in read_offer_file(path, wanted).products)


def json_load(path: Path, every: bool) -> int:
    with path.open(encoding="utf-8") as file:
        document = json.load(file)
    found = [sku for sku, product in document["products"].items() if _plain(product["attributes"], every)]
    return sum(
        len(term["priceDimensions"])
        for terms in document["terms"].values()
        for sku in found
        for term in terms.get(sku, {}).values()
    )


def ijson(path: Path, every: bool) -> int:
    import ijson as library

    count = 0
    with path.open("rb") as file:
        products = library.kvitems(file, "products")
        found = {sku for sku, product in products if _plain(product["attributes"], every)}
    for kind in ("OnDemand", "Reserved"):
        with path.open("rb") as file:
            for sku, terms in library.kvitems(file, f"terms.{kind}"):
                if sku in found:
                    count += sum(len(term["priceDimensions"]) for term in terms.values())
    return count


def csv_rows(path: Path, every: bool) -> int:
    with path.open(newline="", encoding="utf-8") as file:
        lines = csv.reader(file)
        for _ in range(LINES_ABOVE):
            next(lines)
        header = next(lines)
        at = {name: header.index(name) for name in COLUMNS}
        return sum(_plain({name: line[column] for name, column in at.items()}, every) for line in lines)


def pandas(path: Path, every: bool) -> int:
    import pandas as library

    rows = library.read_csv(path, skiprows=LINES_ABOVE, usecols=COLUMNS, keep_default_na=False)
    for name, value in PLAIN.items():
        rows = rows[rows[name] == value]
    return len(rows if every else rows[rows["instanceType"].isin(WANTED_TYPES)])


def polars(path: Path, every: bool) -> int:
    import polars as library

    rows = library.scan_csv(path, skip_rows=LINES_ABOVE, infer_schema=False).select(COLUMNS)
    for name, value in PLAIN.items():
        rows = rows.filter(library.col(name) == value)
    rows = rows if every else rows.filter(library.col("instanceType").is_in(WANTED_TYPES))
    return rows.collect().height


METHODS = {one.__name__: one for one in (planner, json_load, ijson, csv_rows, pandas, polars)}

if __name__ == "__main__":
    print(METHODS[sys.argv[1]](Path(sys.argv[2]), "all" in sys.argv[3:]))
