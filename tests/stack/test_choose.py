"""The spec is what was priced: its sizes times the book's prices are the dollars of the bill again."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date

import pytest

from planner.answer.ranges import Range
from planner.decide.compare import Request, compare
from planner.errors import PlanProblems, UsageProblem
from planner.plan.load import LoadedPlan, plan_sha256
from planner.stack.choose import FromAccount, budget_usd, spec_of
from planner.stack.component import COMPONENTS, usd_per_hour_by_component
from planner.stack.plain_data import to_mapping
from tests.builders import book_of, plan_of


def loaded_of(**sections) -> LoadedPlan:
    plan = plan_of(**sections)
    return LoadedPlan(plan=plan, sha256=plan_sha256(plan), where="plan.yaml", places={(): (1, 1)}, overridden={})


def chosen(scenario_id: str, *, book=None, given: FromAccount | None = None, nic_profile="ip-saving", **sections):
    """(spec, scenario) of one scenario of the small plan, changed."""
    purchase = {"options": [scenario_id.rpartition("/")[2]], **sections.pop("purchase", {})}
    loaded, book = loaded_of(**sections, purchase=purchase), book or book_of()
    comparison = compare(Request(plan=loaded.plan, plan_sha256=loaded.sha256, book=book, draws=0))
    scenario = next(s for s in comparison.scenarios if s.id == scenario_id)
    return spec_of(loaded, comparison, scenario, book, given=given, nic_profile=nic_profile), scenario


def on_demand(instance_type: str) -> float:
    return book_of().on_demand(instance_type, "us-east-1").usd


def test_converged_stands_as_it_was_priced():
    spec, scenario = chosen("converged/p4d.24xlarge/on-demand")
    gp3 = book_of().metered("AmazonEBS", "gp3 storage", "us-east-1").tiers[0].usd / 730
    fleet, control, usd = spec.fleet, spec.control, spec.usd_per_hour
    assert (fleet.nodes, fleet.drives, fleet.network_cards, fleet.efa_interfaces) == (4, 8, 4, 4)
    assert fleet.reserved_vcpu == 8  # of 96
    assert usd["fleet.compute"] == pytest.approx(fleet.nodes * on_demand("p4d.24xlarge"))
    assert usd["fleet.ebs"] == pytest.approx(fleet.nodes * fleet.root_volume_gib * gp3)
    assert usd["pool.control-nodes"] == pytest.approx(control.count * on_demand(control.instance_type))
    assert usd["pool.control-ebs"] == pytest.approx(control.count * control.root_volume_gib * gp3)
    assert math.fsum(usd.values()) == pytest.approx(math.fsum(line.usd_per_hour or 0 for line in scenario.bill))


@pytest.mark.parametrize("capacity", ["3TB", "40TB"])
def test_lustre_stands_as_it_was_priced(capacity):
    settings = {"layouts": ["fsx-lustre"], "fsx-lustre": {"capacity": capacity, "throughput_mbps_per_tib": [500]}}
    spec, _ = chosen("fsx-lustre+500/p5.48xlarge/on-demand", storage=settings, **P5, data=SMALL_DATA)
    book = book_of()
    gb_month = book.metered("AmazonFSx", "PERSISTENT_2 SSD storage", "us-east-1", "500 MB/s/TiB").tiers[0].usd
    lustre = spec.lustre
    assert lustre is not None
    assert (lustre.mbps_per_tib, lustre.metadata_iops, lustre.efa) == (500, 0, False)
    assert spec.usd_per_hour["storage.lustre.capacity"] == pytest.approx(lustre.capacity_gib * gb_month / 730)
    assert lustre.capacity_gib * 2**30 >= float(capacity[:-2]) * 1e12 > (lustre.capacity_gib - 2400) * 2**30


P5 = {"fleet": {"instance_types": ["p5.48xlarge"], "nodes": 4}}
SMALL_DATA = {"hot_dataset": "1TB"}


def test_lustre_over_efa_and_with_metadata_grows_in_steps_of_its_own():
    lustre = {"throughput_mbps_per_tib": [1000], "efa": True, "metadata_iops": 24_000}
    spec, _ = chosen("fsx-lustre+1000/p5.48xlarge/on-demand", storage={"fsx-lustre": lustre}, **P5, data=SMALL_DATA)
    assert spec.lustre is not None
    assert (spec.lustre.efa, spec.lustre.metadata_iops, spec.lustre.capacity_gib % 4800) == (True, 24_000, 0)


def test_a_separate_cluster_stands_as_it_was_priced():
    spec, _ = chosen("separate-nvme/p4d.24xlarge/on-demand", storage={"separate-nvme": {"spares": 2}})
    nvme = spec.nvme
    assert nvme is not None
    assert nvme.spares == 2
    assert spec.usd_per_hour["storage.nvme.nodes"] == pytest.approx(nvme.nodes * on_demand(nvme.instance_type))
    assert spec.control.count == 3


@pytest.mark.parametrize("layout", ["converged", "separate-nvme"])
def test_sizes_do_not_need_prices(layout):
    """The book of 2023 has next to no price of Tokyo: the bill has no line to read sizes from, the nodes stand."""
    book = book_of(date(2023, 12, 31))
    name = f"{layout}/p4d.24xlarge/on-demand"
    spec, scenario = chosen(name, book=book, region="ap-northeast-1", storage={"layouts": [layout]})
    assert "fleet.compute" not in {line.line for line in scenario.bill}
    assert (spec.fleet.nodes, spec.fleet.root_volume_gib, spec.control.count) == (4, 200, 3)
    assert (spec.nvme is not None) == (layout == "separate-nvme")
    assert spec.unpriced == tuple(dict.fromkeys(entry.line for entry in scenario.unpriced))
    assert not set(spec.unpriced) & {*spec.usd_per_hour, *spec.metered}
    assert spec.guard.budget_usd >= 1


def test_a_budget_can_be_given():
    loaded, book = loaded_of(purchase={"options": ["on-demand", "spot", "capacity-block"]}), book_of()
    comparison = compare(Request(plan=loaded.plan, plan_sha256=loaded.sha256, book=book, draws=0))
    assert comparison.best is not None
    assert spec_of(loaded, comparison, comparison.best, book, budget=77.0).guard.budget_usd == 77


@pytest.mark.parametrize(
    ("purchase", "given", "kind"),
    [
        ("spot", FromAccount(), "spot"),
        ("on-demand", FromAccount(), "on-demand"),
        ("ri-1y-standard-no-upfront", FromAccount(), "on-demand"),
        ("sp-3y-instance-no-upfront", FromAccount(reservation_id="cr-0123456789abcdef0"), "reservation"),
        ("capacity-block", FromAccount(), "capacity-block"),
    ],
)
def test_how_it_is_bought(purchase, given, kind):
    spec, _ = chosen(f"s3-stream/p4d.24xlarge/{purchase}", given=given)
    assert spec.buying.kind == kind
    if kind == "capacity-block":
        assert {"buying.reservation_id", "buying.ends"} <= set(spec.placeholders)


def test_the_end_of_a_block_is_written_in_one_way():
    given = FromAccount(reservation_id="cr-0123456789abcdef0", ends="2026-11-30T12:30+01:00")
    spec, _ = chosen("s3-stream/p4d.24xlarge/capacity-block", given=given)
    assert spec.buying.ends == "2026-11-30T11:30:00Z"


def test_a_block_may_start_later_and_a_reservation_be_of_a_group():
    given = FromAccount(
        reservation_id="cr-0123456789abcdef0", starts="2026-11-24T12:30+01:00", ends="2026-11-30T11:30Z"
    )
    spec, _ = chosen("s3-stream/p4d.24xlarge/capacity-block", given=given)
    assert (spec.buying.starts, spec.buying.ends) == ("2026-11-24T11:30:00Z", "2026-11-30T11:30:00Z")
    given = FromAccount(reservation_id="cr-0123456789abcdef0", placement_group="close")
    spec, _ = chosen("s3-stream/p4d.24xlarge/on-demand", given=given)
    assert (spec.buying.kind, spec.buying.placement_group) == ("reservation", "close")


def test_impossible_choices_are_refused():
    with pytest.raises(PlanProblems, match="spot capacity cannot be reserved"):
        chosen("s3-stream/p4d.24xlarge/spot", given=FromAccount(reservation_id="cr-0123456789abcdef0"))
    with pytest.raises(PlanProblems, match="not deployed"):
        chosen("fsx-lustre+scratch/p4d.24xlarge/spot", storage={"fsx-lustre": {"deployment": "SCRATCH_2"}})
    with pytest.raises(UsageProblem, match="priced but not deployed"):
        chosen("separate-nvme/p4d.24xlarge/spot", storage={"separate-nvme": {"protection": "16+4"}})
    with pytest.raises(UsageProblem, match=r"is not feasible: .*this plan needs 400"):
        chosen("s3-stream/p4d.24xlarge/capacity-block", fleet={"nodes": 400})
    with pytest.raises(UsageProblem, match="needs a whole number"):
        chosen("s3-stream/p4d.24xlarge/spot", assumptions={"guard.alarms": 2.5})


def test_the_plan_says_what_it_knows_and_the_call_more():
    deploy = {"zone_id": "use1-az4", "ami": "ami-00000000", "notify": "a@example.org", "stack": "prod"}
    spec, _ = chosen("s3-stream/p4d.24xlarge/spot", deploy=deploy, given=FromAccount(ami="ami-11111111"))
    assert (spec.stack, spec.zone_id, spec.fleet.ami, spec.guard.notify) == (
        "prod",
        "use1-az4",
        "ami-11111111",
        "a@example.org",
    )
    assert spec.placeholders == ()
    assert chosen("s3-stream/p4d.24xlarge/spot")[0].placeholders == ("fleet.ami", "zone_id", "guard.notify")


def test_spot_stands_in_the_zone_whose_price_was_taken():
    spec, _ = chosen("s3-stream/p4d.24xlarge/spot", purchase={"zone_id": "use1-az6", "options": ["spot"]})
    assert spec.zone_id == "use1-az6"


def test_people_and_the_rest_of_a_term_are_not_of_the_stack():
    spec, scenario = chosen(
        "s3-stream/p4d.24xlarge/ri-1y-standard-no-upfront", people={"engineers": 2, "experiments": True}
    )
    costs = {line.line: line.effective_cost for line in scenario.bill}
    apart = [name for name in costs if name.startswith("people.")] + ["fleet.commitment-unused"]
    assert len(apart) >= 3
    billed = sum(costs.values()) - sum(costs[name] for name in apart)
    assert scenario.billed_usd is not None
    assert scenario.billed_usd.plan == pytest.approx(billed)
    assert billed <= spec.guard.budget_usd <= billed * 1.01  # without draws P90 is the planned cost, rounded up
    assert not any(name.startswith("people.") for name in (*spec.usd_per_hour, *spec.metered, *spec.unpriced))


@pytest.mark.parametrize(
    ("p90", "budget"), [(11_123.5, 11_200.0), (11_200.0, 11_200.0), (0.2, 1.0), (98_765_432.1, 98_800_000.0)]
)
def test_the_budget_is_p90_rounded_up_to_three_digits(p90, budget):
    _, scenario = chosen("s3-stream/p4d.24xlarge/on-demand")
    billed = Range(plan=0.1, p10=0.1, p50=0.1, p90=p90)
    assert budget_usd(replace(scenario, billed_usd=billed)) == budget


def test_without_a_p90_the_budget_must_be_given():
    _, scenario = chosen("s3-stream/p4d.24xlarge/on-demand")
    endless = replace(scenario, billed_usd=Range(plan=1.0, p10=1.0, p50=1.0, p90=math.inf), unfinished_fraction=0.12)
    with pytest.raises(UsageProblem, match=r"does not finish in 12\.0% of the outcomes: .*--budget USD"):
        budget_usd(endless)


def test_days_are_the_limit_else_the_deadline_else_the_planned_ones():
    name = "s3-stream/p4d.24xlarge/on-demand"
    spec, scenario = chosen(name)
    assert scenario.days is not None
    assert spec.guard.max_days == pytest.approx(scenario.days.plan, abs=0.005)
    run = {"work": {"gpu_hours": 4000}, "deadline": "20d"}
    assert chosen(name, run=run)[0].guard.max_days == 20
    assert chosen(name, run=run, constraints={"max_days": 15})[0].guard.max_days == 15


@pytest.mark.parametrize("layout", ["converged", "fsx-lustre", "separate-nvme", "s3-stream"])
def test_the_components_share_out_all_that_stands(layout):
    spec, _ = chosen(f"{layout}/p4d.24xlarge/on-demand")
    found = usd_per_hour_by_component(spec)
    assert set(found) <= set(COMPONENTS)
    assert math.fsum(found.values()) == pytest.approx(math.fsum(spec.usd_per_hour.values()))
    assert ("lustre" in found, "nvme" in found) == (layout == "fsx-lustre", layout == "separate-nvme")


def test_nothing_is_evaluated_again(monkeypatch):
    """A scenario keeps its sizes: once compared, a spec needs no layout to be sized, timed or billed."""
    loaded, book = loaded_of(purchase={"options": ["on-demand", "spot", "capacity-block"]}), book_of()
    comparison = compare(Request(plan=loaded.plan, plan_sha256=loaded.sha256, book=book, draws=0))

    def never(*args, **kwargs):
        raise AssertionError("evaluated a second time")

    for place in ("planner.layouts.sizing.layouts_of", "planner.decide.enumerate.layouts_of"):
        monkeypatch.setattr(place, never)
    monkeypatch.setattr("planner.estimate.evaluate.run_on", never)
    feasible = [scenario for scenario in comparison.scenarios if scenario.feasible]
    assert {scenario.layout for scenario in feasible} == set(loaded.plan.storage.layouts)
    for scenario in feasible:
        assert spec_of(loaded, comparison, scenario, book).layout == scenario.layout


def test_ports_and_buckets_of_the_plan_are_those_of_the_stack():
    spec, _ = chosen("s3-stream/p4d.24xlarge/spot", deploy={"egress": [80], "extra_buckets": ["acme-corpus"]})
    assert (spec.egress, spec.extra_buckets) == ((80,), ("acme-corpus",))
    assert (spec.guard.more, spec.permissions_boundary) == (("budget-action",), "")


def test_what_an_organization_allows_and_wants_is_the_plans():
    boundary = "arn:aws:iam::111122223333:policy/boundary"
    deploy = {"guards": ["cost-anomalies"], "permissions_boundary": boundary, "give_up": "never"}
    spec, _ = chosen("s3-stream/p4d.24xlarge/spot", deploy=deploy)
    assert (spec.guard.more, spec.permissions_boundary) == (("cost-anomalies",), boundary)
    assert spec.guard.give_up_hours == 0
    assert "egress" not in to_mapping(chosen("s3-stream/p4d.24xlarge/spot")[0])
