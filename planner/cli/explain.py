"""`planner explain`: any number of any output, traced to the plan, prices, catalogue and assumptions."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from planner.api.arguments import named
from planner.cli.next_step import APPROVE, after
from planner.cli.options import OUT, Asked, book_of, common, format_option, priced_plan, worker_pool_in
from planner.cli.output import columns, format_of, write_result
from planner.cli.progress import PRICING, counted, progress
from planner.errors import UsageProblem

if TYPE_CHECKING:
    from planner.decide.comparison import Comparison
    from planner.estimate.result import Scenario


@click.command()
@priced_plan
@click.argument("scenario", required=False)
@click.argument("number", metavar="[ID]", required=False)
@click.option(
    "--depth",
    type=click.IntRange(0),
    default=2,
    show_default=True,
    metavar="N",
    help="Levels of inputs to expand; 0 expands all.",
)
@format_option(["text", "json"], "[default: by FILE's ending, else text]")
@OUT
@common
def command(
    asked: Asked,
    scenario: str | None,
    number: str | None,
    depth: int,
    style: str | None,
    out: str | None,
    color: str,
    quiet: bool,
    debug: bool,
) -> None:
    """Explain one number of one scenario of PLAN.

    SCENARIO is an id, a rank like 3, or best; if omitted, the scenarios are listed. ID is a bill line, such as
    storage.s3.standard, or any number of `compare -f json` by its path in the scenario, such as goodput.mtbf_hours or
    bill[0].list_cost, or the key of an assumption; if omitted, the numbers are listed.
    """
    from planner.api.explanations import explanation_of
    from planner.decide.compare import compare
    from planner.estimate.derivations import known_of
    from planner.report.data.encoding import json_text

    style = format_of(style, out, ("text", "json"))
    loaded, pool = worker_pool_in(asked.plan, asked.overrides)
    if pool is not None:
        from planner.cli import worker_pool

        room = columns() if out in (None, "-") else 80
        worker_pool.explain(pool, asked, scenario, number, style, out, width=room, quiet=quiet)
        return
    assert loaded is not None  # one of the two
    book = book_of(loaded, asked.prices, asked.as_of)
    request = asked.request_of(loaded, book)
    with progress(PRICING, quiet=quiet) as shown:
        comparison = compare(request, counted(shown))
    try:
        chosen = named(comparison, scenario) if scenario else None
    except UsageProblem:
        if number is None and comparison.best and scenario in known_of(comparison.best):
            again = f"planner explain {shlex.quote(asked.plan)} best {shlex.quote(scenario)}"
            raise UsageProblem(f"{scenario} is a number of a scenario: name both, as in `{again}`") from None
        raise
    width = columns() if out in (None, "-") else 80
    if chosen is None or number is None or not chosen.derived:
        write_result(_listed(comparison, chosen, style, width), out)
        after(asked, comparison, style, step=APPROVE, quiet=quiet)
        return
    explanation = explanation_of(loaded, request, comparison, chosen, number, plan_path=asked.plan)
    if style == "json":
        text = json_text(explanation.to_dict())
    else:
        text = explanation.text(width=width, depth=depth or None, again=asked.again)
    write_result(text, out)
    after(asked, comparison, style, step=APPROVE, quiet=quiet)


def _listed(comparison: Comparison, chosen: Scenario | None, style: str, width: int) -> str:
    from planner.report.data import explanation_json
    from planner.report.data.encoding import json_text
    from planner.report.terminal import explanation_text

    if style == "json":
        listed = explanation_json.numbers(comparison, chosen) if chosen else explanation_json.scenarios(comparison)
        return json_text(listed)
    if chosen is None:
        return explanation_text.scenarios(comparison, width)
    return explanation_text.numbers(comparison, chosen, width)
