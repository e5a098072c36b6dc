"""`planner.explain` gives what `planner explain` prints, as values, as text and as plain data."""

from __future__ import annotations

import json

import pytest

import planner
import pricing
from tests.api.conftest import DRAWS
from tests.typed import FEW, SMALL
from tests.typed import planner as typed


@pytest.mark.parametrize("number", ["storage.s3.standard", "goodput.mtbf_hours", "goodput.restart_minutes"])
def test_an_explanation_is_the_json_of_the_command_line(comparison, number):
    found = planner.explain(comparison, "best", number)
    said = typed("explain", SMALL, "best", number, *FEW, "--draws", DRAWS, "-f", "json")
    # the comparison of these tests was changed with set=, the command's with --set: the origins read the same
    assert json.loads(json.dumps(found.to_dict())) == json.loads(said.stdout)


def test_an_explanation_has_value_and_unit_and_prints_its_text(comparison):
    best = comparison.best
    found = planner.explain(comparison, best, "storage.s3.standard")
    line = next(line for line in best.bill if line.line == "storage.s3.standard")
    assert (found.id, found.value, found.unit) == ("storage.s3.standard", line.effective_cost, "USD")
    assert str(found) == found.text()
    assert f"storage.s3.standard = {line.effective_cost:.7f} USD" in str(found)
    assert repr(found).startswith("Explanation(id='storage.s3.standard', value=")
    assert len(found.text(depth=None)) > len(found.text(depth=1))
    assert max(map(len, found.text(width=60).splitlines())) <= 60


def test_a_line_without_a_price_says_what_is_missing(plan):
    book = pricing.open_book().without(lambda table, row: table == "metered" and row["service"] == "AmazonS3")
    comparison = planner.compare(plan, prices=book, draws=0)
    scenario = comparison["s3-stream/p4d.24xlarge/on-demand"]
    found = planner.explain(comparison, scenario, scenario.unpriced[0].line)
    assert (found.value, found.unit) == (None, "USD")
    assert "no price for" in str(found)
    assert found.to_dict()["unpriced"]["what"] == scenario.unpriced[0].what


@pytest.mark.parametrize(
    ("scenario", "number", "message"),
    [
        ("best", "goodput.mtbf", "did you mean goodput.mtbf_hours?"),
        ("best", "bill[99].list_cost", "its bill is bill.0 to bill."),
        (0, 5, "number is text, such as"),
        (None, "cost_usd", "a scenario is named by id"),
        ("best", "storage.s3.nothing", "did you mean storage.s3."),
        ("worst", "cost_usd", "no scenario 'worst'"),
    ],
)
def test_an_unknown_number_or_scenario_names_the_nearest(comparison, scenario, number, message):
    with pytest.raises(planner.UsageProblem) as raised:
        planner.explain(comparison, scenario, number)
    assert message in str(raised.value)


def test_a_scenario_that_cannot_be_planned_says_why():
    comparison = planner.compare(
        planner.load(SMALL, set={"fleet.nodes": 400, "purchase.options": ["capacity-block"]}), draws=0
    )
    with pytest.raises(planner.UsageProblem, match=r"has no numbers: .*256"):
        planner.explain(comparison, "#1", "cost_usd")
