"""The forms of values in a plan file, each with its parser and its JSON Schema.

No `from __future__ import annotations` here and in types.py: pydantic would compile every annotation again
from its text, which delays every command.
"""

import re
from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, WithJsonSchema

from planner.layouts.registry import NAMES
from planner.plan.near_names import instance_types_like, region_like
from planner.plan.quantities import (
    MOST_KEPT,
    Accelerators,
    BadValue,
    parse_accelerator_list,
    parse_bytes,
    parse_bytes_per_second,
    parse_counts,
    parse_day,
    parse_fraction,
    parse_hours,
    parse_kept,
    parse_run_hours,
)
from pricing.offers import ALL_PURCHASE_OPTIONS


def _text(pattern: str, example: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": pattern, "examples": [example]})


class _Like:
    """Text of a known form; the error message gives an example, not the pattern. near: the remedy for another text."""

    def __init__(self, pattern: str, what: str, near: Callable[[str], str] | None = None) -> None:
        self.pattern, self.what, self.near = pattern, what, near

    def __call__(self, text: str) -> str:
        if not re.search(self.pattern, text, re.ASCII) or text.endswith("\n"):
            raise BadValue(f"not {self.what}", self.near(text) if self.near else "")
        return text


def _like(
    pattern: str, what: str, example: str, near: Callable[[str], str] | None = None
) -> tuple[AfterValidator, WithJsonSchema]:
    return AfterValidator(_Like(pattern, f"{what}, like {example}", near)), _text(pattern, example)


_NUM = r"^[0-9]+(_[0-9]{3})*(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?\s*"
Bytes = Annotated[float, BeforeValidator(parse_bytes), _text(_NUM + r"([KMGTPEkmgtpe]?[iI]?B|[kmgtpe]?i?b)$", "2.2PB")]
BytesPerSecond = Annotated[
    float, BeforeValidator(parse_bytes_per_second), _text(_NUM + r"[KMGTPEkmgtpe]?[iI]?B/s$", "15MB/s")
]
RunHours = Annotated[float, BeforeValidator(parse_run_hours), _text(_NUM + "[hdw]$", "21d")]
Hours = Annotated[float, BeforeValidator(parse_hours), _text(_NUM + "[smhdw]$", "12h")]
Fraction = Annotated[
    float,
    BeforeValidator(parse_fraction),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "minimum": 0, "maximum": 1},
                {"type": "string", "pattern": _NUM + "%$", "examples": ["93%"]},
            ]
        }
    ),
]
_GPUS = {"type": "string", "pattern": "^[A-Za-z][A-Za-z0-9]*:[0-9]+$", "examples": ["A100:256"]}
GpuCounts = Annotated[
    tuple[Accelerators, ...],
    BeforeValidator(parse_accelerator_list),
    WithJsonSchema({"anyOf": [_GPUS, {"type": "array", "items": _GPUS, "minItems": 1, "maxItems": 16}]}),
]
GpuKind = Annotated[
    str,
    AfterValidator(_Like("^[A-Z][A-Z0-9]*$", "a kind of GPU in capitals, like A100")),
    _text("^[A-Z][A-Z0-9]*$", "A100"),
]
Day = Annotated[
    date,
    BeforeValidator(parse_day),
    WithJsonSchema({"type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}),
]
COUNTS_SCHEMA: dict[str, Any] = {
    "anyOf": [
        {"type": "integer", "minimum": 1},
        {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 1, "maxItems": 16},
        {"type": "string", "pattern": r"^[0-9]+\.\.[0-9]+$", "examples": ["16..64"]},
    ]
}
Counts = Annotated[tuple[int, ...], BeforeValidator(parse_counts), WithJsonSchema(COUNTS_SCHEMA)]
SMALLEST = 1e-9  # dividing by a smaller number would overflow a float
Positive = Annotated[float, Field(ge=SMALLEST, le=1e30, allow_inf_nan=False)]
Finite = Annotated[float, Field(ge=-1e30, le=1e30, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, le=1_000_000)]
Name = Annotated[str, Field(min_length=1, max_length=10_000)]
InstanceName = Annotated[
    str, *_like(r"^[a-z0-9-]+\.[a-z0-9-]+$", "an instance type", "p4d.24xlarge", instance_types_like)
]
Region = Annotated[str, *_like("^[a-z]{2}(-[a-z]+)+-[0-9]$", "a region", "us-east-1", region_like)]
ZoneId = Annotated[str, *_like("^[a-z0-9-]+-az[0-9]+$", "a zone ID (the same in every account)", "use1-az4")]
Protection = Annotated[str, *_like(r"^(none|[0-9]{1,2}\+[1-4])$", "a protection", "none or 16+4")]
StackName = Annotated[str, *_like("^[A-Za-z0-9_.-]{1,100}$", "a stack name", "dev")]
ImageId = Annotated[str, *_like("^ami-[0-9a-f]{8,17}$", "an image", "ami-0123456789abcdef0")]
BucketName = Annotated[str, *_like("^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$", "the name of a bucket", "acme-corpus")]
PolicyArn = Annotated[
    str,
    *_like(
        "^arn:aws[a-z-]*:iam::([0-9]{12}|aws):policy/[!-~]{1,1024}$",
        "the ARN of an IAM policy",
        "arn:aws:iam::111122223333:policy/boundary",
    ),
]
# Slurm keeps accounts in lower case; users are those of Linux
AccountName = Annotated[str, *_like("^[a-z][a-z0-9_-]{0,31}$", "the name of a project", "vision")]
# and an accounting file may have names that no new account would get
ProjectName = Annotated[str, *_like("^[a-z0-9_][a-z0-9_.@+-]{0,63}$", "the name of a project", "vision")]
UserName = Annotated[str, *_like("^[a-z_][a-z0-9_-]{0,31}$", "the name of a user", "ana")]
Port = Annotated[int, Field(strict=True, ge=1, le=65_535)]
KeptCheckpoints = Annotated[
    int | Literal["all"],
    PlainValidator(parse_kept),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1, "maximum": MOST_KEPT}, {"const": "all"}]}),
]
# An editor offers these names; planner/plan/check.py suggests the nearest one for a wrong name.
PurchaseName = Annotated[str, WithJsonSchema({"type": "string", "enum": list(ALL_PURCHASE_OPTIONS)})]
# one name for each layout in the registry, as `Literal["converged", ...]` would have them
if TYPE_CHECKING:
    LayoutName = str
else:
    LayoutName = Literal[NAMES]


class Section(BaseModel):
    """A mapping in the plan file: unknown keys are errors, values never change after loading."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, strict=True, defer_build=True)


def left_out(section: type[Section], **more: Any) -> Any:
    """An optional section. Built without validation: tests check that every default is valid, and validating
    the defaults would take longer than the whole plan."""
    return Field(default_factory=section.model_construct, description=section.__doc__, **more)
