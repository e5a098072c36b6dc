"""What a published figure comes to: reproduced, plausible, contradicted or not asked, and why."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import PlanProblems
from planner.evidence.replay import CONTRADICTED, NOT_ASKED, PLAUSIBLE, REPRODUCED, backtest
from tests.evidence.cases import cases_of, replayed, row

DAYS = "samples=8640000; samples_per_second=100"  # one day


class TestVerdicts:
    @pytest.mark.parametrize(
        ("published", "tolerance", "verdict"),
        [
            ("1", "exact", REPRODUCED),
            ("1.01", "rel 2%", REPRODUCED),
            ("1.03", "rel 2%", CONTRADICTED),
            ("1.05", "abs 0.05", REPRODUCED),
            ("1.06", "abs 0.05", CONTRADICTED),
            ("1.005", "", REPRODUCED),
            ("1.02", "", CONTRADICTED),
            ("<2", "bound", REPRODUCED),
            ("<0.5", "bound", CONTRADICTED),
            (">0.5", "bound", REPRODUCED),
            ("0.9..1.1", "range", REPRODUCED),
            ("2..3", "range", CONTRADICTED),
        ],
    )
    def test_by_tolerance(self, tmp_path, published, tolerance, verdict):
        found = replayed(tmp_path, "W1", DAYS, published, unit="days", tolerance=tolerance)
        assert (found.verdict, found.low) == (verdict, pytest.approx(1))
        assert bool(found.why) == (verdict == CONTRADICTED)

    def test_a_contradiction_says_by_how_much_or_in_the_words_of_the_row(self, tmp_path):
        assert replayed(tmp_path, "W1", DAYS, "2", unit="days").why == "the equations give -50%"
        assert replayed(tmp_path, "W1", DAYS, "2", unit="days", comment="Half is missing.").why == "Half is missing."

    def test_alternatives_span_a_range(self, tmp_path):
        inputs = "part=14; whole=84 | part=21; whole=84"
        assert replayed(tmp_path, "ratio", inputs, "0.167..0.25", tolerance="range").verdict == REPRODUCED
        assert replayed(tmp_path, "ratio", inputs, "0.2").verdict == PLAUSIBLE
        assert replayed(tmp_path, "ratio", inputs, "0.3").verdict == CONTRADICTED
        assert replayed(tmp_path, "ratio", inputs, ">0.2", tolerance="bound").verdict == PLAUSIBLE

    def test_whole_numbers_may_multiply_to_more_than_64_bits(self, tmp_path):
        """Falcon-180B (huggingface.co/blog/falcon-180b): 3.5e12 tokens in about 7 million A100-hours."""
        inputs = "flop=dense-model-flop(parameters=180e9; tokens=3.5e12); gpu_hours=7e6; peak_tflops=312"
        found = replayed(tmp_path, "mfu-from-gpu-hours", inputs, "0.48", tolerance="rel 3%")
        assert (found.verdict, found.low) == (REPRODUCED, pytest.approx(6 * 180 * 3.5 / (7 * 312 * 3.6)))

    def test_without_an_equation_it_is_not_asked(self, tmp_path):
        found = replayed(tmp_path, "", "", "5", comment="Nobody knows.")
        assert (found.verdict, found.why) == (NOT_ASKED, "Nobody knows.")

    @given(st.floats(0.5, 2.0))
    @settings(max_examples=30, deadline=None)
    def test_a_looser_tolerance_never_contradicts_more(self, tmp_path_factory, published):
        folder = tmp_path_factory.mktemp("law")
        tight, loose = (
            replayed(folder, "W1", DAYS, f"{published:.6g}", tolerance=f"rel {share}%") for share in (5, 30)
        )
        assert tight.verdict == CONTRADICTED or loose.verdict == REPRODUCED


class TestUncertainInputs:
    def test_the_interval_is_that_of_the_draws(self, tmp_path):
        """A log-normal input with 5 % and 95 % at a quarter and four times: P10 and P90 by hand."""
        found = replayed(tmp_path, "instance-cost", "node_hours=2.5..10..40; usd_per_hour=1", "12", tolerance="rel 1%")
        share = 4 ** (1.2815515655 / 1.6448536270)
        assert found.verdict == PLAUSIBLE
        assert found.low == 10
        assert found.p10 == pytest.approx(10 / share, rel=0.05)
        assert found.p90 == pytest.approx(10 * share, rel=0.05)
        assert found.counted
        assert found.covered

    def test_a_figure_outside_is_contradicted_and_counts_against_the_coverage(self, tmp_path):
        found = backtest(
            cases_of(
                tmp_path,
                row("instance-cost", "node_hours=9..10..11; usd_per_hour=1", "10.1") | {"id": "in"},
                row("instance-cost", "node_hours=9..10..11; usd_per_hour=1", "20") | {"id": "out"},
                row("instance-cost", "node_hours=10; usd_per_hour=1", "10") | {"id": "certain"},
            )
        )
        assert (found.informed.inside, found.informed.of) == (1, 2)
        assert found.bare.of == 0
        assert found.results[1].why == "the published figure lies above 8 of 10 computed outcomes"

    def test_an_assumption_is_drawn_as_in_a_plan(self, tmp_path):
        found = replayed(tmp_path, "assumption", "key=goodput.failures_per_1000_node_days", "5.0")
        assert found.low == 6.5
        assert found.verdict == PLAUSIBLE

    def test_the_same_key_is_drawn_once(self, tmp_path):
        """A ratio of an assumption to itself has no spread."""
        inputs = "part=assumption:goodput.restart_minutes; whole=assumption:goodput.restart_minutes"
        found = replayed(tmp_path, "ratio", inputs, "1")
        assert (found.p10, found.p90) == (1, 1)

    def test_it_is_the_same_every_time(self, tmp_path):
        ones = [replayed(tmp_path, "assumption", "key=goodput.restart_minutes", "10") for _ in range(2)]
        assert ones[0] == ones[1]


class TestNestedEquations:
    def test_an_input_is_the_result_of_another_equation_in_its_unit(self, tmp_path):
        by_hand = replayed(tmp_path, "C2", "gpu_hours=3072; usd_per_hour=2; gpus_per_node=1", "6144", unit="USD")
        inputs = "gpu_hours=gpu-hours(gpus=128; days=1); usd_per_hour=2; gpus_per_node=1"
        nested = replayed(tmp_path, "C2", inputs, "6144", unit="USD")
        assert by_hand.low == nested.low == 6144

    def test_hours_become_the_days_that_the_other_takes(self, tmp_path):
        found = replayed(tmp_path, "gpu-hours", "gpus=1; days=hours-from-gpu-hours(gpu_hours=48; gpus=1)", "48")
        assert found.low == pytest.approx(48)

    def test_the_result_is_in_the_unit_of_the_source(self, tmp_path):
        found = replayed(tmp_path, "I1", "samples_per_second=1; sample=1048576B", "1", unit="MiB/s", tolerance="exact")
        assert found.verdict == REPRODUCED


class TestNegativeCases:
    def test_a_refusal_is_what_must_happen(self, tmp_path):
        inputs = "raw_tb=96; nodes=12; spares=0; data_stripes=16; parity_stripes=4"
        found = replayed(tmp_path, "protected-usable", inputs, "refused")
        assert found.verdict == REPRODUCED
        assert found.said == "refused: D + P = 20 stripes need as many nodes besides the spares"

    def test_an_answer_where_there_must_be_none_is_contradicted(self, tmp_path):
        inputs = "raw_tb=96; nodes=22; spares=2; data_stripes=16; parity_stripes=4"
        found = replayed(tmp_path, "protected-usable", inputs, "refused")
        assert found.verdict == CONTRADICTED
        assert "answers without a warning" in found.why

    def test_a_positive_figure_of_what_is_refused_is_contradicted_with_the_reason(self, tmp_path):
        found = replayed(tmp_path, "lustre-growth", "current_gib=4800; needed_gib=2400", "2400")
        assert found.verdict == CONTRADICTED
        assert "storage only grows" in found.why

    def test_hours_of_one_time_at_the_price_of_another(self, tmp_path):
        inputs = "gpu_hours=150000; usd_per_hour=price:p4d.24xlarge"
        mixed = replayed(tmp_path, "C2", inputs, "refused", date="2022-08-22", prices="2026-09-01")
        assert (mixed.verdict, "prices of two eras" in mixed.said) == (REPRODUCED, True)
        of_its_time = replayed(tmp_path, "C2", inputs, "refused", date="2022-08-22", prices="2023-12-31")
        assert of_its_time.verdict == CONTRADICTED

    def test_a_plan_that_does_not_fit_its_hardware_is_refused(self, tmp_path):
        inputs = "file=newcomer; read=days; fleet.instance_types=[p3dn.24xlarge]; data.profile=latents"
        found = replayed(tmp_path, "plan", inputs, "refused", prices="2026-09-01")
        assert found.said == "refused: profile latents: no read rate of V100 is published, only of A100, H100"

    def test_a_fraction_of_nothing_is_refused(self, tmp_path):
        assert replayed(tmp_path, "ratio", "part=1; whole=0", "refused").verdict == REPRODUCED


class TestMistakes:
    @pytest.mark.parametrize(
        ("equation", "inputs", "more", "said"),
        [
            ("days-from-sample", DAYS, {}, "did you mean days-from-samples?"),
            ("W1", "samples=1; sample_per_second=2", {}, "did you mean samples_per_second?"),
            ("W1", "samples=1", {}, r"samples_per_second \[samples/s\] is missing"),
            ("W1", "samples=many; samples_per_second=2", {}, "samples=many: not a number"),
            ("W1", DAYS, {"unit": "GB"}, "unit 'GB' does not fit the result, in days: days is a time and GB a size"),
            ("C1", "node_hours=1; usd_per_hour=price:p4d.24xlarge", {}, "name its date in the column prices"),
            ("C1", "node_hours=1; usd_per_hour=price:p4d.24xlarge", {"prices": "1999-01-01"}, "known: 2023-12-31"),
            ("C1", "node_hours=1; usd_per_hour=price:p4d", {"prices": "2026-09-01"}, "nearest: "),
            ("C1", "node_hours=3..2..1; usd_per_hour=1", {}, "write low..central..high"),
            ("assumption", "key=goodput.restart", {}, "there is no assumption 'goodput.restart'"),
            ("G7", "mtbf_hours=1..2..3; write_hours=0.1", {}, "takes no uncertain input"),
            ("plan", "file=sd2; read=day", {}, "read='day' is no figure of a plan: did you mean days?"),
            ("plan", "read=days", {}, "needs file=PLAN.yaml"),
        ],
    )
    def test_what_where_why_and_what_to_do(self, tmp_path, equation, inputs, more, said):
        with pytest.raises(PlanProblems, match=said) as caught:
            replayed(tmp_path, equation, inputs, "1", **more)
        assert str(caught.value).startswith(f"{tmp_path}/cases.csv:2 (one): ")

    def test_all_of_them_are_named_at_once(self, tmp_path):
        rows = [row("W1", "samples=1", "1") | {"id": str(n)} for n in range(3)]
        with pytest.raises(PlanProblems) as caught:
            backtest(cases_of(tmp_path, *rows))
        assert len(caught.value.problems) == 3


def test_draws_of_equal_ends_are_exact(tmp_path):
    found = replayed(tmp_path, "C1", "node_hours=5..5..5; usd_per_hour=2", "10", tolerance="exact")
    assert np.array_equal([found.p10, found.p90], [10, 10])
