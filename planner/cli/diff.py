"""`planner diff`: what changed between two plans, two saved comparisons, or one plan under two price books."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from planner.cli.options import (
    DRAWS,
    OUT,
    SEEDS,
    Asked,
    common,
    format_option,
    overrides_option,
    prices_option,
    top_option,
)
from planner.cli.output import format_of, room_of, write_result
from planner.cli.progress import Watched
from planner.errors import ExitCode, UsageProblem
from planner.estimate.defaults import DEFAULT_DRAWS, DEFAULT_SEED

if TYPE_CHECKING:
    from planner.kinds.asking import Ask
    from planner.plan.load import Loaded


@click.command()
@click.argument("a", type=click.Path())
@click.argument("b", type=click.Path(), required=False)
@prices_option("Price book of both. [default: the plan's, else the newest]")
@click.option("--prices-a", metavar="DATE|DIR", help="Price book of A.")
@click.option("--prices-b", metavar="DATE|DIR", help="Price book of B.")
@overrides_option("Override a value of both plans.")
@overrides_option("Override a value of A.", "--set-a", "overrides_a")
@overrides_option("Override a value of B.", "--set-b", "overrides_b")
@click.option(
    "--scenario",
    "scenarios",
    multiple=True,
    metavar="ID",
    help="Also compare the bill of this scenario: an id, a rank in B such as 3, or best.",
)
@format_option(
    ["table", "json", "md"],
    "json contains everything; md fits a pull request comment. [default: by FILE's ending, else table]",
)
@OUT
@top_option("Rows of each list; 0 shows all.")
@click.option("--exit-code", is_flag=True, help="Exit with 14 if dollars, days or the plan differ.")
@click.option("--draws", type=DRAWS, help=f"Monte Carlo draws of both. [default: {DEFAULT_DRAWS}]")
@click.option("--seed", type=SEEDS, help=f"Seed of both. [default: {DEFAULT_SEED}]")
@click.option(
    "--as-of", metavar="DATE", help="Date from which the age of prices is counted. [default: the plan's start]"
)
@common
def command(
    a: str,
    b: str | None,
    prices: str | None,
    prices_a: str | None,
    prices_b: str | None,
    overrides: tuple[str, ...],
    overrides_a: tuple[str, ...],
    overrides_b: tuple[str, ...],
    scenarios: tuple[str, ...],
    style: str | None,
    out: str | None,
    top: int,
    exit_code: bool,
    draws: int | None,
    seed: int | None,
    as_of: str | None,
    color: str,
    quiet: bool,
    debug: bool,
) -> int:
    """Show what changed from A to B, in dollars and days, by scenario and bill line.

    A and B are plans or saved comparisons (`compare -f json`). With A alone, the plan is compared with itself:
    `planner diff PLAN --prices-a 2025-05-31 --prices-b 2026-09-01`. Both plans are priced with the same seed and draws;
    if one side is a saved comparison, with its seed and draws. Of plans of worker pools, planned figures are means.
    """
    from planner.api.differences import difference_of

    options = (prices_a or overrides_a, prices_b or overrides_b)
    if b is None and not any(options):
        raise UsageProblem(
            f"nothing to compare {_name(a)} with: name a second file, or use --prices-a, --prices-b or --set-b"
        )
    style = format_of(style, out, ("table", "json", "md"))
    if a == "-" and b == "-":
        raise UsageProblem("A and B cannot both be standard input: name a file for one of them")
    one = _read(a)
    other = one if b is None else _read(b)
    if b is None and one.saved is not None:
        raise UsageProblem(
            f"{_name(a)} is a saved comparison, whose prices cannot change: name its plan, or a second file"
        )
    shared = [side.saved for side in (one, other) if side.saved is not None]
    known = shared[0] if shared else {}
    asked = Asked(
        plan="",
        overrides=overrides,
        draws=draws if draws is not None else known.get("draws"),
        seed=seed if seed is not None else known.get("seed", DEFAULT_SEED),
        prices=prices,
        as_of=as_of,
    )
    plans = (_loaded(one, asked, prices_a, overrides_a, "a"), _loaded(other, asked, prices_b, overrides_b, "b"))
    (before, plan_before), (after, plan_after) = _documents(
        (one, other), plans, asked, (prices_a, prices_b), quiet=quiet
    )
    found = difference_of(
        *(before, after),
        plan_before=plan_before,
        plan_after=plan_after,
        scenarios=scenarios,
        listing="-f json lists the ids",
    )
    if style == "json":
        from planner.report.terminal.difference_text import render_json

        text = render_json(found.changes)
    elif style == "md":
        from planner.report.markdown.difference_markdown import render as render_markdown

        text = render_markdown(found.changes)
    else:
        room = room_of(out, color)
        text = found.text(width=room.width, colour=room.colour, ascii_only=room.ascii_only, top=top)
    write_result(text, out)
    return ExitCode.DIFFERENT if exit_code and found.different else ExitCode.OK


@dataclass(frozen=True, kw_only=True)
class _Side:
    """One side as it was read: the bytes of a plan, or a saved comparison."""

    label: str
    raw: bytes
    saved: Mapping[str, Any] | None


def _read(path: str) -> _Side:
    """A file, or standard input for `-`, read once: it may be a pipe. Raises PlanProblems or UsageProblem."""
    from planner.plan.textfile import label_of, read_bytes
    from planner.report.data import saved

    label, raw = label_of(path), read_bytes(path, saved.MAX_BYTES)
    return _Side(label=label, raw=raw, saved=saved.parse(raw, label) if saved.is_saved(raw, label) else None)


def _loaded(side: _Side, asked: Asked, prices: str | None, overrides: tuple[str, ...], letter: str) -> Loaded | None:
    """The plan of one side; None for a saved comparison. Raises PlanProblems or UsageProblem."""
    if side.saved is not None:
        if prices or overrides:
            option = f"--prices-{letter}" if prices else f"--set-{letter}"
            raise UsageProblem(
                f"{option} cannot change {side.label}, which is a saved comparison: name its plan instead"
            )
        return None
    from planner.plan.load import load_any_text

    return load_any_text(side.raw, where=side.label, overrides=(*asked.overrides, *overrides))


_Document = tuple[Mapping[str, Any], Mapping[str, Any] | None]


def _documents(
    sides: tuple[_Side, _Side],
    plans: tuple[Loaded | None, Loaded | None],
    asked: Asked,
    prices: tuple[str | None, str | None],
    *,
    quiet: bool,
) -> tuple[_Document, _Document]:
    """The comparison of each side as JSON has it, and its plan where that is known."""
    _check_kinds(sides, plans)
    asks = [
        None if loaded is None else replace(asked, prices=own or asked.prices).ask_of(loaded)
        for loaded, own in zip(plans, prices, strict=True)
    ]
    # both sides with as many draws as the one that takes fewer, so that they are the same draws
    draws = min((_answers(ask).draws_for(ask) for ask in asks if ask), default=None)
    one, other = (
        _document(side, None if ask is None else replace(ask, draws=draws), quiet)
        for side, ask in zip(sides, asks, strict=True)
    )
    return one, other


def _check_kinds(sides: tuple[_Side, _Side], plans: tuple[Loaded | None, Loaded | None]) -> None:
    """Raises UsageProblem for plans of two kinds. A saved comparison, which names no kind, is of training."""
    from planner.kinds.registry import TRAINING

    kinds = [TRAINING if loaded is None else loaded.kind for loaded in plans]
    if kinds[0] is kinds[1]:
        return
    special, rest = (0, 1) if kinds[0] is not TRAINING else (1, 0)
    raise UsageProblem(
        f"{sides[special].label} is {kinds[special].title} and {sides[rest].label} is not: they have no choice in "
        "common; `planner compare` shows each"
    )


def _answers(ask: Ask) -> Any:
    return ask.loaded.kind.part("answers")


def _document(side: _Side, ask: Ask | None, quiet: bool) -> _Document:
    if ask is None:
        assert side.saved is not None  # it is no plan
        return side.saved, None
    found = _answers(ask).priced(ask, Watched(quiet))
    return _answers(ask).document(found), _answers(ask).settings(found, ask)


def _name(path: str) -> str:
    from planner.plan.textfile import label_of

    return label_of(path)
