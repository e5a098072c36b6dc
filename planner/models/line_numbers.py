"""The numbers of one line of a bill, each with its derivation: cost, quantity, prices, USD/h."""

from __future__ import annotations

import re

from planner.models.bill import Line
from planner.models.derived import Derived, Input, SourcedQuantity
from planner.models.equation import numbered
from planner.models.sheet import Sheet

PRODUCT = "quantity * usd"
_NAME = re.compile(r"[a-z_]+")
# equations that give USD: quantity and unit price as expressions over their inputs
_QUANTITY = {
    "C3": "nodes * run_hours",
    "C4": "nodes * (ceil(run_hours / term_hours) * term_hours - run_hours)",
    "C9": "nodes * hours",
    "C10": "nodes * (block_days * 24 - run_hours)",
    "P1": "engineers * months",
    "P2": "gpu_hours / gpus_per_node",
    "P3": "max(run_node_hours * max(experiment_factor - 1, 0) - unused_node_hours, 0)",
    "T3": "count * hours",
    "T10": "stored_gb * calendar_months(start, hours)",
}
_QUANTITY_IF_UNHELD = {"C9": "nodes * (hours - unheld_hours)"}
_UNIT_PRICE = {
    "C3": "usd_per_hour",
    "C4": "usd_per_hour * (1 - reuse_value_fraction)",
    "C9": "usd_per_hour",
    "C10": "usd_per_hour",
    "P1": "usd_per_engineer_year / 12 * (1 + overhead_fraction)",
    "P2": "usd_per_hour",
    "P3": "usd_per_hour",
    "T3": "usd_per_hour",
}
_UNIT_PRICE_IF_DISCOUNTED = {"C9": "usd_per_hour * (1 - discount_fraction)"}
# lines that are billed while the resource is deployed: the factor for USD/h
_DEPLOYED = {
    "C3": "nodes",
    "C9": "nodes",
    "S6": "stored_bytes / 2**30",
    "T3": "count",
    "T5": "volumes * size_gib",
    "T6": "count",
}


def derived_of_line(line: Line) -> tuple[Derived, ...]:
    """The numbers of one line of a bill: its effective cost, under the line's own name, and the others as LINE.NAME."""
    is_usd = numbered(line.equation).result_unit == "USD"
    sheet, unit = Sheet(), f"USD/{line.unit}"
    given = {part.name: part for part in line.inputs}
    names = {name: f"{line.line}.{name}" for name in ("pricing_quantity", "effective_unit_price", "list_unit_price")}
    quantity = (line.quantity, f"run:{names['pricing_quantity']}", line.unit)
    each = (line.effective_unit_price, f"run:{names['effective_unit_price']}", unit)
    by_equation = Derived(
        id=line.line if is_usd else names["pricing_quantity"],
        value=line.effective_cost if is_usd else line.quantity,
        unit="USD" if is_usd else line.unit,
        equation=line.equation,
        inputs=line.inputs,
    )
    if is_usd:
        formulas = _QUANTITY | _QUANTITY_IF_UNHELD if "unheld_hours" in given else _QUANTITY
        expression = formulas[line.equation]
        sheet.arithmetic(names["pricing_quantity"], line.quantity, line.unit, expression, **_named(expression, given))
    else:
        sheet.arithmetic(line.line, line.effective_cost, "USD", PRODUCT, quantity=quantity, usd=each)
    _unit_price(sheet, line, given, names["effective_unit_price"], unit)
    sheet.taken(names["list_unit_price"], unit, price=(line.list_unit_price, f"price:{line.line}"))
    listed = (line.list_unit_price, f"run:{names['list_unit_price']}", unit)
    product = "quantity * list_unit_price"
    sheet.arithmetic(
        f"{line.line}.list_cost", line.list_cost, "USD", product, quantity=quantity, list_unit_price=listed
    )
    for end, usd in zip(("low", "high"), line.bounds_usd or (), strict=False):
        sheet.taken(f"{line.line}.effective_unit_price_{end}", unit, bound=(usd, f"price:{line.line}"))
    if line.usd_per_hour is not None:
        expression = _DEPLOYED[line.equation]
        inputs = _named(expression, given) | {"effective_unit_price": each}
        hourly = f"{expression} * effective_unit_price" + ("" if line.unit == "Hrs" else " / 730")
        sheet.arithmetic(f"{line.line}.usd_per_hour", line.usd_per_hour, "USD/h", hourly, **inputs)
    first, *others = sheet.derived
    return (by_equation, first, *others) if is_usd else (first, by_equation, *others)


def _unit_price(sheet: Sheet, line: Line, given: dict[str, Input], id: str, unit: str) -> None:
    """The price of one unit on this bill after discounts, or the mean of the tiers."""
    formulas = _UNIT_PRICE | _UNIT_PRICE_IF_DISCOUNTED if "discount_fraction" in given else _UNIT_PRICE
    expression = formulas.get(line.equation, "")
    if expression == "usd_per_hour" and expression in given:
        part = given[expression]
        sheet.taken(id, unit, price=(part.value, part.origin))
    elif expression:
        sheet.arithmetic(id, line.effective_unit_price, unit, expression, **_named(expression, given))
    else:
        sheet.taken(id, unit, price=(line.effective_unit_price, f"price:{line.line}"))


def _named(expression: str, given: dict[str, Input]) -> dict[str, SourcedQuantity]:
    """The inputs of a line that occur in an expression."""
    names = dict.fromkeys(_NAME.findall(expression))
    return {name: (given[name].value, given[name].origin, given[name].unit) for name in names if name in given}
