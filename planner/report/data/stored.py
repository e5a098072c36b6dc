"""What S3 bills for the stored bytes of a scenario, which no hourly figure of its stack includes."""

from __future__ import annotations

from planner.estimate.result import Scenario
from planner.models.bill_lines import bill_line


def stored_usd_per_hour(scenario: Scenario) -> float | None:
    """Dollars an hour at the planned size, over the time that the bytes are kept; None where it is not known."""
    found = next((entry.value for entry in scenario.derived if entry.id == "storage.s3.hours"), 0.0)
    hours = found if isinstance(found, float) else 0.0
    stored = [line for line in scenario.bill if bill_line(line.line).outlives_run and line.unit == "GB-Mo"]
    return sum(line.effective_cost for line in stored) / hours if stored and hours else None
