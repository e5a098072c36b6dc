"""Completions from the plan on the command line: its scenarios, and the numbers of one of them.

A shell waits for this at every tab, so nothing is drawn and as little as possible is priced. A plan that cannot be read
gives no completions, since an error message would appear in the middle of the line.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import redirect_stderr
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.cli.options import Asked

if TYPE_CHECKING:
    from planner.estimate.request import Request

MOST_PRICED = 400  # scenarios; more would make a tab noticeably slow


def scenarios(given: dict[str, Any]) -> list[str]:
    """The ids of the plan's scenarios, after `best`. given: the parameters on the line, by name."""
    from planner.decide.enumerate import ids_of

    return _quietly(given, lambda request: ["best", "cheapest", "safest", *ids_of(request)])


def numbers(given: dict[str, Any]) -> list[str]:
    """The ids of the numbers of the scenario on the line, the lines of its bill first."""

    def known(request: Request) -> list[str]:
        from planner.api.arguments import named
        from planner.decide.compare import compare
        from planner.decide.enumerate import ids_of
        from planner.estimate.derivations import known_of

        ids = ids_of(request)
        if len(ids) > MOST_PRICED:
            return []
        asked = given.get("scenario")
        scenario = named(compare(request), asked if isinstance(asked, str) else "best")
        lines = [entry.line for entry in scenario.bill]
        return [*lines, *(id for id in known_of(scenario) if id not in lines)]

    return _quietly(given, known)


def _quietly(given: dict[str, Any], found: Callable[[Request], list[str]]) -> list[str]:
    plan = given.get("plan")
    if not isinstance(plan, str) or not Path(plan).is_file():  # nor - : what is typed next would be read as a plan
        return []
    prices = given.get("prices")
    asked = Asked(
        plan=plan,
        overrides=tuple(given.get("overrides") or ()),
        prices=prices if isinstance(prices, str) else None,
        draws=0,
    )
    try:
        with redirect_stderr(io.StringIO()):
            return found(asked.request())
    except Exception:  # the verb reports what is wrong with the plan when it is called
        return []
