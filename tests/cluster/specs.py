"""Specs with a Slurm cluster, as `planner stack` writes them."""

from __future__ import annotations

from dataclasses import replace

from planner.stack.spec import Block, ClusterSpec, Markets, OtherType, Project, Scheduler
from tests.infra.specs import BUYING, fleet_of, spec_of

USD_PER_NODE_HOUR, P4D_USD = 98.0, 21.957642
SCHEDULER = Scheduler(
    version="25.11",
    size="SMALL",
    login_type="m7i.xlarge",
    login_volume_gib=100,
    gres="h100",
    longest_job_hours=336.0,
    usd_per_node_hour=USD_PER_NODE_HOUR,
    projects=(
        Project(name="vision", share=3, max_nodes=6, users=("ana",)),
        Project(name="speech", share=1),
    ),
)
LINES = {
    "scheduler.controller": 0.59,
    "scheduler.accounting": 0.295,
    "scheduler.node-fee": 0.7389,
    "scheduler.login-node": 0.2016,
    "scheduler.login-ebs": 0.010959,
}


MARKETS = Markets(
    nodes=8, work_hours=240.0, deadline_hours=360.0, changeover_hours=0.25, on_demand_usd_per_node_hour=110.0
)


def two_markets(layout: str = "s3-stream", *, nodes: int = 8, markets: Markets = MARKETS) -> ClusterSpec:
    """Spot with fallback: as many On-Demand nodes, for the gangs that the rule sends there."""
    spec = slurm_spec(layout, nodes=nodes, buying="spot")
    return replace(
        spec,
        scenario=f"{layout}/p5.48xlarge/spot-fallback",
        scheduler=replace(SCHEDULER, markets=replace(markets, nodes=min(markets.nodes, nodes))),
        metered=(*spec.metered, "fleet.compute-on-demand"),
    )


def slurm_spec(
    layout: str = "s3-stream", *, nodes: int = 8, buying: str = "on-demand", further: tuple[Block, ...] = ()
) -> ClusterSpec:
    """further: blocks beside the first, whose nodes are among `nodes`."""
    spec = spec_of(layout, fleet=fleet_of("p5.48xlarge", nodes), buying=BUYING[buying], scheduler=SCHEDULER)
    scenario = f"{layout}/p5.48xlarge/{'on-demand' if buying == 'reservation' else buying}"
    return replace(
        spec,
        scenario=scenario,
        buying=replace(spec.buying, further_blocks=further),
        usd_per_hour={**spec.usd_per_hour, **LINES},
    )


def mixed_spec(layout: str = "s3-stream", *, release: bool = False) -> ClusterSpec:
    """Four p4d and two p5 in one cluster, as a fleet plan has them."""
    usd = P4D_USD, USD_PER_NODE_HOUR
    first, second = fleet_of("p4d.24xlarge", 4), fleet_of("p5.48xlarge", 2)
    scheduler = replace(
        SCHEDULER,
        gres="a100",
        usd_per_node_hour=usd[0],
        others=(OtherType(fleet=second, gres="h100", usd_per_node_hour=usd[1]),),
        release=release,
    )
    nodes = {"fleet.compute-on-demand-p4d.24xlarge": 4 * usd[0], "fleet.compute-on-demand-p5.48xlarge": 2 * usd[1]}
    spec = spec_of(layout, fleet=first, scheduler=scheduler)
    around = {line: dollars for line, dollars in spec.usd_per_hour.items() if line != "fleet.compute"}
    return replace(
        spec,
        scenario="fleet/p4d.24xlargex4+p5.48xlargex2/on-demand",
        usd_per_hour={**around, **LINES, **({} if release else nodes)},
        metered=(*spec.metered, *(nodes if release else ())),
    )
