"""What the page's script adds: search and filters, the difference between any two choices, and the what-if."""

from __future__ import annotations

import json
from functools import cache

import pytest
from playwright.sync_api import Page

from planner.decide.compare import compare
from planner.report.wording.figures import dollars
from planner.report.wording.rounding import number
from tests.browser.conftest import Show
from tools.model_uses import asked


@pytest.fixture
def page(show: Show) -> Page:
    """The page of the small example, with everything open. A test leaves it as it was."""
    tab = show("small", 1280)
    tab.probe("openAll()")
    return tab.page


def rows(page: Page) -> list[str]:
    return [row.inner_text() for row in page.locator("#ranking tbody tr").all() if row.is_visible()]


def test_search_finds_every_word_in_any_order(page: Page) -> None:
    every = rows(page)
    field = page.locator("#ranking-tools input")
    field.fill("SPOT s3")
    found = rows(page)
    assert found == [row for row in every if "spot" in row and "s3-stream" in row]
    assert page.locator("#ranking-tools [role=status]").inner_text() == f"{len(found)} of {len(every)} choices"
    field.fill("")
    assert rows(page) == every


def test_filters_and_search_work_together(page: Page) -> None:
    every = rows(page)
    status, field = page.locator("#ranking-tools [name=status]"), page.locator("#ranking-tools input")
    status.select_option("eligible")
    eligible = rows(page)
    assert 0 < len(eligible) < len(every)
    field.fill("on-demand")
    assert rows(page) == [row for row in eligible if "on-demand" in row]
    status.select_option("")
    field.fill("")
    assert rows(page) == every


def steps(page: Page) -> list[list[str]]:
    """Name, bar, rounded and exact figure of each step."""
    return page.locator("#waterfall li").evaluate_all(
        "items => items.map(i => [i.children[0].textContent, i.children[2].textContent, i.title, i.className])"
    )


def test_the_script_draws_the_default_pair_as_the_page_has_it(page: Page) -> None:
    """Two ways to the same steps: the page's, in Python, and the script's."""
    before = steps(page)
    page.locator("#waterfall [name=before]").dispatch_event("change")
    assert steps(page) == before
    assert len(before) > 3


def test_any_two_choices_can_be_held_against_each_other(page: Page) -> None:
    first, second = page.locator("#waterfall [name=before]"), page.locator("#waterfall [name=after]")
    kept = first.input_value(), second.input_value()
    last = first.locator("option").count() - 1
    first.select_option(str(last))
    second.select_option("2")
    found = steps(page)
    printed = [0.0 if step[1].startswith("<") else number(step[1]) for step in found]
    assert printed[0] + sum(printed[1:-1]) == pytest.approx(printed[-1], abs=0.005)
    assert found[0][0] == first.locator("option").nth(last).text_content()
    assert found[-1][0] == second.locator("option").nth(2).text_content()
    usd = [float(step[2].replace("$", "").replace(",", "")) for step in found]
    assert usd[0] + sum(usd[1:-1]) == pytest.approx(usd[-1], abs=0.05)
    first.select_option(kept[0])
    second.select_option(kept[1])


@cache
def planned(*overrides: str) -> dict[str, tuple[float, float]]:
    """Planned USD and days of each choice of the small example, by layout and purchase."""
    found = compare(asked("small", overrides, draws=5000).request())
    priced = [(s, s.cost_usd, s.days) for s in found.scenarios if s.cost_usd and s.days]
    return {f"{s.layout}, {s.purchase}": (cost.plan, run.plan) for s, cost, run in priced}


def typed(page: Page, number: int, text: str) -> tuple[str, dict[str, tuple[str, str]]]:
    """The caption, and (USD, days) by choice, after that field of the what-if has this text."""
    page.locator("#what-if input").nth(number).fill(text)
    caption = page.locator("#what-if caption").inner_text()
    found = [row.locator("td, th").all_inner_texts() for row in page.locator("#what-if tbody tr").all()]
    return caption, {name: (usd, days) for _, name, usd, days in found}


def test_the_what_if_begins_with_the_answer(page: Page) -> None:
    caption, shown = typed(page, 0, "4")
    assert page.locator("#answer h3").first.inner_text() == "Recommended: #1 S3 streaming on a Capacity Block"
    assert next(iter(shown)) == "s3-stream, capacity-block"
    for name, (usd, days) in shown.items():
        assert (usd, days) == (dollars(planned()[name][0]), f"{planned()[name][1]:.1f}")
    assert "(calculated)" in caption


def test_a_number_that_was_calculated_is_exact_and_another_is_marked(page: Page) -> None:
    def usd(nodes: str) -> tuple[str, float]:
        caption, shown = typed(page, 0, nodes)
        return caption, number(shown["s3-stream, on-demand"][0])

    (said, six), (_, eight), (between, seven) = usd("6"), usd("8"), usd("7")
    assert "(calculated)" in said
    assert six == pytest.approx(planned("fleet.nodes=6")["s3-stream, on-demand"][0], abs=50)
    assert "(interpolated between calculated plans)" in between
    assert seven == pytest.approx((six + eight) / 2, abs=100)
    typed(page, 0, "4")


def test_what_was_not_calculated_is_not_shown(page: Page) -> None:
    for text in ("1000", ""):
        assert typed(page, 0, text) == ("outside the calculated range", {})
    typed(page, 0, "4")


def test_a_lead_of_two_percent_is_called_small(page: Page) -> None:
    """Over every calculated number of nodes, from the page's own figures."""
    data = json.loads(page.locator("#what-if script").text_content() or "")
    inputs = page.locator("#what-if input")
    planned_at = [axis.index(float(inputs.nth(i).input_value())) for i, axis in enumerate(data["axes"])]
    most = float(inputs.nth(len(data["axes"])).input_value())
    for place, nodes in enumerate(data["axes"][0]):
        corner = 0
        for axis, at in zip(data["axes"], [place, *planned_at[1:]], strict=True):
            corner = corner * len(axis) + at
        cell = data["cells"][corner]
        each = zip(cell[::2], cell[1::2], data["weights"], data["p90"], data["late"], strict=True)
        ranks = sorted((usd * w, usd * p90) for usd, days, w, p90, late in each if usd and days * late <= most * 1.001)
        tied = sum(r <= ranks[0][0] * 1.02 and p90 <= ranks[0][1] * 1.05 for r, p90 in ranks[1:])
        caption = typed(page, 0, f"{nodes:g}")[0]
        assert ("Small lead" in caption) == (tied > 0), nodes
        assert (f"and {tied - 1} more" in caption) == (tied > 1), nodes
    typed(page, 0, "4")


def test_the_limit_leaves_out_what_is_too_late(page: Page) -> None:
    limit = page.locator("#what-if input").count() - 1
    kept = page.locator("#what-if input").nth(limit).input_value()
    every = page.locator("#what-if tbody tr").count()
    assert typed(page, limit, "1") == ("No choice is feasible within the limit.", {})
    assert next(iter(typed(page, limit, "100")[1])) == "s3-stream, capacity-block"
    typed(page, limit, kept)
    assert page.locator("#what-if tbody tr").count() == every
