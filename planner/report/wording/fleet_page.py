"""The page of a fleet, in blocks: the answer, every choice, what to buy, waits, what each project pays, by month."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from planner import __version__
from planner.fleet.result import FleetComparison, FleetScenario
from planner.report.blocks.block import (
    Bar,
    Bars,
    Card,
    Head,
    Inner,
    Level,
    Page,
    Picture,
    Section,
    Signed,
    Table,
    Texts,
)
from planner.report.data.provenance import model_sha256
from planner.report.pictures import fleet_months
from planner.report.wording import figures, fleet_beside, fleet_demand, page_texts
from planner.report.wording import fleet as words
from planner.report.wording.figures import visible
from planner.report.wording.page_headings import LABELS
from planner.report.wording.sheet import APPENDIX

SKIP = "Skip to the answer"
MOST = 20  # bars; the table has the others


def page(found: FleetComparison, top: int | None = None) -> Page:
    """The same comparison gives the same page. top: rows of the table, 0 or None for all."""
    shown = [s for s in found.scenarios if s.feasible]
    rows: list[Inner] = [Table(label=LABELS["ranking"], columns=words.columns(shown[: top or None]))] if shown else []
    left = len(shown) - len(shown[: top or None])
    cut = [f"… {left} more (--top 0 shows them)"] if left else []
    best = found.best
    return Page(
        head=head(found),
        signed=Signed(sheet=words.sheet_of(found)),
        appendix=APPENDIX,
        sections=(
            Section(title="Answer", anchor="answer", blocks=[card(found)]),
            *(_to_buy(best) if best else ()),
            Section(
                title="Comparison",
                anchor="compare",
                blocks=[*_bars(shown), *rows, Texts(texts=cut), *_bulleted(words.warnings(found))],
            ),
            *(_best(found, best) if best else ()),
            *_demand(found),
            Section(title="Notes", anchor="notes", level=Level.MORE, blocks=_bulleted(words.notes(found))),
            Section(
                title="Assumptions",
                anchor="assumptions",
                folded=True,
                level=Level.MORE,
                blocks=_bulleted(words.assumed(found)),
            ),
        ),
        footer=page_texts.footer(__version__, found.plan_sha256, model_sha256(), "draws"),
    )


def _bulleted(texts: Sequence[str]) -> list[Inner]:
    return [Texts(texts=[visible(text) for text in texts], bulleted=True)] if texts else []


def head(found: FleetComparison) -> Head:
    """Above the page."""
    return Head(over="Cost of a fleet", name=visible(found.plan_name), facts=words.heading(found))


def card(found: FleetComparison) -> Card:
    """What is recommended and why, with its cost, its wait and a useful hour's cost in large type."""
    first, *more = words.answer(found)
    best = found.best
    if best is None or best.cost_usd is None or best.wait_hours is None:
        return Card(title="Answer", lead=first, sentences=more)
    large = [
        (
            figures.usd(best.cost_usd.p50),
            ["half of the outcomes cost less", words.nine_in_ten(best.cost_usd.p90)],
        ),
        (
            words.mean_wait(best),
            ["a job waits on average", words.one_in_ten(best.p90_wait_hours)],
        ),
    ]
    if best.usd_per_useful:
        each = best.usd_per_useful
        large.append((f"${each.p50:,.2f}", ["a useful GPU-hour", words.range_of_useful(each)]))
    return Card(
        title=f"Recommended: {words.nodes(best)}, {words.bought(best)}", lead=first, figures=large, sentences=more
    )


def _bars(shown: list[FleetScenario]) -> list[Bars]:
    bars = [
        Bar(
            rank=rank,
            first=rank == 1 and s.eligible,
            name=words.nodes(s),
            bought=words.short(s.option),
            family="capacity-block" if s.way == "capacity-block" else s.option.family if s.option else "sp",
            usd=(s.cost_usd.p10, s.cost_usd.p50, s.cost_usd.p90),
            cost=figures.usd(s.cost_usd.p50),
            range=f"{figures.usd(s.cost_usd.p10)} to {figures.usd(s.cost_usd.p90)}",
            days=f"waits {words.mean_wait(s)}",
            exact=page_texts.exact(s.cost_usd, s.days),
            aside="" if not (why := words.reasons(s)) else f"not eligible: {'; '.join(why)}",
        )
        for rank, s in enumerate(shown, 1)
        if s.complete and s.cost_usd and s.days and s.wait_hours and s.cost_usd.p50 < float("inf")
    ][:MOST]
    return [Bars(bars=bars)] if len(bars) > 1 else []


def _demand(found: FleetComparison) -> list[Section]:
    """The file that demand comes from."""
    one = found.from_file
    if one is None:
        return []
    table = Table(label="Demand by project, as it was", columns=fleet_demand.columns(one))
    blocks: list[Inner] = [*_bulleted(fleet_demand.details(one)), table]
    return [Section(title="Demand", anchor="demand", folded=True, level=Level.MORE, blocks=blocks)]


def _to_buy(best: FleetScenario) -> list[Section]:
    """What the mix buys: what to sign now, then what is decided later."""
    now, later = ([one for one in best.purchases if bool(one.month) is is_later] for is_later in (False, True))
    found: list[Section] = []
    if now:
        table = Table(label="What the mix buys now", columns=words.purchase_columns(now))
        found.append(Section(title="What to buy now", anchor="buy", blocks=[table]))
    if later:
        blocks: list[Inner] = [
            Texts(texts=["This is a forecast: decide then, on what has happened."]),
            Table(label="What the mix buys later, by forecast", columns=words.purchase_columns(later)),
        ]
        found.append(Section(title="What to buy later", anchor="later", level=Level.MORE, blocks=blocks))
    return found


def _best(found: FleetComparison, best: FleetScenario) -> list[Section]:
    """The recommended choice in full."""
    parts: list[tuple[str, str, list[Inner]]] = []
    if len(found.frontier) > 1:
        table = Table(label="Cost against waiting", columns=words.frontier_columns(found))
        parts.append(("Cost against waiting", "frontier", [table]))
    if shared := words.sharing(found):
        parts.append(("What sharing is worth", "sharing", [Texts(texts=[visible(shared)])]))
    if found.stored:
        table = Table(label="Where hot data is", columns=fleet_beside.place_columns(found))
        parts.append(("Where data is read from", "places", [table, *_bulleted(fleet_beside.place_notes(found))]))
    if found.owned:
        parts.append(("Owned instead", "owned", [Texts(texts=fleet_beside.owned(found))]))
    if found.spot:
        parts.append(("Spot for what gives way", "spot", [Texts(texts=fleet_beside.spot(found.spot))]))
    parts += [
        ("Waits by size of job", "waits", [Table(label="Waits", columns=words.wait_columns(best))]),
        (
            "What each project pays",
            "projects",
            [Table(label="Show-back by project", columns=words.show_back_columns(found, best))],
        ),
        (
            "By month",
            "months",
            [
                Picture(svg=Markup(fleet_months.drawn(best))),
                Table(label="Cost by month", columns=words.month_columns(found, best)),
            ],
        ),
        (
            "Bill",
            "bill",
            [
                Table(label=f"Bill of {best.id}", columns=words.bill_columns(best)),
                Texts(texts=[visible(text) for text in words.bill_sources(best)], bulleted=True, level=Level.EVIDENCE),
            ],
        ),
    ]
    return [Section(title=title, anchor=anchor, blocks=blocks, level=Level.MORE) for title, anchor, blocks in parts]
