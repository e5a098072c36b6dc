"""The commands from an approved plan to a running fleet, in their order; each that spends money says so, and how
much."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from planner.decide.comparison import Comparison
from planner.estimate.node_purchase import BLOCK_FEE
from planner.estimate.result import Scenario
from planner.models.bill_lines import BLOCK_UNUSED, COMPUTE
from planner.models.block_sizes import block_sizes
from planner.report.wording import figures
from planner.report.wording.recommendation import section

PAID = (COMPUTE, BLOCK_UNUSED)  # with the fee of a block
LONGEST = 200  # characters of a path that a command repeats
UNTIL = "until pulumi destroy"
COMMITTED = "bought in your account, for the whole term: the stack does not buy it"


@dataclass(frozen=True, kw_only=True)
class Command:
    """What to type. note: what it does, and what it spends."""

    text: str
    note: str = ""


def in_order(comparison: Comparison, best: Scenario, plan_path: str, again: Sequence[str]) -> list[Command]:
    """Of the recommended choice, from its stack file to the running fleet."""
    path = plan_path if len(plan_path) <= LONGEST else "PLAN"
    plan = " ".join([shlex.quote(figures.visible(path)), *map(shlex.quote, again), "--scenario best"])
    stack = f"--stack {section(comparison, 'deploy').get('stack') or 'dev'}"
    sizes = block_sizes(best.nodes) if best.block_plan else ()
    return [
        Command(text=f"planner stack {plan} {stack}", note="writes the stack file, and says what it still lacks"),
        Command(text=f"planner check {plan} {stack}", note="asks the account, changes nothing"),
        *purchases(best, f"planner reserve {stack}", sizes),
        Command(text=f"pulumi preview {stack}", note="shows what it will create"),
        Command(text=f"pulumi up {stack}", note=_up(best)),
    ]


def purchases(scenario: Scenario, reserve: str, sizes: Sequence[int]) -> list[Command]:
    """Of Capacity Blocks of so many nodes: a look at the offers of each size, then each purchase with its planned fee.
    reserve: the command."""
    plan = scenario.block_plan
    if plan is None or not sizes:
        return []
    days_first, *more = plan.parts or (int(plan.days),)
    return [
        *(_look(reserve, size, first=sizes[0]) for size in dict.fromkeys(sizes)),
        *(Command(text=reserve, note=_spends(scenario, size, days_first, "for")) for size in sizes),
        *(
            Command(text=f"{reserve} --extend --days {days}", note=_spends(scenario, size, days, "the same day, by"))
            for days in more
            for size in sizes
        ),
    ]


def _look(reserve: str, nodes: int, *, first: int) -> Command:
    """first: the nodes of the block that is bought next, whose offers it shows by itself."""
    size = "" if nodes == first else f" --nodes {nodes}"
    return Command(
        text=f"{reserve} --dry-run{size}", note=f"shows the offers of {figures.many(nodes, 'node')}, buys nothing"
    )


def _spends(scenario: Scenario, nodes: int, days: int, how: str) -> str:
    plan = scenario.block_plan
    assert plan is not None  # the caller has one
    usd = figures.usd(plan.usd * nodes / scenario.nodes * days / plan.days)
    return (
        f"spends about {usd} at once, not refundable: {figures.many(nodes, 'node')} {how} {figures.many(days, 'day')}"
    )


def hourly(usd_per_hour: Mapping[str, float], *, block: bool) -> str:
    """What `pulumi up` spends an hour, by line. block: the nodes are in a Capacity Block, which is paid."""
    return _bills(
        math.fsum(usd for line, usd in usd_per_hour.items() if not block or line not in PAID), "an hour", block
    )


def _bills(usd: float, each: str, block: bool) -> str:
    return f"spends about {figures.usd(usd)} {each}{' beside the paid block' if block else ''}, {UNTIL}"


def _up(best: Scenario) -> str:
    billed = best.billed_usd or best.cost_usd
    if best.option.years or billed is None or best.days is None or not best.days.plan:
        return f"bills by the hour {UNTIL}; {COMMITTED}"
    fee = math.fsum(entry.usd for entry in best.cash if entry.derivation == BLOCK_FEE)
    return _bills(max(billed.plan - fee, 0.0) / best.days.plan, "a day", bool(best.block_plan))
