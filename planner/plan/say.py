"""pydantic's findings in words for people: what is wrong, what to write, what was probably meant."""

from __future__ import annotations

import difflib
import types
import typing
from typing import Any

from pydantic import BaseModel

from planner.plan.yamlfile import Path, shown


def keys_of(model: type[BaseModel]) -> dict[str, Any]:
    """The keys that a section may have in the file, with their field annotations."""
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()}


def _section_in(annotation: Any) -> type[BaseModel] | None:
    """The section behind an annotation: itself, or inside Optional, tuple, dict and unions."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, types.UnionType, tuple, dict, typing.Annotated):
        for argument in typing.get_args(annotation):
            found = _section_in(argument)
            if found:
                return found
    return None


def section_at(model: type[BaseModel], path: Path) -> type[BaseModel] | None:
    """The section that stands at a path of the plan, or None where there is none."""
    current: type[BaseModel] | None = model
    for part in path:
        if isinstance(part, int) or current is None:
            continue
        keys = keys_of(current)
        if part not in keys:
            return current if current.__name__ == "Assumption" else None
        current = _section_in(keys[part])
    return current


def did_you_mean(word: str, known: typing.Iterable[str]) -> str:
    """`did you mean region?`, or the list of what there is when nothing is near."""
    names = list(known)
    near = difflib.get_close_matches(word[:80], names, n=1, cutoff=0.5)
    if near:
        return f"did you mean {near[0]}?"
    listed = ", ".join(names[:24]) + (", ..." if len(names) > 24 else "")
    return f"there is: {listed}"


def say(error: dict[str, Any], model: type[BaseModel], path: Path) -> tuple[str, str]:
    """(message, remedy) for one finding at a path."""
    kind, given = error["type"], error.get("input")
    name = str(path[-1]) if path else "the plan"
    context = error.get("ctx", {})
    if kind == "extra_forbidden":
        section = section_at(model, path[:-1])
        return f"unknown key {shown(name)}", did_you_mean(name, keys_of(section) if section else ())
    if kind == "missing":
        return f"{dotted(path)} is missing", _example(dotted(path))
    if kind == "value_error":
        return f"{dotted(path)}: {shown(given)} is {context['error']}", ""
    if kind in ("model_type", "model_attributes_type", "dict_type"):
        return f"{dotted(path)} must be a section of key: value, not {shown(given)}", ""
    if kind in ("tuple_type", "list_type"):
        return f"{dotted(path)} must be a list, not {shown(given)}", "write [a, b] or one '- item' a line"
    if kind == "literal_error":
        options = [word.strip("' ") for word in str(context["expected"]).replace(" or ", ", ").split(", ")]
        remedy = did_you_mean(str(given), options) if isinstance(given, str) else ""
        return f"{dotted(path)} must be one of {', '.join(options)}, not {shown(given)}", remedy
    if kind == "string_type":
        return f"{dotted(path)} must be text, not {shown(given)}", f'put it in quotes: "{shown(given, 30)}"'
    if kind == "bool_type":
        return f"{dotted(path)} must be true or false, not {shown(given)}", ""
    if kind in ("float_type", "int_type", "int_from_float", "float_parsing", "int_parsing"):
        number = "a whole number" if kind.startswith("int") else "a number"
        return f"{dotted(path)} must be {number} without a unit, not {shown(given)}", ""
    if kind == "finite_number":
        return f"{dotted(path)} must be a finite number, not {shown(given)}", ""
    words = {
        "greater_than": ("gt", "greater than"),
        "greater_than_equal": ("ge", "at least"),
        "less_than": ("lt", "less than"),
        "less_than_equal": ("le", "at most"),
    }
    if kind in words:
        key, said = words[kind]
        return f"{dotted(path)} must be {said} {context[key]:g}, not {shown(given)}", ""
    if kind in ("too_short", "string_too_short"):
        return f"{dotted(path)} is empty", "write at least one"
    if kind in ("too_long", "string_too_long"):
        limit = context.get("max_length", "")
        return f"{dotted(path)} is longer than {limit}", ""
    return f"{dotted(path)}: {error['msg'].lower()}", ""


def dotted(path: Path) -> str:
    """`run.throughput[2].gpus`, as --set writes it too."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += ("." if text else "") + shown(part)[1:-1]
    return text or "the plan"


def _example(name: str) -> str:
    examples = {
        "apiVersion": "write apiVersion: planner/v1",
        "name": "write name: my-run",
        "run": "write run: {work: {gpu_hours: 4000}}",
        "data": "write data: {hot_dataset: 4TB}",
        "fleet": "write fleet: {instance_types: [p4d.24xlarge], nodes: 4}",
        "data.hot_dataset": "write hot_dataset: 4TB (what training reads)",
    }
    return examples.get(name, "`planner init -` prints a commented plan")
