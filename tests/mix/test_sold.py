"""What AWS sells, out of the price book, and what is owned."""

from __future__ import annotations

import pytest

from planner.errors import UsageProblem
from planner.mix.model import Kind
from planner.mix.sold import offers, owned, sold
from pricing.book import default_book

TYPES = ["p4d.24xlarge", "p5.48xlarge"]


def _sold(**changed):
    asked = {"years": 1, "upfront": "no-upfront", "interruptible": set(), "blocks": False, **changed}
    return sold(default_book(), "us-east-1", TYPES, **asked)


def test_prices_are_those_of_the_book_and_what_is_not_sold_is_named():
    found, book = _sold(), default_book()
    assert found.on_demand["p4d.24xlarge"].usd == book.on_demand("p4d.24xlarge", "us-east-1").usd
    assert "p5.48xlarge" not in found.commitments["ri-1y-standard-no-upfront"]
    assert any("ri-1y-standard-no-upfront for p5.48xlarge" in text for text in found.unknown)


def test_each_month_sells_the_same_and_a_plan_of_a_family_covers_that_family():
    made = offers(_sold(years=3), months=2, month=730)
    assert [o.name for o in made if o.first == 0] == [o.name for o in made if o.first == 730]
    family = next(o for o in made if o.kind is Kind.INSTANCE_PLAN and o.name.endswith(" p5"))
    assert list(family.rates) == ["p5.48xlarge"]
    assert {o.price for o in made if o.kind is not Kind.RESERVED} == {1.0}


def test_blocks_are_offered_by_the_month_up_to_256():
    made = [o for o in offers(_sold(blocks=True), months=3, month=730) if o.name.startswith("capacity-block")]
    assert [(o.first, o.last, o.most) for o in made[:1]] == [(0, 730, 256)]
    assert len(made) == 6


def test_what_is_owned_costs_nothing_more_and_reservations_are_usage():
    found = owned(("ri:p4d.24xlarge=3", "sp-compute=12.5", "odcr:p5.48xlarge=4"), _sold())
    assert [(o.kind, o.price, o.least, o.most) for o in found.offers] == [
        (Kind.RESERVED, 0.0, 3, 3),
        (Kind.COMPUTE_PLAN, 0.0, 12.5, 12.5),
    ]
    assert found.reservations == {"p5.48xlarge": 4}


@pytest.mark.parametrize("entry", ["ri:p4d=3", "ri:g5.48xlarge=3", "sp-instance:g5=3", "sp-compute=-1", "x"])
def test_what_cannot_be_owned_is_refused(entry):
    with pytest.raises(UsageProblem, match="--owned"):
        owned((entry,), _sold())


def test_a_type_without_a_price_is_refused_by_name():
    with pytest.raises(UsageProblem, match=r"x9\.huge"):
        sold(default_book(), "us-east-1", ["x9.huge"], years=1, upfront="no-upfront", interruptible=set(), blocks=False)
