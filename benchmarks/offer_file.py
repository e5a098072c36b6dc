"""Writes an EC2 offer file of 500 MB in AWS's layout, and its twin in CSV: python -m benchmarks.offer_file FOLDER.

The values are made up and the same in every run. Form, number of products and share of Reserved terms are those of one
Region's file: 448 instance types in 224 combinations of system, tenancy, software and capacity, and 12 Reserved terms
for each that is used.
"""

from __future__ import annotations

import csv
import hashlib
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

WANTED_TYPES = ("p4d.24xlarge", "p5.48xlarge")
FAMILIES = (
    *("c5", "c6i", "c7g", "c7i", "d3", "d3en", "g4dn", "g5", "g6", "g6e", "i3", "i3en", "i4i", "i7ie", "m5"),
    *("m6i", "m7g", "m7i", "p3", "p4", "p4de", "p5e", "p5en", "r5", "r6i", "r7i", "trn1", "trn2"),
)
SIZES = ("large", *(f"{size}xlarge" for size in ("", 2, 3, 4, 6, 8, 9, 10, 12, 16, 18, 24, 32, 48)), "metal")
TYPES = [*WANTED_TYPES, *(f"{family}.{size}" for family in FAMILIES for size in SIZES)][:448]
SYSTEMS = ("Linux", "RHEL", "SUSE", "Windows", "Ubuntu Pro", "Red Hat Enterprise Linux with HA", "Linux/UNIX BYOL")
SOFTWARE = ("NA", "SQL Std", "SQL Web", "SQL Ent")
TENANCIES = ("Shared", "Dedicated")
CAPACITY = ("Used", "UnusedCapacityReservation", "AllocatedCapacityReservation", "CapacityBlock")
DISCLAIMER = "This pricing list is for informational purposes only."
ON_DEMAND, HOURLY, UPFRONT = "JRTCKXETXF", "6YS6EN2CT7", "2TG2D8R56U"
RESERVED = [
    (hashlib.sha256(repr(one).encode()).hexdigest()[:10].upper(), *one)
    for one in itertools.product(("1yr", "3yr"), ("standard", "convertible"), ("No", "Partial", "All"))
]
COLUMNS = (
    *("SKU", "OfferTermCode", "RateCode", "TermType", "PriceDescription", "EffectiveDate", "StartingRange"),
    *("EndingRange", "Unit", "PricePerUnit", "Currency", "RelatedTo", "LeaseContractLength", "PurchaseOption"),
    *("OfferingClass", "Product Family"),
)
HEADER = {
    "formatVersion": "v1.0",
    "disclaimer": DISCLAIMER,
    "offerCode": "AmazonEC2",
    "version": "20260910151105",
    "publicationDate": "2026-09-10T15:11:05Z",
}


def products() -> Iterator[tuple[str, dict[str, str], bool, float]]:
    """SKU, attributes, whether it has Reserved terms, and USD per hour."""
    number = 0
    for name in TYPES:
        for system, software, tenancy, capacity in itertools.product(SYSTEMS, SOFTWARE, TENANCIES, CAPACITY):
            number += 1
            sku = hashlib.sha256(str(number).encode()).hexdigest()[:16].upper()
            block = capacity == "CapacityBlock"
            usd = 0.0 if block else 0.1 + number % 9973 / 100
            attributes = {
                "servicecode": "AmazonEC2",
                "location": "US East (N. Virginia)",
                "locationType": "AWS Region",
                "instanceType": name,
                "currentGeneration": "Yes",
                "instanceFamily": "GPU instance",
                "vcpu": "96",
                "physicalProcessor": "Intel Xeon Platinum 8275L",
                "clockSpeed": "3 GHz",
                "memory": "1152 GiB",
                "storage": "8 x 1000 SSD",
                "networkPerformance": "400 Gigabit",
                "processorArchitecture": "64-bit",
                "tenancy": tenancy,
                "operatingSystem": system,
                "licenseModel": "No License required",
                "usagetype": f"{'Dedicated' if tenancy == 'Dedicated' else 'Box'}Usage:{name}",
                "operation": "RunInstances:CB" if block else "RunInstances",
                "availabilityzone": "NA",
                "capacitystatus": "Used" if block else capacity,
                "classicnetworkingsupport": "false",
                "dedicatedEbsThroughput": "19000 Mbps",
                "ecu": "345",
                "enhancedNetworkingSupported": "No",
                "gpu": "8",
                "gpuMemory": "320 GB HBM2",
                "intelAvxAvailable": "Yes",
                "intelAvx2Available": "Yes",
                "marketoption": "CapacityBlock" if block else "OnDemand",
                "normalizationSizeFactor": "192",
                "preInstalledSw": software,
                "processorFeatures": "Intel AVX; Intel AVX2; Intel AVX512; Intel Turbo",
                "regionCode": "us-east-1",
                "servicename": "Amazon Elastic Compute Cloud",
                "instancesku": hashlib.sha256(name.encode()).hexdigest()[:16].upper(),
                "instanceFamilyCategory": "Accelerated Computing",
                "vpcnetworkingsupport": "true",
            }
            yield sku, attributes, capacity == "Used" and software in ("NA", "SQL Std", "SQL Web"), usd


def rates(usd: float, term: tuple[str, ...] | None, name: str) -> list[tuple[str, str, str, str]]:
    """Code, description, unit and price of each rate of a term."""
    if term is None:
        return [(HOURLY, f"${usd:.4f} per On Demand Linux {name} Instance Hour", "Hrs", f"{usd:.10f}")]
    _, lease, _, upfront = term
    hours = 8760 * int(lease[0])
    paid = {"No": 0.0, "Partial": 0.3, "All": 0.6}[upfront]
    found = [
        (HOURLY, f"Linux/UNIX (Amazon VPC), {name} reserved instance applied", "Hrs", f"{usd * (0.6 - paid):.10f}")
    ]
    if paid:
        found.append((UPFRONT, "Upfront Fee", "Quantity", f"{usd * paid * hours:.0f}"))
    return found


def _term(sku: str, term: tuple[str, ...] | None, usd: float, name: str) -> str:
    code = term[0] if term else ON_DEMAND
    dimensions = ",\n".join(
        f"""            "{sku}.{code}.{rate}" : {{
              "rateCode" : "{sku}.{code}.{rate}",
              "description" : "{description}",
              "beginRange" : "0",
              "endRange" : "Inf",
              "unit" : "{unit}",
              "pricePerUnit" : {{
                "USD" : "{price}"
              }},
              "appliesTo" : [ ]
            }}"""
        for rate, description, unit, price in rates(usd, term, name)
    )
    attributes = (
        "{ }"
        if term is None
        else f"""{{
            "LeaseContractLength" : "{term[1]}",
            "OfferingClass" : "{term[2]}",
            "PurchaseOption" : "{term[3]} Upfront"
          }}"""
    )
    return f"""        "{sku}.{code}" : {{
          "offerTermCode" : "{code}",
          "sku" : "{sku}",
          "effectiveDate" : "2026-09-01T00:00:00Z",
          "priceDimensions" : {{
{dimensions}
          }},
          "termAttributes" : {attributes}
        }}"""


def _entries(file: TextIO, texts: Iterator[str]) -> None:
    for number, text in enumerate(texts):
        file.write((",\n" if number else "\n") + text)


def write_json(path: Path) -> None:
    """As AWS prints it."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write("{\n" + "".join(f'  "{name}" : "{value}",\n' for name, value in HEADER.items()) + '  "products" : {')
        _entries(
            file,
            (
                f'    "{sku}" : {{\n      "sku" : "{sku}",\n      "productFamily" : "Compute Instance",\n'
                '      "attributes" : {\n'
                + ",\n".join(f'        "{name}" : "{value}"' for name, value in attributes.items())
                + "\n      }\n    }"
                for sku, attributes, _, _ in products()
            ),
        )
        file.write('\n  },\n  "terms" : {\n    "OnDemand" : {')
        _entries(
            file,
            (
                f'      "{sku}" : {{\n{_term(sku, None, usd, attributes["instanceType"])}\n      }}'
                for sku, attributes, _, usd in products()
            ),
        )
        file.write('\n    },\n    "Reserved" : {')
        _entries(
            file,
            (
                f'      "{sku}" : {{\n'
                + ",\n".join(_term(sku, term, usd, attributes["instanceType"]) for term in RESERVED)
                + "\n      }"
                for sku, attributes, reserved, usd in products()
                if reserved
            ),
        )
        file.write('\n    }\n  },\n  "attributesList" : { }\n}\n')


def write_csv(path: Path) -> None:
    """The same rates, a line each."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        names = ("FormatVersion", "Disclaimer", "Publication Date", "Version", "OfferCode")
        order = ("formatVersion", "disclaimer", "publicationDate", "version", "offerCode")
        writer.writerows((name, HEADER[key]) for name, key in zip(names, order, strict=True))
        writer.writerow((*COLUMNS, *next(products())[1]))
        for sku, attributes, reserved, usd in products():
            for term in (None, *(RESERVED if reserved else ())):
                code = term[0] if term else ON_DEMAND
                said = ("", "", "") if term is None else (term[1], f"{term[3]} Upfront", term[2])
                for rate, description, unit, price in rates(usd, term, attributes["instanceType"]):
                    writer.writerow(
                        (
                            *(sku, code, f"{sku}.{code}.{rate}", "Reserved" if term else "OnDemand", description),
                            *("2026-09-01", "0", "Inf", unit, price, "USD", "", *said, "Compute Instance"),
                            *attributes.values(),
                        )
                    )


def write(folder: Path) -> tuple[Path, Path]:
    """Both files, unless they are there already; about a minute."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for name, make in (("index.json", write_json), ("index.csv", write_csv)):
        path = folder / name
        if not path.exists():
            partial = path.with_suffix(".partial")
            make(partial)
            partial.rename(path)
        made.append(path)
    return made[0], made[1]


if __name__ == "__main__":
    for written in write(Path(sys.argv[1])):
        print(f"{written}: {written.stat().st_size / 1e6:.0f} MB")
