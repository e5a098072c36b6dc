"""Its plan file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from planner.plan.forms import Day, Section, left_out
from planner.plan.load import Loaded
from planner.plan.types import Decision


class Run(Section):
    kind: Literal["toy"] = Field(description="kind of plan")
    hours: float = Field(gt=0, description="hours of one machine")


class ROOT(Section):
    api_version: Literal["planner/v1"] = Field(alias="apiVersion", description="version of this file format")
    name: str = Field(description="name of the plan")
    region: str = Field("us-east-1", description="AWS region")
    start: Day | None = Field(None, description="first day")
    prices: Day | None = Field(None, description="date of the price book")
    run: Run = Field(description="the work")
    types: tuple[str, ...] = Field(strict=False, min_length=1, description="instance types to compare")
    decision: Decision = left_out(Decision)

    @property
    def price_date(self) -> Any:
        return self.prices

    def canonical(self) -> dict[str, Any]:
        return self.model_dump(mode="json", by_alias=True)


@dataclass(frozen=True, kw_only=True)
class LOADED(Loaded):
    KIND = "toy"


def check(plan: ROOT) -> list[Any]:
    if plan.run.hours > 1000:
        return [(("run", "hours"), "run.hours is more than 1,000", "write fewer")]
    return []
