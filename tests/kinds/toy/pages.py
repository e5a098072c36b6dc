"""Its answer, in blocks."""

from __future__ import annotations

from planner.kinds.asking import Look
from planner.report.blocks import html, markdown
from planner.report.blocks.block import Bar, Bars, Card, Head, Page, Section, Signed, Table
from planner.report.blocks.terminal import Cells
from planner.report.data.encoding import json_text
from planner.report.data.focus_csv import render_even
from planner.report.wording import figures
from planner.report.wording.sheet import Sheet
from planner.report.wording.table import Column
from tests.kinds.toy.answers import document, named

WITH_DERIVATIONS = ()


def sheet(found, watch):
    facts = (("Budget to approve", (figures.usd(found.best.cost_usd.p90),)),)
    return Sheet(title="To approve", name=found.plan_name, lead=found.best.id, facts=facts, signed=("Name",))


def columns(found):
    return [
        Column(title="Type", values=[row.instance_type for row in found.scenarios], text=True),
        Column(title="P50 $", values=[figures.dollars(row.cost_usd.p50) for row in found.scenarios]),
    ]


def page(found):
    cost = found.best.cost_usd
    large = [(figures.usd(cost.p50), ["half of the outcomes cost less"])]
    bars = [
        Bar(
            rank=rank, first=rank == 1, name=row.instance_type, bought="On-Demand", family="on-demand",
            usd=(row.cost_usd.p10, row.cost_usd.p50, row.cost_usd.p90), cost=figures.usd(row.cost_usd.p50),
            range=f"to {figures.usd(row.cost_usd.p90)}", days=f"{row.days.p50:.2f} days",
        )
        for rank, row in enumerate(found.scenarios, 1)
    ]  # fmt: skip
    lead = f"Recommended: {found.best.id}, about {figures.usd(cost.p50)}"
    blocks = [Bars(bars=bars), Table(label="Types", columns=columns(found))]
    return Page(
        head=Head(over="A toy", name=found.plan_name, facts=[f"prices of {found.prices.as_of}"]),
        signed=Signed(sheet=sheet(found, None)),
        appendix="What follows explains it.",
        sections=[
            Section(title="Answer", anchor="answer", blocks=[Card(title=found.best.id, lead=lead, figures=large)]),
            Section(title="Types", anchor="types", blocks=blocks),
        ],
        footer=f"plan {found.plan_sha256[:12]}",
    )


def written(found, style, look: Look, watch, listed=None):
    if style == "json":
        return json_text(document(found))
    if style == "csv":
        return "scenario,usd\n" + "".join(f"{row.id},{row.cost_usd.p50:.2f}\n" for row in found.scenarios)
    if style == "focus":
        row = named(found, look.row)
        return render_even(found, row, row.instance_type, found.prices.as_of)
    if style == "table":
        return Cells(width=look.width, ascii_only=look.ascii_only).page(page(found), look.verbose)
    return markdown.text(page(found)) if style == "md" else html.text(page(found), "Skip to the answer")
