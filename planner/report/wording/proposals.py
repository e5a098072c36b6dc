"""Changes of the plan that are worth acting on, in words."""

from __future__ import annotations

import shlex

from planner.decide.comparison import Comparison, Proposal
from planner.estimate.result import Scenario
from planner.report.wording import figures, spoken_choice
from planner.report.wording.eligibility import held_back
from planner.report.wording.line import Line


def sentences(comparison: Comparison) -> list[Line]:
    """One line for each proposal: what to set, and what it changes."""
    return [Line(f"Consider {option(entry)}: {why(comparison, entry)}") for entry in comparison.proposals]


def option(proposal: Proposal) -> str:
    """`--set fleet.nodes=33`, quoted for a shell."""
    return f"--set {shlex.quote(proposal.setting)}"


def why(comparison: Comparison, proposal: Proposal) -> str:
    """What the change is, and its cost and time instead of the recommended ones."""
    best, after = comparison.best, proposal.scenario
    assert best is not None and best.cost_usd and best.days and after.cost_usd and after.days  # noqa: PT018
    cost = " instead of ".join(
        f"{figures.usd(each.p50)} (P90 {figures.usd(each.p90)})" for each in (after.cost_usd, best.cost_usd)
    )
    days, before = figures.days(after.days.p50), figures.days(best.days.p50)
    time = f", {days} days instead of {before}" if days != before else ""
    choice = "" if _choice(after) == _choice(best) else f" with {spoken_choice.spoken(after)}"
    by_hand = f" It {held_back(after)}." if after.held_back else ""
    return f"{_what(proposal)}. {cost}{time}{choice}.{by_hand}"


def _choice(scenario: Scenario) -> tuple[str, str, str]:
    return scenario.layout, scenario.variant, scenario.purchase


def _what(proposal: Proposal) -> str:
    after, before = proposal.scenario, proposal.instead_of
    if proposal.kind == "spares":
        spares = int(proposal.setting.partition("=")[2])
        shorter = before.block_days not in (None, after.block_days)
        block = f", and a Capacity Block of {after.block_days:g} days suffices" if shorter else ""
        return f"{figures.many(spares, 'spare node')} in all, so that a failed node is replaced without a wait{block}"
    if proposal.kind == "count":
        instead = f" instead of {before.block_days:g}" if before.block_days not in (None, after.block_days) else ""
        several = after.blocks
        blocks = "a Capacity Block" if several == 1 else f"{several} Capacity Blocks"
        return f"{after.nodes} nodes fill {blocks} of {after.block_days:g} days{instead}"
    found = next((entry for entry in before.shortfalls if entry.kind == "block"), None)
    short = "the planned one is too short"
    if found and found.limit is not None:
        short = f"{found.limit:g} suffice in {figures.percent(found.fraction)} of the outcomes"
    return f"A Capacity Block of {after.block_days:g} days, since {short}"
