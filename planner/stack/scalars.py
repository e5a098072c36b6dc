"""The scalar types of a stack file, as pydantic reads them: strictly, but for whole numbers that JSON wrote as 4.0."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, Strict

LARGEST = 1e15  # far beyond any count or dollar; every whole number below it is exact in JSON


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


Text = Annotated[str, Strict()]
Flag = Annotated[bool, Strict()]
Whole = Annotated[int, Strict(), Field(ge=-LARGEST, le=LARGEST), BeforeValidator(_whole)]
Number = Annotated[float, Strict(), Field(ge=-LARGEST, le=LARGEST, allow_inf_nan=False)]
