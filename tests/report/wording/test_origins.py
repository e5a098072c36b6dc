"""Where a price comes from, in one line of text: the book, other Regions, or the plan."""

from __future__ import annotations

from datetime import date

from planner.estimate.derivations import known_of
from planner.models.derived import Input
from planner.report.markdown import comparison_markdown
from planner.report.wording.origins import describe, origin_index
from tests.builders import book_of, compared, plan_of

OWN = {"purchase": "on-demand", "usd": 20, "unit": "Hrs", "source": "quote 4711", "date": "2026-11-15"}
PLAN = plan_of(
    region="us-east-2",
    prices={"own": [OWN]},
    purchase={"options": ["on-demand"]},
    storage={"layouts": ["s3-stream"]},
)
COMPARED = compared(PLAN, book=book_of(date(2026, 10, 10)))


def price_of(line: str) -> str:
    (scenario,) = COMPARED.scenarios
    entry = Input(name="usd_per_hour", value=1.0, unit="USD/h", origin=f"price:{line}")
    return describe(entry, origin_index(COMPARED, scenario, known_of(scenario)))


def test_an_own_price_names_the_plans_source_and_not_the_book() -> None:
    assert price_of("fleet.compute") == "price of 2026-11-15; the plan, prices.own[0]: quote 4711"


def test_a_bounded_price_names_both_regions_and_the_book() -> None:
    text = price_of("network.interface-endpoints")
    assert ", bounded, in the book of 2026-10-10; between 0.01 USD in us-east-1 and" in text
    assert text.endswith("has no price of us-east-2")


def test_the_markdown_bill_marks_both() -> None:
    written = comparison_markdown.render(COMPARED)
    assert "2026-11-15, own" in written
    assert ", bounded |" in written
