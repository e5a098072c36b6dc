"""Markdown judged by somebody else's parser: names stay text, tables stay tables, a comment stays below its limit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from planner.answer.price_age import StalePrice
from planner.models.bill import Unpriced
from planner.report.markdown import comparison_markdown, escaped
from planner.report.markdown.escaped import Fold, code, document, line, marker, md
from planner.report.wording import figures, spoken, spoken_choice
from pricing.offers import PurchaseOption
from tests.report.scenes import HOSTILE, first, named, sixty, small, unfinished

PARSER = MarkdownIt("gfm-like")  # tables, strike-through, and links of bare addresses
ACTING = {
    "link": "[click](https://evil.example) and [ref][1] and <https://evil.example>",
    "image": "![x](https://evil.example/x.png)",
    "bare": "see https://evil.example, www.evil.example, evil.com, //localhost, mailto:a@evil.com or a@evil.com",
    "table": "a | b || c \\| d | `e | f`",
    "code": "``` a `b` ``c``` ~~~",
    "emphasis": "*a* **b** _c_ ~~d~~ ~e~ \\*f\\* __g__",
    "heading": "# one\n## two\nthree\n===",
    "list": "- a\n1. b\n+ c\n> d",
    "comment": "--> <script>alert(1)</script> <!-- ",
    "details": "</details></summary><details open>",
    "entities": "&lt;b&gt; &amp;amp; &#60; &copy",
    "mention": "@everyone, @org/team, fixes #12, GH-12, org/repo#3, :tada:",
    "formula": "$x$ $$y$$ $1$ $`z`$",
    "footnote": "[^1] [^1]: x",
    "backslash": "ends in \\",
    "blank": "   ",
}
NAMES = HOSTILE | ACTING


def every_third(names: Iterable[str]) -> list[Any]:
    """`make test` takes one of three, `make test-real` all."""
    return [one if place % 3 == 0 else pytest.param(one, marks=pytest.mark.thorough) for place, one in enumerate(names)]


MAY_STAND = {"text", "code_inline", "softbreak", "strong_open", "strong_close"}
OURS = re.compile(r"(</?details>|<summary>[^<>&]*</summary>|<!-- planner:\w+ [a-z0-9-]+ -->|\n)+")


def inline(text: str) -> Iterator[Token]:
    for token in PARSER.parse(text):
        yield from token.children or ()


def shown(text: str) -> str:
    """What a reader sees of a piece of Markdown, without the spaces of no width that break up what is looked for."""
    return "".join(token.content for token in inline(text)).replace("\u200b", "")


def flat(text: str) -> str:
    return " ".join(figures.visible(text).split())


def rows_of(text: str) -> list[list[int]]:
    """The number of cells in each row, table by table."""
    tables: list[list[int]] = []
    for token in PARSER.parse(text):
        if token.type == "table_open":
            tables.append([])
        elif token.type == "tr_open":
            tables[-1].append(0)
        elif token.type in ("td_open", "th_open"):
            tables[-1][-1] += 1
    return tables


def check_harmless(text: str) -> None:
    """Only text, code and our own bold; no HTML but our folds and marker; every row as wide as its header."""
    for token in PARSER.parse(text):
        if token.type == "html_block":
            assert OURS.fullmatch(token.content), token.content
        assert token.type not in ("fence", "code_block", "heading_open", "blockquote_open", "ordered_list_open", "hr")
    found = {token.type for token in inline(text)}
    assert found <= MAY_STAND, found
    lines = text.splitlines()
    assert all(part.isprintable() for part in lines)
    for number, part in enumerate(lines):
        if set(part) <= set("|:- ") and part.startswith("| "):
            wide = len(re.findall(r"(?<!\\)\|", part))
            for below in (lines[number - 1], *lines[number + 1 :]):
                if not below.startswith("|"):
                    break
                assert len(re.findall(r"(?<!\\)\|", below)) == wide


@cache
def _rows_of_small() -> list[list[int]]:
    return rows_of(comparison_markdown.render(small()))


@pytest.mark.parametrize("name", every_third(NAMES))
def test_hostile_names_are_text(name: str) -> None:
    text = comparison_markdown.render(named(NAMES[name]), plan_path=f"plans/{NAMES[name]}.yaml")
    check_harmless(text)
    assert rows_of(text) == _rows_of_small()
    assert flat(NAMES[name]) in shown(text)
    assert len(text) < escaped.LIMIT
    text.encode("utf-8")


@pytest.mark.parametrize("name", every_third(ACTING))
def test_everything_else_that_others_write_is_text(name: str) -> None:
    bad = ACTING[name]
    base = first(small())
    scenario = replace(
        base,
        bill=tuple(replace(entry, unit=bad, price_source=bad, equation=bad) for entry in base.bill),
        warnings=(bad,),
    )
    incomplete = replace(base, id=bad, complete=False, unpriced=(Unpriced(line=bad, what=bad, nearest=(bad, bad)),))
    refused = replace(base, id=f"{bad}/2", feasible=False, why_not=(bad, bad))
    told = replace(
        small(),
        scenarios=(scenario, incomplete, refused),
        assumptions=tuple(replace(entry, source=bad, unit=bad, year=bad) for entry in small().assumptions),
        notes=(bad,),
        stale=(
            StalePrice(
                line=bad, purchases=(PurchaseOption(family=bad),), price_date=date(2020, 1, 1), age_days=9, limit_days=1
            ),
        ),
    )
    check_harmless(comparison_markdown.render(told))


@settings(deadline=None)  # a busy machine is no fault
@given(st.text(max_size=60) | st.text(alphabet="\\`*_[]()<>!&#|~$@:./-+=1a \n", max_size=40))
def test_any_text_is_itself(text: str) -> None:
    wanted = flat(text)
    cells = escaped.row([md(text), code(text), "end"])
    parsed = PARSER.parse("| a | b | c |\n| - | - | - |\n" + cells)
    found = [token for token in parsed if token.type == "inline"][3:]
    assert len(found) == 3
    for cell, said in zip(found, (wanted, wanted or "(blank)", "end"), strict=True):
        assert {t.type for t in cell.children or ()} <= {"text", "code_inline"}
        assert "".join(t.content for t in cell.children or ()).replace("\u200b", "") == said
    item = PARSER.parse(f"- {line(text)}\n")
    outer = ["bullet_list_open", "list_item_open", "list_item_close", "bullet_list_close"]
    inner = ["paragraph_open", "inline", "paragraph_close"]
    assert [token.type for token in item] == outer[:2] + inner + outer[2:]
    assert shown(f"- {line(text)}\n") == (wanted or "(blank)")


@settings(deadline=None)  # a busy machine is no fault
@given(st.text(max_size=40), st.text(max_size=40))
def test_a_marker_is_one_comment_and_of_one_name(one: str, other: str) -> None:
    assert OURS.fullmatch(marker("compare", one))
    assert marker("compare", one).count("--") == 2
    assert (marker("compare", one) == marker("compare", other)) == (one == other)
    assert marker("diff", one) != marker("compare", one)


@pytest.mark.parametrize("scene", [small, sixty, unfinished])
def test_the_answer_is_the_first_line_that_shows(scene) -> None:
    text = comparison_markdown.render(scene())
    hidden, answer, blank = text.splitlines()[:3]
    best = first(scene())
    assert hidden == marker("compare", "small")
    assert blank == ""
    assert answer.startswith("**Recommended: ")
    assert best.cost_usd is not None
    assert best.days is not None
    for part in (spoken_choice.spoken(best), figures.fleet(best)):
        assert part in answer
    cost, days = figures.usd(best.cost_usd.p50), spoken.run_days(best.days.p50)
    assert f"It costs about {cost} and takes {days}." in answer
    check_harmless(text)


def test_without_a_scenario_to_name_the_first_line_says_so() -> None:
    nothing = replace(small(), scenarios=tuple(replace(s, feasible=False, why_not=("no",)) for s in small().scenarios))
    for told in (nothing, replace(small(), scenarios=())):
        assert comparison_markdown.render(told).splitlines()[1].startswith("No scenario is feasible")
        check_harmless(comparison_markdown.render(told))


def test_bills_of_the_answer_add_up_and_their_sources_stand_below() -> None:
    text = comparison_markdown.render(small())
    best = first(small())
    part = text[text.index("<summary>Bill of no. 1") :]
    part = part[: part.index("</details>")]
    rows = [row.split(" | ") for row in part.splitlines() if row.startswith("| `")]
    assert [row[0] for row in rows] == [f"| `{entry.line}`" for entry in best.bill]
    assert sum(float(row[4].replace(",", "")) for row in rows) == pytest.approx(figures.plan_usd(best), abs=0.1)
    assert f"**{figures.plan_usd(best):,.2f} USD**" in part
    for row, entry in zip(rows, best.bill, strict=True):
        number = row[-1].removesuffix(" |")
        assert f"- {number} {md(entry.price_source)}" in text
        assert str(entry.price_date) in row[6]


def test_lower_bounds_are_marked_beside_the_open_table() -> None:
    bound = replace(
        first(small()), id="z", complete=False, unpriced=(Unpriced(line="storage.x", what="y", nearest=()),)
    )
    text = comparison_markdown.render(replace(small(), scenarios=(*small().scenarios[:1], bound)))
    before = text[: text.index("<details>")]
    assert f"&gt;={figures.plan_usd(bound):,.0f}" in before
    assert "storage.x: no price for y; the total is a lower bound (>=) in 1 row shown" in shown(before)


def test_signs_of_the_folded_ranking_are_told_as_well() -> None:
    """Reserved Instances stand far down, where their price a GPU-hour looks like a mistake."""
    text = comparison_markdown.render(small())
    assert any(s.purchase.startswith("ri-") for s in small().scenarios)
    assert "RI, SP: the whole term is charged" in text


def test_sixty_scenarios_fit_a_comment_with_nothing_left_out() -> None:
    text = comparison_markdown.render(sixty())
    assert len(text) < escaped.LIMIT
    assert "Left out" not in text
    assert "Full ranking: 60 scenarios" in text


def test_what_does_not_fit_is_counted_and_the_rest_stays_whole() -> None:
    base = sixty()
    many = replace(base, scenarios=base.scenarios * 12)
    text = comparison_markdown.render(many, plan_path="plan.yaml")
    assert escaped.ROOM - 3000 < len(text) <= escaped.ROOM
    check_harmless(text)
    ranking = text[text.index("<summary>Full ranking: 720") :]
    there = sum(row.startswith("| ") for row in ranking[: ranking.index("</details>")].splitlines()) - 2
    assert f"rows of the ranking ({720 - there})" in text[text.index("Left out ") :]
    assert "`planner compare plan.yaml -f json` has everything." in text
    assert "- Plan: " in text, "provenance is kept first"
    assert text.count("<details>") == text.count("</details>") == text.count("<summary>")


@settings(deadline=None)  # a busy machine is no fault
@given(st.lists(st.lists(st.integers(1, 9000), max_size=30), max_size=6))
def test_every_row_is_there_or_counted(sizes: list[list[int]]) -> None:
    folds = [Fold(title="t", rows=["x" * n for n in rows], what=f"of {i}") for i, rows in enumerate(sizes)]
    text = document("first\n\n", folds, "last\n", all_there="json")
    assert len(text) <= escaped.ROOM
    assert text.startswith("first\n")
    assert text.endswith("last\n")
    left = {int(i): int(n.replace(",", "")) for i, n in re.findall(r"of (\d) \(([\d,]+)\)", text)}
    there = len(re.findall("^x+$", text, re.MULTILINE))
    assert there + sum(left.values()) == sum(map(len, sizes))


def test_long_names_are_cut_on_top_and_whole_below() -> None:
    text = comparison_markdown.render(named("n" * 10_000))
    assert "Plan: " + "n" * 79 + "…. us-east-1" in text
    assert "- Plan: " + "n" * 10_000 + ", sha256 " in text


def test_a_name_too_long_for_a_comment_is_left_out_and_counted() -> None:
    text = comparison_markdown.render(named("\x00" * 10_000))
    assert len(text) < escaped.ROOM
    assert "lines on how to reproduce this (1)" in text


def test_the_same_comparison_gives_the_same_bytes() -> None:
    assert comparison_markdown.render(small(), plan_path="a b.yaml") == comparison_markdown.render(
        small(), plan_path="a b.yaml"
    )
    assert "planner report 'a b.yaml' -o report.html" in shown(
        comparison_markdown.render(small(), plan_path="a b.yaml")
    )
