"""The bill in AWS's order: its user guide's own example, and the same by hand on random markets."""

from __future__ import annotations

import numpy as np
import pytest

from planner.mix.model import Kind, Market, Offer, Usage
from planner.mix.order import Biller
from tests.mix.markets import by_hand, random_market


def _one_hour(**plans: float) -> float:
    """The example of AWS's user guide (an earlier edition of sp-applying.html): one c5.9xlarge at 4.00, 2.00 and 1.00
    USD On-Demand, Compute and EC2 Instance, and one c5.24xlarge at 10.00, 8.00 and 6.00."""
    usage = [
        Usage(instance_type="c5.9xlarge", price=4.0, hours=np.array([1.0])),
        Usage(instance_type="c5.24xlarge", price=10.0, hours=np.array([1.0])),
    ]
    rates = {"compute": {"c5.9xlarge": 2.0, "c5.24xlarge": 8.0}, "instance": {"c5.9xlarge": 1.0, "c5.24xlarge": 6.0}}
    kinds = {"compute": Kind.COMPUTE_PLAN, "instance": Kind.INSTANCE_PLAN}
    offers = [Offer(name=name, kind=kinds[name], rates=rates[name], price=1.0) for name in plans]
    return Biller(Market(usage=tuple(usage), offers=tuple(offers))).total(np.array(list(plans.values())))


def test_the_highest_saving_comes_first():
    # 2 USD cover the c5.9xlarge (50 %), 0.5 / 8 of the other (20 %) is covered by the rest
    assert _one_hour(compute=2.5) == pytest.approx(2.5 + 10 * (1 - 0.5 / 8))


def test_instance_plans_come_before_compute_plans():
    # the instance plan takes the c5.9xlarge at 1.00 (75 %) and 1 / 6 of the other; Compute 4 / 8 of the rest
    assert _one_hour(compute=4.0, instance=2.0) == pytest.approx(6 + 10 * (1 - 1 / 6 - 4 / 8))


def test_what_is_not_used_in_an_hour_is_lost():
    assert _one_hour(compute=50.0) == pytest.approx(50.0)


def test_reserved_instances_come_first_and_cover_one_type():
    usage = [Usage(instance_type=name, price=4.0, hours=np.array([2.0, 0.0])) for name in ("a", "b")]
    offers = [
        Offer(name="ri", kind=Kind.RESERVED, rates={"a": 1.0}, price=1.5, most=9),
        Offer(name="sp", kind=Kind.COMPUTE_PLAN, rates={"a": 2.0, "b": 2.0}, price=1.0),
    ]
    market = Market(usage=tuple(usage), offers=tuple(offers))
    # 3 reserved for 2 hours; both a are covered by them, so 2 USD cover one b of two
    bill = Biller(market).bill(np.array([3.0, 2.0]))
    assert bill.total == pytest.approx(3 * 1.5 * 2 + 2 * 2 + 4)
    assert bill.used == (pytest.approx(2 / 6), pytest.approx(0.5))


@pytest.mark.parametrize("seed", range(12))
def test_the_bill_is_the_one_by_hand(seed):
    market = random_market(seed, interruptible=seed % 2 == 1, windows=seed % 3 == 2)
    amounts = np.random.default_rng(seed).uniform(0, 8, len(market.offers)).round()
    biller = Biller(market)
    assert biller.total(amounts) == pytest.approx(by_hand(market, amounts), rel=1e-12)
    assert biller.bill(amounts).total == pytest.approx(biller.total(amounts), rel=1e-12)
