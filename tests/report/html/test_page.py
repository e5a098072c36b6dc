"""The HTML page: complete in itself, readable by everyone, the same every time."""

from __future__ import annotations

import base64
import hashlib
import html
import html.parser
import re
from dataclasses import replace
from decimal import Decimal
from functools import cache
from itertools import pairwise

import pytest

from planner.cli.options import Asked
from planner.decide import leaders
from planner.decide.compare import compare
from planner.decide.study import study
from planner.report.data import comparison_json
from planner.report.data.groups import sources_of
from planner.report.html import page as as_html
from planner.report.html.architecture import StackView
from planner.report.html.bills import bill_view
from planner.report.wording.figures import visible
from tests.builders import compared, plan_of
from tests.report.scenes import HOSTILE, answered, first, named, sixty, small, unfinished
from tests.typed import FEW, SMALL

VOID = {"meta", "br", "wbr", "rect", "link", "img", "hr", "input", "circle", "path", "polygon"}


class Page(html.parser.HTMLParser):
    """Tags in balance, ids, links, text of the title and of the body."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        assert len(found) == len(attrs), f"{tag} has an attribute twice"
        self.tags.append((tag, found))
        if found.get("id"):
            self.ids.append(str(found["id"]))
        if tag == "li" and self.open[-1:] == ["li"]:
            self.open.pop()  # its end may be left out
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag in {"ol", "ul"} and self.open[-1:] == ["li"]:
            self.open.pop()
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]


@cache
def page() -> Page:
    return Page(as_html.render(small()))


def whole(stack: StackView) -> str:
    """A page with every section that there is."""
    request = Asked(plan=SMALL, overrides=FEW[1::2], draws=40).request()
    comparison = compare(request)
    return as_html.render(comparison, study(request, comparison), stack)


def test_tags_are_closed_and_ids_are_unique() -> None:
    assert page().open == []
    assert len(page().ids) == len(set(page().ids))


def test_nothing_comes_from_elsewhere() -> None:
    text = as_html.render(small())
    assert all("src" not in attrs for attrs in page().named("script"))
    assert not page().named("link")
    assert not page().named("img")
    assert not re.search(r"@import|url\(", text)
    for _, attrs in page().tags:
        for key in ("src", "href", "xlink:href", "action", "poster", "srcset"):
            # the table of bills is in its link
            assert not attrs.get(key) or str(attrs[key]).startswith(("#", "data:text/csv;"))
        assert not any(key.startswith("on") for key in attrs)


def test_the_script_is_allowed_by_its_hash_and_by_nothing_else() -> None:
    text = as_html.render(small())
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    script = re.search(r"<script>(.*?)</script>", text, flags=re.DOTALL)
    assert policy is not None
    assert script is not None
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in html.unescape(policy[1])
    assert "default-src 'none'" in html.unescape(policy[1])


def test_links_lead_somewhere() -> None:
    for attrs in page().named("a"):
        if "download" in attrs:
            continue
        assert str(attrs["href"]).removeprefix("#") in page().ids


def test_language_title_landmarks_and_a_way_past_the_header() -> None:
    assert page().named("html") == [{"lang": "en"}]
    for tag in ("h1", "header", "main", "footer"):
        assert len(page().named(tag)) == 1
    assert "<title>small: cost of the finished training run</title>" in as_html.render(small())
    assert page().named("a")[0] == {"class": "skip", "href": "#answer"}


def test_pictures_have_names_or_are_decoration() -> None:
    for attrs in page().named("svg"):
        assert attrs.get("aria-labelledby") or attrs.get("aria-hidden") == "true"


def test_headings_leave_no_level_out() -> None:
    levels = [int(tag[1]) for tag, _ in page().tags if re.fullmatch("h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_what_stands_beside_the_cards_is_no_part_of_the_last_of_them() -> None:
    """A heading belongs to the one above it: beside h3 of a card stands h3, right under h2 stands no h4."""
    stack = StackView(scenario="x", picture="<svg aria-hidden='true'></svg>")
    shown = Page(whole(stack))
    assert shown.open == []
    section, found = "", {}
    for tag, attrs in shown.tags:
        section = str(attrs["id"]) if tag == "section" else section
        if re.fullmatch("h[2-6]", tag):
            found.setdefault(section, []).append(tag)
    for name in ("answer", "compare", "stack"):
        assert set(found[name]) <= {"h2", "h3"}, name
    assert all(before != "h2" or after != "h4" for tags in found.values() for before, after in pairwise(tags))


def test_the_contents_name_every_long_section_that_is_there() -> None:
    for shown in (page(), Page(whole(StackView(scenario="x", why_not="y")))):
        assert shown.named("nav") == [{"class": "contents", "aria-label": "Contents"}]
        linked = [str(attrs["href"]).removeprefix("#") for attrs in shown.named("a")]
        there = [str(attrs["id"]) for attrs in shown.named("section")]
        short = {"cover", "answer", "unpriced", "equations", "stale"}
        assert linked[1 : 1 + len(set(there) - short)] == [name for name in there if name not in short]


def test_wide_tables_scroll_by_themselves_and_by_keyboard() -> None:
    regions = [attrs for attrs in page().named("div") if "scroll" in str(attrs.get("class"))]
    assert regions
    for attrs in regions:
        assert attrs["tabindex"] == "0"
        assert attrs["role"] == "region"
        assert attrs["aria-label"]


def test_the_order_of_the_page() -> None:
    order = ["answer", "compare", "difference", "bills", "unpriced", "assumptions", "sources", "provenance", "glossary"]
    places = [page().ids.index(name) for name in order]
    assert places == sorted(places)


def test_every_total_is_the_figure_of_the_json_document() -> None:
    sources = sources_of(small().scenarios)
    text = as_html.render(small())
    detailed = {s.id for s in as_html.detailed_of(small())}
    for scenario in small().scenarios:
        if scenario.feasible:
            bill = bill_view(small(), 1, scenario, sources, None)
            total = comparison_json.scenario_document(scenario)["cost_usd"]["plan"]
            assert bill.total.removeprefix("≥ ") == f"{total:,.2f}"
            assert (f"{total:,.2f}" in text) >= (scenario.id in detailed)
            lines = [Decimal(row.cost.replace(",", "")) for row in bill.lines]
            assert sum(lines) == Decimal(f"{total:.2f}")
            for row, line in zip(lines, scenario.bill, strict=True):
                assert abs(float(row) - line.effective_cost) < 0.01


def test_page_one_holds_the_limits_of_the_plan_against_the_result() -> None:
    limited = compared(plan_of(constraints={"max_cost_usd": 1e6, "max_days": 30}), draws=100)
    text = "".join(Page(as_html.render(limited)).text)
    start, end = text.index("Based on"), text.index("Each bar runs from P10")
    assert "Budget $1,000,000 (constraints.max_cost_usd); #1 is planned at $" in text[start:end]
    assert "Limit: 30 days (constraints.max_days); #1 is planned at " in text[start:end]


def test_what_is_noted_of_a_price_stands_with_its_source() -> None:
    line = replace(first(small()).bill[0], price_note="the source says so per PB")
    noted = replace(small(), scenarios=(replace(first(small()), bill=(line,)),), answer=answered(first(small()).id))
    text = as_html.render(noted)
    assert text.count("the source says so per PB") == 1
    assert text.index("the source says so per PB") > text.index('id="sources"')
    assert comparison_json.bill_line(replace(line, note=""))["note"] == "the source says so per PB"


def test_incomplete_rows_have_no_range() -> None:
    text = as_html.render(small())
    rows = [row for row in text.split("<tr") if "price missing" in row]
    assert rows
    assert all("no price" in row and row.count(">-</td>") == 4 for row in rows)


def test_the_bills_of_the_answer_and_of_each_layout_are_there() -> None:
    detailed = as_html.detailed_of(small())
    feasible = [s for s in small().scenarios if s.feasible]
    assert {s.layout for s in detailed} == {s.layout for s in feasible}
    named = leaders.leaders_of(small())
    assert {s.id for s in named} <= {s.id for s in detailed}
    assert len(detailed) <= len(named) + len({s.layout for s in feasible})
    there = {id for id in page().ids if re.fullmatch(r"bill-\d+", id)}
    assert there == {f"bill-{leaders.rank_of(small(), s)}" for s in detailed}
    bills = page().named("details")
    calculations = [attrs for attrs in bills if attrs.get("class") == "calculations"]
    assert len(calculations) == 2  # of the recommended one: the lines, and the numbers of the run
    # the bills, the table of all choices and the plan, in folded sections
    folded = [attrs for attrs in bills if attrs.get("class") == "appendix"]
    assert len(bills) == len(detailed) + len(calculations) + len(folded) + 2
    assert sum("open" in attrs for attrs in bills) == len(named)


def test_the_figures_of_the_card_are_rounded_and_exact_where_one_points() -> None:
    best = first(small())
    assert best.cost_usd is not None
    figures = page().named("div")
    exact = next(str(attrs["title"]) for attrs in figures if attrs.get("class") == "figures")
    assert f"P50 ${best.cost_usd.p50:,.0f} and " in exact
    assert f"planned ${best.cost_usd.plan:,.0f} and " in exact
    assert "half of the outcomes cost less" in "".join(page().text)


@pytest.mark.parametrize("scene", [small, unfinished, sixty])
def test_there_are_at_most_two_alternatives(scene) -> None:
    cards = Page(as_html.render(scene())).named("article")
    assert len(cards) == len(leaders.leaders_of(scene())) <= 3
    assert [attrs["class"] for attrs in cards] == ["card best", *["card"] * (len(cards) - 1)]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_text_and_whole(name: str) -> None:
    text = HOSTILE[name]
    written = as_html.render(named(text))
    found = Page(written)
    assert len(found.tags) == len(page().tags)
    whole = visible(text).encode("utf-8", "backslashreplace").decode()
    assert whole in "".join(found.text)
    written.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u202e]", written)


def test_two_renders_are_equal() -> None:
    assert as_html.render(small()) == as_html.render(small())


def test_sixty_scenarios_stay_under_a_megabyte() -> None:
    assert len(as_html.render(sixty()).encode()) < 1_000_000


def test_what_may_not_finish_says_so_in_the_answer() -> None:
    text = as_html.render(unfinished())
    assert text.index("May not finish.") < text.index('id="h-compare"')
    card = text[text.index("<h3>Cheaper") : text.index("</article>", text.index("<h3>Cheaper"))]
    assert "9 of 10" not in card, "there is no P90"


def test_nothing_feasible_is_a_page_with_reasons() -> None:
    scenarios = tuple(replace(s, feasible=False, why_not=("too <dear>",)) for s in small().scenarios)
    found = Page(as_html.render(replace(small(), scenarios=scenarios)))
    assert "there is no total" in "".join(found.text)
    assert "too <dear>" in "".join(found.text)
    assert not found.named("svg")


def test_without_draws_the_page_says_that_there_is_no_range() -> None:
    assert "no outcomes were simulated" in as_html.render(compared(plan_of(), draws=0))


def test_one_card_where_one_scenario_is_both() -> None:
    alone = replace(small(), scenarios=(first(small()),), answer=answered(first(small()).id))
    assert len(Page(as_html.render(alone)).named("article")) == 1


class TestContrast:
    """WCAG 2.2: 4.5 for text, 3 for what a picture needs, on every ground, in light, dark and print."""

    CSS = (as_html.TEMPLATES / "style.css").read_text(encoding="utf-8")
    MODES = ("light", "dark", "print")

    def palette(self, mode: str) -> dict[str, str]:
        found = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block)) for block in self.CSS.split(":root {")[1:]]
        return found[self.MODES.index(mode)]

    @staticmethod
    def contrast(one: str, other: str) -> float:
        def luminance(colour: str) -> float:
            parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
            linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
            return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

        high, low = sorted((luminance(one), luminance(other)), reverse=True)
        return (high + 0.05) / (low + 0.05)

    def test_black_on_white_is_21(self) -> None:
        assert self.contrast("#000000", "#ffffff") == pytest.approx(21)

    @pytest.mark.parametrize("mode", MODES)
    @pytest.mark.parametrize("ground", ["ground", "sheet", "tint", "caution-ground"])
    @pytest.mark.parametrize("ink", ["ink", "muted", "accent"])
    def test_text(self, mode: str, ink: str, ground: str) -> None:
        colours = self.palette(mode)
        assert self.contrast(colours[ink], colours[ground]) >= 4.5

    @pytest.mark.parametrize("mode", MODES)
    def test_caution(self, mode: str) -> None:
        colours = self.palette(mode)
        assert self.contrast(colours["caution"], colours["caution-ground"]) >= 4.5

    @pytest.mark.parametrize("mode", MODES)
    @pytest.mark.parametrize("family", ["on-demand", "spot", "capacity-block", "ri", "sp", "strong"])
    def test_picture(self, mode: str, family: str) -> None:
        colours = self.palette(mode)
        assert self.contrast(colours[family], colours["sheet"]) >= 3
