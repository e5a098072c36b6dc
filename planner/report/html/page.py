"""A comparison as one HTML page that needs nothing else: no font, no picture, no script from elsewhere."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from planner import __version__
from planner.decide.comparison import Comparison
from planner.decide.spreads import Spread
from planner.decide.study import Study
from planner.estimate.result import Scenario
from planner.models.bill import SERVICES, Line
from planner.models.equation import Equation
from planner.report.data.encoding import utf8
from planner.report.data.provenance import model_sha256
from planner.report.html.architecture import StackView
from planner.report.html.calculations import Hand, lines_of, numbers_of
from planner.report.html.what_would_change import view
from planner.report.pictures import cost_and_time
from planner.report.wording import answer, figures, recommendation, relaxations, stale_prices
from planner.report.wording.breakdown import parts_of
from planner.report.wording.notes import aged
from planner.report.wording.shared_reasons import infeasible_of, sources_of, unpriced_of
from planner.templates import folder

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

TEMPLATES = folder("report")


@dataclass(frozen=True, kw_only=True)
class BillRow:
    """A line of a bill as the page shows it. cents: its cost as printed."""

    line: Line
    service: str
    cents: float
    share: float
    source: int


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A feasible scenario with its place in the ranking. total: the planned cost, as every format has it; off: whether
    the printed cents of the bill or of the cash add up to another figure."""

    rank: int
    scenario: Scenario
    rows: tuple[BillRow, ...]
    total: float
    off: bool
    list_total: float
    opened: bool
    hands: tuple[Hand, ...]
    numbers: tuple[Hand, ...]


def render(
    comparison: Comparison,
    study: Study | None = None,
    stack: StackView | None = None,
    spreads: Mapping[str, Mapping[str, Spread]] | None = None,
) -> str:
    """The whole page. The same comparison, study and stack give the same bytes.

    study: what would change the answer; stack: what stands for the answer; None leaves that section out. spreads: by
    scenario and number, how far the numbers of the answer's scenarios go. The page's
    script only sorts, filters and shows combinations that the page holds; it is allowed by its hash and the page is
    complete without it.
    """
    from markupsafe import Markup

    sources = sources_of(comparison.scenarios)
    best, safe = comparison.best, recommendation.lowest_risk(comparison)
    shown_first = {scenario.id for scenario in recommendation.picks(comparison)}
    entries = [
        _entry(comparison, rank, scenario, sources, scenario.id in shown_first, (spreads or {}).get(scenario.id, {}))
        for rank, scenario in enumerate(comparison.scenarios, 1)
        if scenario.feasible
    ]
    environment = _environment()
    script = (TEMPLATES / "page.js").read_text(encoding="utf-8")
    changes = view(comparison, study) if study else None
    if changes:
        pictures = {key: Markup(getattr(changes, key)) for key in ("picture", "narrow_picture", "grid")}
        changes = replace(changes, **pictures)
    picture = cost_and_time.svg(comparison.scenarios)
    sections = (
        ("Cost against time", "chart", bool(picture)),
        ("Comparison", "compare", True),
        ("What would change it", "change", changes is not None),
        ("What stands on AWS", "stack", stack is not None),
        ("Bills", "bills", bool(entries)),
        ("Assumptions", "assumptions", True),
        ("Sources of prices", "sources", bool(sources)),
        ("Where this page comes from", "provenance", True),
    )
    page = environment.get_template("page.html.j2").render(
        contents=[(name, id) for name, id, there in sections if there],
        c=comparison,
        change=changes,
        stack=replace(stack, picture=Markup(stack.picture)) if stack else None,
        script=Markup(script),
        script_hash=Markup("sha256-" + b64encode(sha256(script.encode()).digest()).decode()),
        layouts=sorted({figures.layout_name(entry.scenario) for entry in entries}),
        purchases=list(dict.fromkeys(figures.short_purchase(entry.scenario.purchase) for entry in entries)),
        version=__version__,
        model_sha256=model_sha256(),
        aged=aged(comparison),
        best=best,
        safe=safe,
        fleet=figures.only_fleet(comparison.scenarios),
        entries=entries,
        closed=sum(not entry.opened for entry in entries),
        infeasible=infeasible_of(comparison.scenarios),
        unpriced=unpriced_of(comparison.scenarios),
        incomplete=sum(bool(scenario.unpriced) for scenario in comparison.scenarios),
        stale=stale_prices.sentences(comparison.stale),
        sources=sources,
        source_notes=_source_notes(comparison.scenarios),
        equations=_equations(comparison.scenarios),
        picture=Markup(picture),
        names=cost_and_time.names(comparison.scenarios),
        legend=[(name, Markup(shape)) for _, name, shape in cost_and_time.legend(comparison.scenarios)],
        undrawn=sum(not entry.scenario.complete for entry in entries),
        beyond=cost_and_time.beyond(comparison.scenarios),
        far=cost_and_time.FAR_COST,
        open_ended=any(recommendation.open_ended(entry.scenario) for entry in entries),
        commitments=recommendation.commitments(comparison, [entry.scenario for entry in entries]),
        plan=json.dumps(comparison.plan, indent=2, ensure_ascii=False, default=str),
    )  # fmt: skip
    return utf8(page)


def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    environment.filters |= {
        "money": figures.money,
        "dollars": figures.dollars,
        "cents": lambda value: f"{value:,.2f}",
        "days": figures.days,
        "plain": figures.plain,
        "quantity": figures.quantity,
        "percent": lambda value: f"{value:.1%}",
        "visible": figures.visible,
        "breakable": _breakable,
    }
    environment.globals |= {
        "answer": answer,
        "remedies": relaxations,
        "verdict": recommendation,
        "words": figures,
        "parts_of": parts_of,
    }
    return environment


def _breakable(key: str) -> Markup:
    """A key that a narrow column may break after its dots and underscores, and nowhere else."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"([._])(?=\w)", r"\1<wbr>", str(escape(key))))


def _source_notes(scenarios: Sequence[Scenario]) -> dict[str, list[str]]:
    """What the price book notes of its prices, by source."""
    found: dict[str, dict[str, None]] = {}
    for line in (line for s in scenarios if s.feasible for line in s.bill):
        note = line.price_note
        if note:
            found.setdefault(line.price_source, {})[f"{line.line}: {note}"] = None
    return {source: list(notes) for source, notes in found.items()}


def _entry(
    comparison: Comparison,
    rank: int,
    scenario: Scenario,
    sources: dict[str, int],
    opened: bool,
    spreads: Mapping[str, Spread],
) -> Entry:
    cents = [round(line.effective_cost, 2) for line in scenario.bill]
    total = figures.plan_usd(scenario)
    printed = [cents, [round(cash.usd, 2) for cash in scenario.cash]]
    off = any(abs(sum(column) - round(total, 2)) > 0.005 for column in printed if column)
    rows = tuple(
        BillRow(
            line=line,
            service=SERVICES[line.service][0],
            cents=cost,
            share=cost / total if total else 0.0,
            source=sources[line.price_source],
        )
        for line, cost in zip(scenario.bill, cents, strict=True)
    )
    list_total = sum(line.list_cost for line in scenario.bill)
    return Entry(
        rank=rank,
        scenario=scenario,
        rows=rows,
        total=total,
        off=off,
        list_total=list_total,
        opened=opened,
        hands=lines_of(comparison, scenario, rank, spreads) if opened else (),
        numbers=numbers_of(comparison, scenario, rank, spreads) if opened else (),
    )


def _equations(scenarios: Sequence[Scenario]) -> list[Equation]:
    """The equations behind the bills and the numbers of the runs."""
    from planner.models.catalogue import all_equations

    priced = [scenario for scenario in scenarios if scenario.feasible]
    used = {line.equation for scenario in priced for line in scenario.bill}
    used |= {entry.equation for scenario in priced for entry in scenario.derived}
    return [entry for entry in all_equations() if entry.number in used]
