"""What past demand says, as a JSON document."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from planner.demand.shown import HoursShown, JobsShown
from planner.report.data.compared_json import SCHEMA_VERSION
from planner.report.data.encoding import json_text
from planner.report.data.provenance import made_by
from planner.report.wording.demand import trust


def render(shown: JobsShown | HoursShown) -> str:
    return json_text(document(shown))


def document(shown: JobsShown | HoursShown) -> dict[str, Any]:
    """The whole result as plain data. censored: null where hours cannot tell."""
    found = {**asdict(shown), "begin": shown.begin.isoformat(), "days": shown.days, "trust": trust(shown)}
    head = {"schema_version": SCHEMA_VERSION, "planner": made_by()}
    if isinstance(shown, HoursShown):
        types = [{**asdict(one), "may_be_censored": one.may_be_censored} for one in shown.types]
        return {**head, "kind": "hours", **found, "types": types, "censored": None}
    waits = dict(zip(("mean", "median", "p95"), shown.waits_h, strict=True)) if shown.waits_h else None
    first_day = shown.first_day.isoformat() if shown.first_day else None
    ended = {"first_day": first_day, "end": shown.end.isoformat(), "waits_h": waits, "censored": shown.censored}
    return {**head, "kind": "jobs", **found, **ended}
