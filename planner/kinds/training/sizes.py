"""The search of `optimize` for a training plan: fleets, layouts and purchases."""

from __future__ import annotations

from collections.abc import Sequence

from planner.api.optima import Optimum, optimum_of
from planner.estimate.result import Scenario
from planner.kinds.asking import SEARCHING, Ask, Look, Watch
from planner.kinds.training.answers import request_of

FORMATS = ("table", "json", "md")


def searched(ask: Ask, minimize: str, watch: Watch) -> Optimum:
    """minimize: "cost" or "time"."""
    request = request_of(ask, derivations=False, spares=False)
    with watch.each(SEARCHING) as each:
        return optimum_of(request, minimize, each)


def written(found: Optimum, style: str, look: Look) -> str:
    """In a format."""
    if style == "table":
        from planner.report.terminal.optimum_text import render

        return render(
            found,
            width=look.width,
            colour=look.colour,
            ascii_only=look.ascii_only,
            top=look.top or 0,
            plan_path=look.plan_path,
            again=look.again,
        )
    if style == "json":
        from planner.report.data.optimum_json import render as render_json

        return render_json(found)
    from planner.report.markdown.optimum_markdown import render as render_markdown

    return render_markdown(found, plan_path=look.plan_path, again=look.again)


def best(found: Optimum) -> tuple[Scenario | None, Sequence[str]]:
    """(the recommended scenario or None, what it adds to the plan)."""
    from planner.report.wording.optimum import settings

    chosen = found.recommended
    return found.comparison.best, settings(chosen) if chosen else ()
