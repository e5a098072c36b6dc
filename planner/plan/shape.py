"""The plan's types as a map of keys: the keys of each section, and the section below each key."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Union, get_args, get_origin

from planner.plan.types import Assumption, Plan, Section


@dataclass(frozen=True, kw_only=True)
class Key:
    """One key of a section. section: the section below it, if any; many: whether that is a list of sections."""

    name: str
    description: str
    required: bool
    section: type[Section] | None
    many: bool
    free_keys: bool = False


@cache
def keys_of(section: type[Section]) -> Mapping[str, Key]:
    """The keys of a section as written in the file."""
    keys = {}
    for name, info in section.model_fields.items():
        key = info.alias or name
        inner, many = _inner(info.annotation)
        keys[key] = Key(
            name=key,
            description=(info.description or "").split("\n")[0],
            required=info.is_required(),
            section=inner,
            many=many,
            free_keys=get_origin(info.annotation) is dict,
        )
    return keys


def _inner(annotation: Any, many: bool = False) -> tuple[type[Section] | None, bool]:
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return annotation, many
    origin = get_origin(annotation)
    if origin in (tuple, list):
        return _inner(get_args(annotation)[0], True)
    if origin in (Annotated, Union, types.UnionType):
        for part in get_args(annotation)[: 1 if origin is Annotated else None]:
            found, is_many = _inner(part, many)
            if found or is_many:
                return found, is_many
    return None, many


@cache
def homes(root: type[Section] = Plan) -> Mapping[str, tuple[str, ...]]:
    """The sections in which each key of a plan is allowed: `nodes` -> ("fleet",). A list is `run.phases[]`."""
    found: dict[str, list[str]] = {}

    def walk(section: type[Section], prefix: str) -> None:
        for key in keys_of(section).values():
            found.setdefault(key.name, []).append(prefix)
            if key.section:
                walk(key.section, f"{prefix}.{key.name}".lstrip(".") + ("[]" if key.many else ""))

    walk(root, "")
    return {name: tuple(places) for name, places in found.items()}


def section_at(path: tuple[str | int, ...], root: type[Section] = Plan) -> type[Section] | None:
    """The section whose keys are allowed below a path; None if no keys are defined there."""
    here: type[Section] | None = root
    free = False
    for part in path:
        if free:
            here, free = Assumption, False
            continue
        if isinstance(part, int):
            continue
        key = keys_of(here).get(part) if here else None
        if key is None:
            return None
        here, free = key.section, key.free_keys
    return None if free else here
