"""A plan from Python: loaded and checked, with values replaced as `--set` replaces them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING, Any, Self

from planner.errors import PlanProblems, Problem, UsageProblem
from planner.plan import types
from planner.plan.load import Loaded, LoadedFleet, LoadedPlan, LoadedPool, load_any_text
from planner.plan.textfile import label_of, read_text
from planner.plan.yamlfile import Path

if TYPE_CHECKING:
    from planner.plan import fleet_types
    from planner.plan.worker_pool_types import WorkerPoolPlan


@dataclass(frozen=True, kw_only=True, repr=False)
class _Plan(Loaded):
    """What plans of every kind have in Python. text, overrides: the file's content, and what was set above it."""

    text: str = field(compare=False)
    overrides: tuple[str, ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        told = f"name={self.name!r}, region={self.region!r}, where={self.where!r}, sha256={self.sha256!r}"
        return f"{type(self).__name__}({told})"

    def problem_at(self, path: Path | str, message: str, remedy: str = "") -> Problem:
        return _from_python(super().problem_at(path, message, remedy))

    def replace(self, set: Mapping[str, Any] | None = None, /, **sections: Any) -> Self:
        """The same plan with some values replaced; this one stays as it is.

        set: values by path, as for `load`: `plan.replace({"fleet.nodes": 16})`. sections: values of a section by key:
        `plan.replace(fleet={"nodes": 16}, start="2026-12-01")`.

        Raises PlanProblems with everything that is then wrong; UsageProblem for a value that no plan can hold.
        """
        values = dict(_mapping("replace", set))
        for section, value in sections.items():
            if isinstance(value, Mapping):
                values |= {f"{section}.{key}": inner for key, inner in value.items()}
            else:
                values[section] = value
        return _checked(self.text, self.where, (*self.overrides, *_overrides(values)))

    @property
    def settings(self) -> Any:
        """The values of every section; docs and JSON Schema of the plan file describe them."""
        return vars(self)["plan"]

    @property
    def name(self) -> str:
        return self.settings.name

    @property
    def region(self) -> str:
        return self.settings.region


@dataclass(frozen=True, kw_only=True, repr=False)
class Plan(_Plan, LoadedPlan):
    """A plan without problems.

    settings: its values with their defaults, typed: `plan.settings.fleet.nodes`. sha256: hash of what it means.
    where: the file that it was read from.
    """

    @property
    def settings(self) -> types.Plan:
        """The values of every section; docs and JSON Schema of the plan file describe them."""
        return self.plan


@dataclass(frozen=True, kw_only=True, repr=False)
class PoolPlan(_Plan, LoadedPool):
    """The plan of a worker pool without problems, with what `Plan` has: `plan.settings.pool.max`."""

    @property
    def settings(self) -> WorkerPoolPlan:
        """The values of every section; `planner schema --of worker-pool-plan` describes them."""
        return self.plan


@dataclass(frozen=True, kw_only=True, repr=False)
class FleetPlan(_Plan, LoadedFleet):
    """The plan of a fleet without problems, with what `Plan` has: `plan.settings.projects[0].share`."""

    @property
    def settings(self) -> fleet_types.FleetPlan:
        """The values of every section; `planner schema --of fleet-plan` describes them."""
        return self.plan


def load(path: str | os.PathLike[str], *, set: Mapping[str, Any] | None = None) -> Plan:
    """Read and check a plan file. One with `run: {kind: worker-pool}` gives a `PoolPlan`, which type checkers learn by
    `isinstance`: most plans are of training.

    set: values to replace first, by path, as `--set` does: `{"fleet.nodes": 16, "storage.layouts": ["converged"]}`.
    Sizes and durations are text with a unit, as in the file: `"4TB"`, `"36h"`.

    Raises PlanProblems with everything that is wrong, each problem with its line; UsageProblem for a value that a plan
    file cannot hold.
    """
    if not isinstance(path, str | os.PathLike):
        raise UsageProblem(f"load needs the path of a plan file, not {path!r}")
    values = _mapping("load", set)
    return _checked(read_text(path), label_of(path), _overrides(values))


def _mapping(caller: str, values: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if values is not None and not isinstance(values, Mapping):
        given = "set" if caller == "load" else "its argument"
        raise UsageProblem(
            f'{given} must be a mapping from paths to values, such as {{"fleet.nodes": 16}}, not {values!r}'
        )
    return values or {}


def _overrides(values: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(_override(key, value) for key, value in values.items())


def _checked(text: str, where: str, overrides: tuple[str, ...]) -> Any:
    try:
        loaded = load_any_text(text, where=where, overrides=overrides)
        return loaded.kind.part("python").Plan(**vars(loaded), text=text, overrides=overrides)
    except PlanProblems as error:
        raise PlanProblems(tuple(_from_python(problem) for problem in error.problems)) from None


def _from_python(problem: Problem) -> Problem:
    """The problem with its value named as Python gave it: `set['fleet.nodes']`."""
    option, _, key = problem.where.partition(" ")
    return replace(problem, where=f"set[{key!r}]" if key else "set") if option == "--set" else problem


def _override(key: Any, value: Any) -> str:
    """`path=value` as the command line has it. A JSON value is also a YAML value, and text stays text."""
    if not isinstance(key, str) or not key.strip() or "=" in key:
        raise UsageProblem(f"set[{key!r}]: a key is the path of a value, such as 'fleet.nodes'")
    try:
        return f"{key}={json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)}"
    except (TypeError, ValueError) as error:
        raise UsageProblem(f"set[{key!r}]: {value!r} is no value of a plan file: {error}") from None


def _plain(value: Any) -> Any:
    """A day as text; numbers and arrays of numpy and pandas as Python's own. Raises TypeError."""
    if isinstance(value, date):
        return value.isoformat()
    if callable(plain := getattr(value, "tolist", None)):
        return plain()
    raise TypeError(f"it is of type {type(value).__name__}")
