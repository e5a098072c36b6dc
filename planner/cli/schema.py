"""`planner schema`: the JSON Schema of the plan file, and of what verbs print with `-f json`."""

from __future__ import annotations

from pathlib import Path

import click

from planner.cli.options import OUT, common
from planner.cli.output import write_result

FOLDER = Path(__file__).resolve().parent.parent / "report" / "data" / "schemas"
VERBS = ("compare", "optimize", "sensitivity", "explain", "diff")
DOCUMENTS = (*VERBS, "worker-pool", "fleet")  # the last two: what compare prints of these kinds of plans
PLANS = ("plan", "worker-pool-plan", "fleet-plan")


@click.command()
@click.option(
    "--of",
    "what",
    type=click.Choice([*PLANS, *DOCUMENTS]),
    default="plan",
    show_default=True,
    help="A plan file of each kind, or the `-f json` output of a verb.",
)
@OUT
@common
def command(what: str, out: str | None, color: str, quiet: bool, debug: bool) -> None:
    """Print a JSON Schema (draft 2020-12), for editors and other validators."""
    if what in DOCUMENTS:
        write_result((FOLDER / f"{what}.schema.json").read_text(encoding="utf-8"), out)
        return
    from planner.plan.schema import fleet_schema_text, pool_schema_text, schema_text

    texts = (schema_text, pool_schema_text, fleet_schema_text)
    write_result(texts[PLANS.index(what)](), out)
