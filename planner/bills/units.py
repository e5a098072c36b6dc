"""Pricing units of a plan and of a bill made comparable: AWS counts requests singly, a plan in thousands."""

from __future__ import annotations

import re

_SAME = {
    "hrs": "hour",
    "hours": "hour",
    "months": "month",
    "gb-mo": "gb-month",
    "gb-months": "gb-month",
    "gb-month": "gb-month",
    "key-mo": "key-month",
    "key-months": "key-month",
    "keys": "key-month",
    "alarms": "alarm-month",
    "alarm metric-mo": "alarm-month",
    "alarm metric-months": "alarm-month",
    "alarm-months": "alarm-month",
    "requests": "request",
    "request": "request",
    "apirequest": "request",
    "api requests": "request",
    "objects-mo": "object-month",
    "objects-months": "object-month",
    "objects": "object-month",
    "iops-months": "iops-mo",
    "mbps-months": "mbps-mo",
}
_COUNT = re.compile(r"^(?P<count>[0-9][0-9,]*)(?P<thousand>k?)\s+(?P<unit>.+)$", re.IGNORECASE)


def per_unit(unit: str) -> tuple[float, str]:
    """(how many, of what) one pricing unit is: `1k requests` are 1,000 of `request`."""
    text = unit.strip()
    match = _COUNT.match(text)
    count = 1.0
    if match:
        count = float(match["count"].replace(",", "")) * (1000 if match["thousand"] else 1)
        text = match["unit"]
    return count, _SAME.get(text.lower(), text.lower())


def in_unit(quantity: float, unit: str, wanted: str) -> float | None:
    """A quantity in another unit; None where the two measure different things."""
    count, what = per_unit(unit)
    per, asked = per_unit(wanted)
    return quantity * count / per if what == asked else None
