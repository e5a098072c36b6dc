"""The result of `backtest` in Markdown: the counts, the reasons, and every case in a table."""

from __future__ import annotations

from planner.evidence.replay import CONTRADICTED, NOT_ASKED, Backtest
from planner.report.markdown.escaped import code, line, md, row, table
from planner.report.wording import backtest as words
from planner.report.wording.backtest import WIDE


def render(found: Backtest) -> str:
    """The whole result."""
    lines = [line(words.counts(found)), "", *(line(text) for text in words.coverage(found)), ""]
    for verdict in (CONTRADICTED, NOT_ASKED):
        said = words.sentences(found, verdict)
        lines += [f"**{verdict.capitalize()}**", "", *(f"- {md(text)}" for text in said), ""] if said else []
    said = words.refusals(found)
    lines += [f"**{words.REFUSED}**", "", *(f"- {md(text)}" for text in said), ""] if said else []
    columns = words.columns(found.results, WIDE)
    lines += table([column.title for column in columns], [not column.text for column in columns])
    for index in range(len(found.results)):
        cells = [column.values[index] for column in columns]
        lines.append(row([code(cells[0]), *map(md, cells[1:])]))
    return "\n".join(lines) + "\n"
