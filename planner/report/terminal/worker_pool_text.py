"""A worker pool in a terminal: the answer, the table of the choices, and notes; of one choice, its distributions."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from planner.report.terminal.columns import command, whole
from planner.report.wording import worker_pool as words
from planner.report.wording import worker_pool_tables as tables
from planner.report.wording.figures import many, visible
from planner.report.wording.wrapping import wrap
from planner.worker_pool.result import PoolComparison, PoolScenario
from planner.worker_pool.search import PoolSearch

NARROWEST = 32


def render(
    found: PoolComparison,
    *,
    width: int,
    ascii_only: bool,
    plan_path: str,
    again: Sequence[str] = (),
    top: int | None = None,
    verbose: bool = False,
) -> str:
    """The comparison as lines of at most `width` cells. top: rows of the table, 0 or None for all. again: options that
    the next command must repeat."""
    width, rule = max(width, NARROWEST), "-" if ascii_only else "─"
    shown = [s for s in found.scenarios if s.feasible][: top or None]
    first, *more = words.answer(found)
    lines = [*_wrapped([found.plan_name, *words.heading(found)], width), ""]
    lines += [*_wrapped([first], width), *_wrapped([f"  {text}" for text in more], width), ""]
    lines += whole(words.columns(shown), width, rule) if shown else []
    lines += _wrapped([f"- {text}" for text in words.notes(found)], width)
    if verbose:
        lines += ["", "Assumptions:", *_wrapped([f"- {text}" for text in tables.assumed(found)], width), ""]
    # of the options of `compare`, those that `simulate` has
    pairs = zip(again[::2], again[1::2], strict=True)
    kept = [word for pair in pairs if pair[0] in ("--set", "--prices", "--seed") for word in pair]
    words_again = " ".join(shlex.quote(visible(word)) for word in (plan_path, *kept))
    lines += [words.PICTURE, *command(f"planner simulate {words_again} -o timeline.svg", width)]
    return _encoded(lines, ascii_only=ascii_only)


def distributions(found: PoolComparison, scenario: PoolScenario, *, width: int, ascii_only: bool) -> str:
    """One choice in full: every figure as mean, P10, P50 and P90, the bill, and one interrupted job."""
    width, rule = max(width, NARROWEST), "-" if ascii_only else "─"
    lines = _wrapped([found.plan_name, *words.heading(found)], width)
    lines += ["", *_wrapped([f"{scenario.id}, {many(scenario.events, 'event')}"], width)]
    lines += [*_wrapped([scenario.choice.interruptions_said], width), ""]
    lines += [*whole(tables.spread_columns(scenario), width, rule), ""]
    lines += [*whole(tables.bill_columns(scenario.bill), width, rule), ""] if scenario.bill else []
    first, *more = tables.story(scenario)
    lines += [*_wrapped([first], width), *_wrapped([f"  {text}" for text in more], width)]
    return _encoded(lines, ascii_only=ascii_only)


def sizes(found: PoolSearch, *, width: int, ascii_only: bool) -> str:
    """Every size that was searched, and the recommended one."""
    width, rule = max(width, NARROWEST), "-" if ascii_only else "─"
    plan = found.loaded.plan
    title = f"{many(plan.jobs.count, 'job')}, {many(found.runs, 'simulated run')} of each size"
    lines = [*_wrapped([plan.name, title], width), "", *_wrapped([words.size_answer(found)], width), ""]
    lines += whole(words.size_columns(found), width, rule)
    return _encoded(lines, ascii_only=ascii_only)


def _wrapped(texts: Sequence[str], width: int) -> list[str]:
    return [part for text in texts for part in wrap(visible(text), width, "  ")]


def _encoded(lines: Sequence[str], *, ascii_only: bool) -> str:
    text = "\n".join(lines) + "\n"
    return text.encode("ascii", "replace").decode() if ascii_only else text.encode("utf-8", "replace").decode()
