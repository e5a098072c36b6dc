"""Parameters that a study varies: assumptions, a few numbers of the plan itself, and the draws of spot prices and
interruptions.

Every effect is calculated by planning with another value, so that `planner compare --set PATH=VALUE` shows the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

from planner.decide.enumerate import purchase_options
from planner.decide.price_parameters import brought_options, prices_to_turn
from planner.decide.spot_parameters import (
    interruption_rate_ends,
    interruption_rates,
    on_spot,
    price_ends,
    spot_usd_per_hour,
)
from planner.estimate.request import Request
from planner.estimate.spot import (
    INTERRUPTION_STREAM,
    PRICE_STREAM,
)
from planner.plan.assumptions import Assumption
from planner.plan.types import Assumption as Exactly

FIT = "workload.fit"
INTERRUPTION_RATE = "reliability.spot_reclaims_per_node_day"
SPOT_USD = "purchase.spot_usd_per_hour"
NODES = "fleet.nodes"
DISCOUNT, REUSE, HOT_DATA = "purchase.private_discount", "purchase.reuse_value", "data.hot_dataset"
PRICE_SOURCE = "spot prices of the region's zones today, or of the plan's zone"
PER_NODE_DAY, USD_PER_HOUR = "1/(node-day)", "USD/h"
_NORMAL = NormalDist()
_WIDER = 4  # of a price the search goes to this multiple, and to this fraction


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One number that is varied. low, high: its 5th and 95th percentile; both equal `value` for a number of the plan,
    which has no range.

    path: for `--set`, with the value between `prefix` and `suffix`; "" for a stream of draws, whose value is a
    percentile as a fraction. ends: what the low and the high percentile of a stream are if there is one instance type,
    in `ends_unit`. reach: where a search for a change of the decision goes: to the ends of the range, and with a number
    that the plan states beyond it. whole: whether only whole numbers are possible.
    """

    key: str
    unit: str
    low: float
    value: float
    high: float
    path: str
    reach: tuple[float, float]
    source: str
    prefix: str = ""
    suffix: str = ""
    ends: tuple[float, float] | None = None
    ends_unit: str = ""
    whole: bool = False

    @property
    def assumed(self) -> bool:
        """Whether it is an assumption or a stream of draws, and no number that the plan states."""
        return not self.path or self.path.startswith("assumptions.")


def parameters_of(request: Request, assumptions: Sequence[Assumption]) -> tuple[Parameter, ...]:
    """Everything with a range. assumptions: those that the plan's comparison used."""
    found = [_of_assumption(entry) for entry in assumptions if entry.low < entry.high]
    if on_spot(request):
        found += [
            _of_stream(
                INTERRUPTION_STREAM,
                "spot market, from the lower end of Spot Advisor's band to whole gangs interrupted in scarce capacity",
                interruption_rate_ends(request),
                PER_NODE_DAY,
            ),
            _of_stream(
                PRICE_STREAM,
                PRICE_SOURCE,
                price_ends(request),
                USD_PER_HOUR,
            ),
        ]
    phases = request.plan.run.phases or ()
    if request.plan.run.throughput or any(phase.throughput for phase in phases):
        found.append(_of_stream(FIT, "error of the fitted throughput at a GPU count that was not measured"))
    return tuple(found)


def plan_parameters_of(request: Request) -> tuple[Parameter, ...]:
    """Numbers of the plan that can change the decision: discount, reuse, data, prices, and spot's price and, where the
    plan has one, its interruption rate: a rate that it does not state, nobody has observed."""
    plan, found = request.plan, []
    families = {option.family for option in purchase_options(plan)}
    brought = brought_options(plan)
    if "on-demand" in families and "on-demand" not in brought:
        found.append(_stated(DISCOUNT, "fraction", plan.purchase.private_discount, 0.9))
    if families & {"ri", "sp"}:
        found.append(_stated(REUSE, "fraction", plan.purchase.reuse_value, 1.0))
    hot_tb = plan.data.hot_dataset_bytes / 1e12
    kept_tb = (plan.data.kept_in_s3_bytes or 0.0) / 1e12
    found.append(_stated(HOT_DATA, "TB", hot_tb, max(kept_tb, hot_tb) if kept_tb else hot_tb * _WIDER, suffix="TB"))
    observed = plan.reliability.spot_reclaims_per_node_day is not None
    rates = interruption_rates(request) if observed and on_spot(request) else []
    if rates:
        scarce = request.table()["spot.scarce_losses_per_node_day"].value
        found.append(
            Parameter(
                key=INTERRUPTION_RATE,
                unit=PER_NODE_DAY,
                low=min(rates),
                value=max(rates),
                high=max(scarce, *rates),
                path=INTERRUPTION_RATE,
                reach=(min(rates) / 10, 2 * max(scarce, *rates)),
                source="spot interruptions per node: Spot Advisor's band, up to scarce capacity in published traces",
            )
        )
    ends = spot_usd_per_hour(request)
    if ends is not None and "spot" not in brought:
        low, planned, high = ends
        found.append(
            Parameter(
                key=SPOT_USD,
                unit=USD_PER_HOUR,
                low=min(low, planned),
                value=planned,
                high=max(high, planned),
                path=SPOT_USD,
                reach=(min(low, planned) / _WIDER, max(high, planned) * _WIDER),
                source=PRICE_SOURCE,
            )
        )
    found += [
        Parameter(
            key=price.key,
            unit=price.unit,
            low=price.usd,
            value=price.usd,
            high=price.usd,
            path=price.path,
            reach=(price.usd / _WIDER, price.usd * _WIDER),
            source=price.source,
            prefix=price.prefix,
            suffix=price.suffix,
        )
        for price in prices_to_turn(request)
    ]
    return tuple(found)


def nodes_of(request: Request) -> Parameter | None:
    """The number of nodes, where the plan gives one; at least one of them is no spare."""
    fleet = request.plan.fleet
    if fleet.nodes is None or len(fleet.nodes) != 1:
        return None
    count, least = float(fleet.nodes[0]), fleet.spares + 1.0
    return Parameter(
        key=NODES,
        unit="nodes",
        low=least,
        value=count,
        high=count,
        path=NODES,
        reach=(least, count),
        source="the plan",
        whole=True,
    )


def with_parameter(request: Request, parameter: Parameter, value: float) -> Request:
    """The same request with the parameter at another value."""
    for price in prices_to_turn(request):
        if price.key == parameter.key:
            return replace(request, plan=price.plan_at(request.plan, value))
    if parameter.key == NODES:
        fleet = request.plan.fleet.model_copy(update={"nodes": (round(value),)})
        return replace(request, plan=request.plan.model_copy(update={"fleet": fleet}))
    if parameter.key in _SECTIONS:
        section, attribute, factor = _SECTIONS[parameter.key]
        changed = getattr(request.plan, section).model_copy(update={attribute: value * factor})
        return replace(request, plan=request.plan.model_copy(update={section: changed}))
    if parameter.path:
        # exactly: who knows the number has no range of it any more
        assumptions = {**request.plan.assumptions, parameter.key: Exactly.model_validate({"value": value})}
        return replace(request, plan=request.plan.model_copy(update={"assumptions": assumptions}))
    pin = value if parameter.key in (PRICE_STREAM, INTERRUPTION_STREAM) else _NORMAL.inv_cdf(value)
    return replace(request, pinned={**request.pinned, parameter.key: pin})


# key of a plan -> (section, attribute, factor from the parameter's value to the attribute)
_SECTIONS = {
    DISCOUNT: ("purchase", "private_discount", 1.0),
    REUSE: ("purchase", "reuse_value", 1.0),
    HOT_DATA: ("data", "hot_dataset_bytes", 1e12),
    SPOT_USD: ("purchase", "spot_usd_per_hour", 1.0),
    INTERRUPTION_RATE: ("reliability", "spot_reclaims_per_node_day", 1.0),
}


def _of_assumption(entry: Assumption) -> Parameter:
    low, high = entry.low, entry.high
    if entry.whole:
        # a count whose low end is above 0 is at least 1
        least = 1.0 if low > 0 else 0.0
        low, high = min(float(max(round(low), least)), entry.value), max(float(round(high)), entry.value)
    return Parameter(
        key=entry.key,
        unit=entry.unit,
        low=low,
        value=entry.value,
        high=high,
        path=f"assumptions.{entry.key}",
        reach=(low, high),
        prefix="{value: ",
        suffix="}",
        source=entry.source,
        whole=entry.whole,
    )


def _of_stream(key: str, source: str, ends: tuple[float, float] | None = None, ends_unit: str = "") -> Parameter:
    return Parameter(
        key=key,
        unit="percentile",
        low=0.05,
        value=0.5,
        high=0.95,
        path="",
        reach=(0.05, 0.95),
        source=source,
        ends=ends,
        ends_unit=ends_unit,
    )


def _stated(key: str, unit: str, value: float, most: float, suffix: str = "") -> Parameter:
    return Parameter(
        key=key,
        unit=unit,
        low=value,
        value=value,
        high=value,
        path=key,
        reach=(value, max(most, value)),
        source="the plan",
        suffix=suffix,
    )
