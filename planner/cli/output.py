"""Where results go: standard output or a file, with notes and warnings on standard error."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from planner.errors import UsageProblem
from planner.report.wording.wrapping import wrap
from planner.whole_file import write_whole

if TYPE_CHECKING:
    from planner.answer.compared import Compared
    from planner.answer.price_age import StalePrice
    from planner.answer.row import Row


class ReaderGone(Exception):
    """The reader of standard output closed it. Not an OSError: click would exit with 1, and this is no error."""


def write_result(text: str, out: str | None) -> None:
    """The result alone, to a file or to standard output ("-"). A file is replaced only when the new one is complete.
    Raises UsageProblem where it cannot be written, and ReaderGone if the reader closed it."""
    if out in (None, "-"):
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except BrokenPipeError:
            raise ReaderGone from None
        except UnicodeEncodeError:
            # a page or a document says itself that it is UTF-8, whatever this terminal speaks
            sys.stdout.flush()
            sys.stdout.buffer.write(text.encode("utf-8"))
            sys.stdout.buffer.flush()
        return
    check_out(out)
    try:
        write_whole(Path(str(out)), text)
    except OSError as error:
        remedy = "name another file, or - for standard output"
        raise UsageProblem(f"cannot write {out}: {error.strerror}; {remedy}") from error


def check_out(out: str | None) -> None:
    """Raises UsageProblem where FILE is a folder, has none around it, or is itself what the verb reads."""
    if out is None or out == "-":
        return
    path = Path(out)
    if not path.parent.exists():
        folder = path.parent
        raise UsageProblem(f"cannot write {out}: folder {folder} does not exist; mkdir -p {shlex.quote(str(folder))}")
    if path.is_dir():
        raise UsageProblem(f"cannot write {out}: it is a folder; name a file in it")
    for name, given in _read_by_the_verb():
        # the same file under any name: a link, another spelling of its path
        if path.is_file() and Path(given).is_file() and path.samefile(given):
            raise UsageProblem(
                f"cannot write {out}: it is {name} itself, which would be overwritten; name another file"
            )


def _read_by_the_verb() -> Iterator[tuple[str, str]]:
    """(name, path) of every file that was named to be read: each argument and option of click's type Path."""
    context = click.get_current_context(silent=True)
    if context is None:
        return
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if isinstance(parameter.type, click.Path) and isinstance(value, str):
            option = isinstance(parameter, click.Option)
            yield parameter.opts[0] if option else parameter.human_readable_name, value


# endings that open in a program of their own
PROMISES = frozenset(
    [
        "csv",
        "doc",
        "docx",
        "gif",
        "htm",
        "html",
        "jpeg",
        "jpg",
        "json",
        "md",
        "ods",
        "parquet",
        "pdf",
        "png",
        "svg",
        "toml",
        "tsv",
        "txt",
        "xls",
        "xlsx",
        "xml",
        "yaml",
        "yml",
    ]
)


def format_of(style: str | None, out: str | None, known: tuple[str, ...]) -> str:
    """The format that was asked for, else that of FILE's ending, else the first that is known.

    Raises UsageProblem for an ending that promises a format which this verb does not write, and where `check_out`
    does: before the work, not after it. An ending that promises nothing, as a temporary file has it, is no
    mistake. Text in columns has .txt.
    """
    check_out(out)
    ending = Path(out or "").suffix.lower().removeprefix(".")
    if style or not ending or out == "-":
        return style or known[0]
    if ending in known:
        return ending
    in_columns = {"table", "text"} & set(known)
    if ending not in PROMISES or (ending == "txt" and in_columns):
        return known[0]
    endings = ", ".join(f".{name}" for name in known if name not in in_columns)
    printed = "; a browser saves the HTML as PDF" if ending == "pdf" and "html" in known else ""
    raise UsageProblem(f"{out}: .{ending} is not a known format: use {endings}, or -f{printed}")


def say(message: str, quiet: bool = False) -> None:
    """A note for the person at the terminal, never part of the result."""
    if not quiet:
        click.echo(message, err=True)


def warn(message: str, quiet: bool = False, colour: str = "auto") -> None:
    """A warning for the person at the terminal. colour: what --color says; only standard error counts here."""
    text = "\n".join(wrap(f"warning: {message}", columns(), "  "))
    say(f"\x1b[33m{text}\x1b[0m" if use_colour(colour, sys.stderr) else text, quiet)


def warn_of_prices(comparison: Compared[Any], prices: str | None, style: str, quiet: bool, colour: str) -> None:
    """Warns of a price book that was edited, and beside any format but the table, which says it, of prices that are
    out of date. prices: what --prices names."""
    if not comparison.prices.intact:
        folder = [prices] if prices and Path(prices).is_dir() else []
        verify = shlex.join(["planner", "prices", "verify", *folder])
        warn(f"this price book was edited after it was built; `{verify}` lists the files", quiet, colour)
    if comparison.stale and style != "table":
        warn_of_dates(comparison.stale, quiet, colour)


def warn_of_dates(stale: Sequence[StalePrice], quiet: bool, colour: str) -> None:
    """Warns of prices that are out of date or later than the day that they are for."""
    from planner.report.wording.figures import many
    from planner.report.wording.stale_prices import sentences, warnings

    for text in warnings(stale):
        warn(text.removeprefix("Warning: "), quiet, colour)
    old = sentences([entry for entry in stale if not entry.later])
    if old:
        warn(f"{many(len(old), 'price')} out of date: {old[0]}", quiet, colour)


def warn_of_unpriced(row: Row, quiet: bool, colour: str) -> None:
    """Warns of what a forecast of a scenario leaves out."""
    if row.unpriced:
        lines = ", ".join(entry.line for entry in row.unpriced)
        warn(f"lines without a price are not in the forecast of {row.id}: {lines}", quiet, colour)


def use_colour(choice: str, stream: TextIO | None = None) -> bool:
    """Whether to colour a stream, by default standard output: --color, then NO_COLOR, FORCE_COLOR, and whether it is a
    terminal."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return os.environ.get("FORCE_COLOR", "0") not in ("", "0") or (stream or sys.stdout).isatty()


def columns() -> int:
    """Width of standard output: the terminal's, COLUMNS, or 80 where it is neither."""
    fixed = os.environ.get("COLUMNS", "")
    if fixed.isdigit() and int(fixed) >= 20:
        return int(fixed)
    if sys.stdout.isatty():
        return os.get_terminal_size(sys.stdout.fileno()).columns
    return 80


def ascii_only() -> bool:
    """Whether standard output cannot carry more than ASCII."""
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
    return not encoding.startswith("utf")


@dataclass(frozen=True, kw_only=True)
class Room:
    """What the output can show: cells per line, colours, more than ASCII."""

    width: int
    colour: bool
    ascii_only: bool


def room_of(out: str | None, colour: str = "never") -> Room:
    """A file is 80 cells wide, plain and UTF-8; standard output is what it is. colour: what --color says."""
    if out not in (None, "-"):
        return Room(width=80, colour=False, ascii_only=False)
    return Room(width=columns(), colour=use_colour(colour), ascii_only=ascii_only())
