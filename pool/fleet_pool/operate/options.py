"""What the commands share: which pool, output format, time limits, notes and progress."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Callable
from typing import Any

from fleet_pool.api import ENDPOINT_VARIABLE, Client, endpoints, tls_context
from fleet_pool.operate.members import cluster_map
from fleet_pool.tokens import operator_token

Run = Callable[[argparse.Namespace], int]


def verb(verbs: Any, name: str, run: Run, about: str) -> argparse.ArgumentParser:
    """A command with the options that all have. verbs: what add_subparsers returned."""
    found = verbs.add_parser(name, help=about, description=about, allow_abbrev=False)
    found.set_defaults(run=run)
    found.add_argument("--endpoint", metavar="URL[,URL...]", help=f"proxies of the pool [default: {ENDPOINT_VARIABLE}]")
    found.add_argument("-q", "--quiet", action="store_true", help="no notes on standard error")
    found.add_argument("--debug", action="store_true", help="show the traceback of an unexpected error")
    return found


def client(given: argparse.Namespace, **limits: float) -> Client:
    """The pool named by the options or the environment. Raises UsageProblem."""
    named = given.endpoint or os.environ.get(ENDPOINT_VARIABLE, "")
    return Client(endpoints(named), tls=tls_context(os.environ), token=operator_token(os.environ), **limits)


def reachable_client(given: argparse.Namespace, **limits: float) -> Client:
    """The same pool, once it has answered; proxies that were cut off from it are asked last.

    Raises UsageProblem, Refused or Unreachable.
    """
    found = client(given, **limits)
    cluster_map(found)
    return found


def timeout(found: argparse.ArgumentParser, limit_s: float, about: str = "give up after S seconds") -> None:
    text = f"{about} [default: {limit_s:g}]"
    found.add_argument("--timeout-s", type=seconds, default=limit_s, metavar="S", help=text)


def formats(found: argparse.ArgumentParser) -> None:
    found.add_argument(
        "-f", "--format", dest="style", choices=("table", "json"), default="table", help="[default: table]"
    )
    found.add_argument("--json", dest="style", action="store_const", const="json", help="same as -f json")


def write(given: argparse.Namespace, text: str, data: Any) -> None:
    """Prints the result on standard output."""
    sys.stdout.write(json.dumps(data, indent=2, ensure_ascii=False) + "\n" if given.style == "json" else text)


def note_writer(given: argparse.Namespace) -> Callable[[str], None]:
    """A function that prints a note on standard error, unless --quiet."""

    def tell(line: str) -> None:
        if not given.quiet:
            print(line, file=sys.stderr, flush=True)

    return tell


def progress_writer(given: argparse.Namespace) -> Callable[[str], None]:
    """A function that updates one progress line on standard error, on a terminal only; "" clears it."""
    if given.quiet or not sys.stderr.isatty() or os.environ.get("CI"):
        return lambda line: None

    def show(line: str) -> None:
        sys.stderr.write(f"\r\033[K{line}")
        sys.stderr.flush()

    return show


def seconds(text: str) -> float:
    """An option's time in seconds: above zero, at most a day."""
    return _number(text, "seconds", 86_400)


def positive(text: str) -> float:
    return _number(text, "a number", math.inf)


def whole(text: str) -> int:
    value = _number(text, "a whole number", 1_000_000)
    if value != int(value):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(value)


def _number(text: str, what: str, highest: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= highest or math.isinf(value):
        most = "" if math.isinf(highest) else f" and at most {highest:g}"
        raise argparse.ArgumentTypeError(f"{text!r} is not {what} above zero{most}")
    return value
