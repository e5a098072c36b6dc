"""Every line that a bill can have is registered, with the part, component and budget that the program relies on."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from infra.billing import carriers
from planner.decide.compare import compare
from planner.models.bill_lines import LINES, SPOT_INTERRUPTIONS, UnknownBillLine, bill_line
from planner.models.ledger import Ledger
from planner.report.wording.breakdown import parts_of
from planner.report.wording.worker_pool_tables import WHAT
from planner.stack.component import COMPONENTS, component_of
from pricing.offers import ALL_PURCHASE_OPTIONS
from tests.builders import book_of, compared, plan_of
from tools.model_uses import PLANS, asked

EVERY_OPTION = f"purchase.options=[{', '.join(ALL_PURCHASE_OPTIONS)}]"
PEOPLE = "people={engineers: 2, experiments: true, preprocessing: {gpu_hours: 100}}"


@cache
def lines_that_occur() -> frozenset[str]:
    """Every line, priced or not, of every example and layout under every purchase option."""
    found = {SPOT_INTERRUPTIONS}
    # what follows a Capacity Block is on the planned bill where the plan's own block is too short
    after = [("small", f"purchase.capacity_block={{days: 3, extension: {word}}}") for word in ("true", "false")]
    for example, *changes in (*PLANS, *after, ("small", "deploy.scheduler=slurm")):
        for scenario in compare(asked(example, (*changes, EVERY_OPTION, PEOPLE)).request()).scenarios:
            found |= {line.line for line in (*scenario.bill, *scenario.unpriced)}
    return frozenset(found)


@pytest.mark.thorough
def test_every_line_that_occurs_is_registered() -> None:
    for line in lines_that_occur():
        entry = bill_line(line)
        assert entry.part
        if entry.in_stack:
            assert component_of(line) in COMPONENTS
            assert carriers(line)


@pytest.mark.thorough
def test_every_registered_line_occurs() -> None:
    used = {bill_line(line) for line in lines_that_occur()}
    # of the pools of workers, whose bill is another
    of_pools = {bill_line(line) for line in WHAT}
    assert set(LINES) - used - of_pools == set()
    assert {line.pattern for line in of_pools - used} == {"fleet.logs", "fleet.compute-*"}


@pytest.mark.parametrize("line", ["", "fleet.", "fleet.snacks", "network.vpn", "people.lawyers", "storage.tape"])
def test_an_unknown_line_is_an_error_everywhere(line: str) -> None:
    with pytest.raises(UnknownBillLine, match="not registered"):
        bill_line(line)
    with pytest.raises(UnknownBillLine):
        component_of(line)
    with pytest.raises(UnknownBillLine):
        carriers(line)
    with pytest.raises(UnknownBillLine):
        Ledger(book_of(), "us-east-1").look_up(line, lambda: 1.0)


def test_a_breakdown_refuses_an_unknown_line() -> None:
    best = compared(plan_of()).best
    assert best is not None
    odd = replace(best.bill[0], line="fleet.snacks")
    with pytest.raises(UnknownBillLine):
        parts_of(replace(best, bill=(odd, *best.bill)))


def test_people_belong_to_no_stack_and_no_budget() -> None:
    for line in ("people.staff", "people.experiments", "people.preprocessing"):
        assert not bill_line(line).in_stack
        assert not bill_line(line).in_budget
