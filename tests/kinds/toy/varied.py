"""Its one number at both ends."""

from planner.report.data.encoding import json_text
from planner.report.pictures.tornado import Bar, End, Tornado, alone
from tests.kinds.toy.answers import compared, named

FORMATS = ("table", "json", "svg")
NOTHING = "nothing is recommended"


def studied(ask, scenario, against, watch):
    row = named(compared(ask, watch), scenario or "best")
    ends = [End(at=f"{share} more", cost_usd=row.cost_usd.plan * (1 + share)) for share in (0.0, 0.2)]
    return Tornado(what=row.id, planned_usd=row.cost_usd.plan, bars=[Bar(name="hours", low=ends[0], high=ends[1])])


def written(found, style, look):
    if style == "svg":
        return alone(found)
    high = found.bars[0].high.cost_usd
    return json_text({"high_usd": high}) if style == "json" else f"hours: up to ${high:.2f}\n"
