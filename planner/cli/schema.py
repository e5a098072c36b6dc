"""`planner schema`: the plan file's JSON Schema."""

from __future__ import annotations

import click

from planner.cli.options import common
from planner.cli.output import write_result


@click.command(short_help="Print the JSON Schema of the plan file.")
@click.option("-o", "--out", metavar="FILE", help="Write there instead of standard output.")
@common
def command(out: str | None, color: str, quiet: bool, debug: bool) -> None:
    """Print the JSON Schema of the plan file, for editors and other validators."""
    from planner.plan.schema import schema_text

    write_result(schema_text(), out)
