"""Small stacks for the engine: two nodes of the GPU fleet, two of a storage cluster, the least of a file system."""

from __future__ import annotations

from dataclasses import replace

from planner.stack.spec import WORKERS, ClusterSpec
from tests.infra.specs import BUYING, fleet_of, spec_of

AMI, NEXT_AMI, CONTROL_AMI, NEXT_CONTROL_AMI = (f"ami-{letter:0>17}" for letter in ("a1", "a2", "c1", "c2"))
ZONE = "use1-az4"
# one layout stands elsewhere: what has no Region is listed in us-east-1, and its stack must find it all the same
ELSEWHERE = {"fsx-lustre": ("eu-west-1", "euw1-az1")}
IMAGE = "111122223333.dkr.ecr.us-east-1.amazonaws.com/train"
SECOND_BLOCK = "cr-0123456789abcdef1"
GIVEN = (AMI, NEXT_AMI, CONTROL_AMI, NEXT_CONTROL_AMI, SECOND_BLOCK, *(one.reservation_id for one in BUYING.values()))


def small(
    layout: str,
    *,
    nodes: int = 2,
    instance_type: str = "p4d.24xlarge",
    buying: str = "on-demand",
    profile: str = "ip-saving",
    ami: str = AMI,
    control_ami: str = CONTROL_AMI,
    region_of: str = "",
) -> ClusterSpec:
    """A stack of a layout, with all that an account has to give. region_of: a layout, for its Region."""
    if layout == WORKERS:
        return _workers(nodes, image=f"{IMAGE}:{ami}")
    region, zone_id = ELSEWHERE.get(region_of or layout, ("us-east-1", ZONE))
    spec = spec_of(
        layout,
        region=region,
        scenario=f"{layout}/{instance_type}/{'on-demand' if buying == 'reservation' else buying}",
        zone_id=zone_id,
        fleet=replace(fleet_of(instance_type, nodes, profile), ami=ami),
        buying=BUYING[buying],
    )
    if spec.control.count:
        spec = replace(spec, control=replace(spec.control, ami=control_ami))
    if spec.nvme is not None:
        spec = replace(spec, nvme=replace(spec.nvme, nodes=2, spares=1))
    # as `planner stack` writes it: a node costs the same in a fleet of another size
    usd = {**spec.usd_per_hour, "fleet.compute": spec.usd_per_hour["fleet.compute"] / 2 * nodes}
    return replace(spec, usd_per_hour=usd)


def _workers(nodes: int, image: str) -> ClusterSpec:
    """A pool of workers, whose nodes have AWS's image; the jobs' own is the stack's."""
    spec = spec_of(WORKERS, scenario="workers/g6.xlarge/spot", zone_id=ZONE, buying=BUYING["spot"])
    assert spec.workers is not None
    fleet = replace(fleet_of("g6.xlarge", nodes), ami="")
    return replace(spec, fleet=fleet, workers=replace(spec.workers, image=image, memory_mib=14_000))
