"""What a stack is made of, for people: every resource by component, with its dollars an hour and its bill lines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from planner.report.data.resource_graph import Graph, Resource, bills_by_use, by_component, usd_per_hour
from planner.report.terminal.columns import TABLE_FROM, all_fit, records, whole
from planner.report.wording import resources as words
from planner.report.wording.figures import visible
from planner.report.wording.rounding import hourly
from planner.report.wording.table import Column
from planner.report.wording.wrapping import wrap


def table(
    graph: Graph,
    *,
    stored_usd: float | None = None,
    width: int = 80,
    ascii_only: bool = False,
    everything: bool = False,
) -> str:
    """A row for each component, and the sum. everything: instead a row for each resource that bills, and the free ones
    in a sentence.

    stored_usd: what S3 stores at the planned size, dollars an hour, where that is known.
    """
    stack, found = graph["stack"], by_component(graph)
    every = [resource for resources in found.values() for resource in resources]
    lines = wrap(words.title(str(stack["name"]), str(stack["scenario"])), width, "  ")
    lines += wrap(words.summary(len(every), usd_per_hour(every), stored_usd), width, "  ")
    if everything:
        lines += ["", *_rows(found, width, ascii_only), ""]
        for component, resources in found.items():
            free = [_short(resource) for resource in resources if resource["free"]]
            if free:
                lines += wrap(words.free(component, free), width, "  ")
    else:
        lines += ["", *_components(found, width, ascii_only), words.ALL]
    names = {str(resource["name"]) for resource in every}
    without = words.guards_left_out(action="guard-action" in names, anomalies="guard-anomalies" in names)
    if without and "guard-budget" in names:
        lines += ["", *wrap(without, width, "  ")]
    waiting = [visible(str(name)) for name in stack.get("placeholders", ())]
    if waiting:
        lines += ["", *wrap(words.placeholders(waiting), width, "  ")]
    return "\n".join(lines) + "\n"


def _components(found: Mapping[str, Sequence[Resource]], width: int, ascii_only: bool) -> list[str]:
    """Of each component how many resources it has, how many bill, and what."""
    billed = [[one for one in resources if not one["free"]] for resources in found.values()]
    printed = hourly([[float(one["usd_per_hour"] or 0.0) for one in each] for each in billed])
    more = [" +" if bills_by_use(each) else "" for each in billed]
    sums = [f"{total:,.4f}{plus}" if total else words.BY_USE for (total, _), plus in zip(printed, more, strict=True)]
    lines = [dict.fromkeys(str(line) for one in each for line in one["bill_lines"]) for each in billed]
    counts = [[len(each) for each in found.values()], list(map(len, billed))]
    columns = [
        Column(title="Component", values=[*map(visible, found), "all"], text=True),
        *(
            Column(title=title, values=[f"{count:,}" for count in (*each, sum(each))])
            for title, each in zip(("Resources", "that bill"), counts, strict=True)
        ),
        Column(
            title="$/hour",
            values=[
                *(usd if each else words.FREE for usd, each in zip(sums, billed, strict=True)),
                f"{math.fsum(total for total, _ in printed):,.4f}",
            ],
        ),
        Column(title="Lines of the bill", values=[*(visible(", ".join(each)) for each in lines), ""], text=True),
    ]
    return whole(columns, width, "-" if ascii_only else "─")


def _rows(found: Mapping[str, Sequence[Resource]], width: int, ascii_only: bool) -> list[str]:
    """What bills; the first row of a component has its sum. A record has its bill lines in one text."""
    cells: list[tuple[str, str, str, Sequence[str]]] = []
    billed_of = [[resource for resource in resources if not resource["free"]] for resources in found.values()]
    printed = hourly([[float(one["usd_per_hour"] or 0.0) for one in billed] for billed in billed_of])
    for billed, (total, each) in zip(billed_of, printed, strict=True):
        more = " +" if bills_by_use(billed) else ""
        for number, (resource, hour) in enumerate(zip(billed, each, strict=True)):
            sums = (f"{total:,.4f}{more}" if total else words.BY_USE) if number == 0 else ""
            usd = f"{hour:,.4f}" if resource["usd_per_hour"] else words.BY_USE
            bills = [visible(str(line)) for line in resource["bill_lines"]]
            cells.append((visible(str(resource["name"])), usd, sums, bills))
    every = sum(total for total, _ in printed)
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
