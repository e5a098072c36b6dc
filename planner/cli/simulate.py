"""`planner simulate`: what a job with a deadline costs on recorded spot capacity, by rule."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planner.cli.options import OUT, SEEDS, Limit, common, format_option
from planner.cli.output import format_of, room_of, write_result
from planner.cli.progress import SIMULATING, progress
from planner.errors import UsageProblem

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
@click.argument("files", nargs=-1, type=click.Path(), metavar="[FILE]...")
@click.option("--work", default="48h", show_default=True, metavar="TIME", help="Work of the job.")
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
@click.option("--price-ratio", type=Limit(1), metavar="X", help="On-Demand by spot price. [default: 3.145]")
@click.option(
    "--starts",
    default=str(STARTS),
    show_default=True,
    metavar="N|FILE",
    help='How many starts to draw, or a JSON file with the ticks: {"starts": [684, ...]}.',
)
@click.option("--policies", default="all", show_default=True, metavar="NAMES", help="Rules, separated by commas.")
@click.option("--generate", is_flag=True, help="Draw capacity like that of each FILE, independently.")
@click.option("--seed", type=SEEDS, default=0, show_default=True, help="Seed of starts and generated capacity.")
@format_option(["table", "json", "svg"], "svg is a timeline of the first job. [default: by FILE's ending, else table]")
@OUT
@common
def command(
    first: tuple[str, ...],
    files: tuple[str, ...],
    work: str,
    deadlines: tuple[str, ...],
    changeovers: tuple[str, ...],
    price_ratio: float | None,
    starts: str,
    policies: str,
    generate: bool,
    seed: int,
    style: str | None,
    out: str | None,
    color: str,
    quiet: bool,
    debug: bool,
) -> None:
    """Replay rules for spot with a deadline on recordings of spot capacity: planner simulate --traces FILE...

    Rules: own (patient progress, the planner's default), uniform_progress, uniform_progress_gated, greedy, fallback,
    uniform_progress_next_spot_oracle, omniscient (the exact optimum), or all. Costs are shares of the same work
    On-Demand. Several recordings with the same tick are also taken as zones. docs/spot-policies.md explains the rules.
    """
    import numpy as np

    from planner.spot.job import Job
    from planner.spot.simulate import NAMES, simulate
    from planner.spot.trace_file import trace_in

    style = format_of(style, out, ("table", "json", "svg"))
    if not first:
        raise UsageProblem("no recording: planner simulate --traces FILE...")
    names = list(NAMES) if policies == "all" else [name.strip() for name in policies.split(",")]
    if unknown := [name for name in names if name not in NAMES]:
        raise UsageProblem(f"--policies: {unknown[0]!r} is no rule; the rules are {', '.join(NAMES)}, or all")
    jobs = [
        partial(
            Job.of_hours,
            work=_hours(work, "--work"),
            deadline=_hours(deadline, "--deadline"),
            changeover=_hours(changeover, "--changeover"),
            price_ratio=price_ratio or PRICE_RATIO,
        )
        for changeover in changeovers or ("0.2h",)
        for deadline in deadlines or ("60h",)
    ]
    ticks = _starts(starts)
    traces = [trace_in(file) for file in (*first, *files)]
    with progress(SIMULATING, total=len(jobs) * len(traces), quiet=quiet) as shown:
        try:
            rng = np.random.default_rng(seed)
            runs = simulate(traces, jobs, names, ticks, rng, generate=generate, step=shown.step)
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
