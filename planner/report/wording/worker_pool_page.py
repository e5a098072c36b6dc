"""The page of a worker pool, in blocks: the answer, every choice, each choice in full, assumptions."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Sequence

from markupsafe import Markup

from planner import __version__
from planner.report.blocks.bars import futures_of
from planner.report.blocks.block import (
    Bar,
    Bars,
    Card,
    Command,
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
from planner.report.pictures.job_timeline import drawn
from planner.report.wording import figures, futures, page_texts
from planner.report.wording import worker_pool as words
from planner.report.wording import worker_pool_tables as tables
from planner.report.wording.figures import many, visible
from planner.report.wording.page_headings import LABELS
from planner.report.wording.sheet import APPENDIX, pool_sheet_of
from planner.worker_pool.result import PoolComparison, PoolScenario
from planner.worker_pool.search import PoolSearch

NOTES = "Notes on interruptions and prices"
SKIP = "Skip to the answer"
MOST = 20  # bars; the table has the others
SHAPE_NAMES = re.compile(r"\bjob-(title|desc)\b")
STYLE_OF_PICTURE = re.compile(r"<style>.*?</style>\n?", re.DOTALL)


def page(found: PoolComparison, plan_path: str = "", again: Sequence[str] = (), top: int | None = None) -> Page:
    """The same comparison gives the same page. plan_path, again: the plan and its options as the next command names
    them. top: rows of the table, 0 or None for all."""
    shown = [s for s in found.scenarios if s.feasible]
    why_not, notes = (list(map(visible, said)) for said in (words.not_eligible(found), words.notes(found)))
    rows: list[Inner] = [Table(label=LABELS["ranking"], columns=words.columns(shown[: top or None]))] if shown else []
    return Page(
        head=head(found),
        signed=Signed(sheet=pool_sheet_of(found)),
        appendix=APPENDIX,
        sections=(
            Section(title="Answer", anchor="answer", blocks=[card(found)]),
            Section(
                title="Comparison",
                anchor="compare",
                blocks=[*_bars(found, shown), *rows, Texts(texts=why_not, bulleted=True), _picture(plan_path, again)],
            ),
            Section(
                title=NOTES,
                anchor="notes",
                level=Level.MORE,
                blocks=[Texts(texts=notes, bulleted=True)],
            ),
            *(_choice(rank, one) for rank, one in enumerate(shown, 1)),
            Section(
                title="Assumptions",
                anchor="assumptions",
                folded=True,
                level=Level.MORE,
                blocks=[Texts(texts=tables.assumed(found), bulleted=True)],
            ),
        ),
        footer=page_texts.footer(__version__, found.plan_sha256, model_sha256(), "runs"),
    )


def head(found: PoolComparison) -> Head:
    """Above the page."""
    return Head(over="Cost of a worker pool", name=visible(found.plan_name), facts=words.heading(found))


def card(found: PoolComparison) -> Card:
    """What is recommended and why, with its cost, its days and a job's cost in large type."""
    first, *more = words.answer(found)
    best = found.best
    if best is None:
        return Card(title="Answer", lead=first, sentences=more)
    name = f"Recommended: {best.choice.worker.id}, {words.PURCHASES[best.choice.purchase]}"
    return Card(title=name, lead=first, figures=_figures(best), sentences=more)


def _figures(best: PoolScenario) -> list[tuple[str, list[str]]]:
    cost, days, job = best.cost_usd, best.days, best.per_job
    assert cost is not None and days is not None and job is not None  # noqa: PT018  it is eligible
    most = _ends(f"9 of 10 cost less than {figures.usd(cost.p90)}", cost.p90)
    latest = _ends(f"9 of 10 end within {words.lasts(days.p90)}", days.p90)
    found = [
        (figures.usd(cost.p50), ["half of the runs cost less", *most]),
        (words.lasts(days.p50), ["until the last job ends", *latest]),
        (words.usd_each(job.p50), ["a job", f"{words.usd_each(job.p10)} to {words.usd_each(job.p90)}"]),
    ]
    if best.futures and math.isfinite(best.futures[1].p50_usd):
        either, shares = futures.either(best)
        found[0] = (either, [f"{futures.on_average(best)}{shares} of the runs", *found[0][1][1:]])
    return found


def _ends(text: str, value: float) -> list[str]:
    return [text] if math.isfinite(value) else []


def _bars(found: PoolComparison, shown: Sequence[PoolScenario]) -> list[Bars]:
    bars = [_bar(rank, s, s is found.best) for rank, s in enumerate(shown, 1) if s.complete and s.cost_usd]
    bars = [bar for bar in bars if math.isfinite(bar.usd[1])][:MOST]
    return [Bars(bars=bars)] if len(bars) > 1 else []


def _bar(rank: int, s: PoolScenario, first: bool) -> Bar:
    assert s.cost_usd is not None and s.days is not None  # noqa: PT018  it was simulated
    cost = s.cost_usd
    return Bar(
        rank=rank,
        first=first,
        name=s.choice.worker.id,
        bought=words.PURCHASES[s.choice.purchase],
        family={"list": "on-demand"}.get(s.choice.purchase, s.choice.purchase),
        usd=(cost.p10, cost.p50, cost.p90),
        futures=futures_of(s),
        cost=figures.usd(cost.p50),
        range=f"{figures.usd(cost.p10)} to {figures.usd(cost.p90)}",
        days=words.lasts(s.days.p50),
        exact=page_texts.exact(cost, s.days),
        aside="" if s.eligible else f"not eligible: {'; '.join(words.reasons(s))}",
    )


def _picture(plan_path: str, again: Sequence[str]) -> Command:
    # of the options of `compare`, those that `simulate` has
    pairs = zip(again[::2], again[1::2], strict=True)
    kept = [word for pair in pairs if pair[0] in ("--set", "--prices", "--seed") for word in pair]
    said = " ".join(shlex.quote(visible(word)) for word in (plan_path, *kept))
    return Command(lead=words.PICTURE, text=f"planner simulate {said} -o timeline.svg")


def _choice(rank: int, one: PoolScenario) -> Section:
    # ids are unique on a page, and a style in one picture would count for all of it
    picture = SHAPE_NAMES.sub(rf"job-\1-{rank}", STYLE_OF_PICTURE.sub("", drawn(one)) if rank > 1 else drawn(one))
    reasons = [f"Not eligible: {text}" for text in words.reasons(one)]
    return Section(
        title=f"#{rank} {one.id}",
        anchor=f"choice-{rank}",
        folded=True,
        code=True,
        level=Level.EVIDENCE,
        blocks=[
            Texts(texts=[one.choice.interruptions_said, *reasons]),
            *in_full(one),
            Picture(svg=Markup(picture)),
        ],
    )


def in_full(one: PoolScenario) -> list[Inner]:
    """One choice: its distributions, its bill, its most interrupted job."""
    bill = tables.bill_columns(one.bill)
    sources = [visible(text) for text in tables.bill_sources(one)]
    first, *attempts = tables.story(one)
    return [
        Table(label=f"Distributions of {one.id}", columns=tables.spread_columns(one)),
        *([Table(label=f"Bill of {one.id}", columns=bill)] if one.bill else []),
        Texts(texts=sources, bulleted=True, level=Level.EVIDENCE),
        Texts(texts=[first]),
        Texts(texts=attempts, bulleted=True),
    ]


def sizes(found: PoolSearch) -> tuple[Head, list[Section]]:
    """Every size that was searched, and the recommended one."""
    plan = found.loaded.plan
    facts = [f"{many(plan.jobs.count, 'job')}, {many(found.runs, 'simulated run')} of each size", words.tried(found)]
    table = Table(label="Table: sizes", columns=words.size_columns(found))
    answer = Section(title="Answer", anchor="answer", blocks=[Card(title="Answer", lead=words.size_answer(found))])
    return (
        Head(over="Size of a worker pool", name=visible(plan.name), facts=facts),
        [answer, Section(title="Sizes", anchor="sizes", blocks=[table])],
    )


def distributions(found: PoolComparison, one: PoolScenario) -> list[Section]:
    """One choice alone, for a terminal."""
    facts = Texts(texts=[f"{one.id}, {many(one.events, 'event')}", one.choice.interruptions_said])
    return [Section(title=one.id, anchor="choice", blocks=[facts, *in_full(one)])]
