"""`planner explain` of a worker pool: choices, the numbers of one, or one number, as lines and as JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from planner.report.data.compared_json import SCHEMA_VERSION
from planner.report.data.encoding import json_text
from planner.report.data.worker_pool_json import rounded, spread_json
from planner.report.terminal.columns import command
from planner.report.wording import figures
from planner.report.wording import worker_pool as words
from planner.report.wording.figures import visible
from planner.report.wording.worker_pool_explained import Explained, explained, ids_of
from planner.report.wording.wrapping import wrap
from planner.worker_pool.result import PoolComparison, PoolScenario, Spread

PARTS = ("mean", "p10", "p50", "p90")


def scenarios(found: PoolComparison, width: int) -> str:
    """The choices, each with its cost or why it has none."""
    lines = wrap(visible(found.plan.name), width)
    for rank, one in enumerate(found.scenarios, 1):
        cost = figures.usd(one.cost_usd.p50) if one.cost_usd and one.complete else "; ".join(words.reasons(one))
        lines += wrap(f"  #{rank} {one.id}: {visible(cost)}", width, "     ")
    return "\n".join(lines) + "\n"


def numbers(found: PoolComparison, scenario: PoolScenario, width: int) -> str:
    """The numbers of a choice."""
    lines = wrap(scenario.id, width)
    for name in ids_of(scenario):
        one = explained(found, scenario, name)
        if one is not None:
            lines += wrap(f"  {name} = {_amount(one, scenario)}", width, "      ")
    return "\n".join(lines) + "\n"


def number(scenario: PoolScenario, one: Explained, width: int) -> str:
    """One number in full."""
    lines = [*wrap(scenario.id, width), "", *wrap(f"  {one.id} = {_amount(one, scenario)}", width, "    ")]
    if one.value is not None and not math.isnan(one.value.mean):
        lines += wrap(f"  {_parts(one.value, one.unit)}", width, "    ")
    lines += [part for text in one.lines for part in wrap(f"  {visible(text)}", width, "    ")]
    if one.closed is not None and one.value is not None and math.isfinite(one.value.mean):
        beside = one.value.mean / one.closed - 1 if one.closed else math.nan
        by = f" ({one.equation})" if one.equation else ""
        more = "" if math.isnan(beside) else f"; simulated mean {beside:+.1%}"
        lines += wrap(f"  closed form{by}: {figures.plain(one.closed)} {one.unit}{more}", width, "    ")
    for text in one.commands:
        lines += ["", *command(text, width)]
    return "\n".join(lines) + "\n"


def _amount(one: Explained, scenario: PoolScenario) -> str:
    if one.value is None:
        usd = next(line.effective_cost for line in scenario.bill if line.line == one.id)
        return f"{figures.plain(usd)} {one.unit}"
    return f"{_plain(one.value.p50)} {one.unit} (P50)"


def _parts(spread: Spread, unit: str) -> str:
    shown = ", ".join(f"{part.upper() if part != 'mean' else part} {_plain(getattr(spread, part))}" for part in PARTS)
    return f"{shown} {unit}"


def _plain(value: float) -> str:
    return figures.plain(value) if math.isfinite(value) else figures.NEVER


def listed_json(found: PoolComparison, scenario: PoolScenario | None) -> str:
    """The choices, or the numbers of one, as JSON."""
    if scenario is None:
        return json_text({"schema_version": SCHEMA_VERSION, "scenarios": [one.id for one in found.scenarios]})
    return json_text({"schema_version": SCHEMA_VERSION, "scenario": scenario.id, "numbers": ids_of(scenario)})


def number_document(scenario: PoolScenario, one: Explained) -> dict[str, Any]:
    """One number as plain data."""
    usd: Sequence[float] = [line.effective_cost for line in scenario.bill if line.line == one.id]
    return {
        "schema_version": SCHEMA_VERSION,
        "scenario": scenario.id,
        "id": one.id,
        "unit": one.unit,
        "value": spread_json(one.value) if one.value else {"mean": rounded(usd[0])},
        "how": list(one.lines),
        "closed_form": rounded(one.closed),
        "equation": one.equation or None,
        "commands": list(one.commands),
    }


def number_json(scenario: PoolScenario, one: Explained) -> str:
    """The same as JSON."""
    return json_text(number_document(scenario, one))
