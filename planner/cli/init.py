"""`planner init`: a commented plan that runs as it is."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import click

from planner.cli.options import INIT_FILE, common
from planner.cli.output import check_out, say, write_result
from planner.errors import UsageProblem
from planner.whole_file import write_whole

CHECKOUT = "planner/plan/schema.json"


@click.command()
@click.argument("file", default=INIT_FILE, metavar="[FILE]")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option(
    "--schema",
    metavar="PATH|URL",
    help="JSON Schema for editors. [default: the checkout's, else plan.schema.json beside FILE]",
)
@click.option("--ask", is_flag=True, help="Ask five questions, each with a default, and write a short plan.")
@common
def command(file: str, force: bool, schema: str | None, ask: bool, color: str, quiet: bool, debug: bool) -> None:
    """Write a commented plan to FILE (default plan.yaml; - is standard output). Overwrites only with --force."""
    from planner.plan.starter import BESIDE, starter_plan

    check_out(file)
    named = INIT_FILE if file == "-" else file
    schema = schema or schema_of_checkout(Path(named)) or BESIDE
    if ask and not force and file != "-" and Path(file).exists():
        raise _exists(file)  # before the questions, not after them
    text = _asked(schema) if ask else starter_plan(file=named, schema=schema)
    if file == "-":
        write_result(text, None)
        return
    try:
        write_whole(Path(file), text, overwrite=force)
    except FileExistsError:
        raise _exists(file) from None
    except (OSError, ValueError) as error:
        raise UsageProblem(f"cannot write {file}: {getattr(error, 'strerror', None) or error}") from None
    say(f"Wrote {file}. Next: planner compare {file}", quiet)
    beside = Path(file).with_name(BESIDE)
    if f"$schema={BESIDE}\n" in text and not beside.exists():
        say(f"For completion in editors: planner schema -o {shlex.quote(str(beside))}", quiet)


def _exists(file: str) -> UsageProblem:
    return UsageProblem(f"{file} already exists: name another file, or use --force")


def _asked(schema: str) -> str:
    """The plan of the answers, asked on standard error; Ctrl-C ends it before anything is written. Raises UsageProblem
    where nobody can answer."""
    from planner.api.books import book_for, check_book
    from planner.plan.asked import QUESTIONS, plan_of, problem_of

    if not sys.stdin.isatty():
        raise UsageProblem(
            "--ask needs a terminal: standard input is not one\n"
            "    `planner init FILE` writes a commented plan to edit instead"
        )
    book = book_for(None, None, option="--prices")
    answers: dict[str, str] = {}
    for number, question in enumerate(QUESTIONS, 1):
        say(f"{number} of {len(QUESTIONS)}. {question.text}\n   It changes {question.changes}.")
        while True:
            answer = click.prompt("  ", default=question.default, prompt_suffix="", err=True).strip()
            problem = problem_of(question, answer, answers, lambda loaded: check_book(loaded, book))
            if not problem:
                break
            say(f"   {problem}")
        answers[question.key] = answer
    return plan_of(answers, schema=schema)


def schema_of_checkout(plan: Path) -> str | None:
    """The schema's path as seen from the plan's folder where that lies in a checkout of planner; else None."""
    folder = Path(os.path.abspath(plan)).parent  # links stay as they are: an editor sees the path that was opened
    for up, above in enumerate((folder, *folder.parents)):
        if (above / CHECKOUT).is_file():
            return "../" * up + CHECKOUT
    return None
