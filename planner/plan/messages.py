"""Messages for pydantic's validation errors: what is wrong, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import partial
from typing import Any

from planner.plan.forms import SMALLEST
from planner.plan.quantities import BadValue
from planner.plan.shape import homes, keys_of, section_at
from planner.plan.types import TAGS, Plan, Section
from planner.plan.wording import did_you_mean, is_number_text, listed, path_text, shown

Path = tuple[str | int, ...]
_LIMITS = {
    "greater_than": ("gt", "greater than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}
_STARTS = {
    "apiVersion": "begin with apiVersion: planner/v1",
    "name": "write name: my-run",
    "run": "write run: {work: {gpu_hours: 4000}}",
    "data": "write data: {hot_dataset: 4TB}",
    "fleet": "write fleet: {instance_types: [p4d.24xlarge], nodes: 4}",
    "data.hot_dataset": "write hot_dataset: 4TB",
}


@dataclass(frozen=True, kw_only=True)
class FileKeys:
    """The keys of one kind of file.

    whole: what messages call the file. known: the keys of the section at a path, each with its description; empty
    where no key is allowed. homes: the sections in which each key is allowed.
    """

    whole: str
    known: Callable[[Path], Mapping[str, str]]
    homes: Callable[[], Mapping[str, Sequence[str]]]


def keys_below(root: type[Section]) -> FileKeys:
    """The keys of a plan whose root is of this type."""

    def known(path: Path) -> Mapping[str, str]:
        section = section_at(path, root)
        return {name: key.description for name, key in keys_of(section).items()} if section else {}

    return FileKeys(whole="the plan", known=known, homes=partial(homes, root))


PLAN = keys_below(Plan)


def data_path(location: Iterable[str | int]) -> Path:
    """The location of a finding in the file: pydantic's, without the tags of our unions and its own of a key."""
    return tuple(part for part in location if part not in (*TAGS, "[key]"))


def message_of(error: Mapping[str, Any], path: Path, keys: FileKeys = PLAN) -> tuple[str, str]:
    """(message, remedy) for one of pydantic's errors at a path of a file."""
    kind, given, context = error["type"], error.get("input"), error.get("ctx", {})
    name = path_text(path) or keys.whole
    if kind in ("extra_forbidden", "unexpected_keyword_argument", "invalid_key"):
        return unknown_key(path, keys)
    if kind == "missing":
        return f"{name} is missing", _STARTS.get(name) or _describe(path, keys)
    if kind == "value_error":
        error = context["error"]
        message, remedy = (error.message, error.remedy) if isinstance(error, BadValue) else (str(error), "")
        return f"{name}: {message}; got {shown(given)}", remedy
    if kind == "literal_error":
        return _literal(name, given, str(context["expected"]))
    if kind in _LIMITS:
        key, words = _LIMITS[kind]
        if key == "ge" and context[key] == SMALLEST and isinstance(given, int | float) and given <= 0:
            return f"{name} must be greater than 0; got {shown(given)}", _describe(path, keys)
        return f"{name} must be {words} {_plain(context[key])}; got {shown(given)}", _describe(path, keys)
    if kind in ("too_short", "string_too_short"):
        return f"{name} is empty", "write at least one" if kind == "too_short" else _describe(path, keys)
    if kind in ("too_long", "string_too_long"):
        what = "entries" if kind == "too_long" else "characters"
        most, there = context["max_length"], len(given) if isinstance(given, Sized) else 0
        return f"{name} has more than {most:,} {what}", f"shorten it by {there - most:,}" if there > most else ""
    return f"{name} must be {_kind(kind) or error['msg'].lower()}; got {shown(given)}", _hint(kind, path, given, keys)


OF_FLOP = ("tokens", "parameters", "params", "model_size")  # what newcomers write of a language model


def unknown_key(path: Path, keys: FileKeys = PLAN) -> tuple[str, str]:
    """(message, remedy) for an unknown key: the nearest valid key, or the section in which the key is allowed."""
    name = str(path[-1])
    known = list(keys.known(path[:-1]))
    where = path_text(path[:-1])
    message = f"unknown key {shown(name)}" + (f" in {where}" if where else "")
    valid = f"valid keys: {listed(known)}" if known else "this section has no keys"
    if name.isdecimal():
        return message, "a number has no commas between its thousands: write 100000 or 100_000"
    if path[-2:-1] == ("work",) and name in OF_FLOP:
        return message, "write flop: 6 x parameters x tokens for a dense language model, such as flop: 8.4e22"
    near = did_you_mean(name, known)
    if near:
        return message, f"{near} {valid}"
    found = keys.homes().get(name, ())
    if found:
        return message, f"it belongs in {' or '.join(home or 'the top level' for home in found[:3])}; {valid}"
    return message, valid


def _kind(kind: str) -> str:
    if kind.startswith("int"):
        return "a whole number"
    if kind.startswith("float"):
        return "a number"
    return {
        "string_type": "text",
        "bool_type": "true or false",
        "finite_number": "a finite number",
        "tuple_type": "a list",
        "list_type": "a list",
        "dict_type": "a mapping of key: value",
        "model_type": "a section of key: value",
        "dataclass_type": "a section of key: value",
        "model_attributes_type": "a section of key: value",
    }.get(kind, "")


def _hint(kind: str, path: Path, given: Any, keys: FileKeys) -> str:
    """What to write instead, for a common mistake."""
    if given is None:
        section = kind in ("model_type", "dataclass_type")
        return "remove the key, or indent its contents" if section else "remove the key, or write its value"
    if kind == "string_type" and not isinstance(given, dict | list):
        return f'put it in quotes: "{shown(given)}"'
    if kind == "bool_type" and isinstance(given, str) and given.lower() in ("yes", "no", "on", "off", "y", "n"):
        meant = "true" if given.lower() in ("yes", "on", "y") else "false"
        return f"YAML 1.2 reads {given} as text: write {meant}"
    if kind in ("tuple_type", "list_type"):
        one = shown(given).strip("'")
        return f"write [{one}]" if not isinstance(given, dict | list) else "write one '- item' per line"
    if kind in ("model_type", "model_attributes_type", "dataclass_type"):
        known = keys.known(path)
        return f"valid keys: {listed(known)}" if known else ""
    if kind.startswith(("int", "float")):
        return _number_hint(kind, given)
    return ""


def _number_hint(kind: str, given: Any) -> str:
    if isinstance(given, float) and given.is_integer() and abs(given) < 1e15:
        return f"write {int(given)}"
    if not isinstance(given, str):
        return ""
    if re.fullmatch(r"[-+]?0[0-9]+", given, re.ASCII):
        return f"some YAML readers take a leading zero as octal: write {given.lstrip('+-0') or 0}"
    if re.fullmatch(r"[0-9]+(:[0-9]+)+", given, re.ASCII):
        return "some YAML readers take a number with colons as base 60, others as text: write the plain number"
    if re.fullmatch(r"0[xob][0-9a-fA-F]+", given, re.ASCII):
        return "write it in decimal digits"
    if "_" in given and is_number_text(given):
        return f"write {given.replace('_', '')}, or group the digits by three: 1_000_000"
    if is_number_text(given):
        return "write it without quotes"
    if re.fullmatch(r"[0-9]{1,3}(,[0-9]{3})+", given, re.ASCII):
        return f"write {given.replace(',', '')}"
    if re.fullmatch(r"[0-9.]+ ?[kKMGTB]", given, re.ASCII):
        return "write the number out, or as 2.5e9"
    return "write a number without a unit" if given[:1].isdigit() else ""


def _literal(name: str, given: Any, expected: str) -> tuple[str, str]:
    options = re.findall(r"'([^']*)'", expected) or re.split(r", | or ", expected)
    message = f"{name} must be {'one of ' if len(options) > 1 else ''}{', '.join(options)}; got {shown(given)}"
    return message, did_you_mean(given, options) if isinstance(given, str) else ""


def _describe(path: Path, keys: FileKeys) -> str:
    """The published description of a key."""
    description = keys.known(path[:-1]).get(str(path[-1]), "") if path else ""
    return f"{path[-1]}: {description}" if description else ""


def _plain(number: Any) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:g}"
