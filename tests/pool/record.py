"""What a campaign found, as rows, as JSON and as a part of docs/pool-faults.md."""

from __future__ import annotations

import json
import os
import platform
from collections import defaultdict
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from fleet_pool.settings import CONTROL_NODES

from tools.gotools import ROOT

PAGE = ROOT / "docs" / "pool-faults.md"
BEGIN, END = "<!-- campaign: begin -->", "<!-- campaign: end -->"


@dataclass(frozen=True, kw_only=True)
class Row:
    """What one fault did, in clients' eyes.

    error_s: seconds from the first failed request to the last, while the fault was left alone; return_error_s: the
    same after the repair. read_errors, write_errors: requests that failed over both. limit_s: what error_s may be.
    doors: by what was read afterwards. undone: keys whose newer write or removal an older one replaced. notes: what
    clients saw that nobody was promised. said: the first errors of each kind, in the pool's words.
    """

    fault: str
    group: str
    error_s: float
    return_error_s: float
    limit_s: float
    read_errors: int
    write_errors: int
    requests: int
    acknowledged: int
    lost: tuple[str, ...]
    wrong: tuple[str, ...]
    undone: tuple[str, ...]
    doors: tuple[str, ...]
    notes: tuple[str, ...]
    broken_rules: tuple[str, ...]
    said: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """All of it. judged_again: of every write of the campaign at its end, how many were compared, lost, wrong,
    undone."""

    command: str
    date: str
    machine: str
    nodes: int
    drives: int
    minutes: float
    rows: tuple[Row, ...]
    judged_again: int
    lost: int
    wrong: int
    undone: int

    @property
    def good(self) -> bool:
        bad = any(row.lost or row.wrong or row.undone or row.broken_rules for row in self.rows)
        return not (bad or self.lost or self.wrong or self.undone)


def here() -> str:
    """The machine in general words."""
    kernel = ".".join(platform.release().split("-")[0].split(".")[:2])
    return f"{os.cpu_count()} shared {platform.machine()} cores, Linux {kernel}"


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def write(campaign: Campaign, out: Path) -> None:
    """`out`.json with everything, `out`.md for people."""
    out.parent.mkdir(parents=True, exist_ok=True)
    out.with_suffix(".json").write_text(json.dumps(asdict(campaign), indent=1) + "\n")
    out.with_suffix(".md").write_text(f"# Faults of the pool\n\n{results(campaign)}")


def publish(campaign: Campaign, page: Path = PAGE) -> None:
    """The results into the page, between its two marks."""
    before, rest = page.read_text().split(BEGIN)
    after = rest.split(END)[1]
    page.write_text(f"{before}{BEGIN}\n{results(campaign)}{END}{after}")


def results(campaign: Campaign) -> str:
    """Markdown: what was run, what was lost, a line a kind of fault."""
    rows = campaign.rows
    errors = sum(row.read_errors + row.write_errors for row in rows)
    machines = f"{campaign.nodes} nodes with {campaign.drives} XFS drives each, {CONTROL_NODES} control nodes and S3"
    head = f"""Written by `{campaign.command}` on {campaign.date}, in {campaign.minutes:.0f} minutes:
{machines}, in network namespaces of one machine
({campaign.machine}).

| | |
|:---|---:|
| faults injected | {len(rows)} |
| writes acknowledged under them | {sum(row.acknowledged for row in rows):,} |
| acknowledged writes compared once more at the end | {campaign.judged_again:,} |
| acknowledged and lost | {campaign.lost + sum(len(row.lost) for row in rows)} |
| acknowledged and wrong | {campaign.wrong + sum(len(row.wrong) for row in rows)} |
| acknowledged and undone | {campaign.undone + sum(len(row.undone) for row in rows)} |
| requests | {sum(row.requests for row in rows):,} |
| requests that failed | {errors:,} |

| Fault | Times | Error s: median, longest | Allowed | After the repair | Acknowledged | Lost | Wrong | Undone | By |
|:---|---:|---:|---:|---:|---:|---:|---:|---:|:---|
"""
    kinds: dict[str, list[Row]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: (row.group, row.fault)):
        kinds[row.fault].append(row)
    broken = [f"- {row.fault}: {rule}\n" for row in rows for rule in row.broken_rules]
    told = "".join(("\nNot as it must be:\n\n", *broken)) if broken else ""
    notes = dict.fromkeys(f"- {row.fault}: {note}\n" for row in rows for note in row.notes)
    seen = "".join(("\nWhat other doors saw, which nobody was promised:\n\n", *notes)) if notes else ""
    return head + "".join(_line(name, some) for name, some in kinds.items()) + seen + told


def _line(name: str, rows: list[Row]) -> str:
    spans = [row.error_s for row in rows]
    cells = (
        name,
        f"{len(rows)}",
        f"{median(spans):.1f}, {max(spans):.1f}",
        f"{rows[0].limit_s:g}",
        f"{max(row.return_error_s for row in rows):.1f}",
        f"{sum(row.acknowledged for row in rows):,}",
        f"{sum(len(row.lost) for row in rows)}",
        f"{sum(len(row.wrong) for row in rows)}",
        f"{sum(len(row.undone) for row in rows)}",
        "; ".join(dict.fromkeys(door for row in rows for door in row.doors)),
    )
    return f"| {' | '.join(cells)} |\n"
