"""`planner prices add`: a quote, a private offer or a discount, into one's own price book."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from planner.account.masking import masked
from planner.api.arguments import day_of
from planner.cli import books
from planner.cli.options import Limit, prices_option
from planner.cli.output import say, write_result
from planner.errors import UsageProblem

if TYPE_CHECKING:
    from pricing.book import PriceBook
    from pricing.quotes import Quote


@click.command()
@click.option("--type", "instance_type", metavar="TYPE", help="Instance type; with --purchase.")
@click.option("--purchase", metavar="OPTION", help="on-demand, spot, capacity-block, ri-1y-standard-no-upfront ...")
@click.option("--item", metavar="NAME", help="What is billed by use, as `planner prices show` names it.")
@click.option("--offering", default="", metavar="NAME", help="Variant of the item: 250 MB/s/TiB.")
@click.option("--service", metavar="NAME", help="Service whose list prices are discounted: AmazonEC2, AmazonS3 ...")
@click.option("--region", default="", metavar="REGION", help="Region; optional for a discount.")
@click.option("--usd", type=Limit(0, min_open=True), metavar="USD", help="USD per hour, or per unit of the item.")
@click.option("--fee", type=Limit(0, min_open=True), metavar="USD", help="Fee of a whole Capacity Block ...")
@click.option("--nodes", type=click.IntRange(1), help="... of so many instances ...")
@click.option("--hours", type=Limit(0, min_open=True), help="... for so many hours.")
@click.option("--percent", type=Limit(0, 100, min_open=True, max_open=True), help="Discount off the list prices.")
@click.option("--valid-from", metavar="DATE", help="First day. [default: today]")
@click.option("--valid-to", metavar="DATE", required=True, help="Last day.")
@click.option("--source", required=True, metavar="TEXT", help="Where it comes from: offer, contract or ticket number.")
@click.option(
    "--grade",
    type=click.Choice(["A", "B", "C"]),
    default="A",
    show_default=True,
    help="A: in writing from AWS; B: from a third party; C: by word of mouth (counts as unpriced under --strict).",
)
@prices_option("Price book that it is checked against. [default: the newest]")
def add(
    instance_type: str | None,
    purchase: str | None,
    item: str | None,
    offering: str,
    service: str | None,
    region: str,
    usd: float | None,
    fee: float | None,
    nodes: int | None,
    hours: float | None,
    percent: float | None,
    valid_from: str | None,
    valid_to: str,
    source: str,
    grade: str,
    prices: str | None,
) -> None:
    """Add a price of your own, which `offers` shows beside the list and every verb with --own uses.

    A quote: --type p5.48xlarge --purchase capacity-block --region us-east-1 --fee 159475 --nodes 4 --hours 960.
    A private price: --item 'S3 Standard storage' --region us-east-1 --usd 0.019.
    A discount: --service AmazonEC2 --percent 9. That of AmazonEC2 is taken off On-Demand prices alone.
    """
    from pricing import quotes

    today = datetime.now(UTC).date()
    book = books.open_book(prices)
    _check_together(
        {"--type": instance_type, "--purchase": purchase, "--item": item, "--offering": offering}
        | {"--service": service, "--fee": fee, "--nodes": nodes, "--hours": hours}
    )
    if fee is not None:
        if usd is not None or nodes is None or hours is None or purchase != "capacity-block":
            raise UsageProblem("--fee goes with --purchase capacity-block, --nodes and --hours, and without --usd")
        usd = round(fee / (nodes * hours), 6)
    with books.broken_book_as_usage_problem():
        kind = _instance(book, instance_type, purchase) if purchase or instance_type else {}
        kind = kind or (_item(book, item, offering, service) if item else _service(book, service))
        quote = quotes.Quote(
            **kind,
            region=region,
            usd=usd,
            percent=percent,
            valid_from=day_of(valid_from, "--valid-from") if valid_from else today,
            valid_to=day_of(valid_to, "--valid-to"),
            grade=grade,
            source=masked(" ".join(source.split())),
            added=today,
        )
        if region and region not in book.regions():
            raise UsageProblem(f"no price in {region}; known Regions: {', '.join(book.regions())}")
        if problem := quotes.problem_of(quote):
            raise UsageProblem(f"nothing was added: {problem}")
        path = quotes.own_prices_file()
        quotes.add(path, quote)
        for line in _beside(book, quote):
            write_result(line + "\n", None)
    if quote.valid_to < today:
        say(f"warning: it has ended on {quote.valid_to}")
    say(f"added to {path}; --own uses it, `planner offers` shows it beside the list")


# option -> those that belong to another kind of price
_APART = {
    "--type": ("--item", "--offering", "--service"),
    "--purchase": ("--item", "--offering", "--service"),
    "--nodes": ("--item", "--service"),
    "--hours": ("--item", "--service"),
}
_NEEDS = {"--nodes": "--fee", "--hours": "--fee", "--offering": "--item"}


def _check_together(given: dict[str, object]) -> None:
    """Raises UsageProblem for options of two kinds of price: one of them would be left out without a word."""
    for name in (name for name, value in given.items() if value):
        if other := next((other for other in _APART.get(name, ()) if given[other]), None):
            raise UsageProblem(
                f"{name} and {other} do not go together: each price is of one thing; add them one by one"
            )
        if (needed := _NEEDS.get(name)) and not given[needed]:
            raise UsageProblem(f"{name} goes with {needed}")


def _instance(book: PriceBook, instance_type: str | None, purchase: str | None) -> dict[str, str]:
    from pricing.offers import ALL_PURCHASE_OPTIONS

    if not instance_type or not purchase:
        raise UsageProblem("--type and --purchase go together")
    if purchase not in ALL_PURCHASE_OPTIONS:
        raise UsageProblem(f"--purchase {purchase!r}: one of {', '.join(ALL_PURCHASE_OPTIONS)}")
    if not any(row["instance_type"] == instance_type for row in book.rows("on_demand")):
        from planner.plan.wording import did_you_mean

        names = {row["instance_type"] for row in book.rows("on_demand")}
        raise UsageProblem(
            f"--type {instance_type}: not in the price book. {did_you_mean(instance_type, names)}".strip()
        )
    return {"instance_type": instance_type, "purchase": purchase, "unit": "Hrs"}


def _item(book: PriceBook, item: str, offering: str, service: str | None) -> dict[str, str]:
    from pricing.errors import PriceNotFound

    try:
        found = book.service_of(item)
    except PriceNotFound as error:
        raise UsageProblem(f"--item: {error}; `planner prices show` lists them") from None
    units = book.units()
    if (item, offering) not in units:
        known = ", ".join(repr(one) for name, one in units if name == item)
        raise UsageProblem(f"--offering: {item} has {known}")
    if service not in (None, found):
        raise UsageProblem(f"--service {service}: {item} belongs to {found}")
    return {"service": found, "item": item, "offering": offering, "unit": units[item, offering]}


def _service(book: PriceBook, service: str | None) -> dict[str, str]:
    known = sorted({"AmazonEC2", *(row["service"] for row in book.rows("metered"))})
    if service is None:
        raise UsageProblem("say what the price is for: --type and --purchase, --item, or --service with --percent")
    if service not in known:
        raise UsageProblem(f"--service {service}: one of {', '.join(known)}")
    return {"service": service}


def _beside(book: PriceBook, quote: Quote) -> list[str]:
    """Own and list price in a line; of a discount how many prices it changes."""
    from pricing import quotes
    from pricing.own import list_price_of

    regions = [quote.region] if quote.region else list(book.regions())
    own = quotes.own_prices([quote], book, regions)
    if quote.percent is not None:
        return [
            f"{quote.percent:g} % off {len(own):,} list prices of {quote.service} in {quote.region or 'every Region'}"
        ]
    lines: list[str] = []
    for one in own:
        listed = list_price_of(book, one.key)
        what = " ".join(part for part in one.key[1:] if part)
        said = f"list {listed.usd:.10g}, {one.price.usd / listed.usd - 1:+.1%}" if listed else "not in the list"
        lines.append(f"{what}: {one.price.usd:.10g} USD per {one.price.unit} ({said.replace('%', ' %')})")
        if listed and not 0.2 < one.price.usd / listed.usd < 3:
            say("warning: that is far from the list price; is the unit right?")
    return lines
