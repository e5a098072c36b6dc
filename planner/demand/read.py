"""The one door for files of past demand: jobs or hours, told apart by the first line."""

from __future__ import annotations

from planner.demand.sacct_file import jobs_in, zone_of
from planner.demand.sacct_row import ASK
from planner.demand.shown import HoursShown, JobsShown, hours_shown, jobs_shown
from planner.demand.weeks import weeks_in
from planner.errors import PlanProblems, UsageProblem
from planner.mix.demand_file import COLUMNS, demand_in, text_of
from planner.plan.textfile import label_of

_WANTED = f"give jobs ({ASK}), or hours as CSV with the columns {','.join(COLUMNS)}"


def shown_of(path: str, zone: str | None) -> JobsShown | HoursShown:
    """What a file says, or standard input for `-`. zone: that of sacct's times, by its IANA name; None where each names
    its offset. Raises PlanProblems, and UsageProblem for hours with a zone."""
    text = text_of(path, _WANTED)
    where = label_of(path)
    if "|" not in text.partition("\n")[0]:
        if zone is not None and text.strip():
            raise UsageProblem(
                "--zone is for sacct's output; hours name their own time zone, such as 2026-01-31T13:00Z"
            )
        return hours_shown(demand_in(text, where))
    known = None if zone is None else zone_of(zone)
    found = jobs_in(text, where, known)
    try:
        weeks = weeks_in(found, where, known, None, None).count
    except PlanProblems:
        weeks = 0
    return jobs_shown(found, weeks)
