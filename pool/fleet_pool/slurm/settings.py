"""The settings object of a stack's Slurm cluster, as `pulumi up` writes it and the login node reads it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from fleet_pool.compat import frozen
from fleet_pool.problems import UsageProblem

BEFORE_END = timedelta(minutes=45)  # when jobs are told to save
LAST_CALL = timedelta(minutes=35)  # what still runs is requeued; AWS ends nodes from 30 minutes before the end


@frozen
class Project:
    """max_nodes: at a time; 0: no limit of its own."""

    name: str
    share: int
    max_nodes: int
    users: tuple[str, ...]


@frozen
class Block:
    """A Capacity Block. group: the name of its nodes before the number. ends: in UTC; None: not known."""

    group: str
    ends: datetime | None


@frozen
class Markets:
    """Spot nodes beside On-Demand ones. spot, on_demand: their groups. nodes: of the plan's gang, whose work, deadline
    and changeover (from a start until it works, what it repeats included) are those of a job that states none."""

    spot: str
    on_demand: str
    nodes: int
    work_hours: float
    deadline_hours: float
    changeover_hours: float


@frozen
class Cluster:
    """usd_per_node_hour: group -> the plan's price of one node. gpus_per_node: 0 without GPUs. canary: name of the jobs
    that start one node alone; "" where all nodes run. markets: None where all nodes are bought in one way.
    as_jobs_need: groups whose nodes are launched for a job."""

    projects: tuple[Project, ...]
    blocks: tuple[Block, ...]
    usd_per_node_hour: Mapping[str, float]
    gpus_per_node: int
    canary: str = ""
    markets: Markets | None = None
    as_jobs_need: tuple[str, ...] = ()


def written(cluster: Cluster) -> str:
    """The object's text: the same for the same cluster."""
    data = {
        "projects": [{**vars(one), "users": list(one.users)} for one in cluster.projects],
        "blocks": [{"group": one.group, "ends": one.ends.isoformat() if one.ends else ""} for one in cluster.blocks],
        "usd_per_node_hour": dict(cluster.usd_per_node_hour),
        "gpus_per_node": cluster.gpus_per_node,
        **({"canary": cluster.canary} if cluster.canary else {}),
        "markets": vars(cluster.markets) if cluster.markets else None,
        **({"as_jobs_need": list(cluster.as_jobs_need)} if cluster.as_jobs_need else {}),
    }
    return json.dumps(data, indent=2, sort_keys=True) + "\n"


def read(path: str | Path) -> Cluster:
    """Raises UsageProblem where the file is missing or is no settings object."""
    try:
        data: Any = json.loads(Path(path).read_text(encoding="utf-8"))
        return Cluster(
            projects=tuple(Project(**{**one, "users": tuple(one["users"])}) for one in data["projects"]),
            blocks=tuple(Block(group=one["group"], ends=_moment(one["ends"])) for one in data["blocks"]),
            usd_per_node_hour={str(name): float(usd) for name, usd in data["usd_per_node_hour"].items()},
            gpus_per_node=int(data["gpus_per_node"]),
            canary=str(data.get("canary", "")),
            markets=Markets(**data["markets"]) if data.get("markets") else None,
            as_jobs_need=tuple(data.get("as_jobs_need", ())),
        )
    except OSError as error:
        raise UsageProblem(
            f"cannot read {path}: {error.strerror}: `planner-slurm` of the login node writes it"
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageProblem(f"{path} is no settings file of a cluster: {error!r}") from None


def _moment(text: str) -> datetime | None:
    if not text:
        return None
    found = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return found if found.tzinfo else found.replace(tzinfo=timezone.utc)
