"""A fleet: nodes that many projects share over months, in one queue, bought in one mix."""

from planner.kinds.kind import Kind

_ON_DEMAND = "a fleet's nodes are On-Demand, with or without commitments, so that there is no reservation to name"

KIND = Kind(
    name="fleet",
    title="the plan of a fleet",
    package="planner.kinds.fleet",
    refused={
        **dict.fromkeys(
            ("stack --reservation", "stack --placement-group", "stack --block-starts", "stack --block-ends"), _ON_DEMAND
        ),
        "stack --image": "the container image is of a worker pool",
        "stack --second-zone-id": "a fleet has no files over the pool",
        "acceptance": "acceptance is for the gang of a training plan",
        "quote": "quote compares training runs and worker pools; of a fleet `planner compare` shows every way to buy",
        "reserve": "a fleet has no one Capacity Block: `planner mix` and `planner compare` say what to buy",
        "--own": "not of a fleet: purchase.owned states what you own",
        "report --bill": "the bill of a fleet is compared by project: planner reconcile PLAN --bill FILE --sacct FILE",
        "reconcile --jobs": "not of a fleet: --sacct has its jobs",
        "reconcile --measured": "not of a fleet, whose bill is compared by project and not by line",
        "sensitivity": "of a fleet, `planner diff PLAN --set-b PATH=VALUE` shows what a change of the plan does",
        "simulate --policies": "policies are of spot gangs; queue.policy changes how a fleet chooses jobs",
        "simulate --traces": "recordings cover spot gangs; a fleet's jobs come from its plan",
        "simulate --generate": "recordings cover spot gangs; a fleet's jobs come from its plan",
    },
)
