"""Load a plan file: read it, apply overrides, validate it, and report all problems with their lines."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import ValidationError

from planner.errors import PlanProblems, Problem
from planner.kinds.kind import Kind
from planner.kinds.registry import kind_in, kind_of
from planner.plan.messages import data_path, keys_below, message_of
from planner.plan.overrides import apply_overrides, split_path
from planner.plan.textfile import clean, decode, label_of, read_text, refuse
from planner.plan.values_file import expanded
from planner.plan.wording import path_text
from planner.plan.yamlfile import Path, Place, Tree, Unreadable, read_yaml

if TYPE_CHECKING:
    from planner.plan.fleet_types import FleetPlan
    from planner.plan.types import Plan
    from planner.plan.worker_pool_types import WorkerPoolPlan

POOL_VERBS = (
    "planner validate, compare, report, explain, simulate, optimize, sensitivity, diff, stack and preview take the "
    "plan of a worker pool; --set changes it, as in planner compare PLAN --set pool.max=80"
)
MAX_SHOWN = 50  # problems in one report; the others usually repeat them
_MAX_WORDED = 500  # findings that get a message: looking up near names takes time


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """A valid plan of any kind: its values and their location.

    sha256: of the resolved plan in canonical form, after overrides. where: the file name as given.
    places: line and column of every value, from 1. overridden: the `--set` option of each value that has one.
    """

    KIND: ClassVar[str] = ""
    plan: Any
    sha256: str
    where: str
    places: Mapping[Path, Place] = field(repr=False)
    overridden: Mapping[Path, str] = field(repr=False)

    @property
    def kind(self) -> Kind:
        """The kind of this plan."""
        return kind_of(self.KIND)

    def problem_at(self, path: Path | str, message: str, remedy: str = "") -> Problem:
        """A problem at a value of this plan, or at the nearest section around it.

        path: parts, or text as in `--set`. Raises BadValue for text that is not a path.
        """
        parts = split_path(path) if isinstance(path, str) else path
        return _problem(self.where, self.places, self.overridden, parts, message, remedy)


@dataclass(frozen=True, kw_only=True)
class LoadedPlan(Loaded):
    """A valid training plan."""

    KIND = "training"
    plan: Plan


@dataclass(frozen=True, kw_only=True)
class LoadedPool(Loaded):
    """A valid plan of a worker pool."""

    KIND = "worker-pool"
    plan: WorkerPoolPlan


@dataclass(frozen=True, kw_only=True)
class LoadedFleet(Loaded):
    """A valid plan of a fleet that many projects share. weeks: of its file of demand (`planner.demand.weeks`), and
    demand_file: its name; None without one."""

    KIND = "fleet"
    plan: FleetPlan
    weeks: Any = field(default=None, repr=False)
    demand_file: str | None = None


def load_plan(source: str | os.PathLike[str], *, overrides: Iterable[str] = ()) -> LoadedPlan:
    """Read and check the file of a training plan (`-`: standard input) with `path=value` overrides, or
    `@FILE` with several.

    Raises PlanProblems with every problem, also for a file that cannot be opened, and for the plan of a worker pool.
    """
    return _training(load_any(source, overrides=overrides))


def load_text(text: str | bytes, *, where: str = "plan", overrides: Iterable[str] = ()) -> LoadedPlan:
    """The same for text. Raises PlanProblems."""
    return _training(load_any_text(text, where=where, overrides=overrides))


def _training(loaded: Loaded) -> LoadedPlan:
    if not isinstance(loaded, LoadedPlan):
        message = f"this is {loaded.kind.title}, and training plans are what is asked for here"
        remedy = (
            POOL_VERBS if isinstance(loaded, LoadedPool) else f"planner compare and report take {loaded.kind.title}"
        )
        raise PlanProblems((loaded.problem_at(("run", "kind"), message, remedy),))
    return loaded


def load_any(source: str | os.PathLike[str], *, overrides: Iterable[str] = ()) -> Loaded:
    """Read and check a plan file of any kind. Raises PlanProblems."""
    return load_any_text(read_text(source), where=label_of(source), overrides=overrides)


def load_any_text(text: str | bytes, *, where: str = "plan", overrides: Iterable[str] = ()) -> Loaded:
    """The same for text. Raises PlanProblems."""
    text = decode(text, where) if isinstance(text, bytes) else clean(text, where)
    try:
        tree = read_yaml(text, where)
    except Unreadable as error:
        raise PlanProblems((error.problem,)) from None
    data = _mapping(tree, where)
    of: Any = kind_in(data).part("plan")
    root = of.ROOT
    data, overridden, problems = apply_overrides(data, expanded(overrides), root)
    problems += tree.problems
    plan, found = _validated(data, root)
    if plan is not None:
        found = of.check(plan)
    problems += [_problem(where, tree.places, overridden, path, what, remedy) for path, what, remedy in found]
    if plan is None or problems:
        raise PlanProblems(_in_order(problems))
    return of.LOADED(plan=plan, sha256=plan_sha256(plan), where=where, places=tree.places, overridden=overridden)


def plan_sha256(plan: Plan | WorkerPoolPlan | FleetPlan) -> str:
    """Hash of a plan's content: formatting, order and comments of the file do not change it."""
    text = json.dumps(plan.canonical(), sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _mapping(tree: Tree, where: str) -> dict[str, Any]:
    if tree.data is None:
        raise refuse(where, "the file is empty", "`planner init plan.yaml` writes a plan to start from")
    if not isinstance(tree.data, dict):
        kind = "a list" if isinstance(tree.data, list) else "a single value"
        remedy = "begin with apiVersion: planner/v1"
        raise refuse(where, f"a plan is a mapping of sections, not {kind}", remedy, tree.places.get(()))
    return tree.data


def _validated(data: dict[str, Any], root: type[Any]) -> tuple[Any, list[tuple[Path, str, str]]]:
    """(plan, findings): the plan, or None and what pydantic found."""
    try:
        # only the file's keys are accepted, not the names of the fields
        return root.model_validate(data, by_alias=True, by_name=False), []
    except ValidationError as error:
        found = []
        for detail in error.errors(include_url=False)[:_MAX_WORDED]:
            if detail["type"] == "too_short" and detail["input"]:
                continue  # every entry of the list was refused, and each has a finding of its own
            path = data_path(detail["loc"])
            found.append((path, *message_of(detail, path, keys_below(root))))
        return None, found


def _problem(
    where: str,
    places: Mapping[Path, Place],
    overridden: Mapping[Path, str],
    path: Path,
    message: str,
    remedy: str = "",
) -> Problem:
    prefixes = [path[:length] for length in range(len(path), -1, -1)]
    for here in prefixes:
        # before places: a value that --set replaced is not the one in the file
        if here in overridden:
            short = message.removeprefix(f"{path_text(here)}: ")  # `--set PATH` names it already
            return Problem(where=overridden[here], line=None, column=None, message=short, remedy=remedy)
    for here in prefixes:
        if here in places:
            line, column = places[here]
            return Problem(where=where, line=line, column=column, message=message, remedy=remedy)
    return Problem(where=where, line=1, column=1, message=message, remedy=remedy)


def _in_order(problems: list[Problem]) -> tuple[Problem, ...]:
    """By line, without duplicates, at most MAX_SHOWN."""
    ordered = sorted(dict.fromkeys(problems), key=lambda p: (p.line or 0, p.column or 0, p.where, p.message))
    if len(ordered) <= MAX_SHOWN:
        return tuple(ordered)
    more = Problem(where=ordered[0].where, line=None, column=None, message="and more problems, not shown")
    return (*ordered[:MAX_SHOWN], more)
