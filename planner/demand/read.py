"""The one door for files of past demand: jobs, or hours, told apart by their first line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from planner.demand.export_hours import export_demand, is_export, with_prices
from planner.demand.sacct_file import jobs_in, zone_of
from planner.demand.sacct_row import ASK
from planner.demand.shown import HoursShown, JobsShown, hours_shown, jobs_shown
from planner.demand.weeks import weeks_in
from planner.errors import PlanProblems, UsageProblem
from planner.mix.demand_file import COLUMNS, Demand, demand_in, text_of
from planner.plan.textfile import label_of, refuse

_HOURS = f"hours as CSV with the columns {','.join(COLUMNS)}, or an hourly FOCUS or CUR 2.0 export"
_WANTED = f"give jobs ({ASK}), or {_HOURS}"


def shown_of(path: str, zone: str | None) -> JobsShown | HoursShown:
    """What a file says, or standard input for `-`. zone: that of sacct's times, by its IANA name; None where each names
    its offset. Raises PlanProblems, and UsageProblem for hours with a zone and for exports."""
    text = _text(path, _WANTED)
    if text is None or not _is_jobs(text):
        if zone is not None and (text is None or text.strip()):
            raise UsageProblem(
                "--zone is for sacct's output; hours name their own time zone, such as 2026-01-31T13:00Z"
            )
        return hours_shown(_hours(path, text, None))
    where, known = label_of(path), None if zone is None else zone_of(zone)
    found = jobs_in(text, where, known)
    try:
        weeks = weeks_in(found, where, known, None, None)
    except PlanProblems:
        weeks = None
    return jobs_shown(found, weeks, zone)


def hours_of(path: str, region: str, priced: Iterable[str]) -> Demand:
    """Hours by type in a file, of an export those in a Region and of types that are priced. Raises PlanProblems, and
    UsageProblem for exports."""
    text = _text(path, f"give {_HOURS}")
    if text is not None and _is_jobs(text):
        remedy = f"put the file into a plan of kind: fleet, as in demand: {{file: {path}}}; or give {_HOURS}"
        raise refuse(label_of(path), "jobs of sacct, not hours: their queue decides when they run", remedy, (1, 1))
    found = _hours(path, text, region)
    return with_prices(found, priced) if text is None else found


def _text(path: str, wanted: str) -> str | None:
    """The content of a file; None for an export, which is read in parts."""
    label, at = label_of(path), Path(path)
    if label != "<stdin>" and at.exists():
        if is_export(at, None):
            return None
        with at.open("rb") as file:
            if is_export(at, file.readline(100_000).decode("utf-8-sig", "replace")):
                return None
    text = text_of(path, wanted)
    if text.lower().startswith("jobid") and not _is_jobs(text):
        raise refuse(label, "no | between its columns", f"ask for it with --parsable2: {ASK}", (1, 1))
    return text


def _hours(path: str, text: str | None, region: str | None) -> Demand:
    return export_demand(Path(path), region) if text is None else demand_in(text, label_of(path))


def _is_jobs(text: str) -> bool:
    return "|" in text.partition("\n")[0]
