"""Differences: the split into quantity and price, bounds that never look exact, and what counts as different."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from datetime import date
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.report.data.comparison_json import document
from planner.report.diff.bills import bill_change, split
from planner.report.diff.comparisons import changes
from planner.report.diff.differences import Changes
from planner.report.markdown import difference_markdown, escaped
from planner.report.terminal import difference_text
from planner.report.wording import changes as diff_words
from planner.report.wording.figures import visible
from tests.builders import book_of, compared, plan_of
from tests.report.markdown.test_comparison_markdown import ACTING, check_harmless, shown
from tests.report.scenes import HOSTILE, named, sixty, small

Document = dict[str, Any]


@cache
def _documents() -> tuple[Document, Document, dict[str, Any], dict[str, Any]]:
    old = compared(plan_of(), draws=200, book=book_of(date(2025, 5, 31)))
    new = compared(plan_of(fleet={"nodes": 6}), draws=200)
    return document(old), document(new), dict(old.plan), dict(new.plan)


def two() -> tuple[Document, Document]:
    """The small plan under an older book, and with six nodes under the newest."""
    return deepcopy(_documents()[0]), deepcopy(_documents()[1])


def one() -> Document:
    return deepcopy(document(small()))


def unprice(doc: Document, name: str, line: str) -> Document:
    """The document in which one line of one scenario has no price."""
    scenario = next(s for s in doc["scenarios"] if s["id"] == name)
    (gone,) = [entry for entry in scenario["bill"] if entry["line"] == line]
    scenario["bill"].remove(gone)
    scenario["cost_usd"]["plan"] = round(scenario["cost_usd"]["plan"] - gone["effective_cost"], 6)
    scenario["complete"] = False
    doc["unpriced"].append({"scenario": name, "line": line, "what": "a thing", "nearest": []})
    doc["scenarios"].sort(key=lambda s: not s["complete"])
    return doc


def row(found: Changes, name: str):
    return next(row for row in found.scenarios if row.id == name)


def test_split_by_hand() -> None:
    # 100 h at 2 USD, then 120 h at 3 USD: 160 more; 20 h x 2.5 USD = 50 and 1 USD x 110 h = 110
    assert split(100, 2, 120, 3, 120 * 3 - 100 * 2) == (50, 110)
    assert split(100, 2, 120, 2, 40) == (40, 0)
    assert split(100, 2, 100, 3, 100) == (0, 100)
    assert split(0, 2, 10, 3, 30) == (25, 5)


amounts = st.floats(0, 1e6) | st.integers(0, 1000).map(float)


@settings(deadline=None)  # a busy machine is no fault
@given(amounts, amounts, amounts, amounts)
def test_the_split_adds_up_and_is_symmetric(q: float, p: float, q2: float, p2: float) -> None:
    change = round(q2 * p2 - q * p, 6)
    quantity, price = split(q, p, q2, p2, change)
    size = max(q, q2) * max(p, p2)
    assert math.isclose(quantity + price, change, rel_tol=1e-12, abs_tol=1e-6 + 1e-12 * size)
    assert quantity == pytest.approx((q2 - q) * (p + p2) / 2, rel=1e-9, abs=1e-5 + 1e-9 * size)
    assert price == pytest.approx((p2 - p) * (q + q2) / 2, rel=1e-9, abs=1e-5 + 1e-9 * size)
    back = split(q2, p2, q, p, -change)
    assert back == pytest.approx((-quantity, -price), rel=1e-9, abs=2e-6)


def test_lines_add_up_to_the_change_of_the_total_in_every_scenario() -> None:
    old, new = two()
    by_id = {s["id"]: s for s in new["scenarios"]}
    compared_bills = 0
    for before in old["scenarios"]:
        after = by_id[before["id"]]
        if before["complete"] and after["complete"]:
            bill = bill_change(before, after, [], [])
            total = after["cost_usd"]["plan"] - before["cost_usd"]["plan"]
            assert bill.exact
            assert bill.known_change_usd == pytest.approx(total, abs=1e-5)
            assert math.fsum(line.change_usd for line in bill.lines) == pytest.approx(total, abs=1e-5)
            parts = (bill.quantity_effect_usd, bill.price_effect_usd, bill.added_usd, bill.removed_usd)
            assert math.fsum(parts) == pytest.approx(total, abs=1e-5)
            assert {line.line for line in bill.lines} == {e["line"] for e in [*before["bill"], *after["bill"]]}
            compared_bills += 1
    assert compared_bills >= 12


def test_swapping_before_and_after_changes_only_the_signs() -> None:
    there, back = changes(*two()), changes(*reversed(two()))
    assert there.best_cost_usd.change == -back.best_cost_usd.change  # type: ignore[operator]
    for bill in there.bills:
        (other,) = [b for b in back.bills if (b.after, b.before) == (bill.before, bill.after)]
        assert other.known_change_usd == pytest.approx(-bill.known_change_usd, abs=1e-5)
        assert other.price_effect_usd == pytest.approx(-bill.price_effect_usd, abs=1e-4)
        assert (other.price_found_usd, other.added_usd) == (-bill.price_lost_usd, -bill.removed_usd)


def test_bills_of_the_best_scenarios_and_of_named_ones_are_compared() -> None:
    asked = "fsx-lustre/p4d.24xlarge/on-demand"
    found = changes(*two(), scenarios=[asked])
    pairs = [(bill.before, bill.after) for bill in found.bills]
    assert pairs[0] == (found.best_before, found.best_after)
    assert (asked, asked) in pairs
    assert len(pairs) == len(set(pairs))
    assert all((name, name) in pairs for name in (found.safest_before, found.safest_after))


def test_a_new_cheapest_scenario_is_compared_with_the_earlier_one() -> None:
    doc = one()
    first, second = (s["id"] for s in doc["scenarios"][:2])
    without = one()
    without["scenarios"] = without["scenarios"][1:]
    found = changes(doc, without)
    assert (found.best_before, found.best_after) == (first, second)
    assert (found.bills[0].before, found.bills[0].after) == (first, second)
    assert found.bills[0].known_change_usd == pytest.approx(found.best_cost_usd.change, abs=1e-5)
    assert row(found, first).status == "removed"
    assert (
        "now FSx for Lustre on a Capacity Block, p4d.24xlarge instead of S3 streaming on a Capacity Block, p4d.24xlarge"
    ) in diff_words.headline(found)
    assert f"Removed: {first}" in diff_words.reasons(found)
    assert f"Added: {first}" in diff_words.reasons(changes(without, doc))


def test_a_lower_bound_on_one_side_bounds_the_change_and_on_both_sides_hides_it() -> None:
    name, line = "converged/p4d.24xlarge/on-demand", "storage.s3.standard"
    (cost,) = [
        e["effective_cost"] for s in one()["scenarios"] if s["id"] == name for e in s["bill"] if e["line"] == line
    ]
    after = row(changes(one(), unprice(one(), name, line)), name).cost_usd
    assert (after.change, after.change_at_most) == (None, None)
    assert after.change_at_least == pytest.approx(-cost)
    assert diff_words.change(after, diff_words.usd).startswith(">=-$")
    before = row(changes(unprice(one(), name, line), one()), name).cost_usd
    assert (before.change, before.change_at_least) == (None, None)
    assert before.change_at_most == pytest.approx(cost)
    assert diff_words.change(before, diff_words.usd).startswith("<=+$")
    both = row(changes(unprice(one(), name, line), unprice(one(), name, line)), name)
    assert (both.cost_usd.change, both.cost_usd.change_at_least, both.cost_usd.change_at_most) == (None, None, None)
    assert diff_words.change(both.cost_usd, diff_words.usd) == "?"
    assert both.status == "same"


def test_a_lost_price_is_named_and_is_not_a_saving() -> None:
    name, line = "converged/p4d.24xlarge/on-demand", "fleet.ebs"
    found = changes(one(), unprice(one(), name, line), scenarios=[name])
    (bill,) = [b for b in found.bills if b.after == name]
    (lost,) = [entry for entry in bill.lines if entry.line == line]
    assert lost.status == "price lost"
    assert bill.price_lost_usd == lost.change_usd < 0
    assert bill.removed_usd == 0
    assert not bill.exact
    remarks = " ".join(diff_words.bill_remarks(bill))
    assert "of the change is a price that is unknown now, so not a saving" in remarks
    assert f"of the lines with a price, not of the total; no price for: {line}" in remarks
    assert f"Price missing now: {line}: no price for a thing (1 scenario)" in diff_words.reasons(found)
    assert "a total is a lower bound" in " ".join(found.notes)
    back = changes(unprice(one(), name, line), one(), scenarios=[name])
    assert f"Price no longer missing: {line}: no price for a thing (1 scenario)" in diff_words.reasons(back)


def test_a_scenario_that_is_first_because_its_price_became_known_says_so() -> None:
    name = first(one())["id"]
    there, back = (
        changes(unprice(one(), name, "fleet.compute"), one()),
        changes(one(), unprice(one(), name, "fleet.compute")),
    )
    assert there.best_before == back.best_after != name == there.best_after
    assert diff_words.headline(there).endswith("; not directly comparable: this scenario had a missing price before")
    assert diff_words.headline(back).endswith("; not directly comparable: the earlier scenario has a missing price now")
    assert "comparable" not in diff_words.headline(changes(one(), one()))


def test_there_is_no_total_without_a_price_for_the_nodes() -> None:
    name = "converged/p4d.24xlarge/on-demand"
    found = row(changes(one(), unprice(one(), name, "fleet.compute")), name)
    assert (found.cost_usd.after, found.cost_usd.change, found.cost_usd.change_at_least) == (None, None, None)


def test_a_scenario_that_does_not_finish_has_no_p90_to_compare() -> None:
    after = one()
    name = after["scenarios"][0]["id"]
    after["scenarios"][0]["unfinished_fraction"] = 0.2
    after["scenarios"][0]["cost_usd"]["p90"] = None
    found = row(changes(one(), after), name)
    assert (found.cost_p90_usd.after, found.cost_p90_usd.change) == (None, None)
    assert found.cost_usd.change == 0
    assert found.differs


def test_one_document_does_not_differ_from_itself() -> None:
    found = changes(one(), one())
    assert not found.different
    assert not any(entry.differs for entry in found.scenarios)
    assert diff_words.headline(found).startswith("No difference: $0, 0.0 days")
    assert not [line for bill in found.bills for line in bill.lines if line.status != "same"]


def first(doc: Document) -> Document:
    return doc["scenarios"][0]


COUNTS: dict[str, Callable[[Document], Any]] = {
    "plan": lambda d: d["plan"].update(sha256="1" * 64),
    "planned": lambda d: first(d)["cost_usd"].update(plan=first(d)["cost_usd"]["plan"] + 0.01),
    "p10": lambda d: first(d)["cost_usd"].update(p10=1.0),
    "p90": lambda d: d["scenarios"][3]["cost_usd"].update(p90=1e9),
    "days": lambda d: first(d)["days"].update(plan=first(d)["days"]["plan"] + 0.001),
    "days p50": lambda d: first(d)["days"].update(p50=1.0),
    "a scenario less": lambda d: d["scenarios"].pop(),
    "feasible": lambda d: d["scenarios"][5].update(feasible=False, why_not=["no"]),
    "complete": lambda d: d["scenarios"][5].update(complete=False),
    "unpriced": lambda d: d["unpriced"].append({"scenario": first(d)["id"], "line": "x", "what": "y"}),
    "assumption": lambda d: d["assumptions"][0].update(high=99.0),
    "lines that cancel out": lambda d: [
        line.update(effective_cost=line["effective_cost"] + more)
        for line, more in zip(first(d)["bill"][:2], (1.0, -1.0), strict=True)
    ],
}
COUNTS_NOT: dict[str, Callable[[Document], Any]] = {
    "book": lambda d: d["prices"].update(as_of="2020-01-01", sha256="2" * 64),
    "seed": lambda d: d.update(seed=5, draws=7),
    "source": lambda d: first(d)["bill"][0].update(price_source="other", price_date="2020-01-01", note="x"),
    "notes": lambda d: d.update(notes=["other"], stale=["other"]),
    "rounding": lambda d: first(d)["cost_usd"].update(plan=first(d)["cost_usd"]["plan"] + 1e-6),
    "source of an assumption": lambda d: d["assumptions"][0].update(source="other", origin="plan"),
}


@pytest.mark.parametrize("name", COUNTS)
def test_what_counts_as_different(name: str) -> None:
    other = one()
    COUNTS[name](other)
    assert changes(one(), other).different
    assert changes(other, one()).different


@pytest.mark.parametrize("name", COUNTS_NOT)
def test_what_does_not_count_as_different(name: str) -> None:
    other = one()
    COUNTS_NOT[name](other)
    assert not changes(one(), other).different


def test_other_draws_and_another_version_are_noted() -> None:
    other = one()
    COUNTS_NOT["seed"](other)
    assert "some of the changes in P10 to P90 are chance" in changes(one(), other).notes[0]
    version = one()
    COUNTS["planned"](version)
    assert "the differences come from another version of planner" in " ".join(changes(one(), version).notes)


def test_no_total_on_one_side_or_both() -> None:
    nothing = one()
    for scenario in nothing["scenarios"]:
        scenario.update(feasible=False, why_not=["too dear"])
    name = first(one())["id"]
    found = changes(one(), nothing)
    said = "S3 streaming on a Capacity Block, p4d.24xlarge, $"
    assert diff_words.headline(found).startswith(f"No total after: no scenario is recommended. Before: {said}")
    assert row(found, name).status == "no longer feasible"
    assert any(
        text.startswith("No longer feasible: ") and text.endswith(": too dear") for text in diff_words.reasons(found)
    )
    assert diff_words.headline(changes(nothing, one())).startswith(f"After: {said}")
    assert diff_words.headline(changes(nothing, nothing)).startswith("No total before or after")
    for told in (found, changes(nothing, one()), changes(nothing, nothing)):
        check_harmless(difference_markdown.render(told))
        assert difference_text.render(told, width=80, colour=False, ascii_only=False, top=0)


def test_an_id_that_is_none_of_ours_is_named_as_it_is() -> None:
    assert diff_words.spoken("workers/g5.xlarge/spot") == "g5.xlarge on spot"
    for text in ("mix", "a/b/c", "workers/a", "workers/a/free", "a/b/c/d"):
        assert diff_words.spoken(text) == text


def test_keys_of_plans_and_assumptions() -> None:
    old, new, plan_before, plan_after = _documents()
    found = changes(old, new, plan_before=plan_before, plan_after=plan_after)
    assert [(v.key, v.before, v.after) for v in found.plan_keys or ()] == [("fleet.nodes", [4], [6])]
    table = plan_of(
        run={"throughput": [{"gpus": 32, "samples_per_second": 5.0}], "work": {"samples": 5, "gpu_hours": None}}
    )
    more = plan_of(
        run={"throughput": [{"gpus": 32, "samples_per_second": 6.0}], "work": {"samples": 5, "gpu_hours": None}}
    )
    nested = changes(old, new, plan_before=table.canonical(), plan_after=more.canonical())
    assert [v.key for v in nested.plan_keys or ()] == ["run.throughput[0].samples_per_second"]
    other = one()
    key = other["assumptions"][0]["key"]
    COUNTS["assumption"](other)
    del other["assumptions"][1]
    values = changes(one(), other).assumptions
    assert [(v.key, v.after is None) for v in values] == [(key, False), (one()["assumptions"][1]["key"], True)]
    assert values[0].after["high"] == 99


def test_the_first_line_says_the_change() -> None:
    before, after = one(), one()
    bill, cost = first(after)["bill"], first(after)["cost_usd"]
    bill[0]["effective_cost"] += 12_340.0
    first(before)["days"]["plan"], first(after)["days"]["plan"] = 5.0, 5.4
    was = cost["plan"]
    cost["plan"] += 12_340.0
    after["scenarios"] = after["scenarios"][:1]
    said = diff_words.headline(changes(before, after))
    assert said.startswith(f"+$12,340 (+{12_340 / was:.1%}".replace("%", " %), +0.4 days: "))
    text = difference_markdown.render(changes(before, after)).splitlines()
    assert text[0] == escaped.marker("diff", "small")
    assert shown(text[1]) == said + "."
    assert text[2] == ""


@pytest.mark.parametrize("width", [32, 50, 79, 80, 120, 160])
def test_width_is_never_exceeded(width: int) -> None:
    old, new, plan_before, plan_after = _documents()
    found = changes(old, new, plan_before=plan_before, plan_after=plan_after)
    for top in (0, 3):
        for line in difference_text.render(found, width=width, colour=False, ascii_only=False, top=top).splitlines():
            assert len(line) <= width
    plain = difference_text.render(found, width=width, colour=False, ascii_only=True, top=0)
    assert plain.isascii()


@pytest.mark.parametrize("name", HOSTILE | ACTING)
def test_hostile_text_is_text_in_every_format(name: str) -> None:
    bad = (HOSTILE | ACTING)[name]
    old, new = document(named(bad)), document(named(bad + "2"))
    for doc, more in ((old, ""), (new, "3")):
        first(doc)["id"] = bad
        first(doc)["bill"][0].update(line=bad + more, pricing_unit=bad)
        first(doc)["bill"][1].update(pricing_quantity=1.0 + len(more))
        doc["scenarios"][1].update(feasible=not more, why_not=[bad] if more else [])
        doc["unpriced"].append({"scenario": doc["scenarios"][2]["id"], "line": bad + more, "what": bad})
        doc["assumptions"][0].update(key=bad, value=1.0 + len(more), unit=bad)
        doc["prices"].update(as_of=bad, sha256=bad)
        doc["plan"]["sha256"] = bad + more
    found = changes(old, new, plan_before={"name": bad, bad: 1}, plan_after={"name": bad + "2", bad: bad})
    told = difference_markdown.render(found)
    check_harmless(told)
    assert len(told) < escaped.LIMIT
    for width in (60, 80, 160):
        text = difference_text.render(found, width=width, colour=False, ascii_only=False, top=0)
        assert all(line.isprintable() and len(line) <= width for line in text.splitlines())
        assert text.split()[0][:5] == visible(bad).split()[0][:5] if bad.strip() else True
    back = json.loads(difference_text.render_json(found))
    assert back["scenarios"][0]["id"].encode("utf-8", "surrogatepass") == bad.encode("utf-8", "surrogatepass")


def test_json_has_every_scenario_with_plain_numbers_and_its_bounds() -> None:
    found = changes(*two())
    back = json.loads(difference_text.render_json(found))
    assert back["schema_version"] == "1"
    assert back["different"] is True
    assert len(back["scenarios"]) == len(found.scenarios)
    cost = next(s["cost_usd"] for s in back["scenarios"] if s["cost_usd"]["change"] is not None)
    assert cost["change"] == cost["change_at_least"] == pytest.approx(cost["after"] - cost["before"])
    assert difference_text.render_json(changes(*two())) == difference_text.render_json(changes(*two()))


def test_sixty_scenarios_fit_a_comment() -> None:
    base = sixty()
    costlier = tuple(
        replace(s, bill=(replace(s.bill[0], quantity=s.bill[0].quantity * 2), *s.bill[1:])) for s in base.scenarios
    )
    found = changes(document(base), document(replace(base, scenarios=costlier)))
    text = difference_markdown.render(found)
    assert "Scenarios that changed: 60" in text
    assert "Left out" not in text
    assert len(text) < escaped.LIMIT
