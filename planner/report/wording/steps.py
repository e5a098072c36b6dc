"""Phases that speed up later ones, in words: what such a step costs, what it saves, and whether it pays."""

from __future__ import annotations

from planner.decide.comparison import Comparison, Step
from planner.estimate.result import Scenario
from planner.report.wording import figures, spoken
from planner.report.wording.line import Line


def sentences(comparison: Comparison) -> list[Line]:
    """One line for each step."""
    return [Line(text(comparison, step)) for step in comparison.steps]


def text(comparison: Comparison, step: Step) -> str:
    """`Phase precompute-latents costs $7.4k and 1.2 days and saves $14k and 2.2 days: ...`"""
    at = "p50" if comparison.draws else "plan"
    cost, days = _usd(step.done, at) - _usd(step.free, at), _days(step.done, at) - _days(step.free, at)
    gain, saved = _usd(step.left_out, at) - _usd(step.free, at), _days(step.left_out, at) - _days(step.free, at)
    skipped = step.done.id in {s.id for s in comparison.scenarios} and _is_skipped(comparison, step)
    verbs = ("would cost", "would save") if skipped else ("costs", "saves")
    verdict = "It pays off" if gain > cost else "It does not pay off in this run"
    setting = f"--set 'run.phases[{step.number - 1}].skip={'false' if skipped else 'true'}'"
    hint = f" {'With' if skipped else 'Without'} it: {setting}." if (gain > cost) == skipped else ""
    return (
        f"Phase {step.name} {verbs[0]} {_money(cost)} and {_time(days)} and {verbs[1]} {_money(gain)} and "
        f"{_time(saved)}: without it later phases take {step.speedup:g} times as long. {verdict}.{hint}"
    )


def _is_skipped(comparison: Comparison, step: Step) -> bool:
    run = comparison.plan.get("run")
    phases = run.get("phases", []) if isinstance(run, dict) else []
    return bool(phases[step.number - 1].get("skip")) if step.number <= len(phases) else False


def _usd(scenario: Scenario, at: str) -> float:
    assert scenario.cost_usd is not None  # a step is priced
    return getattr(scenario.cost_usd, at)


def _days(scenario: Scenario, at: str) -> float:
    assert scenario.days is not None  # a step is priced
    return getattr(scenario.days, at)


def _money(value: float) -> str:
    return figures.usd(value) if value else "nothing"


def _time(value: float) -> str:
    return spoken.run_days(value)
