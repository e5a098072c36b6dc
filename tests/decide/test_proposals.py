"""What `compare` proposes unasked: spares, a count that fits a Capacity Block, a longer block; each confirmed."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from planner.answer.measure import cost_of
from planner.decide.compare import compare
from planner.decide.comparison import Comparison, Proposal
from planner.decide.fitting_counts import fitting_counts
from planner.decide.proposals import MOST, WORTH, with_proposals
from planner.estimate.constraints import limit_of_plan
from planner.estimate.request import Request
from planner.plan.load import load_plan
from planner.plan.types import Plan
from planner.report.wording.proposals import sentences
from tests.builders import book_of, by_id, plan_of

DRAWS = 500
# without a tail a length is one block: with one, two parts leave a count less to save
BLOCK = {
    "purchase": {"options": ["on-demand", "capacity-block"], "capacity_block": {"tail": "none"}},
    "storage": {"layouts": ["s3-stream"]},
}


def asked(plan: Plan, draws: int = DRAWS) -> Request:
    return Request(plan=plan, plan_sha256="0" * 64, book=book_of(), draws=draws, derivations=False)


def proposed(plan: Plan, draws: int = DRAWS) -> Comparison:
    request = asked(plan, draws)
    return with_proposals(request, compare(request))


def changed(plan: Plan, proposal: Proposal) -> Plan:
    """The plan with the proposal's setting."""
    found = re.fullmatch(r"([a-z_]+)\.([a-z_.]+)=(.+)", proposal.setting)
    assert found
    section, path, value = found.groups()
    update: dict[str, Any] = {path: (int(value),) if path == "nodes" else int(value)}
    if path == "spares":
        update = {"own_spares": int(value)}
    if "." in path:
        inner, name = path.split(".")
        update = {inner: getattr(getattr(plan, section), inner).model_copy(update={name: int(value)})}
    return plan.model_copy(update={section: getattr(plan, section).model_copy(update=update)})


def the_only(found: Comparison, kind: str) -> Proposal:
    (proposal,) = [entry for entry in found.proposals if entry.kind == kind]
    return proposal


THIRTY_TWO = plan_of(run={"work": {"gpu_hours": 90_000}}, fleet={"nodes": 32}, **BLOCK)
MANY = plan_of(
    run={"work": {"gpu_hours": 2_785_536}},
    data={"hot_dataset": "200TB", "checkpoint": "113GB"},
    fleet={"nodes": 400},
    purchase={"options": ["on-demand"]},
    storage={"layouts": ["s3-stream"]},
)
TOO_SHORT = plan_of(
    run={"work": {"gpu_hours": 90_000}},
    fleet={"nodes": 32},
    purchase={"options": ["on-demand", "capacity-block"], "capacity_block": {"days": 14, "tail": "none"}},
    storage={"layouts": ["s3-stream"]},
)


def test_a_count_at_which_a_shorter_block_suffices() -> None:
    """15.8 days in 9 of 10 outcomes need a block of 21; with a few nodes more, a shorter one that is full."""
    found = proposed(THIRTY_TWO)
    proposal = the_only(found, "count")
    assert proposal.instead_of.block_days == 21
    assert proposal.scenario.block_days is not None
    assert proposal.scenario.block_days <= 14
    assert proposal.scenario.nodes > 32
    assert found.best is not None
    assert cost_of(proposal.scenario, "p50") < cost_of(found.best, "p50") * (1 - WORTH)


def test_no_other_count_is_clearly_cheaper_or_as_cheap_and_shorter() -> None:
    """Every count from half to twice as many, compared, within the assumed limit. The counts that are tried come from
    an estimate, so that another one may cost a little less, or be a little shorter."""
    found = proposed(THIRTY_TWO)
    assert found.best is not None
    assert found.best.limit_days is not None
    rows = [
        s
        for nodes in range(16, 65)
        for s in compare(asked(plan_of(run={"work": {"gpu_hours": 90_000}}, fleet={"nodes": nodes}, **BLOCK))).scenarios
        if s.eligible and s.option.family == "capacity-block" and s.days and s.days.p90 <= found.best.limit_days
    ]
    proposal, least = the_only(found, "count").scenario, min(cost_of(s, "p50") for s in rows)
    assert cost_of(proposal, "p50") <= least * (1 + 2 * WORTH)
    assert proposal.days is not None
    near = [s.days.p50 for s in rows if s.days and cost_of(s, "p50") <= least * (1 + WORTH / 2)]
    assert proposal.days.p50 <= min(near) * 1.15


def test_spares_where_failures_would_wait_for_a_node() -> None:
    found = proposed(MANY)
    proposal = the_only(found, "spares")
    assert found.best is not None
    assert cost_of(proposal.scenario, "p90") < cost_of(found.best, "p90") * (1 - WORTH)
    assert proposal.setting in ("fleet.spares=1", "fleet.spares=2")


def test_a_longer_block_where_the_planned_one_is_too_short() -> None:
    found = proposed(TOO_SHORT)
    assert the_only(found, "block").setting == "purchase.capacity_block.days=21"
    assert "the planned one is too short" in sentences(found)[0].text


def test_a_block_that_suffices_in_some_outcomes_only() -> None:
    plan = plan_of(
        run={"work": {"gpu_hours": 76_500}},
        fleet={"nodes": 32},
        purchase={"options": ["on-demand", "capacity-block"], "capacity_block": {"days": 13, "tail": "none"}},
        storage={"layouts": ["s3-stream"]},
    )
    found = proposed(plan)
    proposal = the_only(found, "block")
    assert proposal.instead_of.feasible
    assert not proposal.instead_of.eligible
    text = " ".join(line.text for line in sentences(found))
    assert re.search(r"A Capacity Block of 14 days, since 13 suffice in \d+% of the outcomes", text)


@pytest.mark.parametrize("plan", [THIRTY_TWO, MANY, TOO_SHORT], ids=["count", "spares", "block"])
def test_each_is_what_a_comparison_of_the_changed_plan_says(plan: Plan) -> None:
    for proposal in proposed(plan).proposals:
        row = by_id(compare(asked(changed(plan, proposal))))[proposal.scenario.id]
        assert row.cost_usd == proposal.scenario.cost_usd
        assert row.days == proposal.scenario.days
        assert row.eligible


@pytest.mark.parametrize("plan", [THIRTY_TWO, MANY, TOO_SHORT], ids=["count", "spares", "block"])
def test_at_most_two_one_of_each_kind_the_cheapest_first(plan: Plan) -> None:
    found = proposed(plan).proposals
    assert 1 <= len(found) <= MOST
    assert len({entry.kind for entry in found}) == len(found)
    costs = [cost_of(entry.scenario, "p50") + cost_of(entry.scenario, "p90") for entry in found]
    assert costs == sorted(costs)


def test_the_deadline_holds_for_what_is_proposed() -> None:
    plan = plan_of(run={"work": {"gpu_hours": 90_000}, "deadline": "10d"}, fleet={"nodes": 64}, **BLOCK)
    limit = limit_of_plan(plan)
    assert limit == 10
    for proposal in proposed(plan).proposals:
        assert proposal.scenario.days is not None
        assert proposal.scenario.days.p90 <= limit


def test_nothing_is_proposed_without_draws_without_a_recommendation_or_for_a_small_gain() -> None:
    assert proposed(THIRTY_TWO, draws=0).proposals == ()
    impossible = plan_of(run={"deadline": "1h"}, storage={"layouts": ["s3-stream"]})
    assert proposed(impossible).proposals == ()
    assert proposed(plan_of(purchase={"options": ["on-demand"]}, storage={"layouts": ["s3-stream"]})).proposals == ()


def test_gpus_of_a_plan_stay_gpus() -> None:
    loaded = load_plan("examples/sd2-256.yaml")
    purchase = loaded.plan.purchase
    alone = purchase.capacity_block.model_copy(update={"tail": "none"})
    plan = loaded.plan.model_copy(update={"purchase": purchase.model_copy(update={"capacity_block": alone})})
    request = replace(asked(plan), plan_sha256=loaded.sha256)
    proposal = the_only(with_proposals(request, compare(request)), "count")
    assert re.fullmatch(r"fleet\.gpus=A100:\d+", proposal.setting)
    assert proposal.scenario.gpus == int(proposal.setting.partition(":")[2])


def test_among_several_counts_the_id_says_which() -> None:
    plan = MANY.model_copy(update={"fleet": MANY.fleet.model_copy(update={"nodes": (380, 400)})})
    found = proposed(plan)
    assert found.best is not None
    assert the_only(found, "spares").scenario.id == found.best.id


def test_fitting_counts_are_few_and_near() -> None:
    request = asked(THIRTY_TWO)
    (block,) = [s for s in compare(request).scenarios if s.option.family == "capacity-block"]
    counts = list(fitting_counts(request, block, cost_of(block, "p50") * 1.1))
    assert 1 <= len(counts) <= 12
    assert all(16 <= nodes <= 65 and nodes != 32 for nodes in counts)
