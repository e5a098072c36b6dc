"""What stops a job: failures and spot interruptions, how often they come, and the waits after them."""

from __future__ import annotations

from dataclasses import dataclass

from planner.estimate.spot import HELD, SpotMarket
from planner.layouts.base import Demand
from planner.models.derived import Sourced
from planner.models.interruptions import mean_wait_hours, platform_mtbf, spare_wait_hours
from planner.models.sheet import Sheet
from planner.models.values import Values

NOT_ON_SPOT: Sourced = (0.0, "rule:no spot, so no spot interruptions")


@dataclass(frozen=True, kw_only=True)
class JobRates:
    """Per hour of training, each with its origin.

    mtbf_hours, wait_hours: between all interruptions of the job, and for nodes after one. failures: of hardware;
    node_reclaims: spot interruptions of one node; gang_rate: of all nodes at once, after which all are waited for.
    node_wait: for a node, on average after the loss of one; with spares, rarely. replacement: of a node, always.
    """

    mtbf_hours: Sourced
    wait_hours: Sourced
    failures: Sourced
    node_reclaims: Sourced
    gang_rate: Sourced
    gang_wait: Sourced
    node_wait: Sourced
    replacement: Sourced


def job_rates_of(demand: Demand, market: SpotMarket, values: Values, sheet: Sheet) -> JobRates:
    """Rates and waits of a job on held nodes (HELD) or in a spot market."""
    training = (demand.training_nodes, "run:training_nodes")
    failure_rate = values.given("goodput.failures_per_1000_node_days")
    mtbf: Sourced = (
        sheet.equation(
            "goodput.mtbf_hours",
            platform_mtbf,
            nodes=training,
            failures_per_1000_node_days=failure_rate,
            hazard_per_node_hour=market.node_hazard,
            gang_interruptions_per_hour=market.gang_rate,
        ),
        "run:goodput.mtbf_hours",
    )
    failures: Sourced = (
        sheet.arithmetic(
            "goodput.failures_per_hour",
            demand.training_nodes * failure_rate[0] / 24_000,
            "1/h",
            "training_nodes * rate / 24000",
            training_nodes=(*training, "nodes"),
            rate=(*failure_rate, "1/(1000 node-days)"),
        ),
        "run:goodput.failures_per_hour",
    )
    node_reclaims = NOT_ON_SPOT if market is HELD else _node_reclaims(demand, market, sheet)
    sheet.arithmetic(
        "goodput.reclaims_per_hour",
        node_reclaims[0] + market.gang_rate[0],
        "1/h",
        "node_reclaims + gang_interruptions",
        "spot interruptions of the job",
        node_reclaims=(node_reclaims[0], node_reclaims[1], "1/h"),
        gang_interruptions=(*market.gang_rate, "1/h"),
    )
    losses: Sourced = (
        sheet.arithmetic(
            "goodput.node_losses_per_hour",
            failures[0] + node_reclaims[0],
            "1/h",
            "failures + node_reclaims",
            "losses of one node",
            failures=(failures[0], failures[1], "1/h"),
            node_reclaims=(node_reclaims[0], node_reclaims[1], "1/h"),
        ),
        "run:goodput.node_losses_per_hour",
    )
    gang_wait = market.gang_wait if market.interrupts else NOT_ON_SPOT
    replacement = values.given("goodput.replacement_hours")
    node_wait: Sourced = (
        sheet.equation(
            "goodput.node_wait_hours",
            spare_wait_hours,
            failures_per_hour=losses,
            replacement_hours=replacement,
            spares=(demand.nodes - demand.training_nodes, "plan:fleet.spares"),
        ),
        "run:goodput.node_wait_hours",
    )
    wait = sheet.equation(
        "goodput.wait_hours",
        mean_wait_hours,
        mtbf_hours=mtbf,
        failures_per_hour=losses,
        node_wait_hours=node_wait,
        reclaims_per_hour=market.gang_rate,
        gang_wait_hours=gang_wait,
    )
    return JobRates(
        mtbf_hours=mtbf,
        wait_hours=(wait, "run:goodput.wait_hours"),
        failures=failures,
        node_reclaims=node_reclaims,
        gang_rate=market.gang_rate,
        gang_wait=gang_wait,
        node_wait=node_wait,
        replacement=replacement,
    )


def _node_reclaims(demand: Demand, market: SpotMarket, sheet: Sheet) -> Sourced:
    """Spot interruptions of any one node."""
    hazard, origin = market.node_hazard
    rate = sheet.arithmetic(
        "goodput.node_reclaims_per_hour",
        demand.training_nodes * hazard,
        "1/h",
        "training_nodes * hazard",
        training_nodes=(demand.training_nodes, "run:training_nodes", "nodes"),
        hazard=(hazard, origin, "1/h"),
    )
    return rate, "run:goodput.node_reclaims_per_hour"
