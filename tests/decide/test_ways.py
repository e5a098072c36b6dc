"""A run rented, reserved and owned: sums, the break-even by both sides, published hourly costs, what is refused."""

from __future__ import annotations

import math

import pytest

from planner.decide.compare import Request, compare
from planner.decide.ways import Ways, ways_of
from planner.errors import UsageProblem
from planner.estimate.owned import energy_of, owned_nodes
from planner.models.bill_lines import bill_line
from planner.models.values import Values
from planner.plan.assumptions import resolve
from tests.builders import book_of, plan_of

OPTIONS = ["on-demand", "spot-fallback", "ri-1y-standard-no-upfront", "capacity-block"]


def ways(draws: int = 0, assumptions: dict[str, object] | None = None, **sections) -> Ways:
    sections.setdefault("purchase", {"options": OPTIONS})
    plan = plan_of(storage={"layouts": ["s3-stream"]}, assumptions=assumptions or {}, **sections)
    request = Request(plan=plan, plan_sha256="0" * 64, book=book_of(), draws=draws, derivations=False)
    comparison = compare(request)
    return ways_of(request, comparison, comparison.scenarios[0])


def test_what_is_paid_is_the_bill_of_the_gpu_nodes() -> None:
    found = ways()
    for paid in found.paid:
        nodes = [line for line in paid.scenario.bill if bill_line(line.line).family == "gpu-nodes"]
        assert paid.usd.plan == pytest.approx(sum(line.effective_cost for line in nodes))
        used = [line for line in nodes if not bill_line(line.line).unused]
        assert paid.used_usd.plan == pytest.approx(sum(line.effective_cost for line in used))
    assert {paid.scenario.option.family for paid in found.paid if paid.unused} == {"ri", "capacity-block"}


def test_the_parts_add_up_and_energy_is_priced_by_hand() -> None:
    found = ways()
    owned, hours = found.owned, found.gpu_hours.plan
    assert sum(part.plan for _, part in owned.parts) == pytest.approx(owned.usd.plan)
    # an 8-GPU A100 server of 6.5 kW, at 75 % of its power, with 25 % of overhead
    assert found.kwh_own.plan == pytest.approx(hours * 6.5 / 8 * 0.75 * 1.25)
    assert dict(owned.parts)["electricity"].plan == pytest.approx(found.kwh_own.plan * 0.0826)
    assert found.kg_co2_own.plan == pytest.approx(found.kwh_own.plan * 0.39)
    assert found.kwh_cloud.plan == pytest.approx(found.kwh_own.plan * 1.1 / 1.25)
    hardware = 18_500 * 0.14 * math.log(10) / 8766 / 0.83 * hours
    assert sum(part.plan for name, part in owned.parts if "electricity" not in name) == pytest.approx(hardware / 0.81)


def test_at_the_break_even_owned_costs_what_the_option_costs() -> None:
    found = ways()
    for break_even in found.break_evens:
        share = break_even.utilization_fraction.plan
        again = ways(assumptions={"owned.utilization_fraction": {"value": share}})
        paid = next(p for p in again.paid if p.scenario.id == break_even.scenario.id)
        assert again.owned.usd.plan == pytest.approx(paid.used_usd.plan)


def test_the_range_holds_the_planned_cost_and_every_part_of_it() -> None:
    found = ways(draws=2000)
    for value in (found.owned.usd, *(part for _, part in found.owned.parts), found.kwh_own, found.kg_co2_own):
        assert 0 < value.p10 < value.p50 < value.p90
        assert value.p10 <= value.plan <= value.p90
    # the range of the fraction of use is wider below: idle machines make the run costlier, never cheaper
    assert found.owned.usd.p90 - found.owned.usd.plan > found.owned.usd.plan - found.owned.usd.p10


def test_one_hour_of_an_a100_is_near_epochs_figure_for_stable_diffusion() -> None:
    """github epoch-research/training-cost-trends: 150,000 A100-hours cost 111,248 USD of 2023 on owned hardware."""
    values = Values(table=resolve({"owned.utilization_fraction": 1.0, "owned.interconnect_fraction": 0.0}))
    found = owned_nodes(book_of().instance("p4d.24xlarge"), 1, 150_000 / 8, values)
    assert found.usd == pytest.approx(111_248, rel=0.10)


def test_the_electricity_of_stable_diffusion_bounds_its_model_card() -> None:
    """The card counts 0.25 kW of the GPU alone; servers and building take twice that and more."""
    values = Values(table=resolve({}))
    found = energy_of(book_of().instance("p4d.24xlarge"), 1, 150_000 / 8, values, own=False)
    assert 150_000 * 0.25 * 2 < found.kwh < 150_000 * 0.25 * 4


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ({"fleet": {"instance_types": ["g6e.48xlarge"], "nodes": 4}}, "no price of a server with L40S is published"),
        ({"purchase": {"options": ["spot"]}}, "no purchase option holds the nodes"),
    ],
)
def test_what_is_not_known_is_refused(sections, words) -> None:
    with pytest.raises(UsageProblem, match=words):
        ways(**sections)
