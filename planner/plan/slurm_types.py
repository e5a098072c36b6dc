"""`deploy.slurm`: what a cluster that several projects share needs to know."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from planner.plan.forms import AccountName, Hours, Section, UserName


class Project(Section):
    """A project that shares the cluster: its account in Slurm."""

    name: AccountName = Field(description="name of the account; jobs are submitted with --account")
    share: Annotated[int, Field(ge=1, le=1_000_000)] = Field(
        1, description="its part of the cluster, beside the others'"
    )
    max_nodes: Annotated[int, Field(ge=1, le=100_000)] | None = Field(
        None, description="nodes that its jobs may have at a time; default: all"
    )
    users: tuple[UserName, ...] = Field(
        (), strict=False, max_length=1000, description="who may submit jobs for it, besides planner-job"
    )


class Limits(Section):
    """Of a Slurm cluster."""

    longest_job: Hours = Field(336.0, description="longest time limit of a job")
    health_check: Literal["none", "quick", "medium", "long"] = Field(
        "none", description="diagnosis by AWS each time a GPU node starts: DCGM level 1, 2 or 3"
    )


class Slurm(Limits):
    """The cluster of `deploy.scheduler: slurm`."""

    projects: tuple[Project, ...] = Field(
        (), strict=False, max_length=200, description="projects that share the cluster; default: one, main"
    )
