"""A short table has a row for each way to buy and to store, whatever the number of node counts."""

from __future__ import annotations

import pytest

from planner.decide.leaders import leaders_of
from planner.decide.shortlist import FEW_COUNTS, shortlist_of
from tests.builders import compared, plan_of


def found(nodes):
    return compared(plan_of(fleet={"nodes": nodes}, run={"deadline": "30d"}), draws=60)


def ways(scenarios):
    return [(s.layout, s.variant, s.option.id) for s in scenarios]


def test_of_many_node_counts_the_first_of_each_way_and_what_the_answer_names_have_a_row():
    comparison = found("3..9")
    shortlist = shortlist_of(comparison)
    rows, named = [s for _, s in shortlist.rows], {s.id for s in leaders_of(comparison)}
    assert len(rows) > 3
    unnamed = [s for s in rows if s.id not in named]
    assert len(set(ways(unnamed))) == len(unnamed)
    first = {way: s.id for way, s in reversed(list(zip(ways(comparison.scenarios), comparison.scenarios, strict=True)))}
    assert all(s.id == first[ways([s])[0]] for s in unnamed)
    # nothing is lost: each feasible choice is a row, folded, or among what has no row
    folded = [s for family in shortlist.families for s in family.scenarios]
    parts = [*rows, *folded, *shortlist.other_counts, *shortlist.not_eligible, *shortlist.unpriced]
    assert sorted(s.id for s in parts) == sorted(s.id for s in comparison.scenarios if s.feasible)
    assert len(shortlist_of(comparison, everything=True).rows) == len(parts)


@pytest.mark.parametrize("nodes", [4, [4, 8], "4..6"])
def test_few_node_counts_keep_their_rows(nodes):
    comparison = found(nodes)
    assert FEW_COUNTS == 3
    assert not shortlist_of(comparison).other_counts
