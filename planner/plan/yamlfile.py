"""YAML text into plain data with the line and column of every value; everything wrong with it, not a traceback.

Read as a stream of events with a stack of our own: nesting cannot exhaust Python's, an alias costs what it
stands for, and a cycle is seen when it closes. Scalars follow YAML 1.2 (`no` and `1:30` are text).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from planner.errors import Problem

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # PyYAML without libyaml
    from yaml import SafeLoader as _Loader

MAX_BYTES = 1_000_000
MAX_DEPTH = 40  # a plan is five deep
MAX_VALUES = 50_000  # counting what aliases stand for: a plan has a few hundred
_INT = re.compile(r"^[-+]?[0-9][0-9_]*$")
_FLOAT = re.compile(r"^[-+]?(\.[0-9]+|[0-9][0-9_]*(\.[0-9]*)?)([eE][-+]?[0-9]+)?$")
_SPECIAL = {".inf": float("inf"), "+.inf": float("inf"), "-.inf": float("-inf"), ".nan": float("nan")}
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}

Path = tuple[str | int, ...]
Place = tuple[int, int]  # line and column, counted from 1


class Unreadable(Exception):
    """The text cannot be read on from here. problem: what and where."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(str(problem))


@dataclass
class Tree:
    """Plain data and where it stood. places: of a mapping's entry its key's place, of an item its own."""

    data: Any = None
    places: dict[Path, Place] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


@dataclass
class _Open:
    """A collection being read."""

    value: Any
    path: Path
    anchor: str | None
    weight: int = 1
    key: Any = None
    has_key: bool = False
    key_place: Place = (1, 1)


def scalar(text: str, plain: bool) -> Any:
    """The value of a scalar: quoted is text; plain follows YAML 1.2's core schema, with 1_000 for 1000."""
    if not plain:
        return text
    lower = text.lower()
    if lower in _WORDS:
        return _WORDS[lower]
    if lower in _SPECIAL:
        return _SPECIAL[lower]
    if len(text) <= 400:
        if _INT.match(text):
            return int(text.replace("_", ""))
        if _FLOAT.match(text):
            return float(text.replace("_", ""))
    return text


def read_yaml(text: str, where: str) -> Tree:
    """Read one YAML (or JSON) document. Duplicate keys and the like are in `problems`.

    Raises Unreadable where reading cannot go on: syntax, cycles, bombs, nesting, several documents.
    """
    return _Reader(where).read(text)


class _Reader:
    def __init__(self, where: str) -> None:
        self.where = where
        self.tree = Tree()
        self.stack: list[_Open] = []
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.documents = 0

    def stop(self, place: Place, message: str, remedy: str = "") -> Unreadable:
        return Unreadable(Problem(where=self.where, line=place[0], column=place[1], message=message, remedy=remedy))

    def read(self, text: str) -> Tree:
        try:
            for event in yaml.parse(text, Loader=_Loader):
                self._take(event)
        except yaml.YAMLError as error:
            raise self._syntax(error, text) from None
        return self.tree

    def _syntax(self, error: yaml.YAMLError, text: str) -> Unreadable:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        place = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        what = getattr(error, "problem", None) or getattr(error, "reason", None) or "cannot be read"
        position = getattr(error, "position", None)
        if mark is None and isinstance(position, int):
            before = text[:position]
            place = (before.count("\n") + 1, position - before.rfind("\n"))
        context = getattr(error, "context", None)
        said = f"not YAML: {what}" + (f" ({context})" if context else "")
        remedy = "indent with spaces, not tabs" if "\\t" in said or "'\t'" in said else ""
        return self.stop(place, said.replace("\n", " "), remedy)

    def _take(self, event: yaml.Event) -> None:
        place = (event.start_mark.line + 1, event.start_mark.column + 1)
        if isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                raise self.stop(place, "a second document begins here", "one plan, one file: remove the '---'")
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event.anchor, place)
        elif isinstance(event, yaml.ScalarEvent):
            if event.tag not in (None, "!", "tag:yaml.org,2002:str"):
                raise self.stop(place, f"tag {event.tag} is not read", "write the value without a tag")
            plain = event.implicit[0]
            self._put(scalar(event.value, plain), 1, event.anchor, place)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            if event.tag is not None:
                raise self.stop(place, f"tag {event.tag} is not read", "write the value without a tag")
            if len(self.stack) >= MAX_DEPTH:
                raise self.stop(place, f"nested more than {MAX_DEPTH} deep", "a plan is at most six deep")
            value: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
            path = self._child_path(place)
            if event.anchor:
                self.anchors.pop(event.anchor, None)
            self.stack.append(_Open(value, path, event.anchor, key_place=place))
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            done = self.stack.pop()
            self._put(done.value, done.weight, done.anchor, done.key_place)

    def _alias(self, name: str, place: Place) -> None:
        if any(entry.anchor == name for entry in self.stack):
            raise self.stop(place, f"*{name} refers to itself", "a plan cannot contain itself")
        if name not in self.anchors:
            raise self.stop(place, f"*{name} refers to nothing", f"define it before with &{name}")
        value, weight = self.anchors[name]
        self._put(value, weight, None, place)

    def _child_path(self, place: Place) -> Path:
        """Where a value that begins now will stand."""
        if not self.stack:
            return ()
        top = self.stack[-1]
        if isinstance(top.value, list):
            return (*top.path, len(top.value))
        if not top.has_key:
            raise self.stop(place, "a key must be text", "write key: value")
        return (*top.path, top.key)

    def _put(self, value: Any, weight: int, anchor: str | None, place: Place) -> None:
        if anchor:
            self.anchors[anchor] = (value, weight)
        if not self.stack:
            self.tree.data = value
            self.tree.places.setdefault((), place)
            return
        top = self.stack[-1]
        top.weight += weight
        if top.weight > MAX_VALUES:
            raise self.stop(place, f"more than {MAX_VALUES:,} values, aliases counted", "write the plan without them")
        if isinstance(top.value, list):
            self.tree.places[(*top.path, len(top.value))] = place
            top.value.append(value)
        elif not top.has_key:
            self._key(top, value, place)
        else:
            if top.key not in top.value:
                top.value[top.key] = value
            top.has_key = False

    def _key(self, top: _Open, value: Any, place: Place) -> None:
        if isinstance(value, dict | list):
            raise self.stop(place, "a key must be text", "write key: value")
        if value == "<<":
            raise self.stop(place, "merge keys (<<) are not read", "write the keys out")
        top.key, top.has_key = value if isinstance(value, str) else str(value), True
        path = (*top.path, top.key)
        if top.key in top.value:
            first = self.tree.places[path]
            message = f"{shown(top.key)} is written twice: first on line {first[0]}"
            self.tree.problems.append(
                Problem(where=self.where, line=place[0], column=place[1], message=message, remedy="keep one of them")
            )
        else:
            self.tree.places[path] = place


def shown(value: object, limit: int = 60) -> str:
    """A value as an error message may show it: quoted, control and direction characters escaped, cut."""
    text = value if isinstance(value, str) else str(value)
    cut = text if len(text) <= limit else text[: limit - 3] + "..."
    safe = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)
    return f"'{safe}'" if isinstance(value, str) else safe
