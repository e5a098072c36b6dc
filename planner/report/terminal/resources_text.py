"""What a stack is made of, for people: every resource by component, with its dollars an hour and its bill lines.

Reads a resource graph as plain data (design 3.5), so that it works on any such file.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from planner.report.terminal.columns import TABLE_FROM, Column, all_fit, records, whole, wrap
from planner.report.wording.figures import dollars, many, visible

Graph = Mapping[str, Any]
Resource = Mapping[str, Any]

BY_USE = "what bills by use (S3 storage, requests, traffic, logs)"


def stored_words(usd: float | None) -> str:
    """What S3 stores, to put behind BY_USE; nothing where it is not known."""
    return f"; stored in S3 at the planned size: about ${dollars(usd)} an hour" if usd else ""


def as_json(graph: Graph) -> str:
    return json.dumps(graph, indent=2, ensure_ascii=False) + "\n"


def by_component(graph: Graph) -> dict[str, list[Resource]]:
    """Component -> its resources at AWS, in the order of the graph; components themselves are no resources there."""
    found: dict[str, list[Resource]] = {}
    for resource in graph["resources"]:
        if str(resource["type"]).startswith("aws:"):
            found.setdefault(str(resource["component"]), []).append(resource)
    return found


def usd_per_hour(resources: Sequence[Resource]) -> float:
    return math.fsum(float(resource["usd_per_hour"] or 0.0) for resource in resources)


def bills_by_use(resources: Sequence[Resource]) -> bool:
    """Whether one of them bills by use alone: an hourly sum does not hold it."""
    return any(not resource["free"] and not resource["usd_per_hour"] for resource in resources)


def table(graph: Graph, *, stored_usd: float | None = None, width: int = 80, ascii_only: bool = False) -> str:
    """Component by component: what bills as rows, what is free in a sentence; and the sum.

    stored_usd: what S3 stores at the planned size, dollars an hour, where that is known.
    """
    stack, found = graph["stack"], by_component(graph)
    every = [resource for resources in found.values() for resource in resources]
    lines = wrap(f"Stack {visible(str(stack['name']))}: {visible(str(stack['scenario']))}", width, "  ")
    standing = f"{many(len(every), 'resource')}, {_usd(usd_per_hour(every))} while they stand"
    lines += wrap(f"{standing}, without {BY_USE}, which + marks{stored_words(stored_usd)}", width, "  ")
    lines.append("")
    lines += _rows(found, width, ascii_only)
    lines.append("")
    for component, resources in found.items():
        free = [_short(resource) for resource in resources if resource["free"]]
        if free:
            lines += wrap(f"{component}, free: {', '.join(free)}", width, "  ")
    waiting = [visible(str(name)) for name in stack.get("placeholders", ())]
    if waiting:
        lines.append("")
        lines += wrap(f"Placeholders, which only an account can fill: {', '.join(waiting)}", width, "  ")
    return "\n".join(lines) + "\n"


def _rows(found: Mapping[str, Sequence[Resource]], width: int, ascii_only: bool) -> list[str]:
    """What bills; a component's sum stands on its first row. A record has the lines of its bill in one."""
    cells: list[tuple[str, str, str, Sequence[str]]] = []
    for resources in found.values():
        billed = [resource for resource in resources if not resource["free"]]
        total, more = usd_per_hour(resources), " +" if bills_by_use(resources) else ""
        for number, resource in enumerate(billed):
            sums = (f"{total:,.4f}{more}" if total else "by use") if number == 0 else ""
            usd = f"{float(resource['usd_per_hour']):,.4f}" if resource["usd_per_hour"] else "by use"
            bills = [visible(str(line)) for line in resource["bill_lines"]]
            cells.append((visible(str(resource["name"])), usd, sums, bills))
    every = math.fsum(usd_per_hour(resources) for resources in found.values())
    cells.append(("all", "", f"{every:,.4f}", [""]))

    def columns(rows: Sequence[tuple[str, str, str, str]]) -> list[Column]:
        names, usd, sums, bills = zip(*rows, strict=True)
        return [
            Column(title="Resource", values=names, text=True),
            Column(title="$/hour", values=usd),
            Column(title="component", values=sums),
            Column(title="Lines of the bill", values=bills, text=True),
        ]

    under = [
        row
        for name, usd, sums, bills in cells
        for row in ((name, usd, sums, bills[0]), *(("", "", "", line) for line in bills[1:]))
    ]
    placed = columns(under)
    if width < TABLE_FROM and not all_fit(placed, width):
        return records(columns([(name, usd, sums, ", ".join(bills)) for name, usd, sums, bills in cells]), width)
    return whole(placed, width, "-" if ascii_only else "─")


def _short(resource: Resource) -> str:
    """Name of a resource inside its component."""
    return visible(str(resource["name"]).removeprefix(f"{resource['component']}-"))


def _usd(value: float) -> str:
    return f"${value:,.4f} an hour"
