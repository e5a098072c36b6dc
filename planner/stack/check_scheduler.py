"""What AWS PCS and Slurm take of a cluster."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from planner.models.controller_sizes import LOGIN_NODES, SIZES
from planner.plan.wording import shown
from planner.stack.finding import Finding
from planner.stack.slurm_settings import QUEUES
from planner.stack.spec import WORKERS, ClusterSpec

RESERVED = ("root",)  # Slurm's own account
MOST_QUEUES = 10  # fixed, as are 10 groups (AWS PCS User Guide, "Endpoints and service quotas", Internal quotas)
MOST_TYPES = MOST_QUEUES // len(QUEUES)
PROFILES = ("QUICK", "MEDIUM", "LONG")  # AWS PCS API reference, DeepHealthCheckOnStart


def scheduler_findings(spec: ClusterSpec) -> Iterator[Finding]:
    """Everything that keeps a Slurm cluster from being deployed."""
    found = spec.scheduler
    if found is None:
        return
    at = ("scheduler",)
    if spec.layout == WORKERS:
        message = "AWS Batch queues the jobs of a pool of workers: it takes no Slurm cluster"
        yield Finding(path=at, message=message, remedy="remove the section")
    if spec.fallback is not None:
        message = (
            "the rule of an Auto Scaling group, which a Slurm cluster does not have: its own is in scheduler.markets"
        )
        yield Finding(path=("fallback",), message=message, remedy="write the file again with `planner stack`")
    yield from _markets(spec)
    yield from _types(spec)
    if spec.buying.kind == "reservation":
        message = "AWS PCS takes a Capacity Reservation by a resource group alone, which a stack does not have"
        yield Finding(
            path=("buying", "kind"), message=message, remedy="leave the reservation open, without --reservation"
        )
    if found.size not in SIZES:
        message = f"{shown(found.size)} is not a size of AWS PCS"
        yield Finding(path=(*at, "size"), message=message, remedy=f"one of {', '.join(SIZES)}")
    elif spec.most_nodes + LOGIN_NODES > SIZES[found.size]:
        most = SIZES[found.size] - LOGIN_NODES
        message = f"{spec.most_nodes:,} GPU nodes: a cluster of size {found.size} has {most:,} beside its login node"
        larger = next((name for name, nodes in SIZES.items() if spec.most_nodes + LOGIN_NODES <= nodes), "")
        remedy = f"write {larger}; AWS replaces the cluster" if larger else "plan fewer nodes, or two stacks"
        yield Finding(path=(*at, "size"), message=message, remedy=remedy)
    if not re.fullmatch(r"\d\d\.\d\d", found.version):
        message = f"{shown(found.version)} is no version of Slurm by AWS PCS"
        yield Finding(path=(*at, "version"), message=message, remedy="write year and month, like 25.11, in quotes")
    if found.longest_job_hours < 1:
        message = f"{found.longest_job_hours:g} h as the longest job: Slurm counts in minutes, a node starts in some"
        yield Finding(path=(*at, "longest_job_hours"), message=message, remedy="write at least 1h")
    if found.health_check and (found.health_check not in PROFILES or spec.fleet.neuron or not spec.fleet.gpus):
        message = f"health check {shown(found.health_check)}: AWS diagnoses NVIDIA's GPUs, {', '.join(PROFILES)}"
        yield Finding(path=(*at, "health_check"), message=message, remedy="remove it")
    if not found.projects:
        message = "no projects: nobody could submit a job"
        yield Finding(path=(*at, "projects"), message=message, remedy="`planner stack` writes one, main")
    counted = Counter(project.name for project in found.projects)
    for number, project in enumerate(found.projects):
        here = (*at, "projects", number)
        if project.name in RESERVED or counted[project.name] > 1:
            why = "is Slurm's own" if project.name in RESERVED else "is there twice"
            yield Finding(path=here, message=f"account {shown(project.name)} {why}", remedy="give it another name")
        nodes = sum(one.fleet.nodes for one in spec.by_type)
        if project.max_nodes > nodes:
            message = f"at most {project.max_nodes:,} nodes for {project.name}, of {nodes:,}"
            yield Finding(path=(*here, "max_nodes"), message=message, remedy="remove the limit, or lower it")


def _types(spec: ClusterSpec) -> Iterator[Finding]:
    """What several instance types in one cluster need."""
    kinds, at = spec.by_type, ("scheduler", "others")
    assert spec.scheduler is not None
    if spec.scheduler.release and spec.buying.kind != "on-demand":
        message = f"nodes that end without a job, bought as {shown(spec.buying.kind)}"
        yield Finding(path=("scheduler", "release"), message=message, remedy="remove it; On-Demand nodes are released")
    if len(kinds) == 1:
        return
    names = [one.fleet.instance_type for one in kinds]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        yield Finding(path=at, message=f"{twice} is there twice", remedy="write its nodes as one group")
    if len(kinds) > MOST_TYPES:
        message = f"{len(kinds)} instance types, each with {len(QUEUES)} queues: AWS PCS has {MOST_QUEUES} in a cluster"
        yield Finding(path=at, message=message, remedy=f"plan at most {MOST_TYPES} types, or two stacks")
    if spec.buying.kind != "on-demand":
        message = f"several instance types, bought as {shown(spec.buying.kind)}"
        yield Finding(path=at, message=message, remedy="buy them On-Demand (commitments are), or a stack for each type")
    if len({(one.fleet.gpus, one.fleet.neuron) for one in kinds}) > 1:
        message = f"{' and '.join(names)} have nodes with other numbers or makers of GPUs: jobs' dollars count one"
        yield Finding(path=at, message=message, remedy="a stack for each")


def _markets(spec: ClusterSpec) -> Iterator[Finding]:
    """What the rule between spot and On-Demand needs."""
    markets, at = spec.scheduler and spec.scheduler.markets, ("scheduler", "markets")
    if not markets:
        return
    if spec.buying.kind != "spot":
        message = f"two markets, and nodes that are bought as {shown(spec.buying.kind)}"
        yield Finding(path=at, message=message, remedy="remove the section; it is of spot with fallback")
    if not 1 <= markets.nodes <= spec.fleet.nodes:
        message = f"a gang of {markets.nodes:,} nodes, of {spec.fleet.nodes:,}"
        yield Finding(path=(*at, "nodes"), message=message, remedy="`planner stack` writes the plan's gang")
    if not 0 < markets.work_hours + markets.changeover_hours <= markets.deadline_hours or markets.changeover_hours < 0:
        message = (
            f"{markets.work_hours:g} h of work with a changeover of {markets.changeover_hours:g} h, within "
            f"{markets.deadline_hours:g} h: On-Demand alone could not keep it"
        )
        yield Finding(path=(*at, "deadline_hours"), message=message, remedy="give the plan a later run.deadline")
