"""The terminal table: its width, its signs, its names."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from planner.api import comparisons
from planner.decide import leaders
from planner.decide.compare import Request
from planner.decide.comparison import Comparison
from planner.decide.shortlist import shortlist_of
from planner.models.bill import Unpriced
from planner.plan.load import load_plan
from planner.report.terminal.columns import command
from planner.report.terminal.comparison_text import ranking_columns, render
from planner.report.wording.figures import short_types, visible
from planner.report.wording.wrapping import cells
from tests.builders import book_of, compared, plan_of
from tests.examples import TRAINING
from tests.report.scenes import HOSTILE, answered, first, named, ranged, sixty, small, unfinished

LONG_PATH = "plans/" + "a very long folder name/" * 9 + "plan.yaml"


def text_of(comparison: Comparison, width: int = 80, **more) -> str:
    settings = {"colour": False, "ascii_only": False, "top": 0, "plan_path": "plan.yaml"} | more
    return render(comparison, width=width, **settings)


@pytest.mark.parametrize(
    ("need", "shown"), [(0.0365, "0.036"), (0.0, "0.0"), (0.996, "1.0"), (0.5, "0.5"), (1234.56, "1,234.6")]
)
def test_a_small_need_is_not_shown_as_none(need: float, shown: str) -> None:
    base = first(small())
    assert base.storage is not None
    thirsty = replace(base, storage=replace(base.storage, read_gb_per_s=16.0, required_read_gb_per_s=need))
    columns = ranking_columns([(1, thirsty)], "", short_types([thirsty]))
    assert next(c.values for c in columns if c.title == "Read/need GB/s") == [f"16.0/{shown}"]


@pytest.mark.parametrize("width", [40, 60, 79, 80, 100, 120, 160, 250])
@pytest.mark.parametrize("scene", [small, sixty, unfinished])
def test_width_is_never_exceeded(scene, width: int) -> None:
    for line in text_of(scene(), width, plan_path=LONG_PATH).splitlines():
        assert len(line) <= width


@pytest.mark.parametrize("plan", TRAINING, ids=lambda p: p.stem)
def test_every_example_fits_a_screen_and_v_has_the_rest(plan: Path) -> None:
    loaded = load_plan(str(plan))
    request = Request(plan=loaded.plan, plan_sha256=loaded.sha256, book=book_of(), draws=1000, derivations=False)
    comparison = comparisons.comparison_of(loaded, request, map)
    short = text_of(comparison, top=None)
    assert len(short.splitlines()) <= 46  # with what to do about a Capacity Block, and layouts that miss the limit
    full = text_of(comparison, top=None, verbose=True)
    for part, begins in (("others", "Not in the table"), ("commitments", "pays off after")):
        if f"-v: {part}" in short or f", {part}" in short:
            assert begins not in short
            assert begins in full


@pytest.mark.parametrize("width", [60, 80, 160])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_text(name: str, width: int) -> None:
    text = text_of(named(HOSTILE[name]), width)
    lines = text.splitlines()
    assert all(len(line) <= width for line in lines)
    assert all(line.isprintable() for line in lines)
    assert len(lines) == len(text_of(small(), width).splitlines())
    assert lines[0][:5] == visible(HOSTILE[name]).strip()[:5]
    text.encode("utf-8")


def test_numbers_are_never_cut() -> None:
    huge = ranged(first(small()), cost=(1.23e14, 9.87e13, 4.56e15), run=(1234.5, 900.1, 99_999))
    for width in (80, 100, 160):
        text = text_of(replace(small(), scenarios=(huge, *small().scenarios[1:])), width)
        for number in ("123T", "4,560T"):
            assert number in text


def ranks(text: str) -> list[int]:
    """Ranks of the rows of a table."""
    return [int(line.split()[0]) for line in text.splitlines() if line[:2].strip().isdigit()]


def test_the_table_has_the_eligible_choices_without_commitments() -> None:
    shown = [rank for rank, s in enumerate(small().scenarios, 1) if s.eligible and not s.option.years]
    text = text_of(small())
    assert ranks(text) == shown
    assert len(shown) < len(small().scenarios)
    assert "--top 0 shows them" in text_of(small(), top=3)
    assert len(ranks(text_of(small(), top=3))) == 3


def test_all_choices_have_a_row_where_asked() -> None:
    text = text_of(small(), everything=True)
    assert ranks(text) == list(range(1, 1 + sum(s.feasible for s in small().scenarios)))
    assert "Not in the table" not in text
    assert "pays off after" not in text


def test_every_feasible_choice_is_a_row_folded_or_counted() -> None:
    found = shortlist_of(small())
    folded = [s.id for family in found.families for s in family.scenarios]
    parts = [[s.id for _, s in found.rows], folded, *([s.id for s in g] for g in (found.not_eligible, found.unpriced))]
    ids = [id for part in parts for id in part]
    assert sorted(ids) == sorted(s.id for s in small().scenarios if s.feasible)
    text = text_of(small())
    counted = sum(int(count) for count in re.findall(r"(\d+) choices?\):", text))
    assert counted == len(found.not_eligible) + len(found.unpriced) + len(found.infeasible)


def test_a_family_that_the_answer_names_is_not_folded() -> None:
    committed = next(s for s in small().scenarios if s.option.family == "sp" and s.eligible)
    text = text_of(replace(small(), answer=answered(committed.id)))
    assert "SP 1y" not in " ".join(line for line in text.splitlines() if "pays off" in line)
    assert sum("SP 1y" in line for line in text.splitlines() if line[:2].strip().isdigit()) > 1


def priced_but_for(line: str) -> Comparison:
    """The small comparison whose last row has no price for `line`, all else being complete."""
    unpriced = (Unpriced(line=line, what="x", nearest=()),)
    last = replace(first(small()), complete=False, eligible=False, unpriced=unpriced, id="z")
    complete = [s for s in small().scenarios if s.feasible and s.complete]
    return replace(small(), scenarios=(*complete, last))


def test_lower_bounds_are_marked_and_have_no_range() -> None:
    text = text_of(priced_but_for("storage.s3.standard"), everything=True, verbose=True)
    row = next(line for line in text.splitlines() if ">=" in line)
    assert row.count(">=") == 1
    assert row.split()[-4:-2] == ["-"] * 2
    missing = "storage.s3.standard: no price for x; the total is a lower bound (>=) in 1 row shown"
    assert missing in " ".join(text.split())
    short = " ".join(text_of(priced_but_for("storage.s3.standard")).split())
    assert "(1 choice): storage.s3.standard: no price for x" in short


def test_without_a_price_of_the_nodes_there_is_no_figure() -> None:
    lines = text_of(small(), everything=True).splitlines()
    rows = [line for line in lines if "SP 3y comp" in line and line.strip()[0].isdigit()]
    assert rows
    assert all("no price" in row and ">=" not in row for row in rows)


def test_many_missing_prices_are_counted() -> None:
    last = replace(
        first(small()),
        id="z",
        complete=False,
        unpriced=tuple(Unpriced(line=f"line-{i}", what="x", nearest=()) for i in range(9)),
    )
    found = replace(small(), scenarios=(first(small()), last), answer=answered(first(small()).id))
    text = text_of(found, verbose=True, everything=True)
    assert text.count("lower bound (>=)") == 4
    assert "5 more prices unknown; -f json lists them" in text


def test_warnings_of_the_alternatives_are_shown_where_asked() -> None:
    _, other = leaders.leaders_of(unfinished())
    rank = leaders.rank_of(unfinished(), other)
    assert rank > 3
    short, full = (text_of(unfinished(), top=3, verbose=verbose).splitlines() for verbose in (False, True))
    assert any(line.startswith("On #1: ") for line in short), "one warning stands on its line"
    assert not any(line.startswith(f"On #{rank}:") for line in short)
    assert f"On #{rank}:" in full
    for lines in (short, full):
        notes = [line for line in lines if line.startswith("  - ")]
        assert len(notes) == len(set(notes))


def test_planned_p50_and_p90_stay_at_eighty_columns() -> None:
    header = next(line for line in text_of(sixty(), 80).splitlines() if line.startswith(" #"))
    assert [title in header for title in ("Planned $", "P50 $", "P90 $", "P10 $")] == [True, True, True, False]


def test_instance_types_stay_apart_at_eighty_columns() -> None:
    types = ("p5.48xlarge", "p5.4xlarge", "p5en.48xlarge")
    scenarios = tuple(replace(first(small()), id=t, instance_type=t, nodes=24) for t in types)
    lines = text_of(replace(small(), scenarios=scenarios)).splitlines()
    shown = [line for line in lines if line[:2].strip().isdigit() or line[:1].isdigit()]
    for name in ("24x p5.48xl ", "24x p5.4xl ", "24x p5en "):
        assert any(name in line for line in shown)
    assert ", ".join(types) in lines[1]


def test_commitments_are_a_line_each_with_what_would_make_them_right() -> None:
    folded = [line for line in text_of(small()).splitlines() if "pays off after" in line]
    assert [line.split()[0] for line in folded] == ["RI", "SP"]
    for line in folded:
        assert re.fullmatch(
            r"(RI|SP) .+ \(\d+, from \$\d+k\): pays off after 5,5\d\d h \(2027-05-\d\d\)(;| or) .+", line
        )
    assert "RI, SP: the whole term is charged; purchase.reuse_value" in text_of(small(), everything=True)
    reused = replace(small(), plan={"purchase": {"reuse_value": 0.5}})
    assert "less 50% of the unused part" in " ".join(text_of(reused, everything=True).split())


def test_a_run_that_may_not_finish_is_flagged_in_its_row_and_beside_the_answer() -> None:
    lines = text_of(unfinished(), everything=True).splitlines()
    row = next(line for line in lines if line.startswith(" 5 "))
    assert "spot !" in row
    assert "never" in row
    assert "Right if you accept that it does not finish in 20% of the outcomes" in " ".join(map(str.strip, lines))
    assert any(line.startswith("! may not finish: ") for line in lines)
    assert "never: more than 1 in 10 outcomes do not finish" in " ".join(lines)
    assert "never:" not in text_of(unfinished(0.05), everything=True)


def test_extrapolated_days_have_a_star_that_is_explained() -> None:
    scenarios = tuple(replace(s, extrapolated=True) for s in small().scenarios)
    text = text_of(replace(small(), scenarios=scenarios))
    assert "* extrapolated beyond the measured rows" in text
    assert "5.4*" in text


def test_fleet_is_a_column_only_where_fleets_differ() -> None:
    assert "Fleet" not in text_of(small())
    assert "4 x p4d.24xlarge" in text_of(small()).splitlines()[1]
    assert "Fleet" in text_of(sixty())
    assert ", 4 x p4d.24xlarge. " in " ".join(text_of(sixty()).split())


def test_narrow_terminals_get_records() -> None:
    text = text_of(small(), 60)
    assert "1. " in text
    assert "planned $" in text
    assert "$/GPU-h" not in text


def test_ascii_where_the_terminal_has_nothing_else() -> None:
    assert text_of(named("häuser 訓練"), ascii_only=True, top=3).isascii()


def test_colour_adds_no_words() -> None:
    plain = text_of(small())
    coloured = text_of(small(), colour=True)
    assert "\x1b[" not in plain
    assert re.sub(r"\x1b\[\d+m", "", coloured) == plain
    warned = [line for line in coloured.splitlines() if line.startswith("\x1b[33m")]
    assert any("Capacity Block price of" in line for line in warned)
    assert any("old price" in line for line in warned)


def test_nothing_feasible_says_why() -> None:
    scenarios = tuple(replace(s, feasible=False, why_not=("too dear",)) for s in small().scenarios)
    text = text_of(replace(small(), scenarios=scenarios))
    assert "No scenario is feasible: there is no total and no recommendation." in " ".join(text.split())
    assert "too dear" in text


def test_without_draws_there_is_no_range() -> None:
    assert "no draws, no range" in text_of(compared(plan_of(), draws=0))


def test_next_command_can_be_pasted() -> None:
    assert (
        text_of(small(), plan_path="my plan.yaml")
        .splitlines()[-1]
        .endswith("planner report 'my plan.yaml' -o report.html")
    )


@given(
    st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=200), min_size=1, max_size=6),
    st.integers(min_value=20, max_value=120),
)
@example(
    ["planner", "compare", "/a/" + "deep/" * 30 + "plan.yaml", "--set", "storage.layouts=[s3-stream, converged]"], 40
)
def test_a_command_in_lines_is_the_same_command(words: list[str], width: int) -> None:
    """A shell drops a backslash and the end of the line behind it, outside of quotes, and so does shlex."""
    lines = command(" ".join(map(shlex.quote, words)), width)
    told = "".join(line.removesuffix("\\") for line in lines[:-1]) + lines[-1]
    assert shlex.split(told) == words
    assert all(line.endswith("\\") for line in lines[:-1])
    assert all(max(cells(line), len(line)) <= width for line in lines)
