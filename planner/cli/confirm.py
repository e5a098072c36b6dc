"""The one rule under which money is spent: the exact price is typed, or given within half a percent beforehand."""

from __future__ import annotations

import sys

import click

from planner.cli.output import say

NOTHING = "nothing bought"


def agreed(usd: float, what: str, accept_usd: float | None) -> bool:
    """Whether the amount was given within half a percent, or is typed to the cent at a terminal."""
    from planner.stack.reservations import amounts_agree

    if accept_usd is not None:
        if not amounts_agree(accept_usd, usd):
            say(f"--accept-usd {accept_usd:,.2f} is not within 0.5 % of {what}, {usd:,.2f}: {NOTHING}")
            return False
        return True
    if not at_a_terminal():
        say(f"no terminal to type {what} at, and no --accept-usd {usd:.2f}: {NOTHING}")
        return False
    typed = click.prompt(f"To buy, type {what}, {usd:,.2f}", default="", show_default=False, err=True)
    if str(typed).strip().lstrip("$").replace(",", "") != f"{usd:.2f}":
        say(NOTHING)
        return False
    return True


def at_a_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()
