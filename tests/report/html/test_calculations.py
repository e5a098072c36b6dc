"""How far the numbers on the page go: the same as `explain` says of each alone."""

from __future__ import annotations

import re

import pytest

from planner.decide.compare import Request, compare
from planner.decide.explain import explain
from planner.decide.spreads import spreads_of
from planner.report.html import page as as_html
from planner.report.html.calculations import lines_of, numbers_of
from planner.report.wording.break_evens import compared as shown
from tests.builders import book_of


@pytest.fixture(scope="module")
def spreads(request_, comparison):
    return spreads_of(request_, comparison.scenarios[0])


@pytest.mark.parametrize("id", ["fleet.compute", "run.hours", "cost_usd", "network.nat-data.pricing_quantity"])
def test_each_is_what_explain_says(request_, comparison, spreads, id):
    alone = explain(request_, comparison.scenarios[0], id)
    assert spreads[id].draws == alone.draws
    assert spreads[id].widest == alone.movers[0]


def test_what_nothing_moves_has_none(spreads):
    assert "fleet.compute" in spreads
    assert "nodes" not in spreads or spreads["nodes"].widest is None


def test_a_lower_bound_has_no_range_here_either(request_):
    book = book_of().without(lambda table, row: table == "metered" and "S3 Standard storage" in row.values())
    request = Request(plan=request_.plan, plan_sha256="0" * 64, book=book, draws=50)
    (scenario,) = compare(request).scenarios
    found = spreads_of(request, scenario)
    assert found["cost_usd"].draws is None
    assert found["fleet.compute"].draws is not None


def test_the_page_has_range_and_ends_beside_the_number(comparison, spreads):
    (scenario,) = comparison.scenarios
    page = as_html.render(comparison, spreads={scenario.id: spreads})
    found = spreads["run.hours"]
    entry = re.search(r'<dt id="n1-run.hours">.*?</dd>', page, re.DOTALL)
    assert entry
    for value in (found.draws.p10, found.draws.p90, found.widest.at_low, found.widest.at_high):
        assert shown(value) in entry[0]
    assert found.widest.parameter.key in entry[0]
    hands = [*lines_of(comparison, scenario, 1, spreads), *numbers_of(comparison, scenario, 1, spreads)]
    assert all(hand.reach in page for hand in hands)
    assert sum(bool(hand.reach) for hand in hands) > 30


def test_without_them_the_page_says_nothing_of_it(comparison):
    assert "After them, the same number" not in as_html.render(comparison)
