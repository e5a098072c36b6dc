"""`planner prices list`: which price books there are, and where."""

from __future__ import annotations

import click

from planner.cli import books
from planner.cli.output import say

COLUMNS = ("as_of", "whose", "prices", "folder")


@click.command("list")
@click.option("-f", "--format", "form", type=click.Choice(["table", "json", "csv"]), default="table")
def list_books(form: str) -> None:
    """List the bundled price books and your own, each by its date for --prices."""
    from pricing import quotes, snapshot, user_books

    folders = [("bundled", snapshot.DATA / str(day)) for day in snapshot.available()]
    folders += [("yours", path) for path in user_books.user_books().values()]
    records: list[dict[str, books.Cell]] = []
    for whose, path in sorted(folders, key=lambda one: (one[1].name, one[0])):
        try:
            manifest = snapshot.read_manifest(path)
        except snapshot.BrokenBook as error:
            say(f"warning: {error}")
            continue
        with books.broken_book_as_usage_problem():
            tables = ("on_demand", "commitments", "capacity_blocks", "spot", "metered")
            prices = sum(len(snapshot.read_lines(path, table)) for table in tables)
        records.append(
            {
                "as_of": str(manifest["as_of"]),
                "whose": whose,
                "prices": float(prices),
                "folder": str(path),
            }
        )
    if form == "json":
        books.print_json({"schema_version": "1", "books": records})
    elif form == "csv":
        books.print_csv(COLUMNS, records)
    else:
        title = "Price books; `--prices DATE` takes the newest of that day or before, without it the newest bundled one"
        books.print_table(COLUMNS, records, title, optional=("folder",))
        say(f"your books: {user_books.books_folder()}")
        own = quotes.own_prices_file()
        with books.broken_book_as_usage_problem():
            count = len(quotes.read(own))
        if count:
            say(f"your own prices: {own}, {count} lines; --own uses those that are valid")
