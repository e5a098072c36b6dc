"""Where results go: standard output or a file, with notes and warnings on standard error."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from planner.errors import UsageProblem


def write_result(text: str, out: str | None) -> None:
    """The result alone, to a file or to standard output ("-"). Raises UsageProblem where it cannot be written."""
    if out in (None, "-"):
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        Path(str(out)).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageProblem(f"cannot write {out}: {error.strerror}") from error


def say(message: str, quiet: bool = False) -> None:
    """A note for the person at the terminal, never part of the result."""
    if not quiet:
        click.echo(message, err=True)


def use_colour(choice: str) -> bool:
    """Whether to colour standard output: --color, then NO_COLOR, then whether it is a terminal."""
    if choice != "auto":
        return choice == "always"
    return not os.environ.get("NO_COLOR") and sys.stdout.isatty()


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
