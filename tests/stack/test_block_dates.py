"""Capacity Blocks against the time of day."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from planner.stack.block_dates import begun, over
from planner.stack.spec import PLACEHOLDER, Block
from planner.stack.timestamps import parse_timestamp
from tests.stack.specs import block, spec

ENDS = "2026-11-30T11:30:00Z"
SECOND = "cr-0fedcba9876543210"


def ending(ends: str, further: str = ""):
    whole = block()
    blocks = (Block(nodes=4, reservation_id=SECOND, ends=further),) if further else ()
    buying = replace(whole.buying, ends=ends, further_blocks=blocks)
    return replace(whole, buying=buying, fleet=replace(whole.fleet, nodes=12 if further else 8))


@pytest.mark.parametrize(("minutes", "refused"), [(46, 0), (45, 1), (30, 1), (-60 * 24 * 365, 1)])
def test_a_block_is_over_when_the_fleet_would_be_scaled_to_zero_at_once(minutes, refused):
    now = parse_timestamp(ENDS) - timedelta(minutes=minutes)
    found = list(over(ending(ENDS), now))
    assert len(found) == refused
    for finding in found:
        assert finding.path == ("buying", "ends")
        assert "planner leave" in finding.remedy


def test_each_block_is_looked_at_and_what_is_not_known_is_not():
    now = datetime(2026, 12, 1, tzinfo=UTC)
    (first, second) = over(ending(ENDS, ENDS), now)
    assert (first.path, second.path) == (("buying", "ends"), ("buying", "further_blocks", 0, "ends"))
    assert not list(over(ending(f"{PLACEHOLDER}-ends"), now))
    assert not list(over(spec(), now))


def test_a_start_that_is_past_is_left_out_and_a_later_one_is_kept():
    whole = ending(ENDS)
    later = replace(whole, buying=replace(whole.buying, starts="2026-11-24T11:30:00Z"))
    assert begun(later, datetime(2026, 11, 24, 11, tzinfo=UTC)) == later
    assert begun(later, datetime(2026, 11, 24, 11, 30, tzinfo=UTC)) == whole
    assert begun(whole, datetime(2026, 11, 24, tzinfo=UTC)) is whole
