"""`planner simulate`: what a run or a job with a deadline costs on spot capacity, by rule."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planner.cli.options import (
    OUT,
    SEEDS,
    Asked,
    Limit,
    common,
    format_option,
    look_of,
    overrides_option,
    prices_option,
    scenario_option,
)
from planner.cli.output import format_of, room_of, write_result
from planner.cli.progress import Watched, progress
from planner.errors import UsageProblem
from planner.kinds.asking import REPLAYING

if TYPE_CHECKING:
    from collections.abc import Sequence

STARTS = 100
MOST_STARTS = 100_000
# USD 3.06 an hour On-Demand by 0.9731 on spot: p3.2xlarge in the published simulations
PRICE_RATIO = 3.06 / 0.9731


@click.command()
@click.option(
    "--traces", "first", multiple=True, type=click.Path(), metavar="FILE", help="A recording; more may follow."
)
@click.argument("files", nargs=-1, type=click.Path(), metavar="[PLAN] [FILE]...")
@overrides_option("Override a value of PLAN.")
@prices_option()
@scenario_option("Of PLAN, on spot-fallback", default="the first of them")
@click.option("--work", metavar="TIME", help="Work of the job, without PLAN. [default: 48h]")
@click.option(
    "--deadline", "deadlines", multiple=True, metavar="TIME", help="Time to finish; may repeat. [default: 60h]"
)
@click.option(
    "--changeover",
    "changeovers",
    multiple=True,
    metavar="TIME",
    help="From the start of an instance until it works; may repeat. [default: 0.2h]",
)
@click.option(
    "--price-ratio", type=Limit(1), metavar="X", help="Ratio of the On-Demand price to the spot price. [default: 3.145]"
)
@click.option(
    "--starts",
    metavar="N|FILE",
    help='How many starts to draw, or a JSON file with the ticks: {"starts": [684, ...]}. [default: 100; 1000 runs of '
    "PLAN without recordings]",
)
@click.option(
    "--policies",
    metavar="NAMES",
    help="Rules, separated by commas, or all. [default: all; of PLAN, four]",
)
@click.option("--generate", is_flag=True, help="Draw capacity like that of each FILE, independently.")
@click.option("--seed", type=SEEDS, default=0, show_default=True, help="Seed of starts and generated capacity.")
@format_option(["table", "json", "svg"], "svg is a timeline of the first job. [default: by FILE's ending, else table]")
@OUT
@common
def command(
    first: tuple[str, ...],
    files: tuple[str, ...],
    overrides: tuple[str, ...],
    prices: str | None,
    scenario: str | None,
    work: str | None,
    deadlines: tuple[str, ...],
    changeovers: tuple[str, ...],
    price_ratio: float | None,
    starts: str | None,
    policies: str | None,
    generate: bool,
    seed: int,
    style: str | None,
    out: str | None,
    color: str,
    quiet: bool,
    debug: bool,
) -> None:
    """Simulate the spot run of PLAN by several rules, in markets drawn as in compare or on recordings.

    Without PLAN, replay the rules for any job on recordings: planner simulate --traces FILE... Costs are then shares of
    the same work On-Demand, and several recordings with the same tick are also taken as zones. Rules: own (patient
    progress), uniform_progress, uniform_progress_gated, greedy, fallback (which a stack carries out),
    uniform_progress_next_spot_oracle, omniscient (the exact optimum). docs/spot-policies.md explains them.
    """
    import numpy as np

    from planner.spot.job import Job
    from planner.spot.simulate import NAMES, simulate
    from planner.spot.trace_file import trace_in

    style = format_of(style, out, ("table", "json", "svg"))
    plan, files = _plan_in(files, bool(first))
    if not first and not plan:
        raise UsageProblem("nothing to simulate: planner simulate PLAN, or planner simulate --traces FILE...")
    if plan:
        of_job = {"--work": work, "--deadline": deadlines, "--changeover": changeovers, "--price-ratio": price_ratio}
        if given := [name for name, value in (of_job | {"--generate": generate}).items() if value]:
            raise UsageProblem(f"{given[0]}: PLAN says what the job is; --set changes it")
    ticks = None if starts is None else _starts(starts)
    if plan:
        asked = Asked(plan=plan, overrides=overrides, prices=prices, seed=seed)
        ask, look = asked.ask(), look_of(asked, out, color)
        replayed = ask.loaded.kind.part("runs").replayed
        write_result(replayed(ask, scenario, (*first, *files), policies, ticks, style, look, Watched(quiet)), out)
        return
    names = [name.strip() for name in policies.split(",")] if policies else ["all"]
    names = list(NAMES if names == ["all"] else names)
    if unknown := [name for name in names if name not in NAMES]:
        raise UsageProblem(f"--policies: {unknown[0]!r} is no rule; the rules are {', '.join(NAMES)}, or all")
    if overrides or prices or scenario:
        raise UsageProblem("--set, --prices and --scenario apply to a plan: planner simulate PLAN --traces FILE...")
    jobs = [
        partial(
            Job.of_hours,
            work=_hours(work or "48h", "--work"),
            deadline=_hours(deadline, "--deadline"),
            changeover=_hours(changeover, "--changeover"),
            price_ratio=price_ratio or PRICE_RATIO,
        )
        for changeover in changeovers or ("0.2h",)
        for deadline in deadlines or ("60h",)
    ]
    traces = [trace_in(file) for file in (*first, *files)]
    with progress(REPLAYING, total=len(jobs) * len(traces), quiet=quiet) as shown:
        try:
            rng = np.random.default_rng(seed)
            runs = simulate(traces, jobs, names, ticks or STARTS, rng, generate=generate, step=shown.step)
        except ValueError as error:
            raise UsageProblem(str(error)) from None
    if style == "json":
        from planner.report.data.simulation_json import render as render_json

        text = render_json(runs)
    elif style == "svg":
        from planner.report.pictures.timeline import alone

        text = alone(runs[0])
    else:
        from planner.report.terminal.simulation_text import render

        room = room_of(out, color)
        text = render(runs, width=room.width, ascii_only=room.ascii_only)
    write_result(text, out)


def _plan_in(files: tuple[str, ...], recorded: bool) -> tuple[str, tuple[str, ...]]:
    """The plan among the files, or "", and the others. Without --traces a single file is one; beside recordings, which
    are JSON, its ending tells."""
    if len(files) == 1 and not recorded:
        return files[0], ()
    plans = [file for file in files if Path(file).suffix in (".yaml", ".yml")]
    if len(plans) > 1:
        raise UsageProblem(f"{plans[1]}: one plan at a time")
    return next(iter(plans), ""), tuple(file for file in files if file not in plans)


def _hours(text: str, option: str) -> float:
    from planner.plan.quantities import BadValue, parse_hours

    try:
        return parse_hours(text)
    except BadValue as error:
        raise UsageProblem(f"{option} {text}: {error}") from None


def _starts(text: str) -> Sequence[int] | int:
    """How many starts to draw, or the ticks in a file."""
    if text.isascii() and text.isdigit():
        if not 1 <= int(text[:9]) <= MOST_STARTS:
            raise UsageProblem(f"--starts {text}: 1 to {MOST_STARTS:,}")
        return int(text)
    from planner.plan.textfile import read_text

    try:
        document = json.loads(read_text(Path(text)))
    except ValueError:
        raise UsageProblem(f"--starts {text}: this is not JSON") from None
    found = document.get("starts") if isinstance(document, dict) else document
    if not isinstance(found, list) or not found or not all(type(one) is int and one >= 0 for one in found):
        raise UsageProblem(f'--starts {text}: it is {{"starts": [684, ...]}}, with ticks from 0')
    return found
