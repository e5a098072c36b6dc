"""Read YAML into plain data with the line and column of every value; bad input gives problems, not a traceback.

The parser's events are read with our own stack: deep nesting cannot exhaust Python's stack, an alias counts as
many values as it repeats, and a cycle is found at once. Scalars follow YAML 1.2 (`no` and `1:30` are text).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from planner.errors import Problem
from planner.plan.wording import shown

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # PyYAML without libyaml
    from yaml import SafeLoader as _Loader

MAX_DEPTH = 40  # a plan is five deep
MAX_VALUES = 20_000  # with aliases expanded; a plan has a few hundred
MAX_TEXT = 20_000  # characters of one value; the longest name allowed has half as many
_MANY_DIGITS = 400  # a longer number stays text and is refused; Python itself raises from 4,300 digits
_INT = re.compile(r"[-+]?(0|[1-9][0-9]*|[1-9][0-9]{0,2}(_[0-9]{3})+)", re.ASCII)
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|(0|[1-9][0-9]*|[1-9][0-9]{0,2}(_[0-9]{3})+)(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INF, _NAN = float("inf"), float("nan")
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("null", "Null", "NULL", "~", "")),
    **{sign + word: _INF for sign in ("", "+") for word in (".inf", ".Inf", ".INF")},
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -_INF),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), _NAN),
}
_CONTROL = "[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]"
_PAIR = r"(?<!\\)((?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"

Path = tuple[str | int, ...]
Place = tuple[int, int]  # line and column, counted from 1


class Unreadable(Exception):
    """Reading cannot continue. problem: what is wrong, and where."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(str(problem))


@dataclass
class Tree:
    """Plain data and its locations. places: an entry of a mapping has the place of its key, an item its own."""

    data: Any = None
    places: dict[Path, Place] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


@dataclass
class _Open:
    """A collection being read. weight: the number of values in it, with aliases expanded."""

    value: Any
    path: Path
    anchor: str | None
    place: Place
    weight: int = 1
    key: str = ""
    has_key: bool = False


def scalar(text: str) -> Any:
    """The value of a plain scalar by YAML 1.2's core schema, with 1_000 for 1000.

    Text that YAML readers interpret differently stays text, and the types refuse it with a hint: `010` (8 or 10),
    `0x1F`, `1:30` (90 or a time), `yes`, dates.
    """
    if text in _WORDS:
        return _WORDS[text]
    if len(text) <= _MANY_DIGITS:
        if _INT.fullmatch(text):
            return int(text)
        if _FLOAT.fullmatch(text):
            return float(text)
    return text


def _one_character(pair: re.Match[str]) -> str:
    return pair[1] + chr(0x10000 + (int(pair[2], 16) - 0xD800) * 1024 + int(pair[3], 16) - 0xDC00)


def read_yaml(text: str, where: str) -> Tree:
    """Read one YAML (or JSON) document. Duplicate keys are listed in `problems`, and the first one is used.

    Raises Unreadable if reading cannot continue: bad syntax, cycles, too many values, deep nesting, two documents.
    """
    if text.lstrip().startswith("{"):
        # JSON writes an emoji as two escapes, which YAML does not support
        text = re.sub(_PAIR, _one_character, text)
    return _Reader(where).read(text)


class _Reader:
    def __init__(self, where: str) -> None:
        self.where = where
        self.tree = Tree()
        self.stack: list[_Open] = []
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.documents = 0

    def problem(self, place: Place, message: str, remedy: str = "") -> Problem:
        return Problem(where=self.where, line=place[0], column=place[1], message=message, remedy=remedy)

    def stop(self, place: Place, message: str, remedy: str = "") -> Unreadable:
        return Unreadable(self.problem(place, message, remedy))

    def read(self, text: str) -> Tree:
        try:
            for event in yaml.parse(text, Loader=_Loader):
                self._take(event)
        except yaml.YAMLError as error:
            raise self._syntax(error, text) from None
        return self.tree

    def _syntax(self, error: yaml.YAMLError, text: str) -> Unreadable:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        begun = getattr(error, "context_mark", None)
        place = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        what = getattr(error, "problem", None) or getattr(error, "reason", None) or "cannot be read"
        context = getattr(error, "context", None)
        message = f"not YAML: {what}" + (f" {context}" if context else "")
        if begun and mark and begun.line < mark.line:
            message += f" that began on line {begun.line + 1}"
        remedy = "check the indentation, quotes and brackets on this line and the one before"
        lines = text.splitlines()
        here = lines[place[0] - 1][place[1] - 1 :] if place[0] <= len(lines) else ""
        if here.startswith("\t"):
            message, remedy = "not YAML: indented with a tab", "indent with spaces"
        elif "mapping values are not allowed" in message:
            remedy = 'put a value that contains ": " in quotes, and each key on its own line'
        elif "cannot start any token" in message:
            message, remedy = f"not YAML: a value cannot begin with {here[:1]}", "put the value in quotes"
        return self.stop(place, message.replace("\n", " "), remedy)

    def _take(self, event: Any) -> None:
        place = (event.start_mark.line + 1, event.start_mark.column + 1)
        if isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                raise self.stop(place, "a second document begins here", "one plan, one file: remove the '---'")
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event.anchor, place)
        elif isinstance(event, yaml.ScalarEvent):
            self._scalar(event, place)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self._open(event, place)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            done = self.stack.pop()
            self._put(done.value, done.weight, done.anchor, done.place)

    def _scalar(self, event: Any, place: Place) -> None:
        text = event.value
        if event.tag not in (None, "!", "tag:yaml.org,2002:str"):
            raise self.stop(place, f"tag {shown(event.tag)} is not supported", "write the value without a tag")
        if len(text) > MAX_TEXT:
            raise self.stop(place, f"a value of {len(text):,} characters is too long", f"the limit is {MAX_TEXT:,}")
        control = None if text.isprintable() else re.search(_CONTROL, text)
        if control:
            raise self.stop(place, f"control character U+{ord(control[0]):04X} in a value", "remove it")
        plain = event.style in (None, "") and event.tag is None
        is_key = self.stack and isinstance(self.stack[-1].value, dict) and not self.stack[-1].has_key
        self._put(scalar(text) if plain and not is_key else text, 1, event.anchor, place, plain)

    def _open(self, event: Any, place: Place) -> None:
        if event.tag not in (None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"):
            raise self.stop(place, f"tag {shown(event.tag)} is not supported", "write the value without a tag")
        if len(self.stack) >= MAX_DEPTH:
            raise self.stop(place, f"nested more than {MAX_DEPTH} levels deep", "a plan has at most six levels")
        value: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
        path = self._child_path(place)
        if event.anchor:
            self.anchors.pop(event.anchor, None)
        self.stack.append(_Open(value, path, event.anchor, place))

    def _alias(self, name: str, place: Place) -> None:
        if any(entry.anchor == name for entry in self.stack):
            raise self.stop(place, f"*{shown(name)[1:-1]} refers to a value that contains it", "write the value itself")
        if name not in self.anchors:
            alias = shown(name)[1:-1]
            raise self.stop(place, f"*{alias} is not defined", f"define it above with &{alias}")
        value, weight = self.anchors[name]
        self._put(value, weight, None, place)

    def _child_path(self, place: Place) -> Path:
        """The path of a collection that begins now."""
        if not self.stack:
            return ()
        top = self.stack[-1]
        if isinstance(top.value, list):
            return (*top.path, len(top.value))
        if not top.has_key:
            raise self.stop(place, "a key must be text", "a template's {{...}} or a list is not a key")
        return (*top.path, top.key)

    def _put(self, value: Any, weight: int, anchor: str | None, place: Place, plain: bool = False) -> None:
        if anchor:
            self.anchors[anchor] = (value, weight)
        if not self.stack:
            self.tree.data = value
            self.tree.places.setdefault((), place)
            return
        top = self.stack[-1]
        top.weight += weight
        if top.weight > MAX_VALUES:
            raise self.stop(place, f"more than {MAX_VALUES:,} values (aliases expanded)", "a plan has a few hundred")
        if isinstance(top.value, list):
            self.tree.places[(*top.path, len(top.value))] = place
            top.value.append(value)
        elif not top.has_key:
            self._key(top, value, place, plain)
        else:
            top.value.setdefault(top.key, value)
            top.has_key = False

    def _key(self, top: _Open, value: Any, place: Place, plain: bool) -> None:
        if isinstance(value, dict | list):
            raise self.stop(place, "a key must be text", "a mapping or a list is not a key")
        if value == "<<" and plain:
            raise self.stop(place, "merge keys (<<) are not supported", "write the keys themselves")
        top.key, top.has_key = value if isinstance(value, str) else str(value), True
        path = (*top.path, top.key)
        if top.key in top.value:
            first = self.tree.places[path][0]
            message = f"key {shown(top.key)} is written twice: first on line {first}"
            self.tree.problems.append(self.problem(place, message, "keep one of them"))
        else:
            self.tree.places[path] = place
