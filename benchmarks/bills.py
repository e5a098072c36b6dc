"""Five million rows of a bill in bounded memory, beside what pandas needs to read the same file at once."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import PLANNER, PYTHON, alternate, table

ROWS = 5_000_000
GOAL_MIB = 1024.0
PLAN = "examples/small.yaml"
# the same sums by pandas: usage type and stack, over the columns that it needs
PANDAS = """
import sys, pandas
frame = pandas.read_parquet(sys.argv[1]) if sys.argv[1].endswith("parquet") else pandas.read_csv(sys.argv[1])
frame["stack"] = frame.Tags.str.extract(r'planner:stack": "([^"]*)"')
frame.groupby(["stack", "SkuMeter"], dropna=False)[["PricingQuantity", "BilledCost", "EffectiveCost"]].sum()
"""


def columns(rows: int) -> Iterator[dict[str, list[object]]]:
    """Batches of an export of FOCUS 1.2: an account in which one row in fifty is of the stack dev, each row of another
    resource, whose name is in its tags, by the hour."""
    kinds = [
        ("AmazonEC2", "BoxUsage:p4d.24xlarge", "Hrs", 21.957642, "fleet"),
        ("AmazonEC2", "EBS:VolumeUsage.gp3", "GB-Mo", 0.08, "fleet"),
        ("AmazonS3", "TimedStorage-ByteHrs", "GB-Mo", 0.023, "tier"),
        ("AmazonS3", "Requests-Tier2", "Requests", 4e-7, "tier"),
        ("AmazonEC2", "NatGateway-Hours", "Hrs", 0.045, "network"),
    ]
    size = 200_000
    for first in range(0, rows, size):
        batch: dict[str, list[object]] = {}
        for index in range(first, min(first + size, rows)):
            service, usage, unit, usd, component = kinds[index % len(kinds)]
            day, hour = 1 + index // 24 % 28, index % 24
            tags = (
                f'{{"user:Name": "node-{index}", "user:planner:stack": "dev", "user:planner:component": "{component}"}}'
                if index % 50 < len(kinds)
                else f'{{"user:Name": "vm-{index}"}}'
            )
            row: dict[str, object] = {
                "BillingAccountId": "111122223333",
                "ChargeCategory": "Usage",
                "x_ServiceCode": service,
                "SkuMeter": usage,
                "x_Operation": "RunInstances",
                "PricingQuantity": 1.0,
                "PricingUnit": unit,
                "BilledCost": usd,
                "EffectiveCost": usd,
                "ListCost": usd,
                "BillingCurrency": "USD",
                "CapacityReservationId": None,
                "CapacityReservationStatus": None,
                "ChargePeriodStart": f"2026-10-{day:02d}T{hour:02d}:00:00Z",
                "ChargePeriodEnd": f"2026-10-{day:02d}T{hour:02d}:59:59Z",
                "ResourceId": f"arn:aws:ec2:us-east-1:111122223333:instance/i-{index:017x}",
                "Tags": tags,
            }
            for name, value in row.items():
                batch.setdefault(name, []).append(value)
        yield batch


def write(folder: Path, rows: int) -> dict[str, Path]:
    """The same rows as Parquet and as CSV."""
    import pyarrow as pa
    import pyarrow.csv as csv
    import pyarrow.parquet as parquet

    paths = {"parquet": folder / "bill.parquet", "csv": folder / "bill.csv"}
    table_writer = text_writer = None
    for batch in columns(rows):
        part = pa.table({k: pa.array(v, pa.string() if "Reservation" in k else None) for k, v in batch.items()})
        table_writer = table_writer or parquet.ParquetWriter(paths["parquet"], part.schema)
        text_writer = text_writer or csv.CSVWriter(paths["csv"], part.schema)
        table_writer.write_table(part)
        text_writer.write(part)
    for writer in filter(None, (table_writer, text_writer)):
        writer.close()
    return paths


def main(rows: int = ROWS, runs: int = 1) -> str:
    with tempfile.TemporaryDirectory() as folder:
        paths = write(Path(folder), rows)
        commands = {"pandas, parquet": [PYTHON, "-c", PANDAS, str(paths["parquet"])]}
        for name, path in paths.items():
            words = ["reconcile", PLAN, "--draws", "0", "-q", "--scenario", "1", "--bill", str(path)]
            commands[f"planner reconcile, {name}"] = [PLANNER, *words]
        figures = alternate(commands, runs)
    most = max(figure.peak_mib for name, figure in figures.items() if name.startswith("planner"))
    told = "met" if most <= GOAL_MIB else "MISSED"
    return (
        f"{table(figures, 'pandas, parquet', {})}\n{rows:,} rows: peak {most:,.0f} MiB  (goal {GOAL_MIB:,.0f} {told})"
    )


if __name__ == "__main__":
    print(f"== {__doc__}\n{main(*map(int, sys.argv[1:2]))}\n")
