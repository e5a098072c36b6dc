"""A comparison as one HTML page that needs nothing else: no font, no picture, no script from elsewhere."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from markupsafe import Markup

from planner import __version__
from planner.decide.comparison import Comparison
from planner.decide.leaders import leaders_of, rank_of
from planner.decide.shortlist import shortlist_of
from planner.decide.spreads import Spread
from planner.decide.study import Study
from planner.estimate.result import Scenario
from planner.report.data.bills_table import as_link, bills_table
from planner.report.data.encoding import utf8
from planner.report.data.groups import sources_of
from planner.report.html.answer import answer_view
from planner.report.html.architecture import StackView
from planner.report.html.bills import bill_view
from planner.report.html.choices import choices_view
from planner.report.html.evidence import evidence_view
from planner.report.html.inline import inline
from planner.report.html.ranking import ranking_view
from planner.report.html.reconciliation import ReconciledView
from planner.report.html.waterfall import waterfall_view
from planner.report.html.what_would_change import change_view
from planner.report.wording import notes, page_headings, page_texts
from planner.report.wording.figures import visible
from planner.report.wording.glossary import WORDS
from planner.report.wording.sheet import APPENDIX, sheet_of
from planner.templates import folder

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = folder("report")
TITLE_SHOWN, NAME_UNBROKEN = 120, 200  # characters of the plan's name: in the title, and before it scrolls
CELL, QUOTED = re.compile(r"<t[dhr] [^>]*>"), re.compile(r'\b(class|scope)="([a-z]+)"')
LOOSE = re.compile(r"</li>(?=\s*(?:<li\b|</[uo]l>))|(?<=\n)\n+")


@dataclass(frozen=True, kw_only=True)
class HeadView:
    """Above the page. long: whether the name needs a box that scrolls. script_hash: what the policy allows."""

    title: str
    name: str
    long: bool
    facts: tuple[str, ...]
    contents: tuple[tuple[str, str], ...]
    style: Markup
    script: Markup
    script_hash: Markup
    version: str
    program: str


def render(
    comparison: Comparison,
    study: Study | None = None,
    stack: StackView | None = None,
    spreads: Mapping[str, Mapping[str, Spread]] | None = None,
    reconciled: ReconciledView | None = None,
) -> str:
    """The whole page. The same arguments give the same bytes.

    study: what would change the answer; stack: what would be deployed for it; None leaves that section out. spreads:
    by scenario and number, how far the numbers of the answer's scenarios go. reconciled: the plan beside its bill; None
    leaves that section out. The page's script only sorts, filters and
    shows combinations that the page holds. It is allowed by its hash, and the page is complete without it.
    """
    shortlist, named = shortlist_of(comparison), leaders_of(comparison)
    detailed = detailed_of(comparison)
    sources = sources_of(detailed)
    change = change_view(comparison, study, {s.id for s in detailed}) if study else None
    waterfall = waterfall_view(comparison)
    bills = tuple(
        bill_view(
            comparison, rank_of(comparison, s), s, sources, _spreads(comparison, s, spreads or {}), opened=s in named
        )
        for s in detailed
    )
    evidence = evidence_view(comparison, detailed, sources)
    sections = (
        (page_texts.PLAN_AND_BILL, "reconciled", reconciled is not None),
        (page_texts.COMPARISON, "compare", True),
        (page_texts.WATERFALL, "difference", waterfall is not None),
        (page_texts.WHAT_WOULD_CHANGE, "change", change is not None),
        (page_texts.DEPLOYED, "stack", stack is not None),
        (page_texts.BILLS, "bills", bool(bills)),
        (page_texts.TEXTS["assumptions"], "assumptions", True),
        (page_texts.TEXTS["sources"], "sources", bool(sources)),
        (page_texts.TEXTS["provenance"], "provenance", True),
        (page_texts.GLOSSARY, "glossary", True),
    )
    closed = sum(not bill.opened for bill in bills)
    page = (
        environment()
        .get_template("page.html.j2")
        .render(
            t={name: inline(text) for name, text in page_texts.TEXTS.items()},
            h=page_headings.HEADINGS,
            labels=page_headings.LABELS,
            sheet=sheet_of(comparison, study),
            appendix=APPENDIX,
            head=_head(comparison, tuple((name, id) for name, id, there in sections if there)),
            answer=answer_view(comparison, change),
            choices=choices_view(comparison, shortlist),
            ranking=ranking_view(comparison, {s.id for s in detailed}),
            waterfall=waterfall,
            glossary=tuple((term, inline(text)) for term, text in WORDS),
            change=change,
            stack=stack,
            reconciled=reconciled,
            bills=bills,
            bills_csv=as_link(bills_table(comparison)),
            closed_bills=page_texts.closed_bills(closed) if closed else "",
            evidence=evidence,
        )
    )
    # without quotes, ends of items and empty lines that HTML does not need: a page has thousands, and is sent by mail
    return utf8(LOOSE.sub("", CELL.sub(lambda cell: QUOTED.sub(r"\1=\2", cell.group()), page)))


def environment() -> Environment:
    """Templates get values and nothing to call: no filter and no function of ours."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )


def style() -> str:
    """The style sheet without its comments and empty lines."""
    return re.sub(
        r"/\*.*?\*/\s*|(?<=\n)\n+", "", (TEMPLATES / "style.css").read_text(encoding="utf-8"), flags=re.DOTALL
    )


def _head(comparison: Comparison, contents: tuple[tuple[str, str], ...]) -> HeadView:
    # without comments, and scripts without indents and empty lines: a page is sent by mail
    written = (TEMPLATES / "page.js").read_text(encoding="utf-8").splitlines()
    script = "\n".join(line.strip() for line in written if line.strip() and not line.strip().startswith("//")) + "\n"
    name = visible(comparison.plan_name)
    return HeadView(
        title=name[:TITLE_SHOWN],
        name=name,
        long=len(comparison.plan_name) > NAME_UNBROKEN,
        facts=(comparison.region, *notes.prices_and_draws(comparison), page_texts.TEXTS["before_tax"]),
        contents=contents,
        style=Markup(style()),
        script=Markup(script),
        script_hash=Markup("sha256-" + b64encode(sha256(script.encode()).digest()).decode()),
        version=__version__,
        program=page_texts.program(__version__),
    )


def detailed_of(comparison: Comparison) -> list[Scenario]:
    """The scenarios whose bill is on the page: those of the answer, and the first eligible one of each layout, by rank;
    the first feasible one where none is eligible. The others are in the table of bills."""
    feasible = [s for s in comparison.scenarios if s.feasible]
    first = {s.layout: s.id for s in reversed([s for s in feasible if s.eligible] or feasible)}
    wanted = {*(s.id for s in leaders_of(comparison)), *first.values()}
    return [s for s in feasible if s.id in wanted]


def _spreads(
    comparison: Comparison, scenario: Scenario, spreads: Mapping[str, Mapping[str, Spread]]
) -> Mapping[str, Spread] | None:
    """Of the recommended scenario, whose bill shows how each line is calculated; None for the others."""
    first = next(iter(leaders_of(comparison)), None)
    return spreads.get(scenario.id, {}) if first is not None and scenario.id == first.id else None
