"""What `explain` tells of a fleet: its choices, the numbers of one, one number and what it is made of."""

from __future__ import annotations

from planner.api.arguments import named
from planner.fleet.result import FleetComparison, FleetScenario
from planner.kinds.asking import Ask, Look, Watch
from planner.kinds.fleet.answers import compared
from planner.report.data.encoding import json_text
from planner.report.wording import figures
from planner.report.wording.fleet_explained import number_of, numbers_of
from planner.report.wording.wrapping import wrap


def ids(ask: Ask, scenario: str) -> list[str]:
    """The ids of a choice's numbers."""
    return list(
        numbers_of(FleetScenario(id="", feasible=False, why_not=(), complete=False, option=None, nodes=(), way=""))
    )


def told(
    ask: Ask, scenario: str | None, number: str | None, style: str, look: Look, watch: Watch
) -> tuple[str, FleetComparison]:
    """(text, the comparison). Without a number the numbers are listed, without a choice the choices. Raises
    UsageProblem."""
    found = compared(ask, watch)
    if scenario is None:
        every = [one.id for one in found.scenarios]
        return (json_text({"scenarios": every}) if style == "json" else "\n".join(every) + "\n"), found
    one = named(found, scenario)
    shown = numbers_of(one) if number is None else {number: number_of(one, number)}
    if style == "json":
        numbers = [
            {"id": name, "value": value, "what": what, "of": parts(one)} for name, (value, what, parts) in shown.items()
        ]
        return json_text({"scenario": one.id, "numbers": numbers}), found
    lines = [one.id]
    for name, (value, what, parts) in shown.items():
        lines.append(f"{name} = {'unknown' if value is None else figures.plain(value)} {what}")
        lines += [f"  {text}" for text in parts(one)] if number else []
    return "\n".join(part for text in lines for part in wrap(text, max(look.width, 32), "  ")) + "\n", found
