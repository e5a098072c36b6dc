"""A difference as Markdown for a pull request: the change in the first line, tables folded."""

from __future__ import annotations

from collections.abc import Sequence

from planner import __version__
from planner.report.diff.differences import Changes, ScenarioChange, Side
from planner.report.markdown.comparison_markdown import NAME_CELLS, bullets, rows_of
from planner.report.markdown.escaped import Fold, code, document, line, marker, md
from planner.report.wording import changes as diff_words
from planner.report.wording import figures, markdown_texts
from planner.report.wording.change_columns import bill_columns, scenario_columns
from planner.report.wording.wrapping import cut

NEAREST = 5  # rows of the open table, besides the first and the safest scenario
OPEN_COLUMNS = 2  # the open table has the columns with `keep` up to this


def render(changes: Changes) -> str:
    """The comment: a hidden marker with the plans' names, then the change as the first visible line."""
    names = diff_words.names(changes)
    differing = [row for row in changes.scenarios if row.differs]
    named = {changes.best_before, changes.best_after, changes.safest_before, changes.safest_after}
    near = [row for place, row in enumerate(differing) if place < NEAREST or row.id in named]
    titles = " to ".join(md(cut(figures.visible(name).strip(), NAME_CELLS)) or "(blank)" for name in names)
    first = [
        marker("diff", "\n".join(names)),
        md(diff_words.headline(changes)) + ".",
        "",
        *(part for text in filter(None, [diff_words.lowest_p90(changes)]) for part in (md(text) + ".", "")),
        f"Plan: {titles}; {md('; '.join(diff_words.origins(changes)))}.",
        "",
        *_table(near),
    ]
    lists = dict(diff_words.lists(changes))
    first += bullets([*lists.pop(diff_words.SCENARIOS, []), *lists.pop(diff_words.NOTES, [])])
    folds = [
        *([_scenarios(changes, differing)] if len(differing) > len(near) else []),
        *_bills(changes),
        *(
            Fold(title=f"{title}: {len(texts):,}", rows=bullets(texts), what=title.lower())
            for title, texts in lists.items()
        ),
        _provenance(changes),
    ]
    everything = markdown_texts.everything_in(code("planner diff ... -f json"))
    return document("\n".join(first).rstrip("\n") + "\n\n", folds, "", all_there=everything)


def _table(near: Sequence[ScenarioChange]) -> list[str]:
    if not near:
        return []
    return [*rows_of([column for column in scenario_columns(near) if column.keep <= OPEN_COLUMNS]), ""]


def _scenarios(changes: Changes, differing: Sequence[ScenarioChange]) -> Fold:
    one, two, *rows = rows_of(scenario_columns(differing))
    same = len(changes.scenarios) - len(differing)
    title = diff_words.scenarios_title(len(differing), same)
    return Fold(title=title, head=[one, two], rows=rows, what=markdown_texts.SCENARIOS)


def _bills(changes: Changes) -> list[Fold]:
    """Each bill with its sum first, so that it is shown even if lines have to be left out."""
    folds = []
    for number, bill in enumerate(changes.bills, 1):
        lines = diff_words.changed_lines(bill)
        if not lines:
            continue
        one, two, *rows, _ = rows_of(bill_columns(bill, lines))
        change = f"**{diff_words.usd(bill.known_change_usd)}**, {diff_words.effects(bill)}"
        total = f"{line(diff_words.bill_title(bill))}: {change}"
        remarks = bullets(diff_words.bill_remarks(bill))
        head = [f"{total}, in these lines:", "", *remarks, *([""] if remarks else []), one, two]
        folds.append(
            Fold(title=diff_words.folded_bill_title(number), head=head, rows=rows, what=f"lines of bill {number}")
        )
    return folds


def _provenance(changes: Changes) -> Fold:
    rows = [text for name, side in (("before", changes.before), ("after", changes.after)) for text in _side(name, side)]
    return Fold(title=diff_words.PROVENANCE, rows=[*rows, f"- planner {__version__}"], what=markdown_texts.PROVENANCE)


def _side(name: str, side: Side) -> list[str]:
    draws = "" if side.draws is None else f"{side.draws:,} draws, "
    return [
        f"- {name}: plan sha256 {code(side.plan_sha256)}",
        f"- {name}: prices of {md(side.prices_as_of)}, sha256 {code(side.prices_sha256)}; {draws}seed {side.seed}",
        f"- {name}: {md(side.plan_name)}",
    ]
