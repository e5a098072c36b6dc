"""Each price event: what it touches, what it leaves alone, and on which day."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from price_sources import SOURCES, needs_sources, rows

from pricing.build.days import Observation, choose
from pricing.build.events import Events, parse_change, parse_scope
from pricing.build.observations import Reader


@pytest.mark.parametrize(
    ("text", "old_until", "new_from"),
    [
        ("2025-06-01 effective", date(2025, 5, 31), date(2025, 6, 1)),
        ("2025-06-01 effective; visible in the API 2025-06-05", date(2025, 5, 31), date(2025, 6, 1)),
        ("2025-06-04 effective (purchases after that day)", date(2025, 6, 4), date(2025, 6, 5)),
        ("2025-06-01 assumed (seen between 2025-04-05 and 2025-11-30; ...)", date(2025, 5, 31), date(2025, 6, 1)),
        ("between 2026-03-01 and 2026-05-25", date(2026, 3, 1), date(2026, 5, 25)),
        ("2026-01", date(2025, 12, 31), date(2026, 1, 31)),
    ],
)
def test_when_a_price_changed(text: str, old_until: date, new_from: date) -> None:
    change = parse_change(text)
    assert (change.old_until, change.new_from) == (old_until, new_from)


@pytest.mark.parametrize("text", ["", "soon", "2025-06-01", "in 2025"])
def test_a_wording_that_is_not_understood_stops_the_build(text: str) -> None:
    with pytest.raises(ValueError, match="not understood"):
        parse_change(text)


def test_a_sentence_that_is_not_understood_stops_the_build() -> None:
    with pytest.raises(ValueError, match="not understood"):
        parse_scope("AmazonEC2", "p9.48xlarge got cheaper")


ON_DEMAND, BLOCK, COMMIT = "on_demand", "capacity_blocks", "commitments"


@pytest.mark.parametrize(
    ("service", "what", "touched", "left_alone"),
    [
        (
            "AmazonEC2",
            "p4d.24xlarge on-demand us-east-1",
            [(ON_DEMAND, "p4d.24xlarge", "us-east-1")],
            [
                (ON_DEMAND, "p4de.24xlarge", "us-east-1"),
                (ON_DEMAND, "p4d.24xlarge", "us-east-2"),
                (BLOCK, "p4d.24xlarge", "us-east-1"),
            ],
        ),
        (
            "EC2 Capacity Blocks",
            "p5.48xlarge US regions",
            [(BLOCK, "p5.48xlarge", r) for r in ("us-east-1", "us-west-1", "us-east-1-atl-2a")],
            [
                (BLOCK, "p5.48xlarge", "us-gov-east-1"),
                (BLOCK, "p5.48xlarge", "ap-northeast-1"),
                (BLOCK, "p5.4xlarge", "us-east-1"),
            ],
        ),
        (
            "EC2 Capacity Blocks",
            "p5e.48xlarge us-east-2",
            [(BLOCK, "p5e.48xlarge", "us-east-2")],
            [(BLOCK, "p5e.48xlarge", "us-east-1"), (BLOCK, "p5.48xlarge", "us-east-2")],
        ),
        (
            "AmazonEC2",
            "p4d.24xlarge Standard RI 1-yr No Upfront us-east-1",
            # all payment options of the term move together
            [(COMMIT, "p4d.24xlarge", "us-east-1", f"ri-1y-standard-{u}-upfront") for u in ("no", "all")],
            [
                (COMMIT, "p4d.24xlarge", "us-east-1", "ri-3y-standard-no-upfront"),
                (COMMIT, "p4d.24xlarge", "us-east-1", "ri-1y-convertible-no-upfront"),
                (COMMIT, "p4d.24xlarge", "us-east-1", "sp-1y-instance-no-upfront"),
                (COMMIT, "p4d.24xlarge", "us-west-2", "ri-1y-standard-no-upfront"),
            ],
        ),
        (
            "AmazonEC2",
            "p5.48xlarge EC2 Instance Savings Plan 3-yr, all Regions",
            [(COMMIT, "p5.48xlarge", r, "sp-3y-instance-all-upfront") for r in ("us-east-1", "eu-west-2")],
            [
                (COMMIT, "p5.48xlarge", "us-east-1", "sp-1y-instance-all-upfront"),
                (COMMIT, "p5.48xlarge", "us-east-1", "sp-3y-compute-all-upfront"),
                (COMMIT, "p5.48xlarge", "us-east-1", "ri-3y-standard-all-upfront"),
            ],
        ),
        (
            "AmazonVPC",
            "public IPv4 address in use, all Regions",
            [("metered", "AmazonVPC", "Public IPv4 address, in use", "all", "")],
            [("metered", "AmazonVPC", "Public IPv4 address, idle Elastic IP", "us-east-1", "")],
        ),
    ],
)
def test_what_a_sentence_touches(
    service: str, what: str, touched: list[tuple[str, ...]], left_alone: list[tuple[str, ...]]
) -> None:
    scope = parse_scope(service, what)
    assert [scope.covers(key) for key in touched] == [True] * len(touched)
    assert [scope.covers(key) for key in left_alone] == [False] * len(left_alone)


@needs_sources
def test_every_event_of_the_source_is_understood_and_touches_a_price_that_is_known() -> None:
    reader = Reader(SOURCES)
    keys = {
        one.key
        for read in (reader.on_demand, reader.commitments, reader.capacity_blocks, reader.metered)
        for one in read()
    }
    untouched = []
    for row in rows("price_events.csv"):
        events = Events([row])
        if not any(events.of(key) for key in keys):
            untouched.append(row["what"])
    # No Savings Plan rate of p5en stands in the sources, so these two have nothing to touch.
    assert untouched == [
        "p5en.48xlarge EC2 Instance Savings Plan 3-yr, all Regions",
        "p5en.48xlarge Compute Savings Plan 1-yr, all Regions",
    ]


@needs_sources
@pytest.mark.parametrize("index", range(36))
def test_an_observation_does_not_cross_its_event(index: int) -> None:
    """For each event with prices: the old price the day before, the new one from the day on."""
    row = rows("price_events.csv")[index]
    change = parse_change(row["date"])
    before, after = change.old_until, change.new_from
    assert change.surely_between(before, after)
    assert change.surely_between(before - timedelta(days=400), after + timedelta(days=400))
    assert not change.perhaps_between(before - timedelta(days=1), before)
    assert not change.perhaps_between(after, after + timedelta(days=1))
    if row["old_usd"] and row["change_pct"]:
        ratio = (float(row["new_usd"]) / float(row["old_usd"]) - 1) * 100
        assert ratio == pytest.approx(float(row["change_pct"]), abs=0.15)


@needs_sources
@pytest.mark.parametrize("index", range(36))
def test_books_on_both_sides_of_an_event_never_hold_the_wrong_price(index: int) -> None:
    """Out of the real observations: no new price up to the last old day, no old price from the first new one."""
    row = rows("price_events.csv")[index]
    if not (row["old_usd"] and row["new_usd"]):
        assert "Savings Plan" in row["what"]  # the announcement gives a percentage, no level
        return
    events, change = Events([row]), parse_change(row["date"])
    touched: dict[tuple[str, ...], list[Observation]] = {}
    reader = Reader(SOURCES)
    for read in (reader.on_demand, reader.commitments, reader.capacity_blocks, reader.metered):
        for one in read():
            if events.of(one.key):
                touched.setdefault(one.key, []).append(one)
    answers = 0
    for key, seen in touched.items():
        for book, wrong in ((change.old_until, "new_usd"), (change.new_from, "old_usd")):
            best = choose(seen, book, events.of(key), carry_back=key[0] == "metered")
            assert best is None or float(best.usd) != float(row[wrong]), (key, book, best)
            answers += best is not None
    assert answers > 0
