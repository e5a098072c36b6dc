"""What `compare`, `report`, `explain`, `simulate`, `optimize` and `diff` do with the plan of a worker pool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from planner.cli.next_step import APPROVE, DEPLOY, after, after_row
from planner.cli.output import (
    Room,
    format_of,
    room_of,
    say,
    warn_of_dates,
    warn_of_prices,
    warn_of_unpriced,
    write_result,
)
from planner.cli.progress import SIMULATING, progress
from planner.errors import UsageProblem

if TYPE_CHECKING:
    from datetime import date

    from planner.answer.gates import Gates
    from planner.cli.options import Asked
    from planner.errors import ExitCode
    from planner.plan.load import LoadedPool
    from planner.worker_pool.result import PoolComparison, PoolScenario
    from pricing.book import PriceBook


def simulated(loaded: LoadedPool, asked: Asked, *, runs: int | None, quiet: bool) -> tuple[PoolComparison, PriceBook]:
    """Every choice of the plan, and the price book. Raises PlanProblems or UsageProblem."""
    from planner.worker_pool.compare import choices_in, compare_pool, runs_for

    book, as_of = _book_of(loaded, asked)
    total = choices_in(loaded.plan, book) * runs_for(loaded.plan.jobs.count, runs)
    with progress(SIMULATING, total=total, quiet=quiet) as shown:
        found = compare_pool(
            loaded,
            book,
            runs=runs,
            seed=asked.seed,
            as_of=as_of,
            max_price_age_days=asked.max_price_age,
            step=shown.step,
        )
    return found, book


def _book_of(loaded: LoadedPool, asked: Asked) -> tuple[PriceBook, date | None]:
    """The price book, and the day of --as-of. Raises PlanProblems or UsageProblem."""
    from planner.cli.options import book_for, day_of
    from planner.worker_pool.check import check_against_book

    as_of = day_of(asked.as_of, "--as-of") if asked.as_of else None
    book = book_for(asked.prices, loaded.plan.price_date, as_of or loaded.plan.start)
    check_against_book(loaded, book)
    return book, as_of


def asked_runs() -> int | None:
    """The number of --draws if it was given: a pool simulates fewer by default. Raises UsageProblem, also for what a
    pool would leave out without a word."""
    from planner.api.pools import runs_of

    context = click.get_current_context()
    if context.params.get("own"):
        raise UsageProblem("--own: not of a worker pool, whose plan states the prices that are not in the book")
    given = context.get_parameter_source("draws") is click.core.ParameterSource.COMMANDLINE
    return runs_of(context.params.get("draws"), "--draws") if given else None


def compare(
    loaded: LoadedPool,
    asked: Asked,
    style: str | None,
    out: str | None,
    scenario: str | None,
    gates: Gates,
    junit: str | None,
    *,
    top: int | None,
    verbose: bool,
    color: str,
    quiet: bool,
) -> ExitCode:
    """`planner compare`: every kind of node by each way to buy it."""
    from planner.answer.gates import violations
    from planner.cli.gates import check_junit, report_violations

    check_junit(junit, out)
    style = format_of(style, out, ("table", "json", "csv", "md", "html"))
    found, _ = simulated(loaded, asked, runs=asked_runs(), quiet=quiet)
    if style == "table":
        from planner.report.terminal.worker_pool_text import render

        room: Room = room_of(out, color)
        text = render(
            found,
            width=room.width,
            ascii_only=room.ascii_only,
            plan_path=asked.plan,
            again=asked.again,
            top=top,
            verbose=verbose,
        )
    elif style in ("json", "csv"):
        from planner.report.data import worker_pool_json

        text = worker_pool_json.render(found) if style == "json" else worker_pool_json.render_csv(found)
    elif style == "focus":
        from planner.report.data.focus_csv import render_pool

        chosen = named(found, scenario or "best")
        text = render_pool(found, chosen)
        warn_of_unpriced(chosen, quiet, color)
    else:
        text = _page(found, style)
    write_result(text, out)
    warn_of_prices(found, asked.prices, style, quiet, color)
    after(asked, found, style, step=APPROVE, quiet=quiet)
    return report_violations(violations(found, gates), found.plan_name, gates, junit)


def report(
    loaded: LoadedPool,
    asked: Asked,
    style: str | None,
    out: str | None,
    gates: Gates,
    junit: str | None,
    *,
    sheet: bool,
    quiet: bool,
) -> ExitCode:
    """`planner report`: the same as a page, or for a pull request; sheet: the page to sign alone."""
    from planner.answer.gates import violations
    from planner.cli.gates import check_junit, report_violations

    style = format_of(style, out, ("html", "md"))
    out = out or f"report.{style}"
    check_junit(junit, out)
    found, _ = simulated(loaded, asked, runs=asked_runs(), quiet=quiet)
    if sheet:
        from planner.cli.sheet import rendered
        from planner.report.wording.sheet import pool_sheet_of

        write_result(rendered(pool_sheet_of(found), style), out)
    else:
        write_result(_page(found, style), out)
    if out != "-":
        say(f"Wrote {out}", quiet)
        after(asked, found, style, step=DEPLOY, quiet=quiet)
    return report_violations(violations(found, gates), found.plan_name, gates, junit)


def _page(found: PoolComparison, style: str) -> str:
    if style == "md":
        from planner.report.markdown.worker_pool_markdown import render as render_markdown

        return render_markdown(found)
    from planner.report.html.worker_pool_page import render as render_html

    return render_html(found)


def simulate(
    loaded: LoadedPool,
    asked: Asked,
    scenario: str | None,
    starts: object,
    style: str,
    out: str | None,
    *,
    color: str,
    quiet: bool,
) -> None:
    """`planner simulate`: one choice in full, or its most interrupted job as a picture."""
    from planner.api.pools import runs_of

    runs = None if starts is None else runs_of(starts if isinstance(starts, int) else "a file", "--starts")
    found, _ = simulated(loaded, asked, runs=runs, quiet=quiet)
    if style == "json":
        from planner.report.data.worker_pool_json import render as render_json

        write_result(render_json(found), out)
        return
    chosen = named(found, scenario)
    if style == "svg":
        from planner.report.pictures.job_timeline import alone

        write_result(alone(chosen), out)
        return
    from planner.report.terminal.worker_pool_text import distributions

    room = room_of(out, color)
    write_result(distributions(found, chosen, width=room.width, ascii_only=room.ascii_only), out)


def explain(
    loaded: LoadedPool,
    asked: Asked,
    scenario: str | None,
    number: str | None,
    style: str,
    out: str | None,
    *,
    width: int,
    quiet: bool,
) -> None:
    """`planner explain`: the choices, the numbers of one, or one number."""
    from planner.plan.wording import did_you_mean
    from planner.report.terminal import worker_pool_explanation as text
    from planner.report.wording.worker_pool_explained import explained, ids_of

    found, _ = simulated(loaded, asked, runs=asked_runs(), quiet=quiet)
    if scenario is None:
        write_result(text.listed_json(found, None) if style == "json" else text.scenarios(found, width), out)
        after(asked, found, style, step=APPROVE, quiet=quiet)
        return
    chosen = named(found, scenario)
    if number is None:
        write_result(text.listed_json(found, chosen) if style == "json" else text.numbers(found, chosen, width), out)
        after(asked, found, style, step=APPROVE, quiet=quiet)
        return
    one = explained(found, chosen, number)
    if one is None:
        known = ids_of(chosen)
        raise UsageProblem(f"no number {number!r}: {did_you_mean(number, known) or 'there are ' + ', '.join(known)}")
    write_result(text.number_json(chosen, one) if style == "json" else text.number(chosen, one, width), out)
    after(asked, found, style, step=APPROVE, quiet=quiet)


def optimize(
    loaded: LoadedPool, asked: Asked, minimize: str, style: str, out: str | None, *, color: str, quiet: bool
) -> ExitCode:
    """`planner optimize`: how many nodes. Exit 10 if no size meets the limits."""
    from planner.errors import ExitCode
    from planner.report.terminal.worker_pool_text import sizes
    from planner.worker_pool.search import RUNS, runs_in, search_pool

    if style not in ("table", "json"):
        raise UsageProblem(f"-f {style}: of a worker pool, table or json")
    runs = asked_runs() or RUNS
    book, as_of = _book_of(loaded, asked)
    with progress(SIMULATING, total=runs_in(loaded, book, runs), quiet=quiet) as shown:
        found = search_pool(loaded, book, minimize, runs=runs, seed=asked.seed, as_of=as_of, step=shown.step)
    if style == "json":
        from planner.report.data.worker_pool_search_json import render as render_json

        write_result(render_json(found), out)
    else:
        room = room_of(out, color)
        write_result(sizes(found, width=room.width, ascii_only=room.ascii_only), out)
    if style != "table":
        warn_of_dates(found.stale, quiet, color)
    best = found.best and found.best.scenario
    settings = [f"pool.max={found.best.nodes}"] if found.best else []
    after_row(asked, best, style, step=APPROVE, quiet=quiet, settings=settings)
    return ExitCode.OK if found.best else ExitCode.GATE


def differing(
    plans: tuple[LoadedPool, LoadedPool], sides: tuple[Asked, Asked], *, quiet: bool
) -> tuple[tuple[dict[str, Any], dict[str, Any]], tuple[dict[str, Any], dict[str, Any]]]:
    """`planner diff`: each side's result and plan. Both have the same seed and runs."""
    from planner.report.diff.pools import as_comparison
    from planner.worker_pool.compare import runs_for

    given = asked_runs()
    runs = min(runs_for(loaded.plan.jobs.count, given) for loaded in plans)
    one, other = (
        (as_comparison(simulated(loaded, asked, runs=runs, quiet=quiet)[0]), loaded.plan.canonical())
        for loaded, asked in zip(plans, sides, strict=True)
    )
    return one, other


def named(found: PoolComparison, text: str | None) -> PoolScenario:
    """A choice by id, rank or word; without one the recommended one, else the first. Raises UsageProblem."""
    from planner.api.pools import named as by_name

    return by_name(found, text or ("best" if found.best else "#1"))
