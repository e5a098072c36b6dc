"""Laws that hold for any numbers: nothing gets cheaper by costing more, parts add up to wholes, units stay apart."""

from __future__ import annotations

import math
from calendar import monthrange
from collections import OrderedDict
from datetime import date, datetime, timedelta
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.models.block_sizes import block_sizes
from planner.models.capacity import gb_months, included_metadata_iops, lustre_capacity_gib
from planner.models.compute import block_days, commitment_unused, commitment_used, gpu_hours_cost
from planner.models.datapath import cache_hit_between_marks, cache_hit_sequential, cache_hit_shuffled, input_fraction
from planner.models.prefetch import prefetched_read_rate
from planner.models.quote import as_tiers, blend
from planner.models.tiered_storage import cost_at, storage_cost_curve, tiered_storage_month, tiered_usd
from planner.models.values import Values, sample
from planner.models.workload import fit_step_time, strong_scaling_throughput
from planner.plan.assumptions import Assumption, default_assumptions
from tests.builders import BOOK_DATES, NEWEST, book_of

S3_TIERS = ((0, 51_200, 0.023), (51_200, 512_000, 0.022), (512_000, math.inf, 0.021))


def test_of_stratified_draws_one_lies_in_each_part() -> None:
    drawn = Values(table=default_assumptions(), draws=20, stratified=True)
    parts = np.sort(np.floor(np.asarray(drawn.uniform("any")) * 20))
    assert parts.tolist() == list(range(20))
    deciles = [NormalDist().cdf(z) for z in np.sort(np.asarray(drawn.normal("any")))]
    assert [int(share * 20) for share in deciles] == list(range(20))


class TestCommitments:
    @given(st.integers(1, 1000), st.floats(0.1, 60_000), st.sampled_from([8760, 3 * 8760]), st.floats(0.1, 100))
    @settings(max_examples=60, deadline=None)
    def test_used_and_unused_add_up_to_whole_terms(self, nodes, run_hours, term, usd):
        used = commitment_used(nodes=nodes, run_hours=run_hours, usd_per_hour=usd)
        unused = commitment_unused(nodes=nodes, run_hours=run_hours, term_hours=term, usd_per_hour=usd)
        terms = (used + unused) / (nodes * term * usd)
        assert unused >= 0
        assert terms == pytest.approx(round(terms))
        assert terms == pytest.approx(math.ceil(run_hours / term))

    def test_reserved_rate_for_17_days_is_a_year(self):
        """Anyscale's four p4de: the reserved rate charged for 17 days hides 841,310 USD of commitment."""
        kw = {"nodes": 4, "run_hours": 13_165 / 32, "usd_per_hour": 24.01}
        whole = commitment_used(**kw) + commitment_unused(**kw, term_hours=8760)
        assert whole == pytest.approx(841_310, rel=1e-4)

    @given(st.floats(0.01, 4367))
    @settings(max_examples=200, deadline=None)
    def test_blocks_outlast_the_run_and_are_sold(self, hours):
        days = float(block_days(run_hours=hours))
        assert days == int(days)
        assert days <= 14 or days % 7 == 0
        assert days * 24 - 0.5 >= hours - 1e-9
        smaller = days - (1 if days <= 14 else 7)
        assert smaller < 1 or max(smaller, min(days - 1, 14)) * 24 - 0.5 < hours + 1e-9

    def test_the_lost_half_hour(self):
        assert [float(block_days(run_hours=h)) for h in (23.5, 23.6, 335.5, 335.6)] == [1, 2, 14, 21]

    @given(st.integers(1, 256))
    def test_block_sizes_add_up(self, nodes):
        sizes = block_sizes(nodes)
        assert sum(sizes) == nodes
        assert set(sizes) <= {1, 2, 4, 8, 16, 32, 64}
        assert len(sizes) == nodes // 64 + (nodes % 64).bit_count()


@pytest.mark.parametrize(("day", "usd"), list(zip(BOOK_DATES, (614_486, 614_486, 411_706, 411_706), strict=True)))
def test_150_000_gpu_hours_at_the_price_of_the_day(day, usd):
    """Stable Diffusion v1: 150,000 A100-hours at 32.7726 USD/h, and at 21.957642 after June 2025."""
    price = book_of(day).on_demand("p4d.24xlarge", "us-east-1")
    assert gpu_hours_cost(gpu_hours=150_000, usd_per_hour=price.usd) == pytest.approx(usd, abs=1)


class TestStorageBill:
    def test_five_petabytes(self):
        """5e15 bytes are 4,656,613 GB of 2^30: 51,200 x 0.023 + 460,800 x 0.022 + 4,144,613 x 0.021."""
        book = book_of(NEWEST).metered("AmazonS3", "S3 Standard storage", "us-east-1")
        month = tiered_storage_month(stored_gb=5e15 / 2**30, tiers=as_tiers(book))
        assert month == pytest.approx(98_352, abs=1)
        decimal = tiered_storage_month(stored_gb=5e15 / 1e9, tiers=as_tiers(book))
        assert decimal == pytest.approx(105_563, rel=1e-3)  # what counting a GB as 10^9 would say: 7 % more

    def test_gb_months_are_binary(self):
        assert gb_months(stored_bytes=2**30 * 100, months=1) == 100
        assert gb_months(stored_bytes=100e9, months=1) == pytest.approx(93.1323, abs=1e-4)

    @pytest.mark.parametrize(
        ("stored_gb", "start", "hours"),
        [
            (40_000.0, date(2026, 10, 5), 500),
            (60_000.0, date(2026, 1, 31), 1500),
            (4_656_613.0, date(2026, 2, 27), 2000),
            (10.0, date(2027, 12, 31), 100),
        ],
    )
    def test_curve_against_the_bill_hour_by_hour(self, stored_gb, start, hours):
        """Each hour adds stored GB over the hours of its month; each month climbs the tiers from the bottom."""
        clock, months = datetime(start.year, start.month, start.day), {}
        for _ in range(hours):
            key = clock.year, clock.month
            months[key] = months.get(key, 0.0) + stored_gb / (monthrange(*key)[1] * 24)
            clock += timedelta(hours=1)
        by_hour = 0.0
        for quantity in months.values():
            for lower, upper, usd in S3_TIERS:
                by_hour += max(0.0, min(quantity, upper) - lower) * usd
        curve = storage_cost_curve(stored_gb=stored_gb, tiers=S3_TIERS, start=start)
        assert float(cost_at(curve, hours)) == pytest.approx(by_hour, rel=1e-9)

    @given(st.floats(1, 1e7), st.floats(0, 60_000), st.floats(0, 5_000))
    @settings(max_examples=60, deadline=None)
    def test_longer_never_costs_less(self, stored_gb, hours, more):
        curve = storage_cost_curve(stored_gb=stored_gb, tiers=S3_TIERS, start=date(2026, 10, 5))
        low, high = cost_at(curve, np.array([hours, hours + more]))
        assert low <= high + 1e-9

    @given(st.floats(0, 1e7), st.floats(0, 1e6))
    @settings(max_examples=60, deadline=None)
    def test_more_never_costs_less(self, quantity, more):
        assert tiered_usd(quantity, S3_TIERS) <= tiered_usd(quantity + more, S3_TIERS) + 1e-9

    def test_blended_price_times_quantity_is_the_cost(self):
        quantity = np.array([0.0, 10.0, 600_000.0])
        cost = tiered_usd(quantity, S3_TIERS)
        np.testing.assert_allclose(blend(cost, quantity, 0.023) * quantity, cost)


class TestLustreSizes:
    @given(st.floats(0.1, 1e7))
    @settings(max_examples=80, deadline=None)
    def test_smallest_size_that_is_sold(self, needed):
        found = lustre_capacity_gib(needed_gib=needed)
        sold = [1200, 2400, *range(4800, int(needed) + 4800, 2400)]
        assert found == min(size for size in sold if size >= needed)

    @pytest.mark.parametrize("gib", [1200, 2400, 4800, 9600, 12_000, 45_600, 48_000, 72_000, 100_800, 384_000, 480_000])
    def test_included_metadata_iops_as_in_the_price_book(self, gib):
        """The equation and the book's table come from the same guide by two ways."""
        assert included_metadata_iops(capacity_gib=gib) == book_of().fsx_included_metadata_iops(gib)


class TestCache:
    @given(st.floats(0, 2), st.floats(0, 2))
    def test_more_cache_never_hits_less(self, one, two):
        low, high = sorted((one, two))
        for hit in (cache_hit_shuffled, cache_hit_sequential):
            assert 0 <= hit(ratio=low) <= hit(ratio=high) <= 1

    def test_the_cliff(self):
        """One per cent too small costs nearly six per cent of the hits, ten cost a third."""
        assert cache_hit_shuffled(ratio=1.0) == 1
        assert cache_hit_shuffled(ratio=0.99) == pytest.approx(0.944, abs=1e-3)
        assert cache_hit_shuffled(ratio=0.9) == pytest.approx(0.67, abs=1e-2)
        assert cache_hit_sequential(ratio=0.999) == 0

    @pytest.mark.parametrize("ratio", [0.3, 0.7, 0.9])
    def test_against_a_simulated_cache(self, ratio):
        """A least-recently-used cache under a fresh shuffle each epoch, item by item."""
        rng, items, epochs = np.random.default_rng(7), 4000, 6
        cache: OrderedDict[int, None] = OrderedDict()
        hits = 0
        for epoch in range(epochs):
            for item in rng.permutation(items).tolist():
                if item in cache:
                    cache.move_to_end(item)
                    hits += epoch > 0
                else:
                    cache[item] = None
                    if len(cache) > ratio * items:
                        cache.popitem(last=False)
        assert hits / items / (epochs - 1) == pytest.approx(float(cache_hit_shuffled(ratio=ratio)), abs=0.015)

    @pytest.mark.parametrize(("low", "high"), [(0.3, 0.35), (0.7, 0.8), (0.85, 0.97), (0.9, 1.01)])
    def test_two_marks_against_a_simulated_cache(self, low, high):
        """The same cache, which evicts only where it is full to the high mark, and then down to the low one."""
        rng, items, epochs = np.random.default_rng(7), 4000, 8
        cache: OrderedDict[int, None] = OrderedDict()
        hits = 0
        for epoch in range(epochs):
            for item in rng.permutation(items).tolist():
                if item in cache:
                    cache.move_to_end(item)
                    hits += epoch > 1
                else:
                    cache[item] = None
                    for _ in range(len(cache) - int(low * items) if len(cache) >= high * items else 0):
                        cache.popitem(last=False)
        expected = float(cache_hit_between_marks(low_ratio=low, high_ratio=high))
        assert hits / items / (epochs - 2) == pytest.approx(expected, abs=0.025)

    @given(st.floats(0, 1.2), st.floats(0.001, 0.3))
    def test_two_marks_lie_between_one_low_and_one_high(self, low, apart):
        found = float(cache_hit_between_marks(low_ratio=low, high_ratio=low + apart))
        assert cache_hit_shuffled(ratio=low) - 1e-9 <= found <= cache_hit_shuffled(ratio=low + apart) + 1e-9

    @pytest.mark.parametrize(
        ("supply", "cv", "batches"), [(1.1, 1.0, 2), (1.1, 0.5, 2), (0.9, 1.0, 4), (1.0, 0.3, 16), (1.5, 1.0, 2)]
    )
    def test_readers_of_uneven_speed_against_a_simulation(self, supply, cv, batches):
        """Batches are read one after another, at most so many ahead; a step takes 1 and waits for its batch."""
        steps = 40_000
        reads = np.random.default_rng(3).gamma(1 / cv**2, cv**2 / supply, steps).tolist()
        begun: list[float] = []
        read = 0.0
        for n, takes in enumerate(reads):
            room = begun[n - batches] if n >= batches else 0.0
            read = max(read, room) + takes
            begun.append(max(read, begun[-1] + 1 if begun else 0.0))
        rate = prefetched_read_rate(
            required_gb_per_s=1.0, given_gb_per_s=supply, read_time_cv=cv, prefetch_batches=batches
        )
        assert steps / (begun[-1] + 1) == pytest.approx(float(rate), abs=0.015)
        if (supply, cv, batches) == (1.1, 1.0, 2):
            assert float(rate) == pytest.approx(0.86, abs=0.015)

    @given(st.floats(0.01, 100), st.floats(0.01, 100), st.floats(0, 1), st.integers(2, 32))
    def test_uneven_reads_are_never_faster(self, required, supply, cv, batches):
        rate = prefetched_read_rate(
            required_gb_per_s=required, given_gb_per_s=supply, read_time_cv=cv, prefetch_batches=batches
        )
        assert 0 < rate <= min(required, supply) * (1 + 1e-9)

    @given(st.floats(0.01, 100), st.floats(0.01, 100), st.floats(0, 1e6), st.floats(1, 10))
    @settings(max_examples=60, deadline=None)
    def test_faster_storage_never_stalls_more(self, required, given_rate, cold_gb, factor):
        kw = {"compute_hours": 10.0, "required_gb_per_s": required, "cold_gb": cold_gb}
        slow = input_fraction(**kw, cold_gb_per_s=given_rate, steady_gb_per_s=given_rate)
        fast = input_fraction(**kw, cold_gb_per_s=given_rate * factor, steady_gb_per_s=given_rate * factor)
        assert 0 < slow <= fast + 1e-12 <= 1 + 2e-12
        if given_rate >= required:
            assert slow == pytest.approx(1)


class TestScaling:
    @given(st.floats(1, 1e4), st.floats(0, 10))
    @settings(max_examples=50, deadline=None)
    def test_the_fit_finds_the_law_it_was_drawn_from(self, a, b):
        rows = [(n, 1 / (a / n + b)) for n in (8, 32, 256)]
        fitted_a, fitted_b = fit_step_time(rows)
        assert fitted_a == pytest.approx(a, rel=1e-6)
        assert fitted_b == pytest.approx(b, rel=1e-5, abs=1e-9 * a)

    def test_better_than_linear_is_fitted_as_linear(self):
        rows = [(1, 1.0), (2, 2.2)]
        rate = strong_scaling_throughput(rows=rows, gpus=1000)
        assert 1000 <= rate <= 1100
        assert fit_step_time(rows)[1] == 0


class TestDraws:
    def test_low_and_high_are_the_5th_and_95th_percentile(self):
        drawn = Values(table=default_assumptions(), draws=40_000, seed=3)
        for key, entry in default_assumptions().items():
            got = np.quantile(drawn[key], (0.05, 0.5, 0.95))
            np.testing.assert_allclose(got, (entry.low, entry.value, entry.high), rtol=0.05, atol=0.002, err_msg=key)

    def test_no_range_no_spread(self):
        entry = Assumption(key="x", value=3.0, low=3.0, high=3.0, unit="h", year="", source="test")
        assert set(sample(entry, np.linspace(-4, 4, 9))) == {3.0}

    def test_an_assumption_that_may_be_0_never_falls_below_it(self):
        entry = Assumption(key="x", value=1.0, low=0.0, high=3.0, unit="h", year="", source="test")
        drawn = sample(entry, np.linspace(-4, 4, 9))
        assert drawn.min() == 0.0 < drawn.max()

    def test_streams_are_independent_and_keep_their_place(self):
        """A new assumption must not move the draws of another one."""
        table = dict(default_assumptions())
        one = Values(table=table, draws=2000, seed=1)["goodput.restart_minutes"]
        other = Values(table=table, draws=2000, seed=1)
        far = other["data.object_mb"]
        np.testing.assert_array_equal(other["goodput.restart_minutes"], one)
        assert abs(np.corrcoef(one, far)[0, 1]) < 0.1
        assert not np.array_equal(Values(table=table, draws=2000, seed=2)["goodput.restart_minutes"], one)

    def test_a_fraction_stays_one(self):
        drawn = Values(table=default_assumptions(), draws=5000)
        for key, entry in default_assumptions().items():
            if entry.unit == "fraction":
                assert 0 <= np.min(drawn[key]) <= np.max(drawn[key]) <= 1
