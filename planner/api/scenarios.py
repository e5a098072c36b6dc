"""A scenario and its bill from Python: what a notebook asks of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, SupportsIndex, TypeVar, overload

from planner.estimate import result
from planner.models.bill import PlannedLine

if TYPE_CHECKING:
    import pandas


Line = TypeVar("Line", bound=PlannedLine)


class Lines(tuple[Line, ...], Generic[Line]):
    """The lines of a bill, in order."""

    __slots__ = ()

    @overload
    def __getitem__(self, line: str | SupportsIndex, /) -> Line: ...
    @overload
    def __getitem__(self, line: slice, /) -> tuple[Line, ...]: ...
    def __getitem__(self, line: Any, /) -> Any:
        if not isinstance(line, str):
            return super().__getitem__(line)
        found = next((entry for entry in self if entry.line == line), None)
        if found is None:
            raise KeyError(f"no line {line!r} on this bill: {', '.join(entry.line for entry in self)}")
        return found


class Bill(Lines[PlannedLine]):
    """The lines of a bill, in order. `bill["storage.s3.standard"]` is the line of that name."""

    __slots__ = ()

    def to_frame(self) -> pandas.DataFrame:
        """A DataFrame with a row a line: the keys of a bill line in `planner compare -f json`, costs in USD.

        Raises UsageProblem where pandas is not installed: it comes with the extra `notebook`.
        """
        from planner.api.frames import bill_frame

        return bill_frame(self)

    def _repr_html_(self) -> str:
        from planner.report.html.notebook import bill_html

        return bill_html(self)


@dataclass(frozen=True, kw_only=True, repr=False)
class Scenario(result.Scenario):
    """One row of a comparison: cost and days as ranges, storage, goodput, its bill; USD before tax, decimal TB."""

    bill: Bill = field(default_factory=Bill)

    def __repr__(self) -> str:
        cost = f"{self.cost_usd.plan:.2f}" if self.cost_usd else None
        days = f"{self.days.plan:.2f}" if self.days else None
        return f"Scenario(id={self.id!r}, cost_usd={cost}, days={days}, eligible={self.eligible})"

    def to_dict(self) -> dict[str, Any]:
        """The scenario in the document of `planner compare -f json`, as plain data."""
        from planner.report.data.comparison_json import scenario_document

        return scenario_document(self)

    def _repr_html_(self) -> str:
        from planner.report.html.notebook import scenarios_html

        return scenarios_html([self])


def with_bill(scenario: result.Scenario) -> Scenario:
    """The same scenario, for Python."""
    values: dict[str, Any] = dict(vars(scenario))
    values["bill"] = Bill(scenario.bill)
    return Scenario(**values)
