"""The page for the person who signs: its figures and its bill line are those of the report that it reads."""

from __future__ import annotations

import html
import re

from planner.decide import leaders
from planner.decide.compare import compare
from planner.report.html.page import render
from planner.report.wording import figures
from tools.docs import ROOT
from tools.model_uses import asked

PAGE = (ROOT / "docs" / "reading-a-report.md").read_text(encoding="utf-8")
COMPARED = compare(asked("stability-converged", (), draws=5000).request())
BEST, SAFE = leaders.leaders_of(COMPARED)


def test_the_answer_is_the_one_of_the_example():
    assert COMPARED.prices.as_of.isoformat() in PAGE
    assert (BEST.purchase, SAFE.purchase) == ("spot", "on-demand")
    for scenario in (BEST, SAFE):
        assert scenario.cost_usd is not None
        assert scenario.days is not None
        assert f"${figures.dollars(scenario.cost_usd.plan)} on" in PAGE
        assert f"in {scenario.days.plan:.0f}" in PAGE.replace("\n", " ").replace("  ", " ")
    assert SAFE.cost_usd is not None
    assert f"${figures.dollars(SAFE.cost_usd.p90)} at P90" in PAGE
    assert 0.6 < (leaders.share_above_plan(BEST) or 0) < 0.7, "the page says two in three"
    assert leaders.p90_is_floor(BEST), "the page says that its P90 is a floor"


def test_the_line_is_one_of_the_bill():
    row = next(line for line in PAGE.splitlines() if line.startswith("| network."))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    bill = render(COMPARED).split(f'id="bill-{leaders.rank_of(COMPARED, SAFE)}"')[1]
    printed = re.search(rf"<tr><th[^>]*>(?:<a[^>]*>)?{re.escape(cells[0])}<.*?</tr>", bill, flags=re.DOTALL)
    assert printed is not None
    shown = [html.unescape(re.sub("<[^>]+>", "", cell)) for cell in re.findall(r"<t[hd].*?</t[hd]>", printed[0])]
    del shown[2]  # its share of the total
    assert cells == shown


def test_its_headings_of_the_page_are_there():
    page = render(COMPARED)
    for name in ("The answer", "Cost against time", "Bills", "Cash due", "Probability", "Lowest P90"):
        assert name in page
        assert name in PAGE or name == "Cost against time"
