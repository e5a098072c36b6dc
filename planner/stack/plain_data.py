"""A ClusterSpec as plain data, and plain data as a ClusterSpec: pydantic reads it, and every problem is reported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from typing import Any, get_args, get_type_hints

from pydantic import TypeAdapter, ValidationError

from planner.plan.messages import FileKeys, message_of
from planner.plan.wording import path_text
from planner.stack.finding import Finding, Path
from planner.stack.spec import ClusterSpec

# sections that not every layout or file system has, and values that only a person adds
MAY_BE_LEFT_OUT = (
    "files",
    "lustre",
    "nvme",
    "control",
    "pool",
    "throughput_mbps",
    "roles",
    "further_blocks",
    "left_blocks",
    "block_days",
    "egress",
    "extra_buckets",
    "switched_from",
    "canary",
    "more",
    "give_up_hours",
    "max_nodes",
    "users",
    "others",
    "release",
)
WRITE_AGAIN = "`planner stack --force` writes the whole file again"


class InvalidSpec(Exception):
    """Plain data that is not a spec. findings: everything wrong with its types."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        self.findings = findings
        super().__init__("; ".join(finding.message for finding in findings))


def to_mapping(spec: ClusterSpec) -> dict[str, Any]:
    """The spec as plain data in the order of its fields, without empty optional values."""
    return _plain(spec)


def from_mapping(data: object) -> ClusterSpec:
    """The spec from plain data, as in a stack file or the engine's configuration. Raises InvalidSpec.

    Only types are checked here; planner.stack.check finds values that contradict each other.
    """
    findings = list(_missing(ClusterSpec, data, ()))
    try:
        spec = _adapter().validate_python(data)
    except ValidationError as error:
        raise InvalidSpec((*findings, *_findings(error))) from None
    if findings:
        raise InvalidSpec(tuple(findings))
    return spec


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        entries = ((field, getattr(value, field.name)) for field in fields(value))
        return {field.name: _plain(entry) for field, entry in entries if not _left_out(field, entry)}
    if isinstance(value, Mapping):
        return dict(value)
    return [_plain(entry) for entry in value] if isinstance(value, tuple) else value


def _optional(field: Field[Any]) -> bool:
    return field.name in MAY_BE_LEFT_OUT or (field.default is not MISSING and field.default in ("", None))


def _left_out(field: Field[Any], value: object) -> bool:
    return _optional(field) and value == field.default


@cache
def _adapter() -> TypeAdapter[ClusterSpec]:
    return TypeAdapter(ClusterSpec)


def _findings(error: ValidationError) -> Iterator[Finding]:
    for detail in error.errors(include_url=False):
        if detail["type"] == "missing":
            continue  # _missing has it, with the keys that have a default in the program
        path = tuple(
            part if isinstance(part, int) else str(part)
            for part in detail["loc"]
            if part != "[key]" or len(detail["loc"]) == 1
        )
        message, remedy = message_of(detail, path, STACK_FILE)
        yield Finding(path=path, message=message, remedy=remedy or WRITE_AGAIN)


def _missing(section: type, data: object, path: Path) -> Iterator[Finding]:
    """Keys that a file must have.

    Most of them have a default in the program, which a file must not rely on: without a deleted figure, another value
    would be deployed.
    """
    if isinstance(data, list):
        for number, entry in enumerate(data):
            yield from _missing(section, entry, (*path, number))
    if not isinstance(data, Mapping):
        return
    for name, inner in _sections(section).items():
        if name in data:
            yield from _missing(inner, data[name], (*path, name))
    for field in fields(section):
        if field.name not in data and not _optional(field):
            message = f"{path_text((*path, field.name))} is missing"
            yield Finding(path=path, message=message, remedy=WRITE_AGAIN)


@cache
def _sections(section: type) -> Mapping[str, type]:
    """The fields of a section that are sections themselves."""
    hints = get_type_hints(section)
    inner = {name: [kind for kind in (hint, *get_args(hint)) if is_dataclass(kind)] for name, hint in hints.items()}
    return {name: kinds[0] for name, kinds in inner.items() if kinds and isinstance(kinds[0], type)}


def _keys_at(path: Path) -> Mapping[str, str]:
    section: type | None = ClusterSpec
    for part in path:
        section = _sections(section).get(str(part)) if section else None
    return {field.name: "" for field in fields(section)} if section else {}


STACK_FILE = FileKeys(whole="the cluster", known=_keys_at, homes=dict)
