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
    from planner.kinds.asking import Ask


def scenarios(given: dict[str, Any]) -> list[str]:
    """The ids of the plan's scenarios, after `best`. given: the parameters on the line, by name."""
    return _quietly(given, lambda ask: ["best", "cheapest", "safest", *ask.loaded.kind.part("answers").ids(ask)])


def numbers(given: dict[str, Any]) -> list[str]:
    """The ids of the numbers of the scenario on the line, the lines of its bill first."""
    asked = given.get("scenario")
    scenario = asked if isinstance(asked, str) else "best"
    return _quietly(given, lambda ask: ask.loaded.kind.part("numbers").ids(ask, scenario))


def _quietly(given: dict[str, Any], found: Callable[[Ask], list[str]]) -> list[str]:
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
            return found(asked.ask())
    except Exception:  # the verb reports what is wrong with the plan when it is called
        return []
