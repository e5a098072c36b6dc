"""`planner prices update`: a new price book out of an AWS account, or out of price list files."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planner.cli.output import say, write_result
from planner.cli.price_words import change_lines
from planner.errors import UsageProblem

if TYPE_CHECKING:
    from planner.update.write import Updated

SHOWN = 40


@click.command()
@click.option("--region", "regions", multiple=True, metavar="REGION", help="Region; may repeat. [default: five]")
@click.option(
    *("--type", "types"),
    multiple=True,
    metavar="PATTERN",
    help="Instance types such as 'p5*'; may repeat. [default: all p, g, trn and storage types]",
)
@click.option(
    *("--from-bulk", "files"),
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Read this offer file of AWS (JSON or CSV, also .gz) or Spot Advisor data, and ask no account; may repeat.",
)
@click.option("--base", metavar="DATE|DIR", help="Book that keeps what is not found again. [default: your newest]")
@click.option("--replace", is_flag=True, help="Write the book of today again.")
@click.option("--accept-jumps", is_flag=True, help="Take prices that moved by more than 4 times.")
@click.option("--top", type=click.IntRange(min=0), default=SHOWN, show_default=True, help="Changes to show; 0: all.")
def update(
    regions: tuple[str, ...],
    types: tuple[str, ...],
    files: tuple[Path, ...],
    base: str | None,
    replace: bool,
    accept_jumps: bool,
    top: int,
) -> None:
    """Write a new price book of today into your data folder, and show what changed.

    What is not found again keeps its older date. Books that exist are not touched; --prices DATE uses the new one.
    """
    from planner.api.books import book_for
    from planner.update.from_files import from_files
    from planner.update.wanted import wanted
    from planner.update.write import write_book
    from pricing.user_books import books_folder

    now = datetime.now(UTC)
    older = book_for(base or now.date(), option="--base")
    asked = wanted(regions, types, [one.name for one in older.instances()])
    if not files:
        raise UsageProblem("name at least one file: --from-bulk FILE")
    found = from_files(files, asked, now.date(), say)
    made = write_book(older, found, now.date(), books_folder(), replace=replace, accept_jumps=accept_jumps)
    for problem in found.problems:
        say(f"warning: {problem}")
    _show(made, older.as_of, top)


def _show(made: Updated, since: date, top: int) -> None:
    lines = change_lines(made.changes)
    shown = lines if top == 0 else lines[:top]
    head = f"{len(lines)} prices changed since the book of {since}" if lines else f"No price changed since {since}"
    write_result("\n".join([head, *(f"  {line}" for line in shown)]) + "\n", None)
    if len(shown) < len(lines):
        say(f"{len(lines) - len(shown)} more: --top 0, or `planner prices diff {since} {made.book.as_of}`")
    new = sum(change.old is None for change in made.changes)
    gone = sum(change.new is None for change in made.changes)
    say(f"{new:,} prices are new, {gone:,} are no longer sold")
    say(f"wrote {made.folder}; use it with --prices {made.book.as_of}")
