"""A comparison as Markdown for a pull request: what there is to approve, then the best rows; the rest is folded."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace

from planner.answer.gates import Violation
from planner.decide import leaders
from planner.decide.comparison import Comparison
from planner.decide.shortlist import Shortlist, shortlist_of
from planner.decide.study import Study
from planner.estimate.result import Scenario
from planner.models.bill import Line
from planner.report.data.groups import infeasible_of, sources_of, unpriced_of
from planner.report.data.provenance import model_sha256
from planner.report.markdown import sheet
from planner.report.markdown.escaped import Fold, code, document, line, marker, md, row, table
from planner.report.wording import (
    answer,
    evidence,
    figures,
    left_out,
    markdown_texts,
    next_commands,
    page_texts,
    recommendation,
    relaxations,
    rounding,
    stale_prices,
)
from planner.report.wording.break_evens import break_even_sentence, lead, with_break_evens
from planner.report.wording.line import Kind
from planner.report.wording.line import Line as TextLine
from planner.report.wording.notes import BILLS_AND_SOURCES, heading, pressing
from planner.report.wording.ranking import Ranked, ranking_columns
from planner.report.wording.sheet import sheet_of
from planner.report.wording.table import Column
from planner.report.wording.wrapping import cut

NEAREST = 5  # rows of the open table
LAST_OPEN = 3  # the open table has the columns with `keep` up to this; the folded ranking has all
NAME_CELLS = 80
SENTENCE_CELLS = 2000


def render(
    comparison: Comparison,
    study: Study | None = None,
    *,
    plan_path: str = "PLAN",
    again: Sequence[str] = (),
    gates: Sequence[Violation] | None = None,
) -> str:
    """The comment: a hidden marker with the plan's name, then the answer as the first visible line.

    study: what would change the answer; None leaves that out. gates: the violations of the caller's gates; None without
    gates. The same comparison gives the same bytes, below the size limit of a comment.
    """
    ranked = [(rank, s) for rank, s in enumerate(comparison.scenarios, 1) if s.feasible]
    shortlist = shortlist_of(comparison)
    near = shortlist.rows[:NEAREST]
    shown = [s for _, s in near]
    # numbers of the sources in the bills that are shown
    picked = leaders.leaders_of(comparison)
    sources = sources_of(picked)
    folds = [
        *_commands(comparison, plan_path, again),
        *(_change(comparison, study) if study else []),
        *_without_a_row(shortlist),
        *(_bill(comparison, scenario, sources) for scenario in picked),
        *_missing(comparison),
        *_refused(comparison),
        *_listed(comparison, sources),
        *_ranking(comparison, ranked, len(near)),  # hundreds of rows: what fits when all else has its place
        _provenance(comparison),
    ]
    path = shlex.quote(figures.visible(plan_path))
    first = [marker("compare", comparison.plan_name), *_answer(comparison, study), "", *_gates(gates)]
    first += _open_table(comparison, near)
    first += _listed_lines(pressing(comparison, shown, [s for _, s in ranked]))
    last = f"{BILLS_AND_SOURCES}: {code(f'planner report {path} -o report.html')}\n"
    return document(
        "\n".join(first) + "\n\n",
        folds,
        last,
        all_there=markdown_texts.everything_in(code(f"planner compare {path} -f json")),
    )


def _gates(found: Sequence[Violation] | None) -> list[str]:
    """Whether the gates pass; a reader of the comment does not see the exit code."""
    if found is None:
        return []
    failed = [
        f"**{markdown_texts.GATE_FAILED}** (exit {entry.code:d}): {md(cut(entry.message, SENTENCE_CELLS))}"
        for entry in found
    ]
    return [line for text in failed or [markdown_texts.GATES_PASS] for line in (text, "")]


def _change(comparison: Comparison, study: Study) -> list[Fold]:
    """The lead of the cheapest scenario, and where another one becomes the cheapest."""
    fleet = figures.only_fleet(comparison.scenarios)
    texts = [
        f"- {md(lead(study, fleet))}",
        *(f"- {md(break_even_sentence(entry, fleet))}" for entry in with_break_evens(study)),
    ]
    return [Fold(title=page_texts.WHAT_WOULD_CHANGE, rows=texts, what=markdown_texts.CHANGES)]


def _commands(comparison: Comparison, plan_path: str, again: Sequence[str]) -> list[Fold]:
    """From the approved plan to the running fleet, in order, with what each command spends."""
    best = comparison.best
    found = [] if best is None else next_commands.in_order(comparison, best, plan_path, again)
    rows = [row([f"{at}", code(one.text), md(one.note)]) for at, one in enumerate(found, 1)]
    head = table(markdown_texts.COMMAND_COLUMNS, [True, False, False])
    return [Fold(title=markdown_texts.IN_ORDER, head=head, rows=rows, what=markdown_texts.COMMANDS)] if rows else []


def bullets(lines: Sequence[str]) -> list[str]:
    """Sentences as a list; very long ones are cut."""
    return [f"- {line(cut(figures.visible(text), SENTENCE_CELLS))}" for text in lines]


def _listed_lines(found: Sequence[TextLine]) -> list[str]:
    """Lines as a list, with the items of a sentence below it."""
    marks = bullets([entry.text for entry in found])
    return [mark if entry.kind is Kind.SENTENCE else f"  {mark}" for entry, mark in zip(found, marks, strict=True)]


def _answer(comparison: Comparison, study: Study | None) -> list[str]:
    """The choice on its own, as the preview of an email; what there is to approve; what else to consider; the run."""
    first, *more = answer.sentences(replace(comparison, relaxations=()))
    name = cut(figures.visible(comparison.plan_name).strip(), NAME_CELLS)
    run = f"Plan: {md(name) or 'without a name'}. {md('; '.join(heading(comparison)))}."
    if comparison.best is None:
        fixes = [*bullets([f"{relaxations.title(comparison)}:"]), *(f"  - {fix}" for fix in _fixes(comparison)), ""]
        said = [*_paragraphs(more), *(fixes if comparison.relaxations else [])]
        return [md(first.text), "", *said, run]
    signed = sheet.facts(sheet_of(comparison, study))
    return [f"**{md(first.text)}**", "", *signed, "", *_paragraphs(answer.others(comparison)), run]


def _paragraphs(found: Sequence[TextLine]) -> list[str]:
    return [line for entry in found for line in (md(entry.text), "")]


def _fixes(comparison: Comparison) -> list[str]:
    """What would make an infeasible plan feasible: the options to type, and the cheapest scenario then."""
    return [f"`{remedy.options}`: {md(relaxations.outcome(remedy))}" for remedy in comparison.relaxations]


def _open_table(comparison: Comparison, near: Ranked) -> list[str]:
    if not near:
        return []
    return [*rows_of([c for c in _columns(comparison, near) if c.keep <= LAST_OPEN]), ""]


def _columns(comparison: Comparison, ranked: Ranked) -> list[Column]:
    types = figures.short_types(comparison.scenarios)
    return ranking_columns(ranked, figures.only_fleet(comparison.scenarios), types)


def rows_of(columns: Sequence[Column]) -> list[str]:
    """A table of these columns: header, rule, rows; names of lines and scenarios as code."""
    marked = [code if column.code else md for column in columns]
    body = zip(*(column.values for column in columns), strict=True)
    head = table([column.title.replace("$", "USD") for column in columns], [not column.text for column in columns])
    return [
        *head,
        *(row([mark(cut(value, NAME_CELLS)) for mark, value in zip(marked, values, strict=True)]) for values in body),
    ]


def _ranking(comparison: Comparison, ranked: Ranked, open_rows: int) -> list[Fold]:
    if len(ranked) <= open_rows:
        return []
    one, two, *rows = rows_of(_columns(comparison, ranked))
    return [
        Fold(
            title=markdown_texts.full_ranking(len(ranked)), head=[one, two], rows=rows, what=markdown_texts.RANKING_ROWS
        )
    ]


def _without_a_row(shortlist: Shortlist) -> list[Fold]:
    """Commitments, each with when it pays off, and why other choices are not in the open table."""
    others = left_out.others(shortlist, markdown_texts.NOT_IN_THE_TABLE)
    rows = _listed_lines([*left_out.commitments_in_full(shortlist.families), *others])
    return [Fold(title=markdown_texts.WITHOUT_A_ROW, rows=rows, what=markdown_texts.REASONS)] if rows else []


def _bill(comparison: Comparison, scenario: Scenario, sources: dict[str, int]) -> Fold:
    """The lines of one bill; unit price times quantity is cost, and the lines add up to the planned cost."""
    rank = leaders.rank_of(comparison, scenario)
    titles = markdown_texts.BILL_COLUMNS
    costs = rounding.cents([entry.effective_cost for entry in scenario.bill], figures.plan_usd(scenario))
    rows = [
        row(
            [
                code(entry.line),
                figures.quantity(float(entry.quantity)),
                md(entry.unit),
                figures.plain(float(entry.effective_unit_price)),
                f"{usd:,.2f}",
                code(entry.equation),
                md(_dated(entry)),
                f"[{sources[entry.price_source]}]",
            ]
        )
        for entry, usd in zip(scenario.bill, costs, strict=True)
    ]
    # the sum comes first, so that it is shown even if lines have to be left out
    total = markdown_texts.bill_total(code(scenario.id), f"**{figures.plan_usd(scenario):,.2f} USD**")
    head = [total, "", *table(titles, [False, True, False, True, True, False, False, True])]
    return Fold(title=markdown_texts.bill(rank), head=head, rows=rows, what=markdown_texts.bill_lines(rank))


def _dated(entry: Line) -> str:
    grade = f" ({entry.price_grade})" if entry.price_grade else ""
    how = f", {entry.basis}" if entry.basis in ("bounded", "own") else ", carried back" if entry.carried_back else ""
    return f"{entry.price_date}{grade}{how}"


def _missing(comparison: Comparison) -> list[Fold]:
    """Every line without a price, and the scenarios in which it is missing."""
    rows = []
    for entry, ids in unpriced_of([s for s in comparison.scenarios if s.feasible]):
        what = "; ".join(filter(None, (evidence.no_price(entry), evidence.nearest(entry.nearest))))
        rows.append(f"- {code(entry.line)}: {md(what)}; in {', '.join(map(code, ids))}")
    title = f"{evidence.UNPRICED}: {len(rows)}"
    return [Fold(title=title, rows=rows, what=markdown_texts.UNPRICED_LINES)] if rows else []


def _refused(comparison: Comparison) -> list[Fold]:
    rows = [
        f"- {line('; '.join(why))}: {', '.join(code(s.id) for s in scenarios)}"
        for why, scenarios in infeasible_of(comparison.scenarios)
    ]
    count = sum(not s.feasible for s in comparison.scenarios)
    return [Fold(title=f"{evidence.NOT_FEASIBLE}: {count:,}", rows=rows, what=markdown_texts.REASONS)] if rows else []


def _listed(comparison: Comparison, sources: dict[str, int]) -> list[Fold]:
    """What the totals are based on: assumptions, notes, out-of-date prices, sources."""
    assumed = [
        row(
            [
                code(entry.key),
                *(md(figures.plain(value)) for value in (entry.value, entry.low, entry.high)),
                md(entry.unit),
                md(entry.origin),
                md(evidence.sourced(entry)),
            ]
        )
        for entry in comparison.assumptions
    ]
    titles = markdown_texts.ASSUMPTION_COLUMNS
    head = [
        evidence.ASSUMED_RANGE,
        "",
        *table(titles, [False, True, True, True, False, False, False]),
    ]
    notes = [*recommendation.limits(comparison), *recommendation.staff(comparison), *comparison.notes]
    old = stale_prices.sentences(comparison.stale)
    texts = [f"- [{number}] {md(source)}" for source, number in sources.items()]
    found = [
        Fold(title=f"{evidence.ASSUMPTIONS}: {len(assumed)}", head=head, rows=assumed, what=markdown_texts.ASSUMPTIONS),
        Fold(title=markdown_texts.NOTES_TITLE, rows=bullets(notes), what=markdown_texts.NOTES),
        Fold(title=f"{evidence.STALE}: {len(old)}", rows=bullets(old), what=markdown_texts.STALE),
        Fold(title=evidence.SOURCES, head=[evidence.GRADES, ""], rows=texts, what=markdown_texts.SOURCES),
    ]
    return [fold for fold in found if fold.rows]


def _provenance(comparison: Comparison) -> Fold:
    """Everything needed to reproduce the comment. The plan's name is not shortened."""
    rows = []
    for name, text, what, digest in evidence.reproduction(comparison, model_sha256()):
        rows.append(f"- {name}: {md(text)}" + (f", {what} {code(digest)}" if digest else ""))
    # the name may have any length, so it comes last
    return Fold(title=evidence.PROVENANCE, rows=[*rows[1:], rows[0]], what=markdown_texts.PROVENANCE)
