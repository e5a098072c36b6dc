"""The bill: lines in the terms of FOCUS, each with quantity, unit price, equation, source and date."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import numpy as np

from planner.models.bill_lines import COMPUTE, bill_line
from planner.models.derived import Input, plain_inputs
from planner.models.number import Number, scalar

# AWS service code -> (FOCUS ServiceName, FOCUS ServiceCategory)
SERVICES = {
    "AmazonEC2": ("Amazon Elastic Compute Cloud", "Compute"),
    "AmazonEBS": ("Amazon Elastic Block Store", "Storage"),
    "AmazonS3": ("Amazon Simple Storage Service", "Storage"),
    "AmazonFSx": ("Amazon FSx", "Storage"),
    "AmazonRDS": ("Amazon Relational Database Service", "Databases"),
    "AmazonVPC": ("Amazon Virtual Private Cloud", "Networking"),
    "AWSDataTransfer": ("AWS Data Transfer", "Networking"),
    "AmazonCloudWatch": ("Amazon CloudWatch", "Management and Governance"),
    "awskms": ("AWS Key Management Service", "Security"),
    "AWSPCS": ("AWS Parallel Computing Service", "Compute"),  # its code in AWS's price list is not known
    "people": ("People and other runs", "Other"),
    "own-list": ("Price list of the plan", "Compute"),
}
INSTANCES = "AmazonEC2"
NODE_HOURS = "C1"  # the equation of node-hours at a price, of kinds whose bill is a mean over simulated outcomes


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of a bill. quantity and effective_unit_price are floats, or arrays with one entry a draw.

    usd_per_hour: what bills while it stands, None for what bills by use, upfront or unused.
    basis: "observed" | "carried" | "bounded" | "own" | "assumption".
    bounds_usd: the ends between which the effective unit price of a bounded line lies.
    inputs: those of the equation, on central values: called with them it gives the quantity, or the effective cost
    where its result is in USD.
    """

    line: str
    service: str
    equation: str
    quantity: Number
    unit: str
    list_unit_price: Number
    effective_unit_price: Number
    usd_per_hour: Number | None
    price_source: str
    price_date: date | str
    price_grade: str | None
    basis: str
    carried_back: bool = False
    charge_category: str = "Usage"
    pricing_category: str = "Standard"
    note: str = ""
    price_note: str = ""
    bounds_usd: tuple[Number, Number] | None = None
    inputs: tuple[Input, ...] = ()

    @property
    def bounded(self) -> bool:
        """Whether the price is not known and lies between those of other Regions."""
        return self.bounds_usd is not None

    @property
    def highest_cost(self) -> Number:
        """The effective cost at the upper bound of the price; of a known price, the effective cost."""
        return self.effective_cost if self.bounds_usd is None else self.quantity * self.bounds_usd[1]

    @property
    def effective_cost(self) -> Number:
        return self.quantity * self.effective_unit_price

    @property
    def commitment_status(self) -> str | None:
        """FOCUS's word for hours of a Reserved Instance, Savings Plan or Capacity Block: those that the run uses, and
        the rest; None for what is no part of one."""
        if self.pricing_category != "Committed":
            return None
        return "Unused" if bill_line(self.line).unused else "Used"

    @property
    def list_cost(self) -> Number:
        return self.quantity * self.list_unit_price


@dataclass(frozen=True, kw_only=True)
class PlannedLine(Line):
    """A line on central values: plain floats, as reports show them."""

    quantity: float
    list_unit_price: float
    effective_unit_price: float
    usd_per_hour: float | None
    bounds_usd: tuple[float, float] | None = None

    @property
    def effective_cost(self) -> float:
        return self.quantity * self.effective_unit_price

    @property
    def list_cost(self) -> float:
        return self.quantity * self.list_unit_price


def planned_line(line: Line) -> PlannedLine:
    """The same line with plain floats. Raises TypeError for a line of draws."""
    standing = line.usd_per_hour
    plain: dict[str, Any] = {
        "quantity": scalar(line.quantity),
        "list_unit_price": scalar(line.list_unit_price),
        "effective_unit_price": scalar(line.effective_unit_price),
        "usd_per_hour": None if standing is None else scalar(standing),
        "bounds_usd": line.bounds_usd and (scalar(line.bounds_usd[0]), scalar(line.bounds_usd[1])),
        "inputs": plain_inputs(line.inputs),
    }
    return PlannedLine(**(vars(line) | plain))


def mean_line(line: Line) -> PlannedLine:
    """The mean over the draws: its quantity x its unit price is the mean cost."""
    quantity = float(np.mean(line.quantity))

    def each(cost: float, price: float) -> float:
        return cost / quantity if quantity else price

    price = float(np.mean(line.effective_unit_price))
    effective = each(float(np.mean(line.effective_cost)), price)
    listed = each(float(np.mean(line.list_cost)), float(np.mean(line.list_unit_price)))
    bounds = line.bounds_usd and (float(np.mean(line.bounds_usd[0])), float(np.mean(line.bounds_usd[1])))
    standing_usd = None if line.usd_per_hour is None else float(np.mean(line.usd_per_hour))
    return planned_line(
        replace(
            line,
            quantity=quantity,
            effective_unit_price=effective,
            list_unit_price=listed,
            usd_per_hour=standing_usd,
            bounds_usd=bounds,
        )
    )


@dataclass(frozen=True, kw_only=True)
class Unpriced:
    """A line that could not be priced: what was asked, what is near, which service would charge it.

    elsewhere: whether other Regions have a price, so that it would be bounded in a total that lacks nothing else.
    """

    line: str
    what: str
    nearest: tuple[str, ...]
    service: str = INSTANCES
    elsewhere: bool = False


def without_nodes(unpriced: Sequence[Unpriced]) -> bool:
    """Whether the GPU nodes have no price; the other lines of such a bill say nothing about its total."""
    return any(entry.line == COMPUTE for entry in unpriced)
