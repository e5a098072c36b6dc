"""`--set @FILE`: values of a plan from a file, such as what `planner reconcile` measured.

The file has the sections of a plan with the keys to replace, and nothing else of one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any

from planner.errors import PlanProblems
from planner.plan.textfile import label_of, read_text, refuse
from planner.plan.yamlfile import Tree, Unreadable, read_yaml

MARK = "@"


def expanded(overrides: Iterable[str]) -> list[str]:
    """The same overrides, each file replaced by its values as `path=value`. Raises PlanProblems for a file that cannot
    be read or is no mapping."""
    return [value for text in overrides for value in (_values(text[1:]) if text.startswith(MARK) else [text])]


def read_values(path: str) -> Tree:
    """A YAML file that is no plan. Raises PlanProblems for one that cannot be read, or that repeats a key."""
    try:
        tree = read_yaml(read_text(path), label_of(path))
    except Unreadable as error:
        raise PlanProblems((error.problem,)) from None
    if tree.problems:
        raise PlanProblems(tuple(tree.problems))
    return tree


def _values(path: str) -> Iterator[str]:
    tree, where = read_values(path), label_of(path)
    if not isinstance(tree.data, dict) or not all(isinstance(key, str) for key in tree.data):
        raise refuse(where, "a file of values is a mapping of a plan's sections", "such as reliability: {...}")
    yield from as_overrides(tree.data)


def as_overrides(sections: Mapping[str, Any]) -> Iterator[str]:
    """`path=value` for each key of each section."""
    for section, keys in sections.items():
        if not isinstance(keys, dict):
            yield f"{section}={_text(keys)}"
            continue
        for key, value in keys.items():
            yield f"{section}.{key}={_text(value)}"


def _text(value: Any) -> str:
    return json.dumps(value, default=lambda day: day.isoformat() if isinstance(day, date) else str(day))


def written(sections: Mapping[str, Mapping[str, Any]], title: str) -> str:
    """Such a file. title: its first line, a comment."""
    lines = [f"# {title}"]
    for section, keys in sections.items():
        lines.append(f"{section}:")
        lines += [f"  {key}: {json.dumps(value)}" for key, value in keys.items()]
    return "\n".join(lines) + "\n"
