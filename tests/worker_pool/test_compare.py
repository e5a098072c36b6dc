"""A worker-pool plan from its file to the answer: prices, limits, ranges, the published figures."""

from __future__ import annotations

import math

import pytest

from planner.errors import PlanProblems
from planner.plan.load import LoadedPool, load_any, load_any_text, load_plan
from planner.report.wording import figures
from planner.report.wording.worker_pool import answer, reasons
from planner.worker_pool.check import check_against_book
from planner.worker_pool.compare import compare_pool, runs_for
from pricing.book import default_book
from tests.examples import EVERY, POOLS

EXAMPLE = next(path for path in EVERY if path.stem == "worker-pool")
SMALL = """
apiVersion: planner/v1
name: pool
run: {kind: worker-pool}
jobs: {count: 60, steps: 100, seconds_per_step: {RTX4090: 36, H100: 9}, checkpoint_steps: 10}
workers: [{name: mine, gpu: RTX4090, usd_per_gpu_hour: 0.5, source: a quote}]
pool: {max: 10}
"""


def loaded(*overrides: str, text: str = SMALL) -> LoadedPool:
    found = load_any_text(text, overrides=overrides)
    assert isinstance(found, LoadedPool)
    return found


def compared(*overrides: str, runs: int = 20, text: str = SMALL):
    return compare_pool(loaded(*overrides, text=text), default_book(), runs=runs)


def of(found, purchase: str):
    """The choice of one kind of node that is bought so."""
    return next(one for one in found.scenarios if one.choice.purchase == purchase and not one.choice.members)


@pytest.fixture(scope="module")
def published():
    found = load_any(EXAMPLE)
    assert isinstance(found, LoadedPool)
    return compare_pool(found, default_book(), runs=60)


class TestThePublishedService:
    def test_its_price_job_and_step(self, published):
        salad = of(published, "list")
        assert salad.id == "workers/salad-rtx4090/list"
        assert salad.price.p50 == pytest.approx(0.324, abs=1e-12)
        assert salad.job_usd.p50 == pytest.approx(0.2916, abs=5e-5)
        assert salad.job_usd.p50 / 1400 == pytest.approx(0.000208, abs=5e-7)

    def test_all_of_the_thousand_jobs_end_on_at_most_forty_nodes(self, published):
        salad = of(published, "list")
        assert salad.finish_fraction == 1
        assert salad.dead_letters.p90 == 0
        assert salad.most_nodes == 40
        assert 22.5 < salad.days.p50 * 24 < 24

    def test_ec2_costs_more_and_takes_longer(self, published):
        salad, spot, on_demand = (of(published, purchase) for purchase in ("list", "spot", "on-demand"))
        assert salad.cost_usd.p90 < spot.cost_usd.p10 < spot.cost_usd.p90 < on_demand.cost_usd.p10
        assert not spot.eligible

    def test_a_price_list_is_beside_the_recommendation_because_no_stack_can_be_of_it(self, published):
        assert published.best.id == "workers/diversified/spot-fallback"
        assert published.best.cost_usd.p90 < of(published, "on-demand").cost_usd.p10
        assert of(published, "list").eligible
        said = " ".join(answer(published))
        assert "cheapest choice on AWS" in said
        assert "Cheaper: salad-rtx4090 by its price list" in said
        assert "the planner cannot deploy a price list" in said

    def test_the_answer_says_what_several_markets_are_worth_and_when_to_leave_spot(self, published):
        by_id = {one.id: one for one in published.scenarios}
        many, alone = by_id["workers/diversified/spot"], by_id["workers/g5.xlarge/spot"]
        assert many.on_time_fraction > alone.on_time_fraction + 0.2
        said = " ".join(answer(published))
        assert f"a diversified pool on spot alone costs {figures.usd(many.cost_usd.p50)}" in said
        assert f"{figures.percent(1 - many.on_time_fraction)} of its runs take longer than 4 days" in said
        assert f"{figures.percent(published.best.left_spot_fraction)} of the runs end On-Demand" in said
        assert "in rounds of 40 that take 2.38 hours each" in said  # 1,400 steps of 6.11 s, and 28 checkpoints

    def test_the_bill_adds_up_to_the_mean(self, published):
        for scenario in published.scenarios:
            assert math.fsum(line.effective_cost for line in scenario.bill) == pytest.approx(
                scenario.cost_usd.plan, rel=1e-9
            )
            for line in scenario.bill:
                assert line.quantity * line.effective_unit_price == pytest.approx(line.effective_cost, rel=1e-9)
            assert math.fsum(share.mean for share in scenario.shares.values()) == pytest.approx(1, rel=1e-6)

    def test_the_closed_form_and_the_draws_of_one_job_agree(self, published):
        alone = of(published, "spot").alone
        assert alone.sampled.mean == pytest.approx(alone.closed_hours, rel=0.001)


class TestPlan:
    def test_an_uninterrupted_pool_costs_its_hours(self):
        mine = compared("pool.cool_down=1s", "pool.interval=1m", "assumptions={workers.boot_minutes: 1}").best
        # 60 jobs of an hour on ten nodes; idle until the autoscaler looks and the cool-down of a second has passed
        assert mine.cost_usd.plan == pytest.approx(60 * 0.5, rel=0.01)
        assert mine.days.p50 * 24 == pytest.approx(6 + 1 / 60, rel=0.01)

    def test_prices_of_instance_types_come_from_the_book(self):
        text = SMALL.replace("[{name: mine", "[{instance_type: p5.4xlarge}, {name: mine")
        found = {s.id: s for s in compared(text=text, runs=5).scenarios}
        on_demand = found["workers/p5.4xlarge/on-demand"]
        assert on_demand.price.p50 == default_book().on_demand("p5.4xlarge", "us-east-1").usd
        assert on_demand.choice.gpu == "H100"
        assert {line.line for line in on_demand.bill} >= {"fleet.compute", "fleet.compute-boot", "fleet.ebs"}

    def test_a_missing_price_gives_a_lower_bound_and_is_named(self):
        text = SMALL.replace("[{name: mine", "[{instance_type: g5.xlarge, gpu: H100, purchase: [spot]}, {name: mine")
        spot = next(s for s in compared(text=text, runs=3).scenarios if s.choice.purchase == "spot")
        assert not spot.complete
        assert (spot.unpriced[0].line, spot.unpriced[0].what) == ("fleet.compute", "g5.xlarge spot in us-east-1")
        assert "spot_usd_per_hour of g5.xlarge would price it" in reasons(spot)[0]

    def test_a_deadline_that_is_missed_makes_it_not_eligible(self):
        found = compared("run.deadline=3h")
        assert found.best is None
        assert "longer than 3 hours in 100%" in reasons(found.scenarios[0])[0]

    def test_a_budget_too(self):
        assert "costs more than $20" in reasons(compared("constraints.max_cost_usd=20").scenarios[0])[0]

    def test_dead_letters_have_to_be_allowed(self):
        assert compared("jobs.broken=10%").best is None
        assert compared("jobs.broken=10%", "constraints.max_dead_letters=30").best is not None

    def test_a_job_that_never_ends_never_costs_a_finite_sum(self):
        text = SMALL.replace("source: a quote", "source: a quote, interruptions: {mean_life: 2m}")
        found = compared(text=text.replace("checkpoint_steps: 10", "checkpoint_steps: 100"), runs=3)
        assert found.best is None
        assert math.isinf(found.scenarios[0].cost_usd.p50)
        assert "does not finish in 100%" in reasons(found.scenarios[0])[0]

    def test_checkpoints_are_billed_as_the_worker_writes_them(self):
        """Of each of 60 jobs ten checkpoints of 80 MB: two stay until the last job ends, eight are old versions for
        seven days; each is three pieces, a COMMIT and two listings."""
        settings = ("workers=[{instance_type: p5.48xlarge, purchase: [on-demand], interruptions: {mean_life: 8000h}}]",)
        with_saves = of(compared(*settings, "jobs.checkpoint=80MB"), "on-demand")
        bill = {line.line: line for line in with_saves.bill}
        hours = 2 * with_saves.days.plan * 24 / 2 + 8 * 7 * 24
        month = 31 * 24  # of October, the book's: the plan has no start
        assert bill["storage.s3.checkpoints"].quantity == pytest.approx(60 * 80e6 / 2**30 * hours / month, rel=1e-3)
        without = {line.line: line for line in of(compared(*settings), "on-demand").bill}
        puts = bill["storage.s3.put-requests"].quantity - without["storage.s3.put-requests"].quantity
        assert puts == pytest.approx(60 * 10 * (3 + 3) / 1000, rel=0.05)

    def test_a_slow_network_makes_checkpoints_cost_time(self):
        slow = compared("jobs.checkpoint=1GB", "workers[0].network=10MB/s").best
        # ten checkpoints of 100 s on top of an hour
        assert slow.job_hours.p50 == pytest.approx(1 + 1000 / 3600)
        assert slow.shares["checkpoints"].mean > 0.2

    def test_the_same_seed_gives_the_same_result_and_another_one_does_not(self):
        text = SMALL.replace("source: a quote", "source: a quote, interruptions: {mean_life: 9h, shape: 0.6}")
        assert compared(text=text).best.cost_usd == compared(text=text).best.cost_usd
        other = compare_pool(loaded(text=text), default_book(), runs=20, seed=1)
        assert other.best.cost_usd != compared(text=text).best.cost_usd

    def test_fewer_runs_of_very_many_jobs(self):
        assert (runs_for(10, None), runs_for(100_000, None), runs_for(10, 7)) == (200, 20, 7)


class TestRefused:
    def test_a_training_plan_is_asked_for_elsewhere(self):
        with pytest.raises(PlanProblems, match=r"plan of a worker pool.*\n.*planner validate, compare, report"):
            load_plan(EXAMPLE)

    @pytest.mark.parametrize(
        ("override", "said"),
        [
            ("jobs.cuont=3", "did you mean jobs.count"),
            ("fleet.nodes=3", "unknown key 'fleet'"),
            ("jobs.count=0", "at least 1"),
            ("jobs.checkpoint_steps=101", "more than the 100 steps"),
            ("pool.min=11", "write min <= max"),
            ("pool.stalled_after=30s", "one late heartbeat"),
            ("pool.heartbeat=0.5", "a duration needs a unit"),
            ("jobs.broken=100%", "every job fails"),
            ("workers[0].gpu=B200", "seconds_per_step has neither 'B200' nor 'mine'"),
            ("workers[0].usd_per_gpu_hour=0", "costs nothing"),
            ("workers[0].source=''", "need their source"),
            ("workers[0].boot_p90=5m", "boot_p90 needs boot"),
            ("workers[0].purchase=[spot]", "used only with instance_type"),
            ("workers=[]", "is empty"),
            ("decision.slack=2", "used only by training plans"),
        ],
    )
    def test_a_mistake_is_named_with_its_place_and_remedy(self, override, said):
        with pytest.raises(PlanProblems) as raised:
            loaded(override)
        assert said in str(raised.value)

    def test_a_region_that_no_book_knows(self):
        plan = loaded("workers=[{instance_type: p5.4xlarge}]", "region=us-esat-1")
        with pytest.raises(PlanProblems, match="no price of any instance type in us-esat-1"):
            check_against_book(plan, default_book())

    def test_dead_letters_need_as_many_nodes_as_failures(self):
        with pytest.raises(PlanProblems, match="never a dead letter"):
            loaded("pool.max=2", "jobs.broken=5%")

    @pytest.mark.parametrize(
        ("worker", "said"),
        [
            ("{instance_type: p5.4xlrge}", "did you mean p5.4xlarge"),
            ("{instance_type: gr6.4xlarge}", "one of the kinds in jobs.seconds_per_step: RTX4090, H100"),
            ("{instance_type: g6.8xlarge}", "add L4: seconds of one step"),
        ],
    )
    def test_what_the_book_does_not_know(self, worker, said):
        plan = loaded(f"workers=[{worker}]")
        with pytest.raises(PlanProblems) as raised:
            check_against_book(plan, default_book())
        assert said in str(raised.value)


@pytest.mark.parametrize("path", POOLS, ids=lambda path: path.stem)
def test_every_example_is_valid_and_recommends_something(path):
    found = load_any(path)
    check_against_book(found, default_book())
    assert compare_pool(found, default_book(), runs=10).best is not None


def test_a_petabyte_is_billed_by_its_tiers_and_calendar_months():
    """By hand: 931,323 GB, six days of November's 720 h and the rest of December's 744, each month through 50 TB at
    $0.023, 450 TB at 0.022 and the rest at 0.021. The first tier over months of 730 hours would be 2.4 % more."""
    node = "{instance_type: p5.4xlarge, purchase: [on-demand], interruptions: {mean_life: 8000h}, network: 100GB/s}"
    found = of(
        compared(f"workers=[{node}]", "jobs.model=1PB", "jobs.steps=20000", "start=2026-11-25", runs=2), "on-demand"
    )
    hours, stored = found.days.plan * 24, 1e15 / 2**30

    def month(gb_months: float) -> float:
        tiers = ((0, 51_200, 0.023), (51_200, 512_000, 0.022), (512_000, math.inf, 0.021))
        return sum(max(0.0, min(gb_months, upper) - lower) * usd for lower, upper, usd in tiers)

    november = 6 * 24
    assert hours > 200
    by_hand = month(stored * november / 720) + month(stored * (hours - november) / 744)
    line = next(line for line in found.bill if line.line == "storage.s3.standard")
    assert line.effective_cost == pytest.approx(by_hand, rel=1e-6)


def test_spot_nodes_are_dynamic_and_listed_at_the_on_demand_price():
    """As in training and in FOCUS: what is saved is the list cost less the effective one."""
    own = {"g5.xlarge": 0.5, "g6.xlarge": 0.4}
    types = [f"{{instance_type: {one}, gpu: H100, vcpus: 4, spot_usd_per_hour: {usd}}}" for one, usd in own.items()]
    found = compared(f"workers=[{', '.join(types)}]", "run.deadline=4d", runs=3)
    listed = {one: default_book().on_demand(one, "us-east-1").usd for one in own}
    seen = set()
    for one in found.scenarios:
        ends = {listed[member.worker.id] for member in one.choice.members} or {listed[one.choice.worker.id]}
        for line in one.bill:
            if line.unit == "node-hours":
                on_spot = one.choice.purchase != "on-demand" and line.line != "fleet.compute-on-demand"
                assert line.pricing_category == ("Dynamic" if on_spot else "Standard")
                assert min(ends) <= line.list_unit_price * (1 + 1e-9)
                assert line.list_unit_price <= max(ends) * (1 + 1e-9)
                assert on_spot == (line.effective_unit_price < line.list_unit_price * (1 - 1e-9))
                seen.add((one.choice.purchase, bool(one.choice.members)))
    assert seen >= {("on-demand", False), ("spot", False), ("spot", True), ("spot-fallback", True)}


def test_spot_nodes_of_another_size_are_said_not_to_be_in_the_diversified_pool():
    price = "spot_usd_per_hour: 0.4, interruptions: {mean_life: 48h}"
    names = ("g5.xlarge", "g6.xlarge", "g6.2xlarge")
    types = ", ".join(f"{{instance_type: {one}, gpu: H100, {price}}}" for one in names)
    found = compared(f"workers=[{types}]", runs=3)
    many = next(s for s in found.scenarios if s.choice.members)
    assert {member.worker.id for member in many.choice.members} == {"g5.xlarge", "g6.xlarge"}
    assert any("leaves out g6.2xlarge" in note for note in found.notes)
    assert not any("leaves out" in note for note in compared(f"workers=[{types.rpartition(', {')[0]}]", runs=3).notes)
