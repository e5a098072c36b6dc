"""What a plan brings itself: a kind of GPU, prices with a date; and what it lacks: prices, interruption rates."""

from __future__ import annotations

from datetime import date

import pytest

import planner
from planner.answer.gates import Gates, violations
from planner.errors import ExitCode, PlanProblems
from planner.plan.load import LoadedPool, load_any_text
from planner.report.blocks.terminal import Cells
from planner.report.wording.worker_pool import answer, size_answer
from planner.report.wording.worker_pool_page import page
from planner.worker_pool.compare import compare_pool
from planner.worker_pool.search import search_pool
from pricing.book import default_book
from tests.builders import book_of, compared, plan_of

TODAY = date(2026, 11, 10)
EC2 = """
apiVersion: planner/v1
name: pool
run: {kind: worker-pool, deadline: 2d}
jobs: {count: 12, steps: 100, seconds_per_step: {L40S: 36, A100: 12, A10G: 60}, checkpoint_steps: 10}
workers: [{instance_type: g6e.8xlarge, purchase: [spot], spot_usd_per_hour: 0.5, source: console, observed: 2026-11-01}]
pool: {max: 4}
"""
LIST = """
apiVersion: planner/v1
name: pool
run: {kind: worker-pool}
jobs: {count: 12, steps: 100, seconds_per_step: {RTX4090: 36}, checkpoint_steps: 10}
workers: [{name: mine, gpu: RTX4090, usd_per_gpu_hour: 0.5, source: a quote, observed: 2026-11-01}]
pool: {max: 4}
"""


def loaded(text: str, *overrides: str) -> LoadedPool:
    found = load_any_text(text, overrides=overrides)
    assert isinstance(found, LoadedPool)
    return found


def pool_of(text: str, *overrides: str, runs: int = 10, as_of: date | None = TODAY, max_age: int | None = None):
    plan = loaded(text, *overrides)
    return compare_pool(plan, default_book(), runs=runs, as_of=as_of, max_price_age_days=max_age)


class TestKindOfGpu:
    @pytest.mark.parametrize(
        ("instance_type", "gpu", "there"),
        [("p4d.24xlarge", "H100", "A100"), ("g5.xlarge", "L40S", "A10G"), ("c6i.large", "A100", "no GPUs")],
    )
    def test_another_one_than_the_type_has_is_refused(self, instance_type, gpu, there):
        """g5.xlarge has no facts in the book; every type of its family has the A10G."""
        worker = f"workers=[{{instance_type: {instance_type}, gpu: {gpu}}}]"
        speeds = "jobs.seconds_per_step={H100: 1, L40S: 1, A100: 1}"
        with pytest.raises(PlanProblems) as raised:
            planner.compare(loaded(EC2, worker, speeds), draws=1)
        problem = raised.value.problems[0]
        assert f"gpu is {gpu}, and {instance_type} has {there}" in problem.message
        assert "remove gpu" in problem.remedy

    def test_its_own_one_may_be_written(self):
        assert planner.compare(loaded(EC2, "workers=[{instance_type: p4d.24xlarge, gpu: A100}]"), draws=1).scenarios


class TestDates:
    @pytest.mark.parametrize("text", [EC2, LIST])
    @pytest.mark.parametrize(
        ("observed", "age"),
        [("2020-01-01", 2505), ("2027-01-01", -52), ("2026-11-01", None)],
    )
    def test_a_price_of_a_pool_plan_is_too_old_or_too_new(self, text, observed, age):
        found = pool_of(text, f"workers[0].observed={observed}")
        mine = [entry for entry in found.stale if entry.price_date == date.fromisoformat(observed)]
        assert [entry.age_days for entry in mine] == ([] if age is None else [age])
        assert all(entry.line == "fleet.compute" for entry in mine)

    @pytest.mark.parametrize(("day", "age"), [("2020-01-01", 2505), ("2027-01-01", -52), ("2026-11-01", None)])
    def test_so_is_one_of_a_training_plan(self, day, age):
        own = {"purchase": "on-demand", "usd": 20, "unit": "Hrs", "source": "a quote", "date": day}
        plan = plan_of(prices={"own": [own]}, purchase={"options": ["on-demand"]}, start=TODAY.isoformat())
        found = compared(plan, book=book_of(date(2026, 10, 10)))
        ages = [entry.age_days for entry in found.stale if entry.price_date == date.fromisoformat(day)]
        assert ages == ([] if age is None else [age])

    @pytest.mark.parametrize("observed", ["2020-01-01", "2099-01-01"])
    def test_neither_passes_a_strict_gate(self, observed):
        # beyond the age of everything in the book, so that only the plan's own price is out of date
        found = pool_of(EC2, f"workers[0].observed={observed}", max_age=2000)
        (violation,) = violations(found, Gates(strict=True))
        assert violation.code is ExitCode.STALE
        assert "fleet.compute" in violation.message

    def test_one_that_is_too_new_is_said_first(self):
        said = answer(pool_of(EC2, "workers[0].observed=2027-01-01"))[1]
        assert said.startswith("Warning: fleet.compute (spot): observed 52 days after 2026-11-10, on 2027-01-01.")
        assert "Correct the date of that price in the plan" in said


class TestWhatIsNotPriced:
    def test_the_answer_names_it_and_the_key_that_would_price_it(self):
        workers = "workers=[{instance_type: g6e.12xlarge}, {instance_type: p4d.24xlarge, purchase: [on-demand]}]"
        said = " ".join(answer(pool_of(EC2, workers)))
        assert "the cheapest choice on AWS with a price" in said
        assert "lacks their figures: g6e.12xlarge on spot: spot_usd_per_hour of g6e.12xlarge would add it." in said

    def test_without_a_gap_nothing_is_said(self):
        said = " ".join(answer(pool_of(EC2)))
        assert "with a price" not in said
        assert "Not compared" not in said


class TestNoSize:
    def test_the_deadline_that_binds_and_the_nearest_size(self):
        """A job of an hour cannot end within half of one; with a node for each the last ends after about an hour."""
        plan = loaded(EC2, "workers=[{instance_type: g6e.8xlarge, purchase: [on-demand]}]", "run.deadline=30m")
        said = size_answer(search_pool(plan, default_book(), runs=10, as_of=TODAY))
        assert "The nearest is pool.max=12 with g6e.8xlarge On-Demand" in said
        assert "takes longer than 30 minutes in 100% of the runs; 90% of them keep to " in said
        assert said.endswith("more than run.deadline.")

    def test_the_budget(self):
        plan = loaded(
            EC2, "constraints.max_cost_usd=1", "workers=[{instance_type: g6e.8xlarge, purchase: [on-demand]}]"
        )
        said = size_answer(search_pool(plan, default_book(), runs=10, as_of=TODAY))
        assert "costs more than $1 in 100% of the runs" in said
        assert said.endswith("more than constraints.max_cost_usd.")


def test_ones_everywhere_agree_with_their_nouns():
    """And one run says nothing of one in ten."""
    text = EC2.replace("count: 12", "count: 1").replace("max: 4", "max: 1").replace("deadline: 2d", "deadline: 1d")
    found = pool_of(
        text.replace("steps: 100,", "steps: 1,").replace("checkpoint_steps: 10", "checkpoint_steps: 1"), runs=1
    )
    said = " ".join(Cells(width=400, ascii_only=True).page(page(found, "p.yaml")).split())
    for wrong in ("1 jobs", "1 steps", "1 days", "1 hours", "1 runs", "1 simulated runs", "1 nodes"):
        assert f" {wrong}" not in said, wrong
    assert "Risk: unknown, since one simulated outcome says nothing of 1 in 10" in said


def test_equal_costs_are_not_higher():
    """Spot and spot with On-Demand at the end cost the same in every run that never leaves spot."""
    alone = EC2.replace("purchase: [spot]", "zone_id: use1-az4, purchase: [spot, on-demand]")
    found = pool_of(alone, "run.deadline=60d")
    one, two = (s for s in found.scenarios if s.choice.purchase in ("spot", "spot-fallback") and not s.choice.members)
    assert one.cost_usd == two.cost_usd
    other = two if found.scenarios[0].id == one.id else one
    assert other.above_best_fraction == other.below_best_fraction == 0.0
