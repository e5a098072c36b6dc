"""What is kept beside the hot data may lie in a cheaper class: minimum durations, ageing, monitoring, by hand."""

from __future__ import annotations

import pytest

from tests.builders import book_of, by_id, compared, months_of, plan_of, scenario_of

HOT, KEPT = 4e12, 40e12
BESIDE_GB = (KEPT - HOT) / 2**30


def _plan(kept_class: str, days_kept: int = 0, **data):
    storage = {"layouts": ["s3-stream"], **({"retention": f"{days_kept}d"} if days_kept else {})}
    return plan_of(
        data={"kept_in_s3": "40TB", "kept_class": kept_class, **data},
        storage=storage,
        purchase={"options": ["on-demand"]},
    )


def _lines(plan):
    scenario = scenario_of(plan, "s3-stream")
    return scenario, {line.line: line for line in scenario.bill}


def _usd(item):
    return book_of().metered("AmazonS3", item, "us-east-1").tiers[0].usd


def test_standard_keeps_all_in_one_line():
    scenario, lines = _lines(_plan("STANDARD"))
    hours = scenario.days.plan * 24
    assert lines["storage.s3.standard"].quantity == pytest.approx(KEPT / 2**30 * months_of(hours))
    assert not [name for name in lines if "-ia" in name or "glacier" in name or "intelligent" in name]


@pytest.mark.parametrize(
    ("kept_class", "name", "item", "minimum_days"),
    [
        ("STANDARD_IA", "standard-ia", "S3 Standard-IA storage", 30),
        ("GLACIER_IR", "glacier-ir", "S3 Glacier Instant Retrieval storage", 90),
    ],
)
def test_a_minimum_duration_is_billed_whole(kept_class, name, item, minimum_days):
    scenario, lines = _lines(_plan(kept_class))
    hours = scenario.days.plan * 24
    assert hours < minimum_days * 24
    line = lines[f"storage.s3.{name}"]
    assert line.quantity == pytest.approx(BESIDE_GB * months_of(minimum_days * 24))
    assert line.effective_unit_price == pytest.approx(_usd(item))
    # the hot data stay where training reads them
    assert lines["storage.s3.standard"].quantity == pytest.approx(HOT / 2**30 * months_of(hours))


def test_beyond_the_minimum_every_hour_counts():
    scenario, lines = _lines(_plan("STANDARD_IA", days_kept=100))
    hours = scenario.days.plan * 24 + 100 * 24
    assert lines["storage.s3.standard-ia"].quantity == pytest.approx(BESIDE_GB * months_of(hours))


def test_intelligent_tiering_ages_and_is_monitored():
    scenario, lines = _lines(_plan("INTELLIGENT_TIERING", days_kept=100))
    hours = scenario.days.plan * 24 + 100 * 24
    months = {
        "frequent": months_of(30 * 24),
        "infrequent": months_of(60 * 24),
        "archive": months_of(hours - 90 * 24),
    }
    for tier, length in months.items():
        assert lines[f"storage.s3.intelligent-tiering.{tier}"].quantity == pytest.approx(BESIDE_GB * length), tier
    # 36 TB in shards of 100 MB are 360,000 objects, billed by the thousand and month
    assert lines["storage.s3.intelligent-tiering.monitoring"].quantity == pytest.approx(360 * months_of(hours))


def test_a_short_run_never_leaves_the_frequent_tier():
    _, lines = _lines(_plan("INTELLIGENT_TIERING"))
    assert "storage.s3.intelligent-tiering.frequent" in lines
    assert "storage.s3.intelligent-tiering.infrequent" not in lines


def test_uploads_pay_the_class_its_own_requests():
    _, lines = _lines(_plan("STANDARD_IA", ingest={"source": "upload", "rate": "2GB/s"}))
    line = lines["storage.s3.standard-ia.put-requests"]
    assert line.quantity == pytest.approx(36e12 / 100e6 / 1000)
    assert line.effective_unit_price == _usd("S3 Standard-IA PUT/COPY/POST/LIST")


def test_a_class_without_a_price_makes_a_lower_bound():
    book = book_of().without(lambda table, row: table == "metered" and row["item"] == "S3 Standard-IA storage")
    scenario = next(iter(by_id(compared(_plan("STANDARD_IA"), book=book)).values()))
    assert not scenario.complete
    assert [entry.line for entry in scenario.unpriced] == ["storage.s3.standard-ia"]
    assert scenario.unpriced[0].nearest
