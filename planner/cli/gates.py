"""Violated gates on the terminal, and the exit code that they give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planner.cli.output import say

if TYPE_CHECKING:
    from planner.decide.gates import Violation
    from planner.errors import ExitCode


def report_violations(found: Sequence[Violation]) -> ExitCode:
    """Print each violation, also with --quiet: it is the reason for the exit code that this returns."""
    from planner.decide.gates import exit_code

    for violation in found:
        say(f"gate ({violation.code:d}): {violation.message}")
    return exit_code(found)
