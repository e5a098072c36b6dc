"""What S3 costs a month once the run is over, until its data is deleted: no line of the bill counts that time."""

from __future__ import annotations

from planner.decide.comparison import Comparison
from planner.estimate.result import Scenario
from planner.models.bill import PlannedLine
from planner.models.bill_lines import bill_line
from planner.report.wording import figures
from planner.report.wording.recommendation import section

KEY, CHECKPOINTS = "storage.kms.key", "storage.s3.checkpoints"


def usd_per_month(comparison: Comparison, scenario: Scenario) -> float:
    """Planned USD a month of what is stored when the run ends; 0 where its months are not known."""
    lines = _lines(scenario)
    months = sum(line.quantity for line in lines if line.line == KEY)  # of one key
    if not months:
        return 0.0
    grown = _grown(comparison, scenario)
    return sum(line.effective_cost * (grown if line.line == CHECKPOINTS else 1.0) for line in lines) / months


def sentence(comparison: Comparison, scenario: Scenario) -> str:
    """`Does not cover S3 after the run: up to $1,723 a month until its data is deleted (at $0.023 a GB-Mo or
    less).` Tiers of a whole month may be cheaper."""
    usd, hours = usd_per_month(comparison, scenario), _kept_hours(comparison)
    after = f"later than {figures.days(hours / 24)} days after the run" if hours else "after the run"
    if not usd:
        return f"Does not cover S3 {after}."
    most = max(_lines(scenario), key=lambda line: line.effective_cost)
    rate = f"at ${most.effective_unit_price:.3g} a {most.unit} or less"
    return f"Does not cover S3 {after}: up to {figures.usd(usd)} a month until its data is deleted ({rate})."


def _grown(comparison: Comparison, scenario: Scenario) -> float:
    """Checkpoints at the end, as a multiple of the mean over the billed time: where all are kept, half of them are
    there on average during the run."""
    hours, kept = 24 * scenario.days.plan if scenario.days else 0.0, _kept_hours(comparison)
    if section(comparison, "data").get("checkpoints_kept") != "all" or not hours:
        return 1.0
    return (hours + kept) / (hours / 2 + kept)


def _kept_hours(comparison: Comparison) -> float:
    hours = section(comparison, "storage").get("retention")
    return float(hours) if isinstance(hours, int | float) else 0.0


def _lines(scenario: Scenario) -> list[PlannedLine]:
    return [line for line in scenario.bill if bill_line(line.line).outlives_run]
