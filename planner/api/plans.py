"""A plan from Python: loaded and checked, with values replaced as `--set` replaces them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from planner.errors import PlanProblems, Problem, UsageProblem
from planner.plan import types
from planner.plan.load import LoadedPlan, load_plan
from planner.plan.yamlfile import Path


class Plan(LoadedPlan):
    """A plan without problems.

    settings: its values with their defaults, typed: `plan.settings.fleet.nodes`. sha256: hash of what it means.
    where: the file that it was read from.
    """

    def __repr__(self) -> str:
        return f"Plan(name={self.name!r}, region={self.region!r}, where={self.where!r}, sha256={self.sha256!r})"

    def problem_at(self, path: Path | str, message: str, remedy: str = "") -> Problem:
        return _from_python(super().problem_at(path, message, remedy))

    @property
    def settings(self) -> types.Plan:
        """The values of every section; docs and JSON Schema of the plan file describe them."""
        return self.plan

    @property
    def name(self) -> str:
        return self.plan.name

    @property
    def region(self) -> str:
        return self.plan.region


def load(path: str | os.PathLike[str], *, set: Mapping[str, Any] | None = None) -> Plan:
    """Read and check a plan file.

    set: values to replace first, by path, as `--set` does: `{"fleet.nodes": 16, "storage.layouts": ["converged"]}`.
    Sizes and durations are text with a unit, as in the file: `"4TB"`, `"36h"`.

    Raises PlanProblems with everything that is wrong, each problem with its line; UsageProblem for a value that a plan
    file cannot hold.
    """
    if not isinstance(path, str | os.PathLike):
        raise UsageProblem(f"load needs the path of a plan file, not {path!r}")
    values = {} if set is None else set
    if not isinstance(values, Mapping):
        raise UsageProblem(f'set must be a mapping from paths to values, such as {{"fleet.nodes": 16}}, not {set!r}')
    overrides = [_override(key, value) for key, value in values.items()]
    try:
        return Plan(**vars(load_plan(path, overrides=overrides)))
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
