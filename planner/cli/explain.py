"""`planner explain`: any number of any output, down to the plan, the prices, the catalogue and the assumptions."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from planner.cli.options import Asked, checked_plan, common, named, priced_plan
from planner.cli.output import columns, format_of, write_result
from planner.errors import UsageProblem

if TYPE_CHECKING:
    from collections.abc import Callable

    from planner.decide.explain import Explanation
    from planner.estimate.request import Request
    from planner.estimate.result import Comparison, Scenario
    from planner.models.bill import Unpriced
    from planner.plan.load import LoadedPlan

MOST_RANKS = 5  # of the scenarios that have what the named one lacks


@click.command(short_help="Any number: its formula, its inputs, where each came from, what moves it.")
@priced_plan
@click.argument("scenario", required=False)
@click.argument("number", metavar="[ID]", required=False)
@click.option(
    "--depth",
    type=click.IntRange(0),
    default=2,
    show_default=True,
    metavar="N",
    help="Levels of inputs opened; 0: all.",
)
@click.option(
    "-f", "--format", "style", type=click.Choice(["text", "json"]), help="[default: by FILE's ending, else text]"
)
@click.option("-o", "--out", metavar="FILE", help="Write there instead of standard output.")
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

    SCENARIO is an id, a rank like 3, or best; without it the scenarios are listed. ID is a line of the bill, such as
    storage.s3.standard, or any number of `compare -f json` by its path in the scenario, such as goodput.mtbf_hours or
    bill[0].list_cost, or the key of an assumption; without it the numbers are listed.
    """
    from planner.decide.compare import compare
    from planner.decide.explain import missing_line
    from planner.estimate.derivations import known_of
    from planner.report.data import explanation_json
    from planner.report.data.encoding import json_text
    from planner.report.terminal import explanation_text
    from planner.report.wording.origins import grounds_of

    style = format_of(style, out, ("text", "json"))
    loaded, book = checked_plan(asked.plan, asked.overrides, asked.prices)
    request = asked.request_of(loaded, book)
    comparison = compare(request)
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
        return
    grounds = grounds_of(comparison, chosen, known_of(chosen), place_in(loaded))
    missing = missing_line(chosen, number)
    if missing is not None:
        text = _unpriced(comparison, chosen, missing, style, width)
    else:
        found = _found(request, comparison, chosen, number, asked.plan)
        if style == "json":
            text = json_text(explanation_json.explanation(comparison, found, grounds))
        else:
            again = (asked.plan, *asked.again)
            text = explanation_text.render(comparison, found, grounds, width=width, depth=depth or None, again=again)
    write_result(text, out)


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


def _unpriced(comparison: Comparison, chosen: Scenario, missing: Unpriced, style: str, width: int) -> str:
    from planner.report.data import explanation_json
    from planner.report.data.encoding import json_text
    from planner.report.terminal import explanation_text

    if style == "json":
        return json_text(explanation_json.unpriced(comparison, chosen, missing))
    return explanation_text.unpriced(comparison, chosen, missing, width)


def _found(request: Request, comparison: Comparison, chosen: Scenario, id: str, plan: str) -> Explanation:
    """The explanation of an id. Raises UsageProblem, which says where that id is, or which one was meant."""
    from planner.decide.explain import explain
    from planner.estimate.derivations import known_of
    from planner.plan.wording import did_you_mean, shown

    try:
        return explain(request, chosen, id)
    except KeyError:
        pass
    ranks = [rank for rank, other in enumerate(comparison.scenarios, 1) if id in known_of(other)]
    if ranks:
        some = ", ".join(f"#{rank}" for rank in ranks[:MOST_RANKS]) + (" and more" if len(ranks) > MOST_RANKS else "")
        again = f"planner explain {shlex.quote(plan)} {shlex.quote(f'#{ranks[0]}')} {shlex.quote(id)}"
        raise UsageProblem(f"{chosen.id} has no {shown(id)}; {some} have: `{again}`")
    keys = [entry.key for entry in comparison.assumptions]
    if id in keys:
        raise UsageProblem(f"{chosen.id} does not rest on the assumption {shown(id)}, other scenarios do")
    if id.startswith(("bill.", "bill[")):
        raise UsageProblem(f"{chosen.id} has no {shown(id)}: its bill is bill.0 to bill.{len(chosen.bill) - 1}")
    near = did_you_mean(id, [*known_of(chosen), *keys])
    raise UsageProblem(f"{chosen.id} has no number {shown(id)}: {near or 'leave the ID out to list them all'}")


def place_in(loaded: LoadedPlan) -> Callable[[str], str]:
    """Where a key of the plan stands: file and line, the --set that gave it, or that it is the default."""
    from planner.plan.overrides import split_path

    def place(key: str) -> str:
        path = split_path(key)
        for length in range(len(path), 0, -1):
            if path[:length] in loaded.overridden:
                return loaded.overridden[path[:length]]
        if path not in loaded.places:
            return "default"
        return f"{loaded.where}:{loaded.places[path][0]}"

    return place
