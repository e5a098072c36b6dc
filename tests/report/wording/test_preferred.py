"""Why one of several that tie is chosen: a reason that a reader finds in the printed figures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from planner.answer.ranges import Range
from planner.answer.recommend import steps_of
from planner.answer.row import Row
from planner.report.wording import glossary
from planner.report.wording.fleet import LESS_WAITING
from planner.report.wording.preferred import NAME, RULE, chosen_for
from tests.builders import row


def tied(id: str, p90: float = 392_000.0, days: float = 13.1, effort: float = 1_080.0, p50: float = 250_000.0) -> Row:
    one = row(f"{id}/p5.48xlarge/on-demand", 1.0)[0]
    cost = Range(plan=p50, p10=p50, p50=p50, p90=p90)
    return replace(one, cost_usd=cost, days=Range(plan=days, p10=days, p50=days, p90=days), effort_usd=effort)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"p90": 392_101.0}, NAME),  # $101 of $392k
        ({"p90": 410_000.0}, "its lower P90"),
        ({"p50": 260_000.0}, "its lower P50"),
        ({"effort": 1_500.0}, "less to operate ($1,080 of an engineer's time instead of $1,500)"),
        (
            {"effort": 1_500.0, "days": 14.0},
            "its earlier end (13.1 days instead of 14.0), which is also less to operate",
        ),
        ({"effort": 1_080.2, "days": 14.0}, NAME),
    ],
)
def test_the_reason_can_be_seen_and_weighs(other: dict[str, Any], said: str) -> None:
    assert chosen_for(tied("converged"), [tied("s3-stream", **other)], "p50") == said


def test_the_effort_of_a_fleet_is_waiting() -> None:
    other = tied("s3-stream", effort=1_500.0)
    assert (
        chosen_for(tied("converged"), [other], "p50", LESS_WAITING) == "less waiting (worth $1,080 instead of $1,500)"
    )


def test_the_glossary_has_the_rule_of_the_card_in_its_order() -> None:
    said = dict(glossary.WORDS)["Recommended"]
    assert RULE in said
    words = {"commitment": "commitment", "blocks": "Blocks", "p90": "P90", "cost": "lower cost", "effort": "operate"}
    at = [said.rindex(words[step.reason]) for step in steps_of("p50")[1:-1]]
    assert at == sorted(at)
