"""Every number of a scenario with its derivation: those recorded during the run, and those read off its results."""

from __future__ import annotations

import re
from collections.abc import Mapping

from planner.estimate.result import Scenario
from planner.estimate.scenario import Outcome
from planner.models.derived import Derived, Input, SourcedQuantity, plain
from planner.models.goodput import AVAILABILITY_FLOOR
from planner.models.line_numbers import derived_of_line
from planner.models.sheet import Sheet

_IN_THE_BILL = re.compile(r"bill(\.|\[)(?P<index>[0-9]{1,6})\]?(?P<rest>\..+)?", re.ASCII)
_PERCENTILES = {"p10": 0.1, "p50": 0.5, "p90": 0.9}


def derived_of(scenario: Scenario, planned: Outcome, facts: Sheet, draws: int) -> tuple[Derived, ...]:
    """Every number of a feasible scenario except its lines, at central values, as plain floats. facts: numbers read off
    its run and its bill."""
    sheet = Sheet()
    worked = (planned.run.work.hours, "run:run.work_hours", "h")
    sheet.arithmetic(
        "days_at_full_speed", scenario.days_at_full_speed or 0.0, "days", "work_hours / 24", work_hours=worked
    )
    _ranges(sheet, scenario, draws)
    _shares(sheet, scenario, planned, draws)
    return plain((*planned.derived, *facts.derived, *sheet.derived))


def _ranges(sheet: Sheet, scenario: Scenario, draws: int) -> None:
    """Percentiles of the draws; without draws, the planned figure."""
    for id, found, unit in (
        ("days", scenario.days, "days"),
        ("cost_usd", scenario.cost_usd, "USD"),
        ("usd_per_useful_gpu_hour", scenario.usd_per_useful_gpu_hour, "USD per useful GPU-hour"),
    ):
        if found is None:
            continue
        for part, share in _PERCENTILES.items():
            name, value = f"{id}.{part}", getattr(found, part)
            if not draws:
                sheet.taken(name, unit, planned=(found.plan, f"run:{id}"))
                continue
            what = f"{share:.0%} of {_outcomes(draws)} are no higher"
            sheet.statistic(
                name, value, unit, f"quantile({id}, {share})", what, planned=(found.plan, f"run:{id}", unit)
            )


def _shares(sheet: Sheet, scenario: Scenario, planned: Outcome, draws: int) -> None:
    """Shares of the outcomes in which something is true."""
    cost = scenario.cost_usd.plan if scenario.cost_usd else 0.0
    costs: dict[str, SourcedQuantity] = {"cost_usd": (cost, "run:cost_usd", "USD")}
    outcomes = _outcomes(draws)

    def share(id: str, value: float | None, expression: str, what: str, **inputs: SourcedQuantity) -> None:
        """Of the draws; without draws, whether it is true as planned."""
        if value is None:
            return
        if draws:
            label = f"share of {outcomes} {what}"
            sheet.statistic(id, value, "fraction", f"mean({expression})", label, **inputs)
        else:
            sheet.arithmetic(id, value, "fraction", expression, what, **inputs)

    hours: SourcedQuantity = (planned.run.hours, "run:run.hours", "h")
    available = planned.run.availability_fraction, "run:goodput.availability_fraction", "fraction"
    ends = f"availability_fraction > {AVAILABILITY_FLOOR}"
    never = f"availability_fraction <= {AVAILABILITY_FLOOR}"
    inputs = {"availability_fraction": available}
    if planned.bought.ends_with_block and planned.bought.block_days is not None:
        usable = "fleet.block_usable_hours" if planned.bought.second is None else "fleet.block_had_hours"
        inputs |= {"hours": hours, "usable": (planned.bought.had_hours, f"run:{usable}", "h")}
        ends, never = f"({ends}) & (hours <= usable)", f"({never}) | (hours > usable)"
    share("finish_fraction", scenario.finish_fraction, ends, "in which the run finishes", **inputs)
    share("unfinished_fraction", scenario.unfinished_fraction, never, "in which the run never finishes", **inputs)
    _mean(sheet, scenario, cost, draws)
    if scenario.limit_days is not None:
        of_plan = planned.run.plan.constraints.max_days == scenario.limit_days
        basis = "plan:constraints.max_days" if of_plan else "plan:run.deadline"
        if scenario.limit_is_assumed:
            basis = "rule:decision.slack x the shortest P90 of its fleet"
        sheet.taken("limit_days", "days", limit=(scenario.limit_days, basis))
        limit = (scenario.limit_days, "run:limit_days", "days")
        finished = {"finish_fraction": (scenario.finish_fraction, "run:finish_fraction", "fraction")}
        what = "that finish within the limit"
        expression = "(days <= limit_days) * (finish_fraction > 0)"
        if draws:
            expression, finished = "days <= limit_days", {}
        days = (scenario.days.plan if scenario.days else 0.0, "run:days", "days")
        share("on_time_fraction", scenario.on_time_fraction, expression, what, days=days, limit_days=limit, **finished)
    if scenario.in_budget_fraction is not None:
        budget = (scenario.budget_usd, "plan:constraints.max_cost_usd", "USD")
        finished = {} if draws else {"finish_fraction": (scenario.finish_fraction, "run:finish_fraction", "fraction")}
        expression = "cost_usd <= budget" if draws else "(cost_usd <= budget) * (finish_fraction > 0)"
        what = "within the budget"
        share("in_budget_fraction", scenario.in_budget_fraction, expression, what, budget=budget, **costs, **finished)
    if planned.run.spot_hours is not None:
        spot_hours = (planned.run.spot_hours, "run:run.spot_hours", "h")
        what = "in which the rule moves the run to On-Demand"
        moved = {"spot_hours": spot_hours, "hours": hours}
        share("fallback_fraction", scenario.fallback_fraction, "spot_hours < hours", what, **moved)
    for id, value, expression, what, inputs in (
        (
            "cheapest_fraction",
            scenario.cheapest_fraction,
            "mean((cost_usd <= lowest) / ties)",
            "in which it is the cheapest complete scenario",
            costs,
        ),
        (
            "below_best_fraction",
            scenario.below_best_fraction,
            "mean(cost_usd < first)",
            "in which it costs less than the scenario that ranks first",
            costs,
        ),
    ):
        if value is not None:
            sheet.statistic(id, value, "fraction", expression, f"share of {outcomes} {what}", **inputs)
    if scenario.cost_plan_percentile is not None and not scenario.unpriced:
        what = f"share of {outcomes} that cost no more than planned, in percent"
        expression = "mean(cost_usd <= planned) * 100"
        sheet.statistic("cost_usd.plan_percentile", scenario.cost_plan_percentile, "percent", expression, what, **costs)


def _mean(sheet: Sheet, scenario: Scenario, cost: float, draws: int) -> None:
    """The mean of the cost over the draws; without draws, the planned cost."""
    if scenario.mean_cost_usd is None:
        return
    planned: SourcedQuantity = (cost, "run:cost_usd", "USD")
    if draws:
        what = f"mean of {_outcomes(draws)}"
        sheet.statistic("mean_cost_usd", scenario.mean_cost_usd, "USD", "mean(cost_usd)", what, cost_usd=planned)
        if scenario.worst_tenth_usd is not None:
            what, expression = (
                f"worst tenth of {_outcomes(draws)}",
                "mean(cost_usd[cost_usd >= quantile(cost_usd, 0.9)])",
            )
            sheet.statistic("worst_tenth_usd", scenario.worst_tenth_usd, "USD", expression, what, cost_usd=planned)
    else:
        sheet.taken("mean_cost_usd", "USD", cost_usd=(cost, "run:cost_usd"))


def _outcomes(draws: int) -> str:
    return f"{draws:,} simulated outcomes"


def known_of(scenario: Scenario) -> dict[str, Derived]:
    """Every number of a scenario by its id: paths of the JSON document, and the numbers from which they are
    calculated."""
    found = {entry.id: entry for entry in scenario.derived}
    for line in scenario.bill:
        found |= {entry.id: entry for entry in derived_of_line(line)}
    return found


def is_percentile(id: str) -> bool:
    """Whether an id is of a percentile of the draws."""
    return id.rpartition(".")[2] in _PERCENTILES


def id_of(scenario: Scenario, path: str) -> str:
    """The id for a path of the JSON document: the line's name instead of its index in the bill, `bill.0.list_cost` or
    `bill[0].list_cost`.

    Other text is returned unchanged. Raises KeyError for an index that the bill does not have.
    """
    place = _IN_THE_BILL.fullmatch(path)
    if place is None:
        return re.sub(r"\[(\d+)\]", r".\1", path)
    index = int(place["index"])
    if index >= len(scenario.bill):
        raise KeyError(path)
    return scenario.bill[index].line + (place["rest"] or "")


def find(known: Mapping[str, Derived], id: str) -> Derived:
    """The number with an id, including keys of the JSON document: `cost_usd.plan`, `fleet.compute.effective_cost`,
    `fleet.compute.inputs.nodes`.

    Raises KeyError.
    """
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
    """An input that is not another number of the run."""
    return Derived(id=id, value=part.value, unit=part.unit, equation="", inputs=(part,))
