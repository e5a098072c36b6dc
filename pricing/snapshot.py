"""Reads and writes a dated folder of prices.

A folder has CSV tables with the columns below and manifest.json, which is written last and has a SHA-256 of every
table. A committed folder is never edited: newer knowledge goes into a newer folder.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

SCHEMA_VERSION = "1"
DATA = Path(__file__).parent / "data"

_PRICE = ("usd", "unit", "observed", "grade", "carried", "source", "note")
# `carried` is empty (observed at most 45 days before the book), `forward` (older) or `back` (later).
# `source` is an id in sources.csv; money is the source's own decimal text
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "instances": (
        "name",
        "vcpu",
        "memory_mib",
        "gpu_count",
        "gpu_name",
        "nvme_drives",
        "nvme_drive_gb",
        "nvme_total_gb",
        "network_mbps",
        "network_cards",
        "max_network_interfaces",
        "efa_interfaces",
        "nitro_version",
        "ebs_mbps",
        "peak_tflops",
        "source",
        "peak_source",
        "notes",
    ),
    "on_demand": ("instance_type", "region", *_PRICE),
    "commitments": ("instance_type", "region", "option", *_PRICE),
    "capacity_blocks": ("instance_type", "region", *_PRICE),
    "spot": ("instance_type", "region", "zone_id", "item", *_PRICE),
    "interruptions": ("instance_type", "region", "label", "observed", "carried", "source"),
    "metered": ("service", "item", "region", "offering", "tier_from", "tier_to", *_PRICE),
    "not_offered": ("table", "instance_type", "region", "option", "observed", "source", "because"),
    "fsx_performance": (
        "deployment",
        "tier_mbps_per_tib",
        "network_baseline_mbps_per_tib",
        "network_burst_mbps_per_tib",
        "disk_read_mbps_per_tib",
        "disk_write_mbps_per_tib",
        "disk_burst_mbps_per_tib",
        "ram_cache_gib_per_tib",
        "source",
    ),
    "fsx_metadata_iops": ("capacity_gib_from", "capacity_gib_to", "included_iops", "per_gib", "source"),
    "events": ("date", "service", "what", "old_usd", "new_usd", "change_pct", "grade", "source"),
    "sources": ("id", "text"),
}
Row = Mapping[str, str]


class BrokenBook(ValueError):
    """The folder is not a price book that this version can read. The message says what is wrong and where."""


def source_id(text: str) -> str:
    """A short id that depends only on the text, so that a new source does not change other ids."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def read_manifest(folder: Path) -> dict[str, Any]:
    """manifest.json as a mapping. Raises BrokenBook."""
    path = folder / "manifest.json"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        date.fromisoformat(manifest["as_of"])
        version, files = manifest["schema_version"], manifest["files"]
    except FileNotFoundError:
        raise BrokenBook(f"{folder} is not a price book: it has no manifest.json") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BrokenBook(f"{path} is not a manifest of a price book: {error!r}") from error
    if version != SCHEMA_VERSION:
        raise BrokenBook(f"{path} has schema version {version}, this version reads {SCHEMA_VERSION}")
    if not isinstance(files, dict):
        raise BrokenBook(f"{path}: `files` must be a mapping")
    return manifest


def read_lines(folder: Path, table: str) -> list[list[str]]:
    """The values of every row of one table, in the order of COLUMNS. Raises BrokenBook with file and line."""
    path = folder / f"{table}.csv"
    columns = COLUMNS[table]
    try:
        with path.open(newline="", encoding="utf-8") as file:
            lines = list(csv.reader(file))
    except FileNotFoundError as missing:
        raise BrokenBook(f"{path} is missing from the price book: copy the whole folder again") from missing
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BrokenBook(f"{path} cannot be read: {error}") from error
    header, count = tuple(lines[0]) if lines else (), len(columns)
    if header != columns:
        raise BrokenBook(f"{path}:1: columns are {','.join(header)}, not {','.join(columns)}")
    for number, line in enumerate(lines, start=1):
        if len(line) != count:
            raise BrokenBook(f"{path}:{number}: {len(line)} values for {count} columns")
    return lines[1:]


def table_bytes(table: str, rows: Iterable[Row]) -> bytes:
    """The table as CSV; the same rows give the same bytes."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = COLUMNS[table]
    writer.writerow(columns)
    writer.writerows([row[column] for column in columns] for row in rows)
    return text.getvalue().encode()


def hash_of_files(files: Mapping[str, str]) -> str:
    """One hash over the hashes of all files, which identifies a book."""
    lines = "".join(f"{name} {files[name]}\n" for name in sorted(files))
    return hashlib.sha256(lines.encode()).hexdigest()


def write(folder: Path, tables: Mapping[str, Iterable[Row]], facts: Mapping[str, Any]) -> None:
    """Write all tables, then the manifest.

    facts: what the manifest has besides schema version, files and row counts (as_of and so on).
    """
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, str] = {}
    counts: dict[str, int] = {}
    for table in COLUMNS:
        rows = tuple(tables[table])
        data = table_bytes(table, rows)
        (folder / f"{table}.csv").write_bytes(data)
        files[f"{table}.csv"] = hashlib.sha256(data).hexdigest()
        counts[table] = len(rows)
    manifest = {"schema_version": SCHEMA_VERSION, **facts, "rows": counts, "files": files}
    manifest["sha256"] = _own_hash(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _own_hash(manifest: Mapping[str, Any]) -> str:
    rest = {key: value for key, value in manifest.items() if key != "sha256"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def actual_files(folder: Path) -> dict[str, str]:
    """SHA-256 of every table in the folder now, by file name."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.glob("*.csv"))}


def changed_files(folder: Path) -> tuple[str, ...]:
    """Names of files that differ from when they were written: changed, missing or added. Empty: intact."""
    manifest = read_manifest(folder)
    wanted, actual = manifest["files"], actual_files(folder)
    changed = {name for name in wanted.keys() | actual.keys() if wanted.get(name) != actual.get(name)}
    if manifest.get("sha256") != _own_hash(manifest):
        changed.add("manifest.json")
    return tuple(sorted(changed))


def available(data: Path = DATA) -> tuple[date, ...]:
    """Dates of the folders, oldest first."""
    found: list[date] = []
    for path in data.iterdir() if data.is_dir() else ():
        try:
            found.append(date.fromisoformat(path.name))
        except ValueError:
            continue
    return tuple(sorted(found))


def folder_as_of(day: date, data: Path = DATA) -> Path:
    """The folder of the day, else the newest one before it. Raises LookupError that lists the folders."""
    dates = available(data)
    fitting = [one for one in dates if one <= day]
    if not fitting:
        there = ", ".join(map(str, dates)) or "none at all"
        raise LookupError(f"no price book is of {day} or before; available: {there}")
    return data / fitting[-1].isoformat()
