"""Values from the account in an existing stack file, which a new file of the same stack must keep."""

from __future__ import annotations

from dataclasses import replace

from planner.estimate.result import Scenario
from planner.plan.types import Plan
from planner.stack.check_buying import may_buy
from planner.stack.choose import FromAccount
from planner.stack.leaving import NODES
from planner.stack.spec import PLACEHOLDER, ClusterSpec


def kept_of(before: ClusterSpec | None, plan: Plan, chosen: Scenario, given: FromAccount) -> FromAccount:
    """`given`, with missing values from the file before, unless the plan's `deploy` has them.

    Ids are of one region; a reservation is of one instance type and one purchase.
    """
    if before is None or before.region != plan.region:
        return given
    same_nodes = before.fleet.instance_type == chosen.instance_type and may_buy(before.buying, chosen.purchase)
    after_block = same_nodes and chosen.purchase == "capacity-block"
    held = {
        "ami": "" if plan.deploy.ami else before.fleet.ami,
        "control_ami": before.control.ami,
        "second_zone_id": before.files.second_zone_id if before.files else "",
        "zone_id": "" if plan.deploy.zone_id else before.zone_id,
        "slurm_version": before.scheduler.version if before.scheduler else "",
        "notify": "" if plan.deploy.notify else before.guard.notify,
        "reservation_id": before.buying.reservation_id if same_nodes else "",
        # another reservation that is given is a new block, and the run is in it
        "left_blocks": before.buying.left_blocks if after_block and not given.reservation_id else (),
        "further_blocks": before.buying.further_blocks if same_nodes else (),
        # of one reservation: another reservation has its own
        **{
            name: getattr(before.buying, name) if same_nodes and not given.reservation_id else ""
            for name in ("placement_group", "starts", "ends")
        },
    }
    missing = {name: value for name, value in held.items() if not getattr(given, name) and PLACEHOLDER not in value}
    if missing.get("left_blocks") and NODES in before.usd_per_hour:
        missing["on_demand_usd_per_hour"] = before.usd_per_hour[NODES] * chosen.nodes / before.fleet.nodes
    moved = before.fallback is not None and before.buying.kind == "on-demand" and chosen.threshold_hours is not None
    return replace(given, **missing, moved=moved)
