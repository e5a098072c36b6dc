"""A training run: one gang of nodes, until the work is done."""

from planner.kinds.kind import Kind

KIND = Kind(
    name="training",
    title="a training plan",
    package="planner.kinds.training",
    refused={"stack --image": "of worker pools: nodes of a training plan run no container of ours"},
)
