"""`planner compare`: every layout and purchase option of a plan, priced and ranked."""

from __future__ import annotations

from pathlib import Path

import click

from planner.cli.options import Asked, common, priced_plan
from planner.cli.output import ascii_only, columns, say, use_colour, write_result


@click.command(short_help="Price every layout and purchase option of a plan, ranked.")
@priced_plan
@click.option(
    "-f",
    "--format",
    "style",
    type=click.Choice(["table", "json", "csv", "html"]),
    help="json and html hold everything, csv a row for each bill line. [default: by FILE's ending, else table]",
)
@click.option("-o", "--out", metavar="FILE", help="Write there instead of standard output.")
@click.option("--top", type=click.IntRange(0), default=12, show_default=True, help="Rows of the table; 0 for all.")
@click.option("-v", "--verbose", is_flag=True, help="List every assumption with its range and source.")
@click.option("--strict", is_flag=True, help="Fail on stale prices (11) and on unpriced or weak ones (12).")
@click.option("--max-cost", type=click.FloatRange(0), metavar="USD", help="Fail (10) when the best costs more.")
@click.option("--max-days", type=click.FloatRange(0), metavar="DAYS", help="Fail (10) when the best takes longer.")
@click.option(
    "--at",
    type=click.Choice(["plan", "p50", "p90"]),
    default="plan",
    show_default=True,
    help="The figure that --max-cost and --max-days judge.",
)
@click.option("--max-unpriced", type=click.IntRange(0), metavar="N", help="Fail (12) with more unpriced lines.")
@common
def command(
    asked: Asked,
    style: str | None,
    out: str | None,
    top: int,
    verbose: bool,
    strict: bool,
    max_cost: float | None,
    max_days: float | None,
    at: str,
    max_unpriced: int | None,
    color: str,
    quiet: bool,
    debug: bool,
) -> int:
    """Price every layout x purchase option x instance type of PLAN and rank them by planned cost.

    The planned cost has every assumption at its central value; P10 and P90 come from seeded draws.
    """
    from planner.decide.compare import compare
    from planner.decide.gates import Gates, exit_code, violations

    comparison = compare(asked.request())
    style = style or {".json": "json", ".csv": "csv", ".html": "html"}.get(Path(out or "").suffix, "table")
    if style == "table":
        from planner.report.as_table import render

        to_file = out not in (None, "-")
        text = render(
            comparison,
            width=80 if to_file else columns(),
            colour=not to_file and use_colour(color),
            ascii_only=not to_file and ascii_only(),
            top=top,
            plan_path=asked.plan,
            overridden=bool(asked.overrides),
            verbose=verbose,
        )
    elif style == "json":
        from planner.report.as_json import render as render_json

        text = render_json(comparison)
    elif style == "csv":
        from planner.report.as_csv import render as render_csv

        text = render_csv(comparison)
    else:
        from planner.report.as_html import render as render_html

        text = render_html(comparison)
    write_result(text, out)
    if not comparison.prices.intact:
        say("warning: this price book was edited after it was built; `planner prices verify` says where", quiet)
    if comparison.stale and style != "table":
        from planner.report.verdict import stale
        from planner.report.words import many

        old = stale(comparison)
        say(f"warning: {many(len(old), 'price')} stale: {old[0]}", quiet)
    gates = Gates(strict=strict, max_cost_usd=max_cost, max_days=max_days, max_unpriced=max_unpriced, at=at)
    found = violations(comparison, gates)
    for violation in found:
        say(f"gate ({violation.code:d}): {violation.message}")
    return exit_code(found)
