"""A worker pool as Markdown for a pull request: what there is to approve, the table, and folded distributions and
bills."""

from __future__ import annotations

from collections.abc import Sequence

from planner.report.data.provenance import model_sha256
from planner.report.markdown import sheet
from planner.report.markdown.escaped import code, line, marker, md, row, table
from planner.report.wording import worker_pool as words
from planner.report.wording import worker_pool_tables as tables
from planner.report.wording.sheet import pool_sheet_of, prose
from planner.report.wording.table import Column
from planner.worker_pool.result import PoolComparison, PoolScenario


def render(found: PoolComparison) -> str:
    """The comment: a hidden marker with the plan's name, then the answer. The same comparison gives the same bytes."""
    shown = [s for s in found.scenarios if s.feasible]
    first, *more = words.answer(found)
    signed = pool_sheet_of(found)
    there = {text for _, said in signed.facts for text in said}
    rest = " ".join(text for text in more if prose(text).removeprefix("Risk: ") not in there)
    lines = [marker("compare", found.plan.name), f"**{md(first)}**", "", *sheet.facts(signed), "", line(rest), ""]
    lines += [line("; ".join(words.heading(found))), ""]
    lines += [*_table(words.columns(shown)), ""] if shown else []
    lines += [f"- {md(text)}" for text in words.notes(found)]
    for scenario in shown:
        lines += ["", *_folded(scenario)]
    lines += ["", "<details><summary>Assumptions</summary>", "", *(f"- {md(text)}" for text in tables.assumed(found))]
    lines += ["", "</details>", "", line(f"Plan {found.plan_sha256[:12]}, model {model_sha256()[:12]}.")]
    return "\n".join(lines) + "\n"


def _folded(scenario: PoolScenario) -> list[str]:
    """One choice: distributions, bill, one interrupted job."""
    bill = [*_table(tables.bill_columns(scenario.bill)), ""] if scenario.bill else []
    sources = [f"- {md(text)}" for text in tables.bill_sources(scenario)]
    first, *more = tables.story(scenario)
    return [
        f"<details><summary>{code(scenario.id)}</summary>",
        "",
        *_table(tables.spread_columns(scenario)),
        "",
        *bill,
        *sources,
        "",
        line(first),
        "",
        *(f"- {md(text)}" for text in more),
        "",
        "</details>",
    ]


def _table(columns: Sequence[Column]) -> list[str]:
    count = len(columns[0].values)
    rows = [row([code(c.values[at]) if c.code else md(c.values[at]) or " " for c in columns]) for at in range(count)]
    return [*table([column.title or " " for column in columns], [not column.text for column in columns]), *rows]
