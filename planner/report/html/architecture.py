"""What the page shows of the stack behind the answer: the picture of the architecture, and the numbers behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from planner.report.pictures.architecture import ON_THE_PAGE, svg
from planner.report.terminal.resources_text import BY_USE, bills_by_use, by_component, stored_words, usd_per_hour
from planner.report.wording.figures import visible


@dataclass(frozen=True, kw_only=True)
class Part:
    """A component: how many resources, dollars an hour, whether something bills by use beside them, lines of the bill
    that they stand on."""

    component: str
    resources: int
    usd_per_hour: str
    by_use: bool
    bill_lines: str


@dataclass(frozen=True, kw_only=True)
class StackView:
    """The stack of one scenario; why_not: the reason where it cannot be drawn, and then there is nothing else."""

    scenario: str
    why_not: str = ""
    picture: str = ""
    parts: tuple[Part, ...] = ()
    total_usd_per_hour: str = ""
    without: str = ""


def view(graph: Mapping[str, Any], stored_usd: float | None = None) -> StackView:
    """Of a resource graph (design 3.5). stored_usd: see `as_graph.table`."""
    found = by_component(graph)
    return StackView(
        scenario=visible(str(graph["stack"]["scenario"])),
        picture=svg(graph, ON_THE_PAGE, stored_usd=stored_usd),
        parts=tuple(
            Part(
                component=visible(name),
                resources=len(resources),
                usd_per_hour=f"{usd_per_hour(resources):,.4f}" if usd_per_hour(resources) else "",
                by_use=bills_by_use(resources),
                bill_lines=", ".join(dict.fromkeys(visible(line) for r in resources for line in r["bill_lines"])),
            )
            for name, resources in found.items()
        ),
        total_usd_per_hour=f"{usd_per_hour([r for resources in found.values() for r in resources]):,.4f}",
        without=BY_USE + stored_words(stored_usd),
    )
