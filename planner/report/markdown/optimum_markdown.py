"""The result of `optimize` as Markdown for a pull request: the answer first, then the frontier and the rejected."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from planner.decide.optimize import Optimum
from planner.report.markdown.comparison_markdown import NAME_CELLS, bullets, rows_of
from planner.report.markdown.escaped import Fold, code, document, marker, md
from planner.report.wording import figures, markdown_texts, optimum
from planner.report.wording.notes import heading
from planner.report.wording.wrapping import cut

ROWS = 12  # of the open table; the folded one has all
NEXT = "Compare every choice on this fleet"


def render(found: Optimum, *, plan_path: str = "PLAN", again: Sequence[str] = ()) -> str:
    """The comment: a hidden marker with the plan's name, then the answer as the first visible line."""
    name = found.comparison.plan_name
    shown = md(cut(figures.visible(name).strip(), NAME_CELLS)) or "without a name"
    rows = optimum.frontier_rows(found, ROWS)
    first = [marker("optimize", name)]
    for text in optimum.sentences(found):
        first += [md(text.text), ""]
    first += [f"Plan: {shown}. {md('; '.join(heading(found.comparison)))}.", ""]
    if rows:
        first += [f"{optimum.FRONTIER}:", "", *_table(found, rows), ""]
        first += [*bullets(optimum.frontier_legend(found, rows)), ""]
    first += bullets([entry.text for entry in optimum.warnings(found)[1:]])
    folds = [_rejected(found)]
    if len(rows) < len(found.frontier):
        one, two, *every = _table(found, found.frontier)
        folds.insert(0, Fold(title=optimum.FRONTIER, head=[one, two], rows=every, what=markdown_texts.RANKING_ROWS))
    path = figures.visible(plan_path)
    last = ""
    if found.recommended is not None:
        options = [word for text in optimum.settings(found.recommended) for word in ("--set", text)]
        last = f"{NEXT}: {code_of(['planner', 'compare', path, *again, *options])}\n"
    everything = markdown_texts.everything_in(code_of(["planner", "optimize", path, *again, "-f", "json"]))
    return document("\n".join(first) + "\n", [fold for fold in folds if fold.rows], last, all_there=everything)


def code_of(words: Sequence[str]) -> str:
    """A command as code."""
    return code(shlex.join(map(figures.visible, words)))


def _table(found: Optimum, rows: Sequence[optimum.Candidate]) -> list[str]:
    return rows_of(optimum.frontier_columns(rows, found.recommended))


def _rejected(found: Optimum) -> Fold:
    return Fold(
        title=optimum.REJECTED,
        rows=bullets([entry.text for entry in optimum.rejections(found)]),
        what=markdown_texts.REASONS,
    )
