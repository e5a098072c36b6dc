"""docs/evidence.md: what the planner says of every published figure that it brings, and why where it differs."""

from __future__ import annotations

from planner.evidence.case import shipped_cases
from planner.evidence.replay import CONTRADICTED, NOT_ASKED, VERDICTS, Result, backtest
from planner.models.catalogue import find
from planner.report.wording import backtest as words
from tools.markdown import anchor, cell, prose

HEAD = """\
# Evidence: published figures, replayed

<!-- written by `make docs` from `planner backtest`; a test fails when it is out of date -->

`planner backtest` replays published figures through the same equations and plans that price a run, each with the prices
of its own time. This page is its result. `planner backtest --cases FILE.csv` replays figures of your own;
`planner backtest --help` says how to write them.
"""

COLUMNS = ("case", "what", "given", "published", "computed", "P10-P90", "tolerance", "verdict", "by", "source")


def text() -> str:
    """The current content of docs/evidence.md."""
    found = backtest(shipped_cases())
    lines = [HEAD, prose(words.counts(found)), *map(prose, words.coverage(found))]
    lines += ["", "| verdict | meaning |", "|---|---|"]
    lines += [f"| {verdict} | {cell(words.LEGEND[verdict])} |" for verdict in VERDICTS]
    for title, said in (
        ("Claims that the planner contradicts", words.sentences(found, CONTRADICTED)),
        ("Refused or warned of", words.refusals(found)),
        ("Not asked", words.sentences(found, NOT_ASKED)),
    ):
        lines += ["", f"## {title}", "", *(f"- {prose(sentence)}" for sentence in said)]
    lines += ["", "## Every case"]
    by_story: dict[str, list[Result]] = {}
    for result in found.results:
        by_story.setdefault(result.case.story, []).append(result)
    for story, results in by_story.items():
        lines += ["", f"### {prose(story)}", "", f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|"]
        lines += [_row(result) for result in results]
    return "\n".join(lines) + "\n"


def _row(result: Result) -> str:
    case = result.case
    cells = (
        case.id,
        case.quantity,
        case.given,
        f"{words.published(result)} {case.unit}",
        words.computed(result),
        words.interval(result),
        case.published.tolerance,
        result.verdict,
    )
    return "| " + " | ".join([*map(cell, cells), _by(result), cell(case.source)]) + " |"


def _by(result: Result) -> str:
    """A link to the equation that gave the figure."""
    entry = find(result.equation)
    if entry is None:
        return result.equation or "-"
    return f"[{entry.number}](model.md#{anchor(f'{entry.number} {entry.name}')})"
