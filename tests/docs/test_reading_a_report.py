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
BEST, CHEAPER = leaders.leaders_of(COMPARED)


def test_the_answer_is_the_one_of_the_example():
    assert COMPARED.prices.as_of.isoformat() in PAGE
    assert (BEST.layout, BEST.purchase, CHEAPER.purchase) == ("converged", "on-demand", "spot-fallback")
    words = " ".join(PAGE.split())
    assert BEST.cost_usd is not None
    assert BEST.days is not None
    assert CHEAPER.cost_usd is not None
    first, second = CHEAPER.futures
    share = f"{100 * first.fraction:.0f} % of the outcomes"
    for told in (
        f"{figures.usd(first.mean_usd)} in {share}, {figures.usd(second.mean_usd)} in the others",
        f"${figures.dollars(BEST.cost_usd.p50)} at P50, ${figures.dollars(BEST.cost_usd.p90)} at P90",
        f"${figures.dollars(BEST.cost_usd.plan)} planned, in {figures.days(BEST.days.p50)} days",
        f"${figures.dollars(CHEAPER.cost_usd.p50)} at P50, ${figures.dollars(CHEAPER.cost_usd.p90)} at P90",
    ):
        assert told in words
    assert 0.85 < (leaders.share_above_plan(BEST) or 0) < 0.95, "the page says nine in ten"
    assert CHEAPER.unproven, "the page says on how many nodes spot was observed"


def test_the_line_is_one_of_the_bill():
    row = next(line for line in PAGE.splitlines() if line.startswith("| network."))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    bill = render(COMPARED).split(f'id="bill-{leaders.rank_of(COMPARED, BEST)}"')[1]
    printed = re.search(rf"<tr><th[^>]*>(?:<a[^>]*>)?{re.escape(cells[0])}<.*?</tr>", bill, flags=re.DOTALL)
    assert printed is not None
    shown = [html.unescape(re.sub("<[^>]+>", "", cell)) for cell in re.findall(r"<t[hd].*?</t[hd]>", printed[0])]
    del shown[2]  # its share of the total
    assert cells == shown


def test_its_headings_of_the_page_are_there():
    page = render(COMPARED)
    headings = ("The answer", "The choices", "How two choices differ", "Bills", "Cash due")
    for name in (*headings, "Probability", "Recommended", "Cheaper"):
        assert name in page
        assert name in PAGE
