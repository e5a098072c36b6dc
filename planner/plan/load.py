"""A plan file into a Plan: read, override, validate, and report all problems together with their lines."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from pydantic import ValidationError

from planner.errors import PlanProblems, Problem
from planner.plan.check import check_plan
from planner.plan.say import did_you_mean, dotted, say
from planner.plan.types import Plan
from planner.plan.yamlfile import MAX_BYTES, Path, Place, Tree, Unreadable, read_yaml, shown


@dataclass(frozen=True, kw_only=True)
class LoadedPlan:
    """A valid plan and where its values stood. sha256: of the resolved plan in canonical form."""

    plan: Plan
    sha256: str
    where: str
    places: Mapping[Path, Place] = field(repr=False)
    overridden: Mapping[Path, str] = field(repr=False)

    def problem_at(self, path: Path, message: str, remedy: str = "") -> Problem:
        """A problem that points at a value of this plan, or at the nearest section around it."""
        return _problem(self.where, self.places, self.overridden, path, message, remedy)


def load_plan(source: FilePath | str, *, overrides: Iterable[str] = ()) -> LoadedPlan:
    """Read and check a plan file with `path=value` overrides. Raises PlanProblems with everything wrong."""
    where = str(source)
    return load_text(_read(FilePath(source), where), where=where, overrides=overrides)


def load_text(text: str, *, where: str = "plan", overrides: Iterable[str] = ()) -> LoadedPlan:
    """The same for text. Raises PlanProblems."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise _alone(where, f"larger than {MAX_BYTES:,} bytes", "a plan has a few kilobytes")
    try:
        tree = read_yaml(text, where)
    except Unreadable as error:
        raise PlanProblems((error.problem,)) from None
    if tree.data is None:
        raise _alone(where, "empty", "`planner init` writes a plan to start from")
    if not isinstance(tree.data, dict):
        kind = "a list" if isinstance(tree.data, list) else "one value"
        raise _alone(where, f"a plan is a mapping of sections, not {kind}", "begin with apiVersion: planner/v1")
    problems = list(tree.problems)
    overridden = _override(tree, overrides, problems)
    plan = _validate(tree, overridden, where, problems)
    if plan is not None:
        for path, message, remedy in check_plan(plan):
            problems.append(_problem(where, tree.places, overridden, path, message, remedy))
    if problems or plan is None:
        raise PlanProblems(tuple(sorted(problems, key=lambda p: (p.line or 0, p.column or 0, p.message))))
    return LoadedPlan(plan=plan, sha256=plan_sha256(plan), where=where, places=tree.places, overridden=overridden)


def plan_sha256(plan: Plan) -> str:
    """Hash of what a plan means: the same for any layout, order or comment of its file."""
    text = json.dumps(plan.canonical(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _read(path: FilePath, where: str) -> str:
    try:
        if path.is_file() and path.stat().st_size > MAX_BYTES:
            raise _alone(where, f"larger than {MAX_BYTES:,} bytes", "a plan has a few kilobytes")
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _alone(where, f"cannot be read: {reason}", "`planner init FILE` writes a plan to start from") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        problem = Problem(where=where, line=line, column=column, message="not UTF-8 text", remedy="save it as UTF-8")
        raise PlanProblems((problem,)) from None


def _alone(where: str, message: str, remedy: str) -> PlanProblems:
    return PlanProblems((Problem(where=where, line=None, column=None, message=message, remedy=remedy),))


def _problem(
    where: str, places: Mapping[Path, Place], overridden: Mapping[Path, str], path: Path, message: str, remedy: str
) -> Problem:
    for length in range(len(path), -1, -1):
        if path[:length] in overridden:
            told = f"--set {shown(overridden[path[:length]])}"
            return Problem(where=told, line=None, column=None, message=message, remedy=remedy)
        if path[:length] in places:
            line, column = places[path[:length]]
            return Problem(where=where, line=line, column=column, message=message, remedy=remedy)
    return Problem(where=where, line=1, column=1, message=message, remedy=remedy)


def split_path(text: str) -> Path:
    """`run.throughput[0].gpus` as parts. Keys of assumptions have dots of their own: all after it is one key."""
    head, dot, rest = text.partition(".")
    if head == "assumptions" and dot:
        for inner in (".value", ".low", ".high", ".source"):
            if rest.endswith(inner):
                return ("assumptions", rest.removesuffix(inner), inner[1:])
        return ("assumptions", rest)
    parts: list[str | int] = []
    for word in text.split("."):
        name, *indexes = re.split(r"\[(\d{1,6})\]", word)
        parts += [int(name) if name.isdigit() else name] if name else []
        parts += [int(index) for index in indexes if index.isdigit()]
    return tuple(parts)


def _override(tree: Tree, overrides: Iterable[str], problems: list[Problem]) -> dict[Path, str]:
    """Apply --set to the data. What cannot be applied becomes a problem."""
    done: dict[Path, str] = {}
    for text in overrides:
        told = f"--set {shown(text)}"
        name, equals, value = text.partition("=")
        path = split_path(name.strip())
        if not equals or not path:
            problems.append(_plain(told, "write --set path=value, like --set fleet.nodes=64"))
            continue
        try:
            read = read_yaml(value, told)
        except Unreadable as error:
            problems.append(_plain(told, error.problem.message))
            continue
        fault = _place_value(tree.data, path, read.data)
        if fault:
            problems.append(_plain(told, fault))
        else:
            done[path] = text
    return done


def _plain(where: str, message: str) -> Problem:
    return Problem(where=where, line=None, column=None, message=message)


def _place_value(data: Any, path: Path, value: Any) -> str:
    """Set a value deep in the data, making sections on the way; returns what is wrong, or nothing."""
    for depth, part in enumerate(path):
        last = depth == len(path) - 1
        if isinstance(data, list):
            if not isinstance(part, int) or part >= len(data):
                return f"{dotted(path[:depth])} is a list of {len(data)}: write [0] to [{len(data) - 1}]"
        elif not isinstance(data, dict):
            return f"{dotted(path[:depth])} is one value, it has no {dotted((part,))}"
        elif isinstance(part, int):
            return f"{dotted(path[:depth])} is a section, not a list"
        if last:
            data[part] = value
        elif isinstance(data, list):
            data = data[part]
        else:
            if data.get(part) is None:
                data[part] = {}
            data = data[part]
    return ""


def _validate(tree: Tree, overridden: Mapping[Path, str], where: str, problems: list[Problem]) -> Plan | None:
    kind = tree.data.get("run")
    if isinstance(kind, dict) and kind.get("kind") == "worker-pool":
        message = "kind: worker-pool is not delivered yet"
        remedy = "plans of kind: training work today"
        problems.append(_problem(where, tree.places, overridden, ("run", "kind"), message, remedy))
    try:
        return Plan.model_validate(tree.data)
    except ValidationError as error:
        seen: set[tuple[Path, str]] = set()
        for found in error.errors(include_url=False):
            path = _data_path(tree.data, found["loc"], found["type"])
            message, remedy = say(dict(found), Plan, path)
            if (path, message) not in seen:
                seen.add((path, message))
                problems.append(_problem(where, tree.places, overridden, path, message, remedy))
    except RecursionError:
        problems.append(_problem(where, tree.places, overridden, (), "nested too deep", "a plan is six deep"))
    return None


def _data_path(data: Any, loc: tuple[str | int, ...], kind: str) -> Path:
    """pydantic's location without the names of union members, which are not in the file."""
    path: list[str | int] = []
    for index, part in enumerate(loc):
        inside = (isinstance(data, dict) and part in data) or (
            isinstance(data, list) and isinstance(part, int) and part < len(data)
        )
        if inside:
            path.append(part)
            data = data[part]
        elif kind == "missing" and index == len(loc) - 1:
            path.append(part)
    return tuple(path)


__all__ = ["LoadedPlan", "did_you_mean", "load_plan", "load_text", "plan_sha256", "split_path"]
