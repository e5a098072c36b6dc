"""Hours by instance type from AWS's cost exports: FOCUS or CUR 2.0 by the hour, as CSV or Parquet.

A row counts where an instance ran: BoxUsage, DedicatedUsage and what a Reserved Instance covers are firm, SpotUsage may
be interrupted. What a commitment or reservation left unused did not run. AWS's price list files and "Monitoring your
On-Demand capacity reservations" in the Data Exports user guide have the usage types (read 2026-11-29).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from planner.bills.export_file import ENDINGS, HOUR_KEYS, files_in, read_hours
from planner.errors import UsageProblem
from planner.mix.demand_file import Demand

_USAGE = ("Usage", "DiscountedUsage", "SavingsPlanCoveredUsage")
_KIND = re.compile(
    r"(?:^|-)(?P<how>BoxUsage|SpotUsage|HeavyUsage|DedicatedUsage):(?P<type>[a-z][a-z0-9-]*\.[a-z0-9-]+)$"
)
_NAMES = ("ChargeCategory", "line_item_line_item_type", "lineItem/")  # of an export's columns
_HOUR = timedelta(hours=1)


def is_export(path: Path, first_line: str | None) -> bool:
    """Whether a file or folder is an export. first_line: None where the file is no text."""
    if path.is_dir() or path.name.lower().endswith(tuple(end for end in ENDINGS if end != ".csv")):
        return True
    return first_line is not None and any(name in first_line for name in _NAMES)


def export_demand(path: Path, region: str | None) -> Demand:
    """The hours of a file, or of all files in a folder. region: only its instances; None for all. Raises
    UsageProblem."""
    files = files_in([path], option="")
    read = [read_hours(file) for file in files]
    for at, hours in enumerate(read):
        if hours and hours in read[:at]:
            twin = files[read.index(hours)]
            raise UsageProblem(f"{files[at]} has the same hours as {twin}, which would count twice: keep one of them")
    instances: defaultdict[tuple[str, bool], dict[datetime, float]] = defaultdict(lambda: defaultdict(float))
    elsewhere: defaultdict[str, float] = defaultdict(float)
    of_region: set[str] = set()
    covered = total = 0.0
    for file, hours in zip(files, read, strict=True):
        for values, quantity in hours.items():
            row = dict(zip(HOUR_KEYS, values, strict=True))
            kind = _KIND.search(row["usage_type"])
            unused = "unused" in (row["commitment_status"].lower(), row["reservation_status"].lower())
            if kind is None or row["category"] not in _USAGE or unused:
                continue
            if kind["how"] == "HeavyUsage" and row["category"] == "Usage" and not row["commitment_status"]:
                continue  # the fee of a Reserved Instance
            if region and row["region"] not in ("", region):
                elsewhere[f"in {row['region']}"] += quantity
                continue
            of_region.add(row["region"] or row["usage_type"][: kind.start("how")])
            begin, end = _time(file, row["begin"]), _time(file, row["end"])
            if end - begin > _HOUR or begin.minute or begin.second:
                raise UsageProblem(
                    f"{file}: a charge from {begin:%Y-%m-%d %H:%M} to {end:%Y-%m-%d %H:%M}, not of one hour: AWS made "
                    "this export by day or month; create one by the hour"
                )
            instances[kind["type"], kind["how"] == "SpotUsage"][begin] += quantity
            total += quantity
            covered += quantity if row["commitment_status"] or row["category"] != "Usage" else 0.0
    if not instances:
        where = f" in {region}" if region else ""
        other = f"; there are some {', '.join(sorted(elsewhere))}" if elsewhere else ""
        raise UsageProblem(f"{path}: no hour of a running instance{where}{other}")
    if len(of_region) > 1 and region:
        prefixes = ", ".join(sorted(name or "no prefix" for name in of_region))
        raise UsageProblem(
            f"{path}: usage of several Regions ({prefixes}) and no column that says which: RegionId in FOCUS, "
            "product_region_code in CUR 2.0"
        )
    found = _demand(instances, _largest(elsewhere), tuple(sorted(of_region)))
    return replace(found, covered=covered / total if total else 0.0)


def _demand(
    instances: Mapping[tuple[str, bool], Mapping[datetime, float]],
    left_out: tuple[tuple[str, float], ...],
    regions: tuple[str, ...],
) -> Demand:
    """An export has every hour: an hour without a row is one in which nothing ran."""
    moments = [hour for hours in instances.values() for hour in hours]
    first = min(moments)
    size = int((max(moments) - first) / _HOUR) + 1
    firm = {name: np.zeros(size) for name in sorted({name for name, _ in instances})}
    may_wait = {name: np.zeros(size) for name in firm}
    for (name, is_spot), hours in instances.items():
        into = may_wait if is_spot else firm
        for hour, quantity in hours.items():
            into[name][int((hour - first) / _HOUR)] += quantity
    some = {name: hours for name, hours in may_wait.items() if hours.any()}
    return Demand(first=first, firm=firm, interruptible=some, assumed_utc=False, left_out=left_out, regions=regions)


def _largest(hours: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    return tuple(sorted(hours.items(), key=lambda item: (-item[1], item[0])))


def _time(file: Path, text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text.strip().replace(" UTC", "Z"))
    except ValueError:
        raise UsageProblem(f"{file}: {text!r} is no time; exports have times like 2026-11-02T08:00:00Z") from None
    return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)


def with_prices(demand: Demand, known: Iterable[str]) -> Demand:
    """Only the types that a price book has; an export has every instance of an account. Raises UsageProblem if it has
    none of them."""
    kept = set(known) & set(demand.firm)
    lacking: dict[str, float] = {}
    for name in set(demand.firm) - kept:
        hours = demand.firm[name].sum() + demand.interruptible.get(name, np.zeros(1)).sum()
        lacking[f"of {name}, which the price book does not have"] = float(hours)
    if not kept:
        raise UsageProblem(f"the price book has none of these types: {', '.join(sorted(demand.firm))}")
    return replace(
        demand,
        firm={name: hours for name, hours in demand.firm.items() if name in kept},
        interruptible={name: hours for name, hours in demand.interruptible.items() if name in kept},
        left_out=(*demand.left_out, *_largest(lacking)),
    )
