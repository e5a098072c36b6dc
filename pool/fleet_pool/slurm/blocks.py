"""The end of a Capacity Block, as the cluster sees it: no job starts that would still run, and what runs saves in time.

AWS PCS keeps the nodes of a block that has not begun in a reservation of its own (User Guide, "FAQ for Capacity
Blocks"); jobs wait in the queue meanwhile. The end is left to us: AWS ends the nodes from 30 minutes before it.

1. A maintenance reservation of the block's nodes begins 45 minutes before the end. Slurm starts no job on them whose
   time limit passes it; one with `--time-min` gets the time that is left.
2. From then on every job there gets SIGTERM each minute, on which planner-launch saves and asks for another start.
3. What still runs 35 minutes before the end is requeued.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone

from fleet_pool.compat import frozen
from fleet_pool.slurm.settings import BEFORE_END, LAST_CALL, Block

PREFIX = "planner-end-"
SHOW_NODES = ("sinfo", "--noheader", "--Node", "--format=%N")
SHOW_JOBS = ("squeue", "--noheader", "--states=R", "--format=%A")  # with --nodelist of a group
SHOW_RESERVATIONS = ("scontrol", "--oneliner", "show", "reservation")
YEARS = "365-0"


@frozen
class Seen:
    """nodes: group -> its nodes. jobs: group -> ids of the jobs that run there. reservations: name -> its start, of
    ours alone."""

    nodes: Mapping[str, Sequence[str]]
    jobs: Mapping[str, Sequence[str]]
    reservations: Mapping[str, str]


def commands(blocks: Sequence[Block], seen: Seen, now: datetime) -> list[Sequence[str]]:
    """What to run now."""
    return [words for block in blocks for words in _of_block(block, seen, now)]


def _of_block(block: Block, seen: Seen, now: datetime) -> Iterator[Sequence[str]]:
    name, nodes = f"{PREFIX}{block.group}", seen.nodes.get(block.group, ())
    if block.ends is None or not nodes:
        return
    starts = block.ends - BEFORE_END
    begun, stands = now >= starts, seen.reservations.get(name)
    # an extension of the block moves the start; one that has begun stays as it is
    if stands is None or (stands != stamp(starts) and not begun):
        if stands is not None:
            yield ("scontrol", "delete", f"reservation={name}")
        when = (f"starttime={'now' if begun else stamp(starts)}", f"duration={YEARS}")
        yield (
            *("scontrol", "create", f"reservation={name}", *when),
            *("user=root", "flags=maint,ignore_jobs", f"nodes={','.join(nodes)}"),
        )
    if begun:
        last = now >= block.ends - LAST_CALL
        for job in seen.jobs.get(block.group, ()):
            yield ("scontrol", "requeue", job) if last else ("scancel", "--signal=TERM", job)


def nodes_of(group: str, nodes: Sequence[str]) -> tuple[str, ...]:
    """Nodes of a compute node group: AWS PCS names them GROUP-1, GROUP-2 ..."""
    return tuple(sorted({node for node in nodes if re.fullmatch(rf"{re.escape(group)}-?[0-9]+", node)}))


def stamp(moment: datetime) -> str:
    """As Slurm reads and writes times with TZ=UTC, to the second."""
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")


def reservations(text: str) -> Mapping[str, str]:
    """Ours, from the output of SHOW_RESERVATIONS."""
    found = re.findall(rf"ReservationName=({PREFIX}\S+) StartTime=(\S+)", text)
    return dict(found)
