"""The canary of a Slurm cluster: one GPU node, which AWS PCS starts for a job of ours and for no other reason.

AWS PCS starts a node that does not register again and again, and no right that a node may have stops it
(UpdateComputeNodeGroup asks for iam:PassRole and ec2:RunInstances: AWS PCS User Guide, "Minimum permissions"). A group
whose least size is zero has a node only while a job wants one, so that jobs are the budget: one at a time, never
requeued, three at most that fail. A node that is not ready does not register, so a job that ran is the proof. The node
ends by itself when it was idle for as long as the cluster says.
"""

from __future__ import annotations

from collections.abc import Sequence

from fleet_pool.compat import frozen

TRIES = 3  # as of every small group: fleet_pool.node.starts.LEAST_FAILED
START_MIN = 60  # that one start may take, as everywhere
RAN = "COMPLETED"
WAITS = ("PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "REQUEUED", "SUSPENDED", "RESIZING")


@frozen
class Told:
    """words: the command to run; () for none. says: for people; "" while there is no news."""

    words: tuple[str, ...]
    says: str


def show(name: str) -> tuple[str, ...]:
    """The command that lists the jobs of a canary, also of months ago."""
    since = ("--starttime=now-90days", f"--name={name}")
    return ("sacct", "--noheader", "--parsable2", "--allocations", "--allusers", *since, "--format=State")


def told(name: str, states: Sequence[str], usd_per_node_hour: float) -> Told:
    """What to do now. states: of its jobs, as `show` lists them."""
    words = [state.split()[0] for state in states if state.strip()]
    failed = sum(word not in (RAN, *WAITS) for word in words)
    if RAN in words:
        return Told(words=(), says="canary: the node is ready; write the stack file without --canary, and deploy it")
    if any(word in WAITS for word in words):
        return Told(words=(), says="")
    if failed >= TRIES:
        most = f"at most ${usd_per_node_hour * failed * START_MIN / 60:,.0f}"
        return Told(words=(), says=f"canary: given up after {failed} failed starts, {most}; boot-logs/ says why")
    return Told(words=_job(name), says=f"canary: start {failed + 1} of {TRIES}")


def _job(name: str) -> tuple[str, ...]:
    # gone from the queue where no node has taken it by then
    limits = ("--time=5", f"--deadline=now+{START_MIN}minutes")
    where = ("--chdir=/tmp", "--output=/dev/null")
    return ("sbatch", "--no-requeue", f"--job-name={name}", "--nodes=1", "--exclusive", *limits, *where, "--wrap=true")
