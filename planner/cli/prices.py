"""`planner prices`: what a price book holds, what changed between two, whether it was edited."""

from __future__ import annotations

from pathlib import Path

import click

from planner.cli import books
from planner.cli.options import prices_option
from planner.cli.output import say, write_result
from planner.cli.price_add import add
from planner.cli.price_books import list_books
from planner.cli.price_update import update
from planner.errors import UsageProblem

COLUMNS = ("what", "region", "usd", "unit", "date", "grade", "basis")
JSON_COLUMNS = (*COLUMNS, "tier_from", "tier_to", "source", "note")
DIFF_COLUMNS = ("what", "region", "old", "new", "change")


@click.group(name="prices")
def command() -> None:
    """Show, compare, verify and update the dated price books."""


@command.command()
@click.argument("words", nargs=-1)
@click.option("--type", "instance_type", metavar="TYPE", help="Only this instance type.")
@click.option("--region", metavar="REGION", help="Only this Region.")
@click.option("--service", metavar="NAME", help="Only this service: AmazonEC2, AmazonS3, AmazonFSx ...")
@prices_option("Price book. [default: the newest]")
@click.option("-f", "--format", "form", type=click.Choice(["table", "json", "csv"]), default="table")
def show(
    words: tuple[str, ...],
    instance_type: str | None,
    region: str | None,
    service: str | None,
    prices: str | None,
    form: str,
) -> None:
    """Show the prices whose line contains all the WORDS, ignoring case."""
    from pricing.listing import lines

    book = books.open_book(prices)
    wanted = [word.lower() for word in words]
    with books.broken_book_as_usage_problem():
        found = [
            line
            for line in lines(book)
            if (not instance_type or line.instance_type == instance_type)
            and (not region or line.region in (region, "all"))
            and (not service or line.service.lower() == service.lower())
            and all(word in f"{line.service} {line.what} {line.region}".lower() for word in wanted)
        ]
    records = [
        {
            "what": line.what,
            "region": line.region,
            "usd": line.price.usd,
            "unit": line.price.unit,
            "date": line.price.observed.isoformat(),
            "grade": line.price.grade,
            "basis": "carried back" if line.price.carried_back else line.price.basis.value,
            "tier_from": line.price.tier_from,
            "tier_to": None if line.price.tier_to == float("inf") else line.price.tier_to,
            "source": line.price.source,
            "note": line.price.note,
        }
        for line in found
    ]
    if form == "json":
        head = {"schema_version": "1", "as_of": book.as_of.isoformat(), "sha256": book.sha256}
        books.print_json({**head, "prices": records})
    elif form == "csv":
        books.print_csv(JSON_COLUMNS, records)
    else:
        shown = [{**record, "what": str(record["what"]).removesuffix("-upfront")} for record in records]
        title = f"Prices as of {book.as_of} in USD; ri and sp are shown without `-upfront`"
        books.print_table(COLUMNS, shown, title, optional=("unit", "basis"))
    if not records:
        say(f"no price in the book of {book.as_of} matches; try fewer words")


@command.command()
@click.argument("old", metavar="A")
@click.argument("new", metavar="B")
@click.argument("words", nargs=-1)
@click.option("-f", "--format", "form", type=click.Choice(["table", "json"]), default="table")
def diff(old: str, new: str, words: tuple[str, ...], form: str) -> None:
    """Show what changed from book A to book B (dates or folders), in lines that contain all the WORDS."""
    from pricing.listing import compare

    before, after = books.open_book(old), books.open_book(new)
    with books.broken_book_as_usage_problem():
        changes = compare(before, after)
    records = [
        {
            "what": change.what,
            "region": change.region,
            "old": change.old,
            "new": change.new,
            "change": change.percent,
        }
        for change in changes
        if all(word.lower() in f"{change.what} {change.region}".lower() for word in words)
    ]
    if form == "json":
        head = {"schema_version": "1", "from": before.as_of.isoformat(), "to": after.as_of.isoformat()}
        renamed = [
            {**{k: v for k, v in record.items() if k != "change"}, "change_percent": record["change"]}
            for record in records
        ]
        books.print_json({**head, "changes": renamed})
        return
    shown = [
        {
            **record,
            "what": str(record["what"]).removesuffix("-upfront"),
            "change": _words(record["old"], record["new"], record["change"]),
        }
        for record in records
    ]
    regions = {record["region"] for record in records}
    where = f", {regions.pop()}" if len(regions) == 1 else ""
    title = f"From {before.as_of} to {after.as_of}{where} in USD; ri and sp are shown without `-upfront`"
    books.print_table([name for name in DIFF_COLUMNS if name != "region" or not where], shown, title)
    if not records:
        say("no price differs" + (" in the lines that match" if words else ""))


@command.command()
@click.argument("folder", required=False, metavar="[DIR]")
def verify(folder: str | None) -> None:
    """Check that a book (default: every bundled one) has not been edited."""
    from pricing import snapshot
    from pricing.book import BrokenBook

    folders = [Path(folder)] if folder else [snapshot.DATA / str(day) for day in snapshot.available()]
    edited = []
    for path in folders:
        try:
            changed = snapshot.changed_files(path)
        except BrokenBook as error:
            raise UsageProblem(str(error)) from error
        if changed:
            edited.append(f"{path}: edited since it was written: {', '.join(changed)}")
        else:
            write_result(f"{path.name}: intact\n", None)
    if edited:
        raise UsageProblem("\n".join(edited))


command.add_command(add)
command.add_command(update)
command.add_command(list_books)


def _words(old: float | None, new: float | None, percent: float | None) -> str:
    if old is None:
        return "appeared"
    if new is None:
        return "disappeared"
    return "from zero" if percent is None else f"{percent:+.1f} %"
