"""Its cost."""

from planner.report.data.encoding import json_text
from tests.kinds.toy.answers import compared, named


def ids(ask, scenario):
    return ["cost_usd"]


def told(ask, scenario, number, style, look, watch):
    found = compared(ask, watch)
    usd = named(found, scenario or "best").cost_usd.plan
    return (json_text({"cost_usd": usd}) if style == "json" else f"cost_usd = {usd:.2f}\n"), found
