"""`planner init`: a commented plan that runs as it is."""

from __future__ import annotations

from pathlib import Path

import click

from planner.cli.options import common
from planner.cli.output import say, write_result
from planner.errors import UsageProblem


@click.command(short_help="Write a commented plan that runs.")
@click.argument("file", default="plan.yaml", metavar="[FILE]")
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
@click.option(
    "--schema", metavar="PATH|URL", help="JSON Schema for editors. [default: planner/plan/schema.json]", default=None
)
@common
def command(file: str, force: bool, schema: str | None, color: str, quiet: bool, debug: bool) -> None:
    """Write a plan to FILE (plan.yaml unless named; - is standard output). It never overwrites unless forced."""
    from planner.plan.starter import DEFAULT_SCHEMA, starter_plan

    text = starter_plan(file="plan.yaml" if file == "-" else file, schema=schema or DEFAULT_SCHEMA)
    if file == "-":
        write_result(text, None)
        return
    try:
        # "x" refuses in one step with the check, so that two runs at once cannot overwrite each other
        with Path(file).open("w" if force else "x", encoding="utf-8", newline="\n") as out:
            out.write(text)
    except FileExistsError:
        raise UsageProblem(f"{file} is there already: name another file, or say --force") from None
    except (OSError, ValueError) as error:
        raise UsageProblem(f"cannot write {file}: {getattr(error, 'strerror', None) or error}") from None
    say(f"wrote {file}; next: planner compare {file}", quiet)
