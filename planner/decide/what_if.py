"""What if: a few numbers at several values each, and the ranking of every combination, calculated and not
interpolated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from planner.decide.parameters import DISCOUNT, NODES, SPOT_USD, Parameter
from planner.decide.ranking import RankedScenario
from planner.decide.repricing import Repricing

AXES = 3
NODE_STEPS = (0.5, 0.75, 1.0, 1.5, 2.0)  # of the planned number of nodes
PRICE_STEPS = (0.5, 1.0, 1.5)  # of the planned price of a node
MOST_DISCOUNT = 0.5


@dataclass(frozen=True, kw_only=True)
class Axis:
    """One number at several values, in rising order; the planned one is among them."""

    parameter: Parameter
    values: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class WhatIf:
    """The ranking at every combination of values.

    cells: by the place of each axis's value, in the order of `axes`.
    """

    axes: tuple[Axis, ...]
    cells: dict[tuple[int, ...], tuple[RankedScenario, ...]]


def axes_of(stated: Sequence[Parameter], important: Sequence[Parameter], purchase: str) -> tuple[Axis, ...]:
    """The number of nodes, the price of a node and the discount where the plan has them, then the assumptions with the
    largest effect.

    stated: numbers of the plan. important: assumptions, the most important first. purchase: how the nodes are bought
    whose price is varied.
    """
    known = {parameter.key: parameter for parameter in stated}
    price = SPOT_USD if purchase == "spot" else f"prices.{purchase}"
    found = [_axis(known[key]) for key in (NODES, price, DISCOUNT) if key in known]
    found += [_axis(parameter) for parameter in important if parameter.path]
    return tuple(axis for axis in found if len(axis.values) > 1)[:AXES]


def _axis(parameter: Parameter) -> Axis:
    if parameter.key == NODES:
        counts = [round(parameter.value * step) for step in NODE_STEPS]
        values = {float(count) for count in counts if count >= parameter.low} | {parameter.value}
    elif parameter.key == DISCOUNT:
        values = {0.0, parameter.value, max(parameter.value, MOST_DISCOUNT)}
    elif parameter.key == SPOT_USD or parameter.key.startswith("prices."):
        values = {parameter.value * step for step in PRICE_STEPS}
    else:
        values = {parameter.low, parameter.value, parameter.high}
    return Axis(parameter=parameter, values=tuple(sorted(values)))


def what_if(repricing: Repricing, axes: Sequence[Axis]) -> WhatIf:
    """Evaluate every combination. A planned value leaves its parameter unchanged."""
    cells = {}
    for places in product(*(range(len(axis.values)) for axis in axes)):
        turns = ((axis.parameter, axis.values[place]) for axis, place in zip(axes, places, strict=True))
        cells[places] = repricing.at(*((p, value) for p, value in turns if value != p.value))
    return WhatIf(axes=tuple(axes), cells=cells)
