"""One scenario in pairs of a term and what is said of it: the answer's card, its GPU time, its storage, its cash."""

from __future__ import annotations

from planner.decide.comparison import Comparison
from planner.decide.leaders import may_not_finish, share_above_plan
from planner.estimate.facts import FAILURES, WHY_UNFINISHED
from planner.estimate.node_purchase import Cash
from planner.estimate.result import Scenario
from planner.report.wording import figures
from planner.report.wording.recommendation import above_plan, on_time

Facts = tuple[tuple[str, str], ...]


def card(comparison: Comparison, scenario: Scenario) -> Facts:
    """What the answer says of a scenario below its cost."""
    assert scenario.cost_usd is not None and scenario.usd_per_useful_gpu_hour is not None  # noqa: PT018  priced
    return (
        ("Planned", f"{figures.usd(figures.plan_usd(scenario))}, {_days(scenario)}"),
        ("GPUs", f"{scenario.gpus:,} train"),
        ("Probability", _probability(comparison, scenario)),
        ("Useful GPU-hour", figures.usd(scenario.usd_per_useful_gpu_hour.plan)),
    )


def _days(scenario: Scenario) -> str:
    return "" if scenario.days is None else f"{figures.days(scenario.days.plan)} days"


def _probability(comparison: Comparison, scenario: Scenario) -> str:
    above = share_above_plan(scenario)
    if not comparison.draws:
        text = "unknown: no outcomes were simulated (--draws 0), so there is no range"
    else:
        text = "no assumption changes this cost" if above is None else above_plan(above)
        cost = scenario.cost_usd
        if above is not None and above > 0.5 and cost is not None and cost.p50 <= cost.plan * 1.01:
            text += ", half of all by less than 1%"
    if scenario.on_time_fraction is None:
        return text
    return f"{text}; {on_time(scenario.on_time_fraction, assumed=scenario.limit_is_assumed)}"


def caution(scenario: Scenario) -> tuple[str, str] | None:
    """(headline, reason) where the run may not finish."""
    if not may_not_finish(scenario):
        return None
    return (
        "May not finish.",
        f"In {figures.percent(scenario.unfinished_fraction)} of the outcomes "
        f"{WHY_UNFINISHED.get(scenario.option.family, FAILURES)}.",
    )


def gpu_time(scenario: Scenario) -> Facts:
    """How much of the paid GPU time is useful, and what takes the rest."""
    goodput = scenario.goodput
    if goodput is None:
        return ()
    interval = figures.plain(goodput.checkpoint_interval_hours, 3)
    holds = " while spot holds" if scenario.option.starts_on_spot else ""
    found = [
        ("Useful", f"{goodput.useful_fraction:.1%} of the GPU time of the run"),
        ("Scaling efficiency", f"{goodput.scaling_efficiency:.1%}"),
        ("Not waiting for data", f"{goodput.input_fraction:.1%}"),
        ("Available", f"{goodput.availability_fraction:.1%}{holds}, with a checkpoint every {interval} h"),
    ]
    if scenario.days_at_full_speed is not None:
        found.append(("At full speed", f"{figures.days(scenario.days_at_full_speed)} days"))
    if scenario.ingest_days is not None:
        found.append(("Copying data to S3", f"{figures.days(scenario.ingest_days)} days before the run"))
    return tuple(found)


def storage(scenario: Scenario) -> Facts:
    facts = scenario.storage
    if facts is None:
        return ()
    found = [("Layout", figures.layout_words(scenario))]
    if facts.usable_tb is not None:
        raw = "" if facts.raw_tb is None else f"{figures.plain(facts.raw_tb, 5)} TB raw, "
        found.append(("Capacity", f"{raw}{figures.plain(facts.usable_tb, 5)} TB usable"))
    if facts.margin_tb is not None:
        found.append(("Usable beyond the hot data", f"{figures.plain(facts.margin_tb, 4)} TB"))
    steady, cold, needed = (
        figures.plain(rate, 4) for rate in (facts.read_gb_per_s, facts.cold_read_gb_per_s, facts.required_read_gb_per_s)
    )
    found.append(("Read throughput", f"{steady} GB/s steady, {cold} cold; the run needs {needed}"))
    if facts.usable_tb is not None:
        found.append(("Cache hits", f"{facts.hit_fraction:.1%} after the first epoch"))
    if facts.usd_per_usable_tb_month is not None:
        found.append(("Price", f"${facts.usd_per_usable_tb_month:,.2f} per usable TB-month"))
    if facts.reserved:
        usd = facts.reserved_usd_per_hour
        part = "" if usd is None else f"; of all nodes together, ${usd:,.2f} an hour of their price"
        found.append(("Reserves", facts.reserved + part))
    return (*found, ("Durability", facts.durability), ("If a node is lost", facts.lost_node))


def cash(entry: Cash, usd: float) -> str:
    """An amount that falls due, in whole cents, with the sign of a credit and of a lower bound."""
    return f"{'≥ ' if entry.at_least else ''}{'-' if usd < 0 else ''}${abs(usd):,.2f}"
