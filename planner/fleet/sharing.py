"""The same work on fixed partitions by project: what sharing one queue is worth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.fleet.past import Past
from planner.fleet.result import FleetScenario, Sharing
from planner.fleet.runs import Outcome, too_large
from planner.plan.fleet_types import FleetPlan

Parts = list[tuple[str, tuple[int, ...]]]


def partitions(plan: FleetPlan, row: FleetScenario) -> Parts:
    """Nodes of each group for each project, by the node-hours that it had there; no node is lost to rounding."""
    used = np.array([one.node_hours for one in row.show_back])  # projects x groups
    counts = np.array([count for _, count in row.nodes])
    whole = np.divide(used, used.sum(axis=0), out=np.zeros_like(used), where=used.sum(axis=0) > 0) * counts
    nodes = np.floor(whole).astype(int)
    for group in range(counts.size):
        rest = int(counts[group] - nodes[:, group].sum())
        for at in np.argsort(nodes[:, group] - whole[:, group], kind="stable")[:rest]:
            nodes[at, group] += 1
    return [(one.name, tuple(int(n) for n in nodes[at])) for at, one in enumerate(plan.projects)]


def shared_or_not(plan: FleetPlan, parts: Parts, found: Sequence[Outcome], draws: int, past: Past | None) -> Sharing:
    """found: `draws` outcomes of each project alone, in the order of the projects."""
    jobs = sum(one.wait.size for one in found)
    grows = np.array([one.overloaded for one in found]).reshape(len(parts), draws)
    unable = [bool(too_large(plan, nodes, past, at)) for at, (_, nodes) in enumerate(parts)]
    return Sharing(
        mean_wait_hours=float(sum(one.wait.sum() for one in found) / max(jobs, 1)),
        waited_gpu_hours=float(sum(one.waited_gpu_hours for one in found) / draws),
        overloaded_fraction=float(grows[~np.array(unable)].any(axis=0).mean()),
        nodes=tuple(parts),
        unable=tuple(name for (name, _), is_unable in zip(parts, unable, strict=True) if is_unable),
    )
