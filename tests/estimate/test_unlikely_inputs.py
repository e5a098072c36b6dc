"""Inputs that a plan may have and that nobody has seen in a run: the figures are calculated, with a warning."""

from __future__ import annotations

import pytest

from tests.builders import plan_of, scenario_of

ON_DEMAND = {"options": ["on-demand"]}


def warnings_of(**sections):
    return scenario_of(plan_of(purchase=ON_DEMAND, storage={"layouts": ["s3-stream"]}, **sections), "s3").warnings


@pytest.mark.parametrize(
    ("more", "warned"),
    [
        ({"mfu": 0.9}, True),
        ({"mfu": 0.65}, False),
        ({"mfu": 0.65, "mfu_basis": "run"}, True),
        ({"mfu_by_gpu": {"A100": 0.7}}, True),
        ({}, False),
    ],
)
def test_an_mfu_above_every_published_one_is_said_with_what_is_published(more, warned):
    found = warnings_of(run={"work": {"gpu_hours": None, "flop": 1e21, **more}})
    assert any("above every published figure: steps reach 30% to 65%" in text for text in found) is warned


@pytest.mark.parametrize(
    ("interval", "nodes", "said"),
    [
        ("2h", 4, ""),
        ("30d", 4, "the work takes"),  # 4,000 GPU-hours on 32 GPUs: 5.2 days
        ("4d", 4, ""),
        ("20d", 64, "the run is interrupted every"),
    ],
)
def test_checkpoints_that_save_nothing_are_said(interval, nodes, said):
    """512 GPUs are interrupted every few days, and work for 33."""
    found = warnings_of(
        reliability={"checkpoint_interval": interval},
        fleet={"nodes": nodes},
        run={"work": {"gpu_hours": 4000 if nodes == 4 else 400_000}},
    )
    (text,) = [text for text in found if "reliability.checkpoint_interval" in text] or [""]
    assert said in text
    assert bool(said) == bool(text)
