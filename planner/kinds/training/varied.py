"""The study of `sensitivity` for a training plan."""

from __future__ import annotations

from planner.api.sensitivities import Sensitivity, sensitivity_of
from planner.kinds.asking import PRICING, STUDYING, Ask, Look, Watch
from planner.kinds.training.answers import named, request_of

FORMATS = ("table", "json", "svg")
NOTHING = "no scenario is recommended; `planner compare` shows the reasons (--scenario 1 varies its first row)"


def studied(ask: Ask, scenario: str | None, against: str | None, watch: Watch) -> Sensitivity | None:
    """Every assumption at both ends; None where no scenario is named and none is recommended. Raises UsageProblem."""
    from planner.decide.compare import compare

    request = request_of(ask, derivations=False)
    with watch.each(PRICING) as each:
        comparison = compare(request, each)
    chosen = named(comparison, scenario) if scenario else comparison.best
    if chosen is None:
        return None
    other = named(comparison, against) if against else None
    with watch.each(STUDYING) as each:
        return sensitivity_of(
            *(request, comparison, chosen, other),
            best="--scenario best",
            against="--against",
            listing="`planner compare` shows all",
            each=each,
        )


def written(found: Sensitivity, style: str, look: Look) -> str:
    """In a format."""
    if style == "json":
        from planner.report.data.sensitivity_json import render as render_json

        return render_json(found.comparison, found.study, found.against)
    if style == "svg":
        from planner.report.pictures.tornado import alone, tornado_of

        return alone(tornado_of(found.study))
    return found.text(
        width=look.width,
        ascii_only=look.ascii_only,
        top=look.top or 0,
        of=look.of,
        plan_path=look.plan_path,
        again=look.again,
    )
