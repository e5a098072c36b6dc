"""A worker pool: many jobs that need no other, on nodes that come and go."""

from planner.kinds.kind import Kind

_GANGS = "not of a worker pool, whose nodes AWS Batch makes"
_RECORDINGS = "recordings and their rules apply to gangs; a worker pool follows the rules of its plan"

KIND = Kind(
    name="worker-pool",
    title="the plan of a worker pool",
    package="planner.kinds.workers",
    refused={
        "--own": "not of a worker pool, whose plan states the prices that are not in the book",
        "acceptance": "acceptance is for the gang of a training plan; workers have none",
        "reconcile": "the bill of a worker pool cannot be compared with its plan yet",
        "report --bill": "the bill of a worker pool cannot be compared with its plan yet",
        "sensitivity --against": "not of a worker pool; `planner compare` shows the P10 to P90 of each choice",
        "simulate --policies": _RECORDINGS,
        "simulate --traces": _RECORDINGS,
        "simulate --generate": _RECORDINGS,
        **{
            f"stack {option}": _GANGS
            for option in (
                "--nic-profile",
                "--ami",
                "--control-ami",
                "--reservation",
                "--placement-group",
                "--block-starts",
                "--block-ends",
            )
        },
    },
)
