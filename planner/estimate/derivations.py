"""What a scenario says, each number with how it came about: what the run wrote down, and what is read off it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from planner.estimate.result import Scenario
from planner.estimate.scenario import Outcome
from planner.models.bill import Line
from planner.models.derived import Derived, Input, plain
from planner.models.equation import numbered
from planner.models.sheet import Sheet

PRODUCT = "quantity * usd"
_IN_THE_BILL = re.compile(r"bill(\.|\[)(?P<index>[0-9]{1,6})\]?(?P<rest>\..+)?", re.ASCII)
_PERCENTILES = {"p10": "10th", "p50": "50th", "p90": "90th"}
# (number of a line, its unit, what it is) beside the effective cost
_FIELDS = (
    ("pricing_quantity", "{unit}", "quantity", "the quantity that is billed"),
    ("effective_unit_price", "USD/{unit}", "effective_unit_price", "what one unit costs on this bill"),
    ("list_unit_price", "USD/{unit}", "list_unit_price", "the On-Demand list price of one unit"),
    ("list_cost", "USD", "list_cost", "quantity x list price"),
    ("usd_per_hour", "USD/h", "usd_per_hour", "what bills while it stands: count x effective rate"),
)


def derived_of(scenario: Scenario, planned: Outcome, facts: Sheet, draws: int) -> tuple[Derived, ...]:
    """Every number of a feasible scenario but its lines, on central values, as plain floats.

    facts: what was read off its run and its bill.
    """
    sheet = Sheet()
    worked = (planned.run.work.hours, "run:run.work_hours", "h")
    sheet.words("days_at_full_speed", scenario.days_at_full_speed, "days", "hours of work / 24", work_hours=worked)
    _ranges(sheet, scenario, draws)
    for index, entry in enumerate(scenario.cash):
        how = f"{entry.what}; due {entry.due}"
        sheet.words(f"cash.{index}.usd", entry.usd, "USD", how)
    return plain((*planned.derived, *facts.derived, *sheet.derived))


def _ranges(sheet: Sheet, scenario: Scenario, draws: int) -> None:
    drawn = f"of {draws:,} seeded draws over the assumptions"
    for id, found, unit in (
        ("days", scenario.days, "days"),
        ("cost_usd", scenario.cost_usd, "USD"),
        ("usd_per_useful_gpu_hour", scenario.usd_per_useful_gpu_hour, "USD per useful GPU-hour"),
    ):
        if found is None:
            continue
        planned = (found.plan, f"run:{id}", unit)
        for part, nth in _PERCENTILES.items():
            how = f"{nth} percentile {drawn}" if draws else "nothing was drawn: the planned figure"
            sheet.words(f"{id}.{part}", getattr(found, part), unit, how, planned=planned)
    for id, value, how in (
        ("unfinished_fraction", scenario.unfinished_fraction, "in which the run never finishes"),
        ("on_time_fraction", scenario.on_time_fraction, "that end within run.deadline and constraints.max_days"),
        ("cheapest_fraction", scenario.cheapest_fraction, "in which it costs least of all complete scenarios"),
        ("below_best_fraction", scenario.below_best_fraction, "in which it costs less than the lowest planned cost"),
    ):
        if value is not None:
            sheet.words(id, value, "fraction", f"share {drawn} {how}")
    if scenario.cost_plan_percentile is not None and not scenario.unpriced:
        how = f"share {drawn} that cost no more than planned, in percent"
        cost = (scenario.cost_usd.plan, "run:cost_usd", "USD") if scenario.cost_usd else None
        given = {"planned": cost} if cost else {}
        sheet.words("cost_usd.plan_percentile", scenario.cost_plan_percentile, "percent", how, **given)


def derived_of_line(line: Line) -> tuple[Derived, ...]:
    """The numbers of one line of a bill; its own name stands for its effective cost."""
    priced = numbered(line.equation)
    is_usd = priced.result_unit == "USD"
    sheet = Sheet()
    quantity = (line.quantity, f"run:{line.line}.pricing_quantity", line.unit)
    each = (line.effective_unit_price, f"run:{line.line}.effective_unit_price", f"USD/{line.unit}")
    cost = Derived(
        id=line.line,
        value=line.effective_cost,
        unit="USD",
        equation=line.equation if is_usd else "",
        inputs=line.inputs,
    )
    if not is_usd:
        sheet.arithmetic(line.line, line.effective_cost, "USD", PRODUCT, quantity=quantity, usd=each)
        (cost,) = sheet.derived
    found = [cost]
    for name, unit, field, how in _FIELDS:
        value = getattr(line, field)
        if value is None:
            continue
        sheet = Sheet()
        given = {}
        if name == "pricing_quantity" and not is_usd:
            found.append(
                Derived(
                    id=f"{line.line}.{name}", value=value, unit=line.unit, equation=line.equation, inputs=line.inputs
                )
            )
            continue
        if name == "effective_unit_price":
            given["price"] = (value, f"price:{line.line}", f"USD/{line.unit}")
        elif name == "list_cost":
            listed = (line.list_unit_price, f"run:{line.line}.list_unit_price", f"USD/{line.unit}")
            given = {"quantity": quantity, "list_unit_price": listed}
        elif name == "usd_per_hour":
            given["effective_unit_price"] = each
        sheet.words(f"{line.line}.{name}", value, unit.format(unit=line.unit), how, **given)
        found += sheet.derived
    return tuple(found)


def known_of(scenario: Scenario) -> dict[str, Derived]:
    """Every number of a scenario by its id: the paths of the JSON document, and what they are made of."""
    found = {entry.id: entry for entry in scenario.derived}
    for line in scenario.bill:
        found |= {entry.id: entry for entry in derived_of_line(line)}
    return found


def is_percentile(id: str) -> bool:
    """Whether an id names a percentile of the draws."""
    return id.rpartition(".")[2] in _PERCENTILES


def id_of(scenario: Scenario, path: str) -> str:
    """The id behind a path of the JSON document: a line's name for its place in the bill, `bill.0.list_cost` or
    `bill[0].list_cost`. What is no such path stays as it is. Raises KeyError for a place that the bill does not have.
    """
    place = _IN_THE_BILL.fullmatch(path)
    if place is None:
        return re.sub(r"\[(\d+)\]", r".\1", path)
    index = int(place["index"])
    if index >= len(scenario.bill):
        raise KeyError(path)
    return scenario.bill[index].line + (place["rest"] or "")


def find(known: Mapping[str, Derived], id: str) -> Derived:
    """The number of an id, as the JSON document has it too: `cost_usd.plan`, `fleet.compute.effective_cost`,
    `fleet.compute.inputs.nodes`. Raises KeyError."""
    if id in known:
        return known[id]
    for ending in (".plan", ".effective_cost"):
        if id.endswith(ending) and id.removesuffix(ending) in known:
            return known[id.removesuffix(ending)]
    if f"{id}.usd" in known:  # an entry of the cash
        return known[f"{id}.usd"]
    line, inner, name = id.partition(".inputs.")
    if inner and line in known:
        for entry in (known[line], known[f"{line}.pricing_quantity"]):
            for part in entry.inputs:
                if part.name == name and entry.equation:
                    return known[part.where] if part.kind == "run" else _as_it_is(id, part)
    raise KeyError(id)


def _as_it_is(id: str, part: Input) -> Derived:
    """An input that nothing of the run stands behind."""
    return Derived(id=id, value=part.value, unit=part.unit, equation="", inputs=(part,))
