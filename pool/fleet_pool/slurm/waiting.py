"""Jobs that wait, and why, in words that say where to look. From squeue."""

from __future__ import annotations

from fleet_pool.compat import frozen

SQUEUE = ("squeue", "--noheader", "--states=PD", "--format=%i|%a|%u|%q|%D|%r|%S|%j")
CONTROLLER = "the controller does not answer: jobs that run go on, none starts or is accepted; "
# squeue(1), job reason codes; others are shown as Slurm has them
REASONS = {
    "None": "Slurm has not looked at it yet",
    "Priority": "jobs of a higher priority come first",
    "Resources": "waits for nodes",
    "BeginTime": "was requeued a moment ago",
    "AssocGrpNodeLimit": "its project has all the nodes that it may have",
    "AssocGrpJobsLimit": "its user is no longer in the plan",
    "Dependency": "waits for another job",
    "JobHeldUser": "held by its user",
    "JobHeldAdmin": "held by an operator",
    "JobHoldMaxRequeue": "held: requeued too often",
    "launch failed requeued held": "held: its node could not start it",
    "Reservation": "waits for its reservation",
    "PartitionDown": "its queue is closed",
    "PartitionInactive": "its queue is closed",
    "PartitionNodeLimit": "asks for more nodes than its queue has",
    "PartitionTimeLimit": "its time limit is longer than its queue allows",
    "BadConstraints": "asks for what no node has",
}
BEFORE_BLOCK_OR_BEYOND = "the Capacity Block has not begun, or the job's time limit passes its end"
NODES_OUT = "nodes are drained or down"


@frozen
class Waiting:
    """expected: when Slurm expects it to start; "" where it does not say."""

    job: str
    name: str
    project: str
    user: str
    qos: str
    nodes: int
    why: str
    expected: str


def waiting(text: str) -> list[Waiting]:
    """From the output of SQUEUE."""
    found = []
    for line in text.splitlines():
        job, project, user, qos, nodes, reason, start, name = line.strip().split("|", 7)
        found.append(
            Waiting(
                job=job,
                name=name,
                project=project,
                user=user,
                qos=qos,
                nodes=int(nodes),
                why=in_words(reason),
                expected="" if start == "N/A" else start,
            )
        )
    return found


def in_words(reason: str) -> str:
    """Why a job waits, for a person."""
    plain = reason.replace("_", " ")  # newer Slurm has no blanks in it
    if plain.startswith("Nodes required for job are DOWN, DRAINED"):
        return f"{NODES_OUT}, or kept for a queue of a higher priority"
    if plain.startswith("ReqNodeNotAvail"):
        nodes = reason.partition("UnavailableNodes:")[2]
        return f"{NODES_OUT}: {nodes}" if nodes else BEFORE_BLOCK_OR_BEYOND
    return REASONS.get(plain, reason)
