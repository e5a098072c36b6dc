"""`planner prices update`: a new price book out of an AWS account, or out of price list files."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planner.cli.output import say, write_result
from planner.cli.price_words import change_lines, counted_prices, named_few
from planner.cli.progress import progress
from planner.errors import AwsProblem, CredentialsProblem, UsageProblem

if TYPE_CHECKING:
    from planner.update.found import Found
    from planner.update.from_account import Questions
    from planner.update.saved import SavedAnswers
    from planner.update.wanted import Wanted
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
@click.option("--spot-weeks", type=click.IntRange(1, 12), default=4, show_default=True, help="Window of spot prices.")
@click.option(
    *("--block", "blocks"),
    multiple=True,
    metavar="NODESxDAYS",
    help="Capacity Blocks to ask the price of; may repeat. [default: 1x1, 1x7, 4x1, 4x7]",
)
@click.option(
    *("--placement-scores", "placement"),
    type=click.IntRange(1, 10_000),
    metavar="NODES",
    help="Also query the spot placement score for this many nodes, which is not a price. AWS limits queries per day.",
)
@click.option(
    "--base", metavar="DATE|DIR", help="Book that supplies prices that were not found this time. [default: your newest]"
)
@click.option("--replace", is_flag=True, help="Rewrite today's book.")
@click.option("--accept-jumps", is_flag=True, help="Accept prices that changed by more than a factor of 4.")
@click.option("--top", type=click.IntRange(min=0), default=SHOWN, show_default=True, help="Changes to show; 0: all.")
def update(
    regions: tuple[str, ...],
    types: tuple[str, ...],
    files: tuple[Path, ...],
    spot_weeks: int,
    blocks: tuple[str, ...],
    placement: int | None,
    base: str | None,
    replace: bool,
    accept_jumps: bool,
    top: int,
) -> None:
    """Write a new price book of today into your data folder, and show what changed.

    Asks the AWS account of your credentials, read only (docs/prices.md has the policy): price list, Savings Plans,
    spot prices, Capacity Block offers. An update that stops goes on where it stopped. What is not found again keeps
    its older date. Books that exist are not touched; --prices DATE uses the new one.
    """
    from planner.api.books import book_for
    from planner.update.from_account import Questions
    from planner.update.from_files import from_files
    from planner.update.saved import SavedAnswers
    from planner.update.wanted import wanted
    from planner.update.write import write_book
    from pricing.user_books import books_folder

    now = datetime.now(UTC)
    older = book_for(base or now.date(), option="--base")
    asked = wanted(regions, types, [one.name for one in older.instances()])
    questions = Questions(spot_weeks=spot_weeks, blocks=_blocks(blocks), placement_instances=placement or 0)
    saved = SavedAnswers.of(books_folder(), now.date(), asked, questions)
    if files:
        found = from_files(files, asked, now.date(), say)
    else:
        if (books_folder() / str(now.date()) / "manifest.json").exists() and not replace:
            raise UsageProblem(f"there is a complete book of {now.date()}: --replace asks again and writes it again")
        found = _asked(asked, questions, now, saved)
    made = write_book(older, found, asked, now.date(), books_folder(), replace=replace, accept_jumps=accept_jumps)
    saved.forget()
    for problem in found.problems:
        say(f"warning: {problem}")
    for score in made.book.manifest.get("placement_scores", ()):
        where, value = score["zone_id"] or score["region"], score["score_of_10"]
        chance = f"{value} of 10 for {score['instances']} nodes"
        say(f"spot placement score, not a price: {score['instance_type']} {where}: {chance}")
    _show(made, older.as_of, top)


def _asked(wanted: Wanted, questions: Questions, now: datetime, saved: SavedAnswers) -> Found:
    from planner.account import aws_client
    from planner.account.patience import Patience
    from planner.update.from_account import from_account

    with progress("Asking AWS") as shown:

        def step(number: int, count: int, name: str) -> None:
            shown.what, shown.total, shown.done = f"Asking AWS for {name}", count, number - 1

        try:
            found = from_account(aws_client.client, wanted, questions, now, saved, Patience(say=say), step)
        except (CredentialsProblem, AwsProblem) as error:
            kind = CredentialsProblem if isinstance(error, CredentialsProblem) else AwsProblem
            kept = "\nthe answers up to here are kept: the same command goes on from there"
            raise kind(f"{error}{kept if saved.folder.exists() else ''}") from None
    if saved.reused:
        say(f"{saved.reused} answers were saved by an update that had stopped")
    return found


def _blocks(texts: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """Nodes and days of each --block. Raises UsageProblem."""
    found: list[tuple[int, int]] = []
    for text in texts or ("1x1", "1x7", "4x1", "4x7"):
        nodes, _, days = text.partition("x")
        if not nodes.isdecimal() or not days.isdecimal() or not 1 <= int(nodes) <= 64 or not 1 <= int(days) <= 182:
            raise UsageProblem(f"--block {text!r}: write nodes (1 to 64) x days (1 to 182), as 4x7")
        found.append((int(nodes), int(days)))
    return tuple(dict.fromkeys(found))


def _show(made: Updated, since: date, top: int) -> None:
    lines = change_lines(made.changes)
    shown = lines if top == 0 else lines[:top]
    head = f"{len(lines)} prices changed since the book of {since}" if lines else f"No price changed since {since}"
    write_result("\n".join([head, *(f"  {line}" for line in shown)]) + "\n", None)
    if len(shown) < len(lines):
        say(f"{len(lines) - len(shown)} more: --top 0, or `planner prices diff {since} {made.book.as_of}`")
    new = sum(change.old is None for change in made.changes)
    gone = [f"{change.what} {change.region}" for change in made.changes if change.new is None]
    say(f"{new:,} prices are new, {len(gone):,} are no longer sold{named_few(gone)}")
    found, kept = counted_prices(made.found), counted_prices(made.kept)
    say(f"found, of what was asked for: {found}")
    if any(made.kept.values()):
        say(f"not found, still those of the book of {since}, with their older dates: {kept}")
    say(f"wrote {made.folder}; use it with --prices {made.book.as_of}")
