"""Violated gates on the terminal, and the exit code that they give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planner.cli.output import check_out, say, write_result
from planner.errors import UsageProblem

if TYPE_CHECKING:
    from planner.answer.gates import Gates, Violation
    from planner.errors import ExitCode


def check_junit(junit: str | None, out: str | None) -> None:
    """Raises UsageProblem, before the work, where --junit cannot be written or is the result's own file."""
    if junit is not None:
        check_out(junit)
        if junit == (out or "-"):
            raise UsageProblem(f"--junit {junit} is where the result goes; name another file")


def report_violations(found: Sequence[Violation], plan: str, gates: Gates, junit: str | None) -> ExitCode:
    """Print each violation, also with --quiet: it is the reason for the exit code that this returns. plan: its name.
    junit: the file for all gates, passed and failed; None for none."""
    from planner.answer.gates import exit_code

    if junit is not None:
        from planner.report.data.gates_junit import render

        write_result(render(plan, gates, found), junit)

    for violation in found:
        say(f"gate ({violation.code:d}): {violation.message}")
    return exit_code(found)
