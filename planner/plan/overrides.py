"""`--set path=value`: replaces a value of a plan before it is checked. Messages about the value name the option."""

from __future__ import annotations

import re
from collections.abc import Iterable
from copy import deepcopy
from typing import Any

from planner.errors import Problem
from planner.plan.assumptions import default_assumptions
from planner.plan.messages import keys_below, unknown_key
from planner.plan.quantities import BadValue
from planner.plan.shape import keys_of, section_at
from planner.plan.types import Plan, Section
from planner.plan.wording import nearest, path_text, shown
from planner.plan.yamlfile import Path, Unreadable, read_yaml

_PART = re.compile(r"([^.\[\]]+)((?:\[[0-9]{1,6}\])*)", re.ASCII)
MAX_OVERRIDES = 1000


class _Wrong(Exception):
    """(message, remedy) of an override that cannot be applied."""


def split_path(text: str) -> Path:
    """`run.throughput[0].gpus` or `run.throughput.0.gpus` as parts.

    Keys of assumptions contain dots: everything after `assumptions.` is one key, except a last value, low, high
    or source. Raises BadValue for text that is not a path.
    """
    head, dot, rest = text.partition(".")
    if head == "assumptions" and dot:
        for inner in ("value", "low", "high", "source"):
            if rest.endswith("." + inner):
                return ("assumptions", rest.removesuffix("." + inner), inner)
        return ("assumptions", rest)
    parts: list[str | int] = []
    for word in text.split("."):
        match = _PART.fullmatch(word)
        if not match:
            raise BadValue("not a path", "write section.key, like fleet.nodes or run.throughput[0].gpus")
        name, indexes = match.groups()
        parts.append(int(name) if re.fullmatch("[0-9]{1,6}", name, re.ASCII) else name)
        parts += [int(index) for index in re.findall("[0-9]+", indexes, re.ASCII)]
    return tuple(parts)


def apply_overrides(
    data: dict[str, Any], overrides: Iterable[str], root: type[Section] = Plan
) -> tuple[Any, dict[Path, str], list[Problem]]:
    """(new data, label by path, problems) after applying every `path=value`; the last one for a path wins.

    root: the type of the whole plan, whose keys may be set. Messages show the label (`--set fleet.nodes`) instead of
    file and line.
    """
    texts = list(overrides)
    if not texts:
        return data, {}, []
    # YAML aliases share one value between two places: copy it, so that --set changes only one of them.
    data = _unshared(data)
    labels: dict[Path, str] = {}
    problems: list[Problem] = []
    for text in texts[:MAX_OVERRIDES]:
        name, equals, value = text.partition("=")
        label = f"--set {shown(name.strip())[1:-1]}"
        try:
            if not equals or not name.strip():
                raise _Wrong(f"{shown(text)} has no value", "write --set path=value, like --set fleet.nodes=64")
            path = split_path(name.strip())
            _known(path, root)
            _put(data, path, read_yaml(value, label).data)
        except _Wrong as wrong:
            problems.append(_problem(label, *wrong.args))
        except BadValue as error:
            problems.append(_problem(label, error.message, error.remedy))
        except Unreadable as error:
            problems.append(_problem(label, f"{shown(value)}: {error.problem.message}", error.problem.remedy))
        else:
            labels = {known: name for known, name in labels.items() if known[: len(path)] != path}
            labels[path] = label
    if len(texts) > MAX_OVERRIDES:
        problems.append(_problem("--set", f"more than {MAX_OVERRIDES:,} overrides", "write them into the plan"))
    return data, labels, problems


def _problem(label: str, message: str, remedy: str = "") -> Problem:
    return Problem(where=label, line=None, column=None, message=message, remedy=remedy)


def _unshared(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _unshared(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_unshared(inner) for inner in value]
    return deepcopy(value)


def _known(path: Path, root: type[Section]) -> None:
    """Raise for a path that no plan has, so that a typo does not add a section."""
    for depth, part in enumerate(path):
        if isinstance(part, int):
            continue
        above = path[:depth]
        section = section_at(above, root)
        if section is None:
            free = above == ("assumptions",) and part
            if not free:
                raise _Wrong(f"{path_text(above)} has no keys below it", "")
        elif part not in keys_of(section):
            message, remedy = unknown_key(path[: depth + 1], keys_below(root))
            near = nearest(part, keys_of(section))
            if near:
                remedy = f"did you mean {path_text((*above, near))}?"
            whole = ".".join(str(part) for part in path)
            if whole in default_assumptions():
                remedy = f"did you mean assumptions.{whole}?"
            raise _Wrong(message, remedy)


def _put(data: Any, path: Path, value: Any) -> None:
    """Set a value in nested data, adding missing sections. Raises _Wrong."""
    for depth, part in enumerate(path):
        here = path_text(path[:depth])
        if isinstance(data, list):
            if not isinstance(part, int):
                raise _Wrong(f"{here} is a list", f"write {here}[0] to {here}[{len(data) - 1}]" if data else "")
            if part == len(data):  # one more entry
                data.append(None)
            if part >= len(data):
                raise _Wrong(f"{here} has {len(data)} entries, counted from 0", f"set the whole list: {here}=[...]")
        elif not isinstance(data, dict):
            raise _Wrong(f"{here} is {shown(data)}, not a section", f"set {here} itself")
        elif isinstance(part, int):
            raise _Wrong(f"{here or 'the plan'} is a section, not a list", "write a key instead of a number")
        if depth == len(path) - 1:
            data[part] = value  # type: ignore[index]
            return
        inner = [] if isinstance(path[depth + 1], int) else {}
        if isinstance(data, dict) and data.get(str(part)) is None:
            data[str(part)] = inner
        if isinstance(data, list) and isinstance(part, int) and data[part] is None:
            data[part] = inner
        data = data[part]  # type: ignore[index]
