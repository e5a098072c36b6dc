"""What the plans of kinds that are simulated begin with: training plans have more to say of their prices."""

from datetime import date
from typing import Any, Literal

from pydantic import Field

from planner.plan.forms import Day, Name, Region, Section


class SimulatedPlan(Section):
    """The first keys of a plan file."""

    api_version: Literal["planner/v1"] = Field(alias="apiVersion", description="version of this file format")
    name: Name = Field(description="name of the plan, shown in every output")
    region: Region = Field("us-east-1", description="AWS region")
    start: Day | None = Field(None, description="first day; the age of prices is counted from it")
    prices: Day | None = Field(None, description="date of the price book; default: the newest")

    @property
    def price_date(self) -> date | None:
        """The date of the price book; None for the newest."""
        return self.prices

    def canonical(self) -> dict[str, Any]:
        """The resolved plan as plain data, from which its hash is computed; formatting does not change it."""
        return self.model_dump(mode="json", by_alias=True)
