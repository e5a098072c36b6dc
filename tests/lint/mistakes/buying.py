"""Purchase mistakes: in graphs with Spot or a Capacity Block."""

from __future__ import annotations

from tests.lint.graphs import Document
from tests.lint.mistakes.edits import Mistake, asg, cut, gone, lt, of, put
from tests.lint.mistakes.templates import market


def distribution(document: Document) -> Document:
    return asg(document)["mixedInstancesPolicy"]["instancesDistribution"]


def mixed(document: Document) -> Document:
    return asg(document)["mixedInstancesPolicy"]["launchTemplate"]


schedule = of("Schedule")


def other_group(document: Document) -> None:
    """The schedule of the block's end, for a group of another name."""
    schedule(document)["autoscalingGroupName"] = "planner-dev-other-group"


SPOT = (
    Mistake("no strategy", "SPOT-LOWEST", cut(distribution, "spotAllocationStrategy")),
    Mistake(
        "strategy misspelled", "SPOT-STRATEGY", put(distribution, "spotAllocationStrategy", "price-capacity-optimised")
    ),
    Mistake(
        "On-Demand percentage above 100", "SPOT-SHARE", put(distribution, "onDemandPercentageAboveBaseCapacity", 150)
    ),
    Mistake("a maximum price", "SPOT-PRICE", put(distribution, "spotMaxPrice", "12.00")),
    Mistake("rebalancing", "SPOT-REBALANCE", put(asg, "capacityRebalance", True)),
    Mistake("instance type with fewer cards", "EFA-CARD", put(mixed, "overrides", [{"instanceType": "p5en.48xlarge"}])),
    Mistake(
        "a type without EFA",
        "EFA-UNSUPPORTED",
        put(mixed, "overrides", [{"instanceType": "m7i.xlarge"}]),
        also=("EFA-CARD",),
    ),
    Mistake("an override misspelled", "TYPE-UNKNOWN", put(mixed, "overrides", [{"instanceType": "p5e48xlarge"}])),
    Mistake("Spot in the template and the group", "SPOT-MIX", market("spot")),
    Mistake(
        "launchTemplate next to a mixed instances policy",
        "ASG-TEMPLATE",
        put(asg, "launchTemplate", {"name": "planner-dev-fleet-template", "version": "1"}),
    ),
    Mistake("all on-demand", "SPOT-ONDEMAND", put(distribution, "onDemandPercentageAboveBaseCapacity", 100)),
    Mistake("half on-demand", "SPOT-ONDEMAND", put(distribution, "onDemandPercentageAboveBaseCapacity", 50)),
    Mistake("no percentage", "SPOT-ONDEMAND", cut(distribution, "onDemandPercentageAboveBaseCapacity")),
    Mistake("On-Demand base covers all nodes", "SPOT-ONDEMAND", put(distribution, "onDemandBaseCapacity", 16)),
    Mistake("no distribution", "SPOT-ONDEMAND", lambda d: asg(d)["mixedInstancesPolicy"].pop("instancesDistribution")),
    Mistake("percentage mistyped", "INPUT-UNKNOWN", lambda d: distribution(d).update(onDemandPercentage=0)),
)
BLOCK = (
    Mistake("block without its market type", "BLOCK-MARKET", cut(lt, "instanceMarketOptions")),
    Mistake("placement with a block", "PG-BLOCK", put(lt, "placement", {"groupName": "close"})),
    Mistake("scale-in protection at the end of the block", "BLOCK-END", gone("Schedule")),
    Mistake("scales in too late", "BLOCK-END", put(schedule, "startTime", "2027-01-31T11:00:00Z")),
    Mistake("scales in to one", "BLOCK-END", lambda d: schedule(d).update(desiredCapacity=1, maxSize=1)),
    Mistake("invalid start time", "SCHEDULE-TIME", put(schedule, "startTime", "tomorrow")),
    Mistake(
        "Capacity Block market without a reservation id", "BLOCK-TARGET", cut(lt, "capacityReservationSpecification")
    ),
    Mistake(
        "spot in a block", "SPOT-MIX", lambda d: lt(d)["instanceMarketOptions"].update(spotOptions={"maxPrice": "1"})
    ),
    Mistake("protected at the end", "BLOCK-END", put(asg, "protectFromScaleIn", True)),
    Mistake("no minimum at the end", "BLOCK-END", cut(schedule, "minSize")),
    Mistake("minimum kept at the end", "BLOCK-END", put(schedule, "minSize", -1)),
    Mistake("nodes wanted at the end", "BLOCK-END", put(schedule, "desiredCapacity", 16), also=("SCHEDULE-SIZE",)),
    Mistake("no desired capacity at the end of the block", "BLOCK-END", cut(schedule, "desiredCapacity")),
    Mistake(
        "group without an action at the end of the block",
        "BLOCK-END",
        lambda d: asg(d)["suspendedProcesses"].append("ScheduledActions"),
    ),
    Mistake("end action of another group", "BLOCK-END", other_group),
)
