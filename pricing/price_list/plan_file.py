"""Savings Plans offer files of AWS, which have a layout of their own: JSON or CSV, also compressed with gzip.

A file of AWSComputeSavingsPlan has Compute and EC2 Instance Savings Plans. Its terms name a plan by its SKU, and each
rate a usage type, operation and Region: AWS Billing user guide, "Reading the service price list file for a Savings
Plan".
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from pricing.price_list.csv_file import cells_of, lines_of
from pricing.price_list.json_stream import Reader
from pricing.price_list.offer_file import faults_of, opened
from pricing.price_list.product import BadPriceList, plain_name

PLAIN_USAGE, PLAIN_OPERATION, SERVICE = "BoxUsage:", "RunInstances", "AmazonEC2"  # Linux on shared hardware, in use
FAMILIES = {"ComputeSavingsPlans": "Compute", "EC2InstanceSavingsPlans": "EC2Instance"}
HEAD_BYTES = 1 << 16
HEADER_LINES = 12  # five lines of metadata stand above the columns
_HEAD = re.compile(rb'"products"\s*:\s*\[|discounted ?rate\W', re.IGNORECASE)
_HEADER = {"publicationdate": "publicationDate", "version": "version"}
_REGION = "discountedregioncode"
_COLUMNS = (
    *("unit", "discountedrate", "currency", "discountedservicecode", "discountedusagetype", "discountedoperation"),
    *("purchaseoption", "leasecontractlength", "leasecontractlengthunit", "productfamily", _REGION),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanRate:
    """What an hour of an instance costs under a plan. plan: "Compute" | "EC2Instance" | "". upfront: "No Upfront" ...
    years: 0 where they are not understood. usd: the decimal text of the source, for one `unit`."""

    instance_type: str
    region: str
    plan: str
    upfront: str
    years: int
    usd: str
    unit: str
    currency: str


@dataclass(frozen=True, kw_only=True)
class PlanFile:
    """What was wanted of one file. version, published: as the file writes them, "" if not stated."""

    version: str
    published: str
    rates: tuple[PlanRate, ...]


Accepts = Callable[[str, str], bool]  # instance type, Region


def is_plan_file(path: Path) -> bool:
    """Whether a file begins like a Savings Plans offer file. Raises OSError."""
    try:
        with opened(path) as file:
            return _HEAD.search(file.read(HEAD_BYTES)) is not None
    except (EOFError, gzip.BadGzipFile, zlib.error):
        return False


def read_plan_file(path: Path, accepts: Accepts) -> PlanFile:
    """The rates of plain Linux instances that are accepted, in the order of the file.

    Raises BadPriceList with the path where the file is incomplete, has fields of another form, or has other plans
    alone; and OSError where it cannot be opened.
    """
    with faults_of(path):
        with opened(path) as file:
            begin = file.read(HEAD_BYTES).lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        with opened(path) as file:
            header, rates = (_json if begin == b"{" else _csv)(file, accepts)
    return PlanFile(
        version=str(header.get("version", "")),
        published=str(header.get("publicationDate", ""))[:10],
        rates=tuple(rates),
    )


def instance_of(service: str, usage: str, operation: str) -> str:
    """The instance type of a rate of plain Linux on shared hardware, "" of anything else."""
    before, _, name = usage.partition(PLAIN_USAGE)
    is_plain = service == SERVICE and operation == PLAIN_OPERATION and (not before or before.endswith("-"))
    return name if is_plain else ""


def _json(file: BinaryIO, accepts: Accepts) -> tuple[dict[str, Any], list[PlanRate]]:
    reader = Reader(file)
    header: dict[str, Any] = {}
    plans: dict[str, tuple[str, str]] = {}  # SKU -> plan, upfront
    rates: list[PlanRate] = []
    try:
        for name in reader.members():
            if name == "products":
                for _ in reader.elements():
                    said = reader.value()
                    plans[said["sku"]] = (FAMILIES.get(said["productFamily"], ""), said["attributes"]["purchaseOption"])
            elif name == "terms":
                for kind in reader.members():
                    if kind != "savingsPlan":
                        reader.value()
                        continue
                    for _ in reader.elements():
                        rates += _of_term(reader, plans, accepts)
            else:
                header[name] = reader.value()
    except (KeyError, TypeError, AttributeError) as error:
        raise BadPriceList(_other_form(error)) from None
    _check_plans({plan for plan, _ in plans.values()})
    return header, rates


def _of_term(reader: Reader, plans: Mapping[str, tuple[str, str]], accepts: Accepts) -> list[PlanRate]:
    """The rates of one plan. They are most of the file, so that they are read one at a time."""
    term: dict[str, Any] = {}
    found: list[tuple[str, dict[str, Any]]] = []
    for key in reader.members():
        if key != "rates":
            term[key] = reader.value()
            continue
        for _ in reader.elements():
            said = reader.value()
            name = instance_of(said["discountedServiceCode"], said["discountedUsageType"], said["discountedOperation"])
            if name and accepts(name, said["discountedRegionCode"]):
                found.append((name, said))
    plan, upfront = plans.get(term["sku"], ("", ""))
    lease = term["leaseContractLength"]
    return [
        PlanRate(
            instance_type=name,
            region=said["discountedRegionCode"],
            plan=plan,
            upfront=upfront,
            years=_years(str(lease["duration"]), lease["unit"]),
            usd=said["discountedRate"]["price"],
            unit=said["unit"],
            currency=said["discountedRate"]["currency"],
        )
        for name, said in found
    ]


def _csv(file: BinaryIO, accepts: Accepts) -> tuple[dict[str, Any], list[PlanRate]]:
    lines = lines_of(file)
    header: dict[str, Any] = {}
    columns: list[str] = []
    for line in islice(lines, HEADER_LINES):
        cells = cells_of(line)
        names = [plain_name(cell) for cell in cells]
        if "sku" in names[:1]:
            columns = names
            break
        if len(cells) > 1 and names[0] in _HEADER:
            header[_HEADER[names[0]]] = cells[1]
    if missing := [name for name in _COLUMNS if name not in columns]:
        old = "; older files lack it: download it again" if missing == [_REGION] else ""
        raise BadPriceList(f"a Savings Plans offer file without the column {', '.join(missing)}{old}")
    rates: list[PlanRate] = []
    families: set[str] = set()
    for row in _rows(lines, columns):
        plan = FAMILIES.get(row["productfamily"], "")
        families.add(plan)
        name = instance_of(row["discountedservicecode"], row["discountedusagetype"], row["discountedoperation"])
        if name and accepts(name, row[_REGION]):
            rates.append(
                PlanRate(
                    instance_type=name,
                    region=row[_REGION],
                    plan=plan,
                    upfront=row["purchaseoption"],
                    years=_years(row["leasecontractlength"], row["leasecontractlengthunit"]),
                    usd=row["discountedrate"],
                    unit=row["unit"],
                    currency=row["currency"],
                )
            )
    _check_plans(families)
    return header, rates


def _rows(lines: Iterator[bytes], columns: list[str]) -> Iterator[dict[str, str]]:
    """Lines that may be a plain instance, by column."""
    usage, count = PLAIN_USAGE.encode(), len(columns)
    for line in lines:
        if usage in line:
            cells = cells_of(line)
            if len(cells) != count:
                raise BadPriceList(f"a line has {len(cells)} values for {count} columns; the first is {cells[0]!r}")
            yield dict(zip(columns, cells, strict=True))


def _check_plans(found: set[str]) -> None:
    if not found & set(FAMILIES.values()):
        raise BadPriceList("it has no Compute or EC2 Instance Savings Plan; the file of AWSComputeSavingsPlan has both")


def _years(duration: str, unit: str) -> int:
    return int(duration) if unit in ("year", "years") and duration.isdecimal() else 0


def _other_form(error: Exception) -> str:
    what = f"a field {error} is missing" if isinstance(error, KeyError) else f"a field has another form ({error})"
    return f"a Savings Plans offer file in which {what}; AWS may have changed its form, or it is an old one"
