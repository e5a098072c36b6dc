"""A stage of a run: the work on nodes of one kind, spot or held, as if it were done there alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from planner.estimate.input import DataInput, data_input_of
from planner.estimate.interruptions import Interruptions, interruptions_of
from planner.estimate.job_rates import JobRates
from planner.estimate.spot import HELD, Market, SpotMarket
from planner.estimate.work import FleetWork
from planner.layouts.base import Demand, Layout, Service
from planner.models.derived import Derived, Sourced
from planner.models.goodput import run_hours
from planner.models.interruptions import unheld_hours
from planner.models.number import Number
from planner.models.sheet import Sheet
from planner.models.values import Values
from planner.plan.types import Plan


@dataclass(frozen=True, kw_only=True)
class Stage:
    """All the work on one kind of nodes; numbers are floats, or arrays with one entry per draw.

    start_hours: until training starts. unheld_hours: in training, averaged over the nodes, in which an interrupted spot
    job has no node to bill. checkpoints: written.
    """

    data_input: DataInput
    interruptions: Interruptions
    market: SpotMarket
    start_hours: Number
    training_hours: Number
    hours: Number
    unheld_hours: Number
    checkpoints: Number
    derived: tuple[Derived, ...]


@dataclass(kw_only=True)
class Ground:
    """One layout on one fleet at central values or in draws, which all purchase options share."""

    plan: Plan
    demand: Demand
    work: FleetWork
    layout: Layout
    values: Values
    _held: dict[float | None, Stage] = field(default_factory=dict[float | None, Stage])
    _filled_once: tuple[DataInput, tuple[Derived, ...]] | None = None

    @cached_property
    def service(self) -> Service:
        """What the layout provides."""
        return self.layout.service(self.values)

    def held(self, decided_hours: float | None) -> Stage:
        """The work on nodes that are not on spot. decided_hours: see `stage_of`."""
        if decided_hours not in self._held:
            self._held[decided_hours] = stage_of(self, None, decided_hours)
        return self._held[decided_hours]

    def data_input(self, refills: Number) -> tuple[DataInput, tuple[Derived, ...]]:
        """What training reads, and its derivation: the same on all kinds of nodes if nothing empties the fast tier.
        refills: see `data_input_of`."""
        once = np.ndim(refills) == 0 and not refills
        if not once or self._filled_once is None:
            sheet, filled_first = self.values.sheet(), self.layout.filled_first
            found = data_input_of(
                self.plan, self.demand, self.work, self.service, filled_first, refills, self.values, sheet
            )
            if not once:
                return found, sheet.derived
            self._filled_once = found, sheet.derived
        return self._filled_once


def stage_of(ground: Ground, on_spot: Market | None, decided_hours: float | None) -> Stage:
    """on_spot: records and returns the spot market; None for nodes that are held. decided_hours: between checkpoints on
    held nodes; None to decide it here."""
    plan, demand, work, layout, values = ground.plan, ground.demand, ground.work, ground.layout, ground.values
    sheet, service = values.sheet(), ground.service
    market = on_spot(values, sheet) if on_spot else HELD
    refills = _refills(demand, work, market, sheet) if layout.emptied_by_interruption and market.interrupts else 0.0
    data_input, of_input = ground.data_input(refills)
    sheet.include(of_input, {})
    interruptions = interruptions_of(plan, demand, work, service, market, values, decided_hours, sheet)
    worked: Sourced = (work.hours, "run:run.work_hours")
    fraction: Sourced = (data_input.fraction, "run:goodput.input_fraction")
    available: Sourced = (interruptions.availability, "run:goodput.availability_fraction")
    given = plan.run.held_hours
    if given is not None:
        training_hours: Number = sheet.arithmetic(
            "run.training_hours",
            np.maximum(given - market.first_wait[0], 0.0),
            "h",
            "max(held - first_wait, 0)",
            "for which the fleet is held, without the wait for the first nodes",
            held=(given, "plan:run.work", "h"),
            first_wait=(*market.first_wait, "h"),
        )
    else:
        training_hours = sheet.arithmetic(
            "run.training_hours",
            work.hours / data_input.fraction / interruptions.availability,
            "h",
            "work_hours / input_fraction / availability_fraction",
            work_hours=(*worked, "h"),
            input_fraction=(*fraction, "fraction"),
            availability_fraction=(*available, "fraction"),
        )
    bring_up, warm_up = values.given("goodput.bring_up_hours"), (data_input.warm_up_hours, "run:run.warm_up_hours")
    start_hours = sheet.arithmetic(
        "run.start_hours",
        market.first_wait[0] + bring_up[0] + warm_up[0],
        "h",
        "first_wait + bring_up + warm_up",
        "until training starts",
        first_wait=(*market.first_wait, "h"),
        bring_up=(*bring_up, "h"),
        warm_up=(*warm_up, "h"),
    )
    if given is not None:
        hours: Number = sheet.taken("run.hours", "h", held=(given, "plan:run.work"))
    else:
        hours = sheet.equation(
            "run.hours",
            run_hours,
            bring_up_hours=bring_up,
            warm_up_hours=warm_up,
            work_hours=worked,
            input_fraction=fraction,
            availability_fraction=available,
            first_wait_hours=market.first_wait,
        )
    checkpoints = sheet.arithmetic(
        "run.checkpoints_written",
        work.hours / interruptions.interval_hours,
        "checkpoints",
        "work_hours / interval_hours",
        work_hours=(*worked, "h"),
        interval_hours=(interruptions.interval_hours, "run:goodput.checkpoint_interval_hours", "h"),
    )
    return Stage(
        data_input=data_input,
        interruptions=interruptions,
        market=market,
        start_hours=start_hours,
        training_hours=training_hours,
        hours=hours,
        unheld_hours=_unheld(demand, market, training_hours, interruptions.rates, sheet),
        checkpoints=checkpoints,
        derived=sheet.derived,
    )


def _unheld(demand: Demand, market: SpotMarket, training_hours: Number, rates: JobRates, sheet: Sheet) -> Number:
    if market is HELD:
        held = (0.0, "rule:nodes that are not on spot are billed while the job waits")
        return sheet.taken("run.unheld_training_hours", "h", unheld=held)
    return sheet.equation(
        "run.unheld_training_hours",
        unheld_hours,
        training_hours=(training_hours, "run:run.training_hours"),
        mtbf_hours=rates.mtbf_hours,
        wait_hours=rates.wait_hours,
        reclaims_per_hour=rates.gang_rate,
        gang_wait_hours=rates.gang_wait,
        node_reclaims_per_hour=rates.node_reclaims,
        replacement_hours=rates.replacement,
        nodes=(demand.nodes, "run:nodes"),
    )


def _refills(demand: Demand, work: FleetWork, market: SpotMarket, sheet: Sheet) -> Number:
    """How often spot interruptions empty the fast tier: a lost node takes its share of it, a lost gang all of it."""
    return sheet.arithmetic(
        "storage.refills",
        (demand.training_nodes * market.node_hazard[0] / demand.nodes + market.gang_rate[0]) * work.hours,
        "times",
        "(training_nodes * hazard / nodes + gang_rate) * work_hours",
        "during the work, a lost node loses its share of the fast tier, a lost gang all of it",
        training_nodes=(demand.training_nodes, "run:training_nodes", "nodes"),
        hazard=(*market.node_hazard, "1/h"),
        nodes=(demand.nodes, "run:nodes", "nodes"),
        gang_rate=(*market.gang_rate, "1/h"),
        work_hours=(work.hours, "run:run.work_hours", "h"),
    )
