"""The stack behind the answer on the page: the picture of the architecture, and the numbers behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from planner.report.data.resource_graph import bills_by_use, by_component, usd_per_hour
from planner.report.html.inline import breakable, inline
from planner.report.pictures.architecture import ON_THE_PAGE, svg
from planner.report.wording import page_texts, resources
from planner.report.wording.figures import visible
from planner.report.wording.rounding import hourly


@dataclass(frozen=True, kw_only=True)
class ComponentView:
    """A component: how many resources, dollars an hour, lines of the bill."""

    name: str
    resources: int
    usd_per_hour: str
    bill_lines: Markup


@dataclass(frozen=True, kw_only=True)
class StackView:
    """The stack of one scenario; why_not: why it cannot be drawn, and then there is nothing else."""

    scenario: str
    why_not: str = ""
    caption: Markup | str = ""
    picture: Markup | str = ""
    components: tuple[ComponentView, ...] = ()
    resources: int = 0
    usd_per_hour: str = ""
    without: str = ""


def not_drawn(scenario: str, why_not: str) -> StackView:
    return StackView(scenario=scenario, why_not=visible(page_texts.not_deployable(scenario, why_not)))


def view(graph: Mapping[str, Any], stored_usd: float | None = None) -> StackView:
    """Of a resource graph (design 3.5). stored_usd: what S3 stores at the planned size, dollars an hour, if known."""
    found = by_component(graph)
    every = [resource for entries in found.values() for resource in entries]
    printed = hourly([[float(one["usd_per_hour"] or 0.0) for one in entries] for entries in found.values()])
    scenario = visible(str(graph["stack"]["scenario"]))
    hour = f"{usd_per_hour(every):,.4f}"
    return StackView(
        scenario=scenario,
        caption=inline(page_texts.deployed_by(scenario, hour)),
        picture=Markup(svg(graph, ON_THE_PAGE, stored_usd=stored_usd)),
        components=tuple(
            _component(name, entries, total) for (name, entries), (total, _) in zip(found.items(), printed, strict=True)
        ),
        resources=len(every),
        usd_per_hour=hour,
        without=resources.not_included(stored_usd),
    )


def _component(name: str, entries: list[Mapping[str, Any]], usd: float) -> ComponentView:
    lines = ", ".join(dict.fromkeys(visible(line) for entry in entries for line in entry["bill_lines"]))
    parts = [f"{usd:,.4f}"] if usd else []
    parts += [resources.BY_USE] if bills_by_use(entries) else []
    return ComponentView(
        name=visible(name),
        resources=len(entries),
        usd_per_hour=" + ".join(parts) or "-",
        bill_lines=breakable(lines or resources.FREE),
    )
