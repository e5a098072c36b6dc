"""Capacity and the fill rate: the planner's own equations, on the drives that answer."""

from __future__ import annotations

import pytest
from fleet_pool import settings
from fleet_pool.operate.capacity import Rules, as_data, as_text, capacity, duration_s, excesses, fill_limit, hot_bytes
from fleet_pool.operate.members import Member
from fleet_pool.operate.nodes import Node, Space, silent
from hypothesis import given
from hypothesis import strategies as st

from planner.models import capacity as models
from planner.models import datapath

RULES = Rules(low_percent=70, out_of_space_percent=95, dont_evict_s=3600)
P4D = 8_000_000_000_000  # bytes on the drives of a p4d.24xlarge
TERABYTES = st.floats(0.1, 1e4)
PERCENT = st.floats(1, 100)


def target(name: str, *, used: int = 0, from_s3: int = 0, at_s: float = 0.0, total: int = P4D) -> Node:
    member = Member(id=name, role="target", url="http://10.0.0.4:51081", flags=0)
    space = Space(total=total, used=used, drives=8, fullest_percent=0, from_s3=from_s3)
    return Node(member=member, heard="status", flags=6, space=space, version="", primary="", at_s=at_s, why="")


class TestTheSameAsThePlanner:
    @given(terabytes=TERABYTES, percent=PERCENT, hold_s=st.floats(60, 1e5))
    def test_fill_limit_is_equation_I8(self, terabytes, percent, hold_s):
        planned = datapath.fill_rate_limit(
            node_raw_tb=terabytes, low_watermark_fraction=percent / 100, dont_evict_seconds=hold_s
        )
        assert fill_limit(terabytes * 1e12, percent, hold_s) == pytest.approx(planned)

    @given(terabytes=TERABYTES, percent=PERCENT)
    def test_hot_bytes_is_equation_S2_on_file_systems_that_stand(self, terabytes, percent):
        planned = models.pool_usable_tb(raw_tb=terabytes, filesystem_fraction=1, low_watermark_fraction=percent / 100)
        assert hot_bytes(terabytes * 1e12, percent) == pytest.approx(planned * 1e12)

    def test_a_p4d(self):
        """8 TB x 0.70 / 3600 s = 1.56 GB/s."""
        assert fill_limit(P4D, settings.LOW_WATERMARK_PERCENT) == pytest.approx(1.5556, abs=1e-4)
        assert hot_bytes(P4D, settings.LOW_WATERMARK_PERCENT) == pytest.approx(5.6e12)


class TestMeasured:
    def test_no_second_look_no_rate(self):
        looked = [target("t1", at_s=5)]
        [share] = capacity(RULES, looked, looked).shares
        assert (share.from_s3_gb_per_s, share.full_in_s) == (None, None)

    def test_a_target_that_outruns_eviction_says_when_it_refuses(self):
        """2 GB/s into 95 % of 8 TB less the 4 TB that are there: 3.6 TB, 1800 s."""
        before, after = target("t1", at_s=10), target("t1", at_s=20, used=4_000_000_000_000, from_s3=20_000_000_000)
        found = capacity(RULES, [before], [after])
        [share] = found.shares
        assert share.from_s3_gb_per_s == pytest.approx(2)
        assert share.full_in_s == pytest.approx(1800)
        [wrong] = excesses(found, None, None)
        assert not wrong.demanded
        assert wrong.what == (
            "t1 fetches 2 GB/s from S3, more than the 1.56 GB/s that it can sustain: "
            "at this rate it refuses data in 30 min"
        )

    def test_below_the_limit_there_is_nothing_to_say(self):
        found = capacity(RULES, [target("t1")], [target("t1", at_s=10, from_s3=15_000_000_000)])
        assert excesses(found, None, None) == ()

    def test_a_restarted_daemon_has_no_rate(self):
        before, after = target("t1", from_s3=10**12), target("t1", at_s=10, from_s3=5)
        assert capacity(RULES, [before], [after]).shares[0].from_s3_gb_per_s is None

    def test_a_silent_target_is_named_and_not_counted(self):
        quiet = silent(target("t2").member, "hangs")
        found = capacity(RULES, (), [target("t1"), quiet])
        assert (found.raw, found.silent) == (P4D, ("t2",))
        assert "not counted (no answer): t2" in as_text(found, RULES, ())


class TestDemanded:
    found = capacity(RULES, (), [target(f"t{number}") for number in range(4)])

    def test_what_fits_fits(self):
        assert excesses(self.found, hot_tb=22.4, cold_gb_per_s=6.22) == ()

    def test_an_excess_is_reported_with_both_numbers(self):
        hot, cold = excesses(self.found, hot_tb=22.5, cold_gb_per_s=6.3)
        assert (hot.demanded, cold.demanded) == (True, True)
        assert hot.what == "22.5 TB of hot data exceed the 22.4 TB that the pool guarantees"
        assert cold.what == "6.3 GB/s from S3 exceed the 6.22 GB/s that drives sustain"

    def test_on_paper(self):
        wrong = excesses(self.found, 30, None)
        text = as_text(self.found, RULES, wrong)
        assert text.startswith("32 TB of drives, 22.4 TB guaranteed (70 %), 0 B used; sustains 6.22 GB/s from S3")
        data = as_data(self.found, RULES, wrong)
        assert (data["hot_bytes"], len(data["targets"])) == (22_400_000_000_000, 4)
        assert data["excesses"][0]["demanded"] is True


@pytest.mark.parametrize(
    ("text", "found"), [("1h0m", 3600), ("1h", 3600), ("90m", 5400), ("1m30s", 90), ("500ms", 0.5), ("2h0m0s", 7200)]
)
def test_times_as_the_engine_writes_them(text, found):
    assert duration_s(text) == pytest.approx(found)


@pytest.mark.parametrize("text", ["", "1", "h", "1h x", "-1h"])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(ValueError, match="is not a duration"):
        duration_s(text)
