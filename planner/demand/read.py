"""The one door for files of past demand: jobs or hours, told apart by the first line."""

from __future__ import annotations

from planner.demand.sacct_file import ASK, jobs_in, zone_of
from planner.demand.shown import HoursShown, JobsShown, hours_shown, jobs_shown
from planner.errors import UsageProblem
from planner.mix.demand_file import COLUMNS, demand_in, text_of
from planner.plan.textfile import label_of

_WANTED = f"give jobs ({ASK}), or hours as CSV with the columns {','.join(COLUMNS)}"


def shown_of(path: str, zone: str | None) -> JobsShown | HoursShown:
    """What a file says, or standard input for `-`. zone: that of sacct's times, by its IANA name. Raises PlanProblems,
    and UsageProblem where jobs come without a zone or hours with one."""
    text = text_of(path, _WANTED)
    where = label_of(path)
    if "|" not in text.partition("\n")[0]:
        if zone is not None and text.strip():
            raise UsageProblem(
                "--zone is for sacct's output; hours name their own time zone, such as 2026-01-31T13:00Z"
            )
        return hours_shown(demand_in(text, where))
    if zone is None:
        remedy = "give the cluster's as --zone Europe/Berlin, or --zone UTC"
        raise UsageProblem(f"{where}: sacct's times name no time zone; {remedy} (`timedatectl` on its node shows it)")
    return jobs_shown(jobs_in(text, where, zone_of(zone)))
