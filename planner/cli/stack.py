"""`planner stack`: the chosen scenario as the file that `pulumi up` reads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planner.api.arguments import named
from planner.cli.options import (
    PROFILES,
    PROFILES_HELP,
    STACK,
    Asked,
    Limit,
    book_of,
    common,
    priced_plan,
    scenario_option,
    worker_pool_in,
)
from planner.cli.output import ascii_only, check_out, columns, say, write_result
from planner.cli.progress import PRICING, counted, progress
from planner.cli.stack_shared import project_folder, refuse_over, written_over
from planner.errors import PlanProblems, UsageProblem

if TYPE_CHECKING:
    from planner.decide.comparison import Comparison
    from planner.estimate.result import Scenario
    from planner.plan.load import LoadedPlan
    from planner.stack.choose import FromAccount
    from planner.stack.file import StackFile
    from planner.stack.spec import ClusterSpec
    from pricing.book import PriceBook


@click.command()
@priced_plan
@scenario_option("The scenario to deploy", default="best")
@STACK
@click.option(
    "-o",
    "--out",
    metavar="DIR",
    help="Folder for the stack file, and for Pulumi.yaml and the program where there are none; `-` prints the stack "
    "file. [default: the nearest folder upwards with a Pulumi.yaml]",
)
@click.option("--nic-profile", type=PROFILES, help=f"{PROFILES_HELP} [default: ip-saving]")
@click.option("--ami", metavar="AMI", help="AMI of the GPU nodes.")
@click.option("--control-ami", metavar="AMI", help="AMI of the control and storage nodes, without GPU drivers.")
@click.option("--zone-id", metavar="ZONE", help="Availability Zone ID for the whole stack, like use1-az4.")
@click.option("--reservation", metavar="CR", help="ID of the Capacity Reservation or Capacity Block to run in.")
@click.option("--placement-group", metavar="GROUP", help="Cluster placement group of the Capacity Reservation.")
@click.option(
    "--block-starts", metavar="TIME", help="Start of the Capacity Block, if it has not begun; nodes wait for it."
)
@click.option("--block-ends", metavar="TIME", help="End of the Capacity Block, like 2026-11-30T11:30:00Z.")
@click.option("--image", metavar="IMAGE", help="Container image of the jobs of a worker pool.")
@click.option("--notify", metavar="ADDRESS", help="E-mail address for budget and alarm notices.")
@click.option(
    "--budget",
    type=Limit(0, min_open=True),
    metavar="USD",
    help="Budget of the stack. [default: the P90 of what AWS bills]",
)
@click.option("--force", is_flag=True, help="Overwrite a stack file that is damaged, or of another plan or scenario.")
@click.option(
    "--switch",
    is_flag=True,
    help="Overwrite a stack file of another layout or purchase; `pulumi up` then takes away what the new one lacks.",
)
@click.option("--check", is_flag=True, help="Write nothing; check the stack file against the current plan.")
@common
def command(
    asked: Asked,
    scenario: str | None,
    stack: str | None,
    out: str | None,
    nic_profile: str | None,
    ami: str | None,
    control_ami: str | None,
    zone_id: str | None,
    reservation: str | None,
    placement_group: str | None,
    block_starts: str | None,
    block_ends: str | None,
    image: str | None,
    notify: str | None,
    budget: float | None,
    force: bool,
    switch: bool,
    check: bool,
    color: str,
    quiet: bool,
    debug: bool,
) -> None:
    """Write Pulumi.STACK.yaml for one scenario of PLAN and show what each component costs per hour.

    Values that only your AWS account knows are placeholders until you give them, here or in the plan's deploy section.
    An existing file keeps the values given before and every key that is not the planner's.
    """
    from planner.cli.stack_words import change_lines, summary
    from planner.decide.compare import compare
    from planner.stack.changes import changes
    from planner.stack.choose import FromAccount
    from planner.stack.file import name_of, rendered, write
    from planner.stack.project import write_missing

    loaded, pool = worker_pool_in(asked.plan, asked.overrides)
    if pool is not None:
        from planner.cli import worker_stack

        own = worker_stack.FromUser(image=image or "", zone_id=zone_id or "", notify=notify or "")
        others = click.get_current_context().params
        worker_stack.stack(
            asked, pool, scenario, stack, out, own, budget, others, force=force, switch=switch, check=check, quiet=quiet
        )
        return
    assert loaded is not None  # one of the two
    if image:
        raise UsageProblem("--image is of worker pools: nodes of a training plan run no container of ours")
    book = book_of(loaded, asked.prices, asked.as_of)
    stack = stack or loaded.plan.deploy.stack
    folder = project_folder(None if out == "-" else out)
    path = folder / name_of(stack)
    before = _before(path, force and not check)
    with progress(PRICING, quiet=quiet) as shown:
        comparison = compare(asked.request_of(loaded, book, derivations=False), counted(shown))
    given = FromAccount(
        ami=ami or "",
        control_ami=control_ami or "",
        zone_id=zone_id or "",
        notify=notify or "",
        reservation_id=reservation or "",
        placement_group=placement_group or "",
        starts=block_starts or "",
        ends=block_ends or "",
    )
    if check:
        _check(loaded, comparison, book, before, path, scenario, given, nic_profile, budget)
        if before and before.spec:
            refuse_over(before.spec)
        missing = before.spec.placeholders if before and before.spec else ()
        more = f"; missing: {', '.join(missing)}" if missing else ""
        say(f"{path} matches {asked.plan}{more}", quiet)
        return
    scenario = scenario or "best"
    chosen = named(comparison, scenario)
    if not chosen.eligible and scenario != chosen.id:
        _refuse_ineligible(chosen)
    kept = before.spec if before else None
    spec = _spec(loaded, comparison, chosen, book, stack, kept, given, nic_profile, budget)
    spec = written_over(path, kept, spec, switch, printed=out == "-")
    refuse_over(spec)
    text = rendered(spec, before.text if before else "", where=str(path))
    if out == "-":
        write_result(text, None)
        return
    _refuse_another(path, kept, spec, force or switch)
    files = write_missing(folder)
    check_out(str(path))  # only once the stack's name is known to be valid
    write(path, text)
    write_result(
        summary(
            spec, chosen, loaded.plan, asked.plan, asked.overrides, out=out, width=columns(), ascii_only=ascii_only()
        ),
        None,
    )
    if kept is not None:
        changed = change_lines(changes(kept, spec))
        say("\n".join(["Changed:", *changed] if changed else ["Nothing changed"]), quiet)
    others = f", and {' and '.join(files)} beside it, which `pulumi up` needs" if files else ""
    say(f"Wrote {path}{others}", quiet)


def _refuse_ineligible(chosen: Scenario) -> None:
    """Raises UsageProblem for a scenario that may miss its limits, unless it is named by its id."""
    from planner.report.wording.eligibility import why_not

    reasons = [*why_not(chosen), *([] if chosen.complete else ["a price is missing"])]
    raise UsageProblem(
        f"{chosen.id} is not eligible: {'; '.join(reasons)}\n    to deploy it all the same: --scenario {chosen.id}"
    )


def _before(path: Path, force: bool) -> StackFile | None:
    """The stack file that is there, or None. Raises PlanProblems where its cluster is wrong, unless forced."""
    from planner.stack.file import open_file

    if not path.exists():
        return None
    file = open_file(path)
    if file.found and not force:
        raise PlanProblems(file.problems(file.found))
    return file


def _spec(
    loaded: LoadedPlan,
    comparison: Comparison,
    chosen: Scenario,
    book: PriceBook,
    stack: str,
    kept: ClusterSpec | None,
    given: FromAccount,
    nic_profile: str | None,
    budget: float | None,
) -> ClusterSpec:
    """The spec of a scenario; what the call and the plan do not say stays as the file before had it."""
    from planner.stack.changes import by_hand
    from planner.stack.choose import spec_of
    from planner.stack.kept import kept_of

    profile = nic_profile or (kept.fleet.nic_profile if kept else "ip-saving")
    given = kept_of(kept, loaded.plan, chosen, given)
    spec = spec_of(loaded, comparison, chosen, book, stack=stack, nic_profile=profile, given=given, budget=budget)
    return by_hand(kept, spec) if kept else spec


def _refuse_another(path: Path, kept: ClusterSpec | None, spec: ClusterSpec, force: bool) -> None:
    from planner.cli.stack_words import change_lines
    from planner.stack.changes import changes

    if kept is None or force or (kept.plan_sha256, kept.scenario) == (spec.plan_sha256, spec.scenario):
        return
    what = "scenario" if kept.plan_sha256 == spec.plan_sha256 else "plan"
    lines = "\n".join(change_lines(changes(kept, spec)))
    raise UsageProblem(f"{path} belongs to another {what}; --force would change\n{lines}")


def _check(
    loaded: LoadedPlan,
    comparison: Comparison,
    book: PriceBook,
    file: StackFile | None,
    path: Path,
    scenario: str | None,
    given: FromAccount,
    nic_profile: str | None,
    budget: float | None,
) -> None:
    """Raises PlanProblems with every value of the file that the plan does not give."""
    from planner.cli.stack_words import value_words
    from planner.stack.changes import changes
    from planner.stack.file import read
    from planner.stack.finding import Finding

    if file is None:
        raise UsageProblem(f"{path} does not exist: `planner stack {loaded.where} --scenario best` writes it")
    kept = read(path)
    chosen = named(comparison, scenario or kept.scenario)
    spec = _spec(loaded, comparison, chosen, book, kept.stack, kept, given, nic_profile, budget)
    again = f"planner stack {loaded.where} --scenario {chosen.id} --stack {kept.stack} --force"
    problems = file.problems(
        Finding(
            path=change.path,
            message=f"{change.name} is {value_words(change.before)}; the plan gives {value_words(change.after)}",
        )
        for change in changes(kept, spec)
    )
    if problems:
        raise PlanProblems((*problems[:-1], replace(problems[-1], remedy=f"to use the plan's values: {again}")))
