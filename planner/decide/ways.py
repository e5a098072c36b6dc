"""The GPU nodes of one run rented, reserved and owned, side by side."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from planner.answer.ranges import Range, range_of
from planner.decide.comparison import Comparison
from planner.decide.enumerate import evaluate
from planner.errors import UsageProblem
from planner.estimate.evaluate import Evaluated
from planner.estimate.outcomes import outcomes_of
from planner.estimate.owned import SERVER_KW_PER_GPU, OwnedNodes, energy_of, has_price, owned_nodes
from planner.estimate.request import Request
from planner.estimate.result import Scenario
from planner.models.bill import Line
from planner.models.bill_lines import SPOT_INTERRUPTIONS, bill_line
from planner.models.number import Number, scalar
from planner.models.owned import owned_break_even
from planner.plan.assumptions import Assumption


@dataclass(frozen=True, kw_only=True)
class Paid:
    """The GPU nodes of the run under one purchase option.

    usd: everything that is paid for them, unused time of a block or a commitment included. used_usd: only the hours of
    the run, which is its cost if other work uses the rest.
    """

    scenario: Scenario
    usd: Range
    used_usd: Range

    @property
    def unused(self) -> bool:
        """Whether more is paid than the run uses."""
        return self.usd.plan > self.used_usd.plan * (1 + 1e-9)


@dataclass(frozen=True, kw_only=True)
class Owned:
    """The same on owned machines. parts: by name, in the order of a bill."""

    usd: Range
    parts: tuple[tuple[str, Range], ...]
    purchase_usd: Range
    utilization_fraction: Range


@dataclass(frozen=True, kw_only=True)
class BreakEven:
    """The share of the time in which owned machines must be busy to cost no more than this option's own hours."""

    scenario: Scenario
    utilization_fraction: Range


@dataclass(frozen=True, kw_only=True)
class Ways:
    """scenario: whose nodes, hours and storage the owned machines are compared with. gpu_hours: paid, of the run.

    paid: by planned USD of the run's own hours. Energy in kWh, CO2 in kg. assumptions: those of the owned side.
    """

    scenario: Scenario
    gpu_hours: Range
    paid: tuple[Paid, ...]
    owned: Owned
    break_evens: tuple[BreakEven, ...]
    kwh_cloud: Range
    kwh_own: Range
    kg_co2_cloud: Range
    kg_co2_own: Range
    assumptions: tuple[Assumption, ...]


def ways_of(request: Request, comparison: Comparison, chosen: Scenario) -> Ways:
    """The fleet and layout of a scenario, under every purchase option of the plan and owned.

    Raises UsageProblem where no server price is published, or no option holds the nodes.
    """
    alike = [s for s in comparison.scenarios if _fleet(s) == _fleet(chosen) and s.feasible]
    held = next((s for s in alike if not s.option.starts_on_spot and s.cost_usd), None)
    if held is None:
        raise UsageProblem(
            f"no purchase option holds the nodes of {chosen.id}, so its hours on owned machines are unknown\n"
            "add one: --set purchase.options=[on-demand,spot-fallback]"
        )
    instance = request.book.instance(chosen.instance_type)
    if not has_price(instance):
        known = ", ".join(SERVER_KW_PER_GPU)
        raise UsageProblem(
            f"no price of a server with {instance.gpu_name} is published, so {chosen.instance_type} cannot be compared "
            f"with owned machines; published are {known}"
        )
    central = request.central(recording=False)
    drawn = request.drawn(central) if request.draws else None
    entries = {e.choice.id: e for e in evaluate(request, central, drawn, [s.id for s in alike])}
    planned, spread = entries[held.id].planned, entries[held.id].spread
    assert planned is not None  # a scenario with a cost was evaluated
    assert spread is not None
    draws, nodes = request.draws, chosen.nodes
    central.used.clear()
    now = owned_nodes(instance, nodes, planned.run.hours, central)
    varied = owned_nodes(instance, nodes, spread.run.hours, drawn or central)

    def over(planned: Number, spread: Number) -> Range:
        return range_of(scalar(planned), spread, draws)

    cloud, cloud_drawn = (
        energy_of(instance, nodes, run.run.hours, values, own=False)
        for run, values in ((planned, central), (spread, drawn or central))
    )
    own, own_drawn = (
        energy_of(instance, nodes, run.run.hours, values, own=True)
        for run, values in ((planned, central), (spread, drawn or central))
    )
    chips = nodes * instance.gpu_count
    gpu_hours = over(chips * planned.run.hours, chips * spread.run.hours)
    paid = sorted(
        (found for s in alike if (found := _paid(s, entries[s.id], draws))), key=lambda p: (p.used_usd.plan, p.usd.plan)
    )
    return Ways(
        scenario=held,
        gpu_hours=gpu_hours,
        paid=tuple(paid),
        owned=Owned(
            usd=over(now.usd, varied.usd),
            parts=(
                ("accelerators", over(now.accelerators_usd, varied.accelerators_usd)),
                ("rest of the servers", over(now.servers_usd, varied.servers_usd)),
                ("interconnect", over(now.interconnect_usd, varied.interconnect_usd)),
                ("electricity", over(now.energy_usd, varied.energy_usd)),
            ),
            purchase_usd=over(now.purchase_usd, varied.purchase_usd),
            utilization_fraction=over(now.utilization_fraction, varied.utilization_fraction),
        ),
        break_evens=tuple(_break_even(found, now, varied, gpu_hours, draws) for found in _against(paid)),
        kwh_cloud=over(cloud.kwh, cloud_drawn.kwh),
        kwh_own=over(own.kwh, own_drawn.kwh),
        kg_co2_cloud=over(cloud.kg_co2, cloud_drawn.kg_co2),
        kg_co2_own=over(own.kg_co2, own_drawn.kg_co2),
        assumptions=tuple(central.table[key] for key in sorted(central.used)),
    )


def _fleet(scenario: Scenario) -> tuple[str, str, str, int]:
    return scenario.layout, scenario.variant, scenario.instance_type, scenario.nodes


def _paid(scenario: Scenario, entry: Evaluated, draws: int) -> Paid | None:
    """None if a price of the nodes is missing."""
    missing = {gap.line for gap in entry.unpriced}
    if entry.planned is None or entry.spread is None or entry.why_not:
        return None
    if any(line == SPOT_INTERRUPTIONS or bill_line(line).family == "gpu-nodes" for line in missing):
        return None
    finished = outcomes_of(entry, draws).finished
    ranges = [
        range_of(
            scalar(_sum(entry.planned.lines, unused)),
            np.where(finished, _sum(entry.spread.lines, unused), np.inf),
            draws,
        )
        for unused in (True, False)
    ]
    return Paid(scenario=scenario, usd=ranges[0], used_usd=ranges[1])


def _sum(lines: tuple[Line, ...], unused: bool) -> Number:
    kinds = [(line, bill_line(line.line)) for line in lines]
    return sum(
        (line.effective_cost for line, kind in kinds if kind.family == "gpu-nodes" and (unused or not kind.unused)), 0.0
    )


def _against(paid: list[Paid]) -> list[Paid]:
    """On-Demand, and the option whose own hours cost least and are held."""
    held = [p for p in paid if not p.scenario.option.starts_on_spot]
    on_demand = [p for p in held if p.scenario.option.family == "on-demand"]
    return list({p.scenario.id: p for p in (*on_demand, *held[:1])}.values())


def _break_even(paid: Paid, now: OwnedNodes, varied: OwnedNodes, gpu_hours: Range, draws: int) -> BreakEven:
    rate = paid.used_usd.plan / gpu_hours.plan
    planned, spread = (
        owned_break_even(
            owned_usd_per_hour=nodes.always_busy_usd_per_hour,
            energy_usd_per_hour=nodes.energy_usd_per_hour,
            rented_usd_per_hour=rate,
        )
        for nodes in (now, varied)
    )
    assert math.isfinite(scalar(planned))
    return BreakEven(scenario=paid.scenario, utilization_fraction=range_of(scalar(planned), spread, draws))
