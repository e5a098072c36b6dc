"""`planner mix`: which commitments to buy for an hourly demand."""

from __future__ import annotations

import re

import click

from planner.cli import books
from planner.cli.options import OUT, common, format_option, prices_option
from planner.cli.output import format_of, room_of, write_result
from planner.errors import UsageProblem

_CHANGE = re.compile(r"([+-]?\d+(?:\.\d+)?)%?\.\.([+-]?\d+(?:\.\d+)?)%?")


@click.command(name="mix")
@click.argument("demand", type=click.Path(), metavar="DEMAND")
@click.option("--region", default="us-east-1", show_default=True, help="Region that the instances run in.")
@click.option("--years", type=click.Choice(["1", "3"]), default="1", show_default=True, help="Term of commitments.")
@click.option(
    "--upfront", type=click.Choice(["no", "partial", "all"]), default="no", show_default=True, help="How they are paid."
)
@click.option(
    "--change",
    default="-30..50",
    show_default=True,
    metavar="LOW..HIGH",
    help="Percent that the demand changes by within a year: 5th and 95th percentile.",
)
@click.option(
    "--rank-by",
    type=click.Choice(["p50", "p90"]),
    default="p50",
    show_default=True,
    help="Least median cost, or least cost that 9 of 10 outcomes stay below.",
)
@click.option(
    "--owned",
    multiple=True,
    metavar="WHAT=AMOUNT",
    help="Owned for the whole year: ri:TYPE=N, block:TYPE=N, odcr:TYPE=N, sp-instance:FAMILY=USD or sp-compute=USD an "
    "hour; may repeat.",
)
@click.option("--blocks", is_flag=True, help="Offer Capacity Blocks too, by the month, at today's price.")
@click.option("--draws", type=click.IntRange(20, 500), default=100, show_default=True, help="Simulated outcomes.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed of the draws.")
@prices_option("Price book. [default: the newest]")
@format_option(["text", "json"], "[default: by FILE's ending, else text]")
@OUT
@common
def command(
    demand: str,
    region: str,
    years: str,
    upfront: str,
    change: str,
    rank_by: str,
    owned: tuple[str, ...],
    blocks: bool,
    draws: int,
    seed: int,
    prices: str | None,
    style: str | None,
    out: str | None,
    color: str,
    quiet: bool,
    debug: bool,
) -> None:
    """Find the mix of commitments for the hourly use in DEMAND: what to buy now, what to decide later.

    DEMAND is an hourly FOCUS or CUR 2.0 export (CSV, Parquet, or a folder of them), or a CSV with a row for each hour
    and type: hour (UTC, such as 2026-01-31T13:00Z), instance_type, instances, and interruptible for those that may run
    on spot. Reserved Instances, both Savings Plans, spot and On-Demand are priced hour by hour in AWS's order of
    application.
    """
    from planner.demand.read import hours_of
    from planner.mix.answer import Asked, mix

    style = format_of(style, out, ("text", "json"))
    low, high = _change(change)
    book = books.open_book(prices)
    if region not in book.regions():
        raise UsageProblem(f"no price in {region}; known Regions: {', '.join(book.regions())}")
    asked = Asked(
        region=region,
        years=int(years),
        upfront=upfront,
        low=low,
        high=high,
        rank_by=rank_by,
        owned=owned,
        blocks=blocks,
        draws=draws,
        seed=seed,
    )
    with books.broken_book_as_usage_problem():
        priced = (row["instance_type"] for row in book.rows("on_demand") if row["region"] == region)
        found = mix(hours_of(demand, region, priced), demand, book, asked)
    if style == "json":
        from planner.report.data.mix_json import render as render_json

        text = render_json(found, book)
    else:
        from planner.report.terminal.mix_text import render

        room = room_of(out, color)
        text = render(found, book, width=room.width, ascii_only=room.ascii_only)
    write_result(text, out)


def _change(text: str) -> tuple[float, float]:
    """The two ends as shares. Raises UsageProblem."""
    found = _CHANGE.fullmatch(text.strip())
    if not found or not -95 <= float(found[1]) < float(found[2]) <= 1_000:
        raise UsageProblem(f"--change {text}: write two percentages from -95 to 1000, the low one first, as -30..50")
    return float(found[1]) / 100, float(found[2]) / 100
