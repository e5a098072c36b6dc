"""Another layout or purchase over what is deployed: it needs a word, and the refusal names what goes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.stack.changes import by_hand
from planner.stack.leaving import off_spot
from planner.stack.plain_data import from_mapping, to_mapping
from planner.stack.switching import needs_word, refusal, standing, switched
from tests.infra.specs import BUYING, spec_of


@pytest.mark.parametrize(
    ("before", "after", "goes"),
    [
        ("fsx-lustre", "s3-stream", "every file that S3 does not have"),
        ("converged", "fsx-lustre", "the control nodes, and with them the pool that running jobs read"),
        ("separate-nvme", "converged", "the storage nodes with their cache"),
        ("s3-stream", "workers", "the GPU nodes with the jobs on them"),
        ("workers", "s3-stream", "the jobs in its queue"),
    ],
)
def test_a_layout_that_takes_something_away_needs_the_word_and_names_it(before, after, goes):
    old, new = spec_of(before), spec_of(after)
    assert needs_word(standing(old), new)
    assert goes in refusal(standing(old), new)
    assert "--switch" in refusal(standing(old), new)
    said = switched(old, new)
    assert said.switched_from == (standing(old),)
    assert not needs_word(standing(old), said)
    assert from_mapping(to_mapping(said)) == said
    assert "switched_from" not in to_mapping(new)


def test_a_purchase_needs_the_word_and_a_reservation_of_on_demand_nodes_does_not():
    spot, on_demand, reserved = (
        spec_of("converged", buying=BUYING[kind]) for kind in ("spot", "on-demand", "reservation")
    )
    assert "those that run stay spot" in refusal(standing(spot), on_demand)
    assert not needs_word(standing(on_demand), reserved)
    assert not needs_word(standing(spot), off_spot(spot)), "leaving is a word of its own"


def test_the_word_is_for_all_that_may_be_deployed_and_stays_until_another_switch():
    first, second, third = (spec_of(layout) for layout in ("fsx-lustre", "converged", "s3-stream"))
    over = switched(switched(first, second), third)
    assert over.switched_from == ("fsx-lustre/on-demand", "converged/on-demand")
    again = by_hand(over, replace(third, plan_sha256="6" * 64))
    assert again.switched_from == over.switched_from
    assert switched(over, first).switched_from == ("converged/on-demand", "s3-stream/on-demand")
