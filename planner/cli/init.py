"""`planner init`: a commented plan that runs as it is."""

from __future__ import annotations

import os
import shlex
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
@common
def command(file: str, force: bool, schema: str | None, color: str, quiet: bool, debug: bool) -> None:
    """Write a commented plan to FILE (default plan.yaml; - is standard output). Overwrites only with --force."""
    from planner.plan.starter import BESIDE, starter_plan

    check_out(file)
    named = INIT_FILE if file == "-" else file
    text = starter_plan(file=named, schema=schema or schema_of_checkout(Path(named)) or BESIDE)
    if file == "-":
        write_result(text, None)
        return
    try:
        write_whole(Path(file), text, overwrite=force)
    except FileExistsError:
        raise UsageProblem(f"{file} already exists: name another file, or use --force") from None
    except (OSError, ValueError) as error:
        raise UsageProblem(f"cannot write {file}: {getattr(error, 'strerror', None) or error}") from None
    say(f"Wrote {file}. Next: planner compare {file}", quiet)
    beside = Path(file).with_name(BESIDE)
    if f"$schema={BESIDE}\n" in text and not beside.exists():
        say(f"For completion in editors: planner schema -o {shlex.quote(str(beside))}", quiet)


def schema_of_checkout(plan: Path) -> str | None:
    """The schema's path as seen from the plan's folder where that lies in a checkout of planner; else None."""
    folder = Path(os.path.abspath(plan)).parent  # links stay as they are: an editor sees the path that was opened
    for up, above in enumerate((folder, *folder.parents)):
        if (above / CHECKOUT).is_file():
            return "../" * up + CHECKOUT
    return None
