"""The public stories behind the examples: what the planner says of them, and what it refuses to say."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.decide.compare import Request, compare
from planner.models.capacity import change_per_tb
from planner.plan.load import load_plan
from tests.builders import book_of

EXAMPLES = Path(__file__).parents[2] / "examples"


def _compared(name, *overrides, draws=0, **more):
    loaded = load_plan(EXAMPLES / f"{name}.yaml", overrides=overrides)
    return compare(Request(plan=loaded.plan, plan_sha256=loaded.sha256, book=book_of(), draws=draws, **more)).scenarios


class TestStability:
    """WEKA's case study: 400 p4d, 15 times the capacity at 80 % of the cost."""

    @staticmethod
    def _storage():
        found = _compared("stability-converged", "purchase.options=[on-demand]")
        return {scenario.layout + scenario.variant: scenario.storage for scenario in found}

    def test_capacity(self):
        on_demand = self._storage()
        assert on_demand["converged"].raw_tb == 400 * 8 * 1.0
        assert on_demand["converged"].usable_tb == pytest.approx(3200 * 0.99 * 0.70)
        assert on_demand["converged"].margin_tb == pytest.approx(2217.6 - 2200)

    def test_the_claim_is_minus_947_per_tb(self):
        assert change_per_tb(capacity_ratio=15, cost_ratio=0.8) == pytest.approx(-0.94667, abs=1e-5)

    def test_near_the_claim_only_against_the_dear_lustre_tier(self):
        on_demand = self._storage()
        pool = on_demand["converged"].usd_per_usable_tb_month
        cheap = pool / on_demand["fsx-lustre125"].usd_per_usable_tb_month - 1
        dear = pool / on_demand["fsx-lustre1000"].usd_per_usable_tb_month - 1
        # against 125 MB/s/TiB the planner does not claim 95 %; against 1,000 it comes near
        assert -0.80 < cheap < -0.60
        assert -0.95 < dear < -0.90


class TestMosaic:
    """Stable Diffusion 2: the table's days, and its own extrapolation to 256 GPUs."""

    MEASURED = (
        "run.throughput=[{gpus: 8, samples_per_second: 128.2}, {gpus: 16, samples_per_second: 254.0}, "
        "{gpus: 64, samples_per_second: 912.2}, {gpus: 128, samples_per_second: 1618.4}]"
    )
    ONE = ("purchase.options=[on-demand]", "storage.layouts=[s3-stream]")

    @pytest.mark.parametrize(("gpus", "days"), [(8, 258.83), (16, 130.63), (64, 36.38), (128, 20.5), (256, 12.83)])
    def test_listed_rows_at_full_speed(self, gpus, days):
        (scenario,) = _compared("sd2-256", *self.ONE, f"fleet.gpus=A100:{gpus}")
        assert scenario.days_at_full_speed == pytest.approx(days, rel=0.002)
        assert scenario.extrapolated == (gpus == 256)

    def test_from_the_rows_to_128_the_fit_reaches_256(self):
        # nothing but the throughput may vary here, so that the range is the throughput's own
        quiet = (
            "assumptions.goodput.failures_per_1000_node_days={value: 0.001}",
            "assumptions.goodput.bring_up_hours={value: 0.001}",
            "assumptions.workload.throughput_factor={value: 1}",
            "assumptions.on_demand.found_fraction=1",
        )
        (scenario,) = _compared("sd2-256", *self.ONE, self.MEASURED, *quiet, draws=5000)
        assert scenario.extrapolated
        assert scenario.days_at_full_speed == pytest.approx(12.83, rel=0.04)
        assert scenario.days.p10 < 12.83 < scenario.days.p90
        assert scenario.days.p90 / scenario.days.p10 > 1.05

    def test_a_listed_row_has_a_narrower_range_than_an_extrapolated_one(self):
        (fitted,) = _compared("sd2-256", *self.ONE, self.MEASURED, draws=2000)
        (listed,) = _compared("sd2-256", *self.ONE, "fleet.gpus=A100:128", draws=2000)
        assert fitted.days.p90 / fitted.days.p10 > listed.days.p90 / listed.days.p10


@pytest.mark.parametrize(
    ("name", "layout"),
    [
        ("stability-converged", "converged"),
        ("small", "s3-stream"),
        ("video-separate", "separate-nvme"),
    ],
)
def test_every_layout_has_a_plan_in_which_it_wins(name, layout):
    cheapest = min((s for s in _compared(name) if s.complete), key=lambda s: s.cost_usd.plan)
    assert cheapest.layout == layout


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("stability-converged", "converged/p4d.24xlarge/on-demand"),
        ("multimodal-p5", "converged/p5.48xlarge/capacity-block"),
        ("video-lustre", "fsx-lustre/p4d.24xlarge/capacity-block"),
        ("video-separate", "separate-nvme/p4d.24xlarge/capacity-block"),
        ("finetune-g6e", "s3-stream/g6e.48xlarge/on-demand"),
    ],
)
def test_what_is_recommended_under_risk(name, id):
    """Not the cheapest as planned: 400 nodes on spot do not finish in time, and what reads slowly takes too long in
    too many of the draws."""
    assert _compared(name, draws=1000)[0].id == id


def test_a_short_run_never_wins_with_a_three_year_commitment():
    assert "-3y-" not in _compared("sd2-256", draws=500)[0].purchase
    reused = _compared(
        "sd2-256", "purchase.reuse_value=100%", "purchase.options=[on-demand, ri-3y-standard-no-upfront]"
    )
    assert "-3y-" in reused[0].purchase
