"""What `explain` tells of a training plan: its scenarios, the numbers of one, one number."""

from __future__ import annotations

from planner.api.explanations import explanation_of, is_number
from planner.decide.comparison import Comparison
from planner.decide.enumerate import ids_of
from planner.errors import UsageProblem
from planner.estimate.derivations import known_of
from planner.kinds.asking import PRICING, Ask, Look, Watch
from planner.kinds.training.answers import named, plan_of, request_of
from planner.report.data import explanation_json
from planner.report.data.encoding import json_text
from planner.report.terminal import explanation_text

MOST_PRICED = 400  # scenarios; more would make a tab noticeably slow


def ids(ask: Ask, scenario: str) -> list[str]:
    """The ids of a scenario's numbers, the lines of its bill first; none where that takes long. Raises UsageProblem."""
    from planner.decide.compare import compare

    request = request_of(ask)
    if len(ids_of(request)) > MOST_PRICED:
        return []
    chosen = named(compare(request), scenario)
    lines = [entry.line for entry in chosen.bill]
    return [*lines, *(id for id in known_of(chosen) if id not in lines)]


def told(
    ask: Ask, scenario: str | None, number: str | None, style: str, look: Look, watch: Watch
) -> tuple[str, Comparison]:
    """(text, the comparison). Without a number the numbers are listed, without a scenario the scenarios; a number
    without a scenario is the recommended one's. Raises UsageProblem."""
    from planner.decide.compare import compare

    request = request_of(ask)
    with watch.each(PRICING) as each:
        comparison = compare(request, each)
    try:
        chosen = named(comparison, scenario) if scenario else None
    except UsageProblem:
        if number is not None or comparison.best is None or not is_number(comparison, comparison.best, str(scenario)):
            raise
        chosen, number = comparison.best, scenario
    if chosen is not None and number is not None and chosen.derived:
        found = explanation_of(plan_of(ask), request, comparison, chosen, number, plan_path=look.plan_path)
        if style == "json":
            return json_text(found.to_dict()), comparison
        shown = found.text(width=look.width, depth=look.depth, again=look.again, everything=look.everything)
        return shown, comparison
    if style == "json":
        return json_text(
            explanation_json.numbers(comparison, chosen) if chosen else explanation_json.scenarios(comparison)
        ), comparison
    if chosen is None:
        return explanation_text.scenarios(comparison, look.width, everything=look.everything), comparison
    return explanation_text.numbers(comparison, chosen, look.width, everything=look.everything), comparison
