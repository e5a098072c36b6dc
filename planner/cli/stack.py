"""`planner stack`: the chosen scenario as the file that `pulumi up` reads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planner.cli.options import (
    PROFILES,
    PROFILES_HELP,
    STACK,
    Asked,
    Limit,
    common,
    look_of,
    priced_plan,
    scenario_option,
)
from planner.cli.output import check_out, say, write_result
from planner.cli.progress import Watched
from planner.cli.stack_shared import project_folder, refuse_over, written_over
from planner.errors import PlanProblems, UsageProblem

if TYPE_CHECKING:
    from planner.answer.row import Row
    from planner.stack.file import StackFile
    from planner.stack.spec import ClusterSpec


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
@click.option("--second-zone-id", metavar="ZONE", help="Zone of the standby database of files over the pool.")
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
    help="Overwrite a stack file of another layout or purchase; `pulumi up` then takes away what the new one lacks. "
    "Asks the nodes first whether S3 has every file of an FSx file system that goes; not with --force.",
)
@click.option(
    "--canary",
    is_flag=True,
    help="Start one GPU node alone, and all else as planned; without this option the file is for all nodes again.",
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
    second_zone_id: str | None,
    reservation: str | None,
    placement_group: str | None,
    block_starts: str | None,
    block_ends: str | None,
    image: str | None,
    notify: str | None,
    budget: float | None,
    force: bool,
    switch: bool,
    canary: bool,
    check: bool,
    color: str,
    quiet: bool,
    debug: bool,
) -> None:
    """Write Pulumi.STACK.yaml for one scenario of PLAN and show what each component costs per hour.

    Values that only your AWS account knows are placeholders until you give them, here or in the plan's deploy section.
    An existing file keeps the values given before and every key that is not the planner's.
    """
    from planner.cli.stack_words import change_lines
    from planner.stack.canary import as_canary
    from planner.stack.changes import changes
    from planner.stack.file import name_of, read, rendered, write
    from planner.stack.project import write_missing

    ask, given = asked.ask(), click.get_current_context().params
    answers, deployed = ask.loaded.kind.part("answers"), ask.loaded.kind.part("deployed")
    name: str = stack or deployed.stack_name(ask.loaded)
    folder = project_folder(None if out == "-" else out)
    path = folder / name_of(name)
    before = _before(path, force and not check)
    if check and before is None:
        raise UsageProblem(f"{path} does not exist: `planner stack {ask.loaded.where} --scenario best` writes it")
    found = answers.priced(ask, Watched(quiet), derivations=False)

    def spec_of(chosen: Row, kept: ClusterSpec | None, stack: str) -> ClusterSpec:
        more = {"nic_profile": nic_profile, "budget": budget, "given": deployed.given(given)}
        made: ClusterSpec = deployed.spec(ask, found, chosen, stack=stack, kept=kept, **more)
        return as_canary(made) if canary else made

    if check:
        assert before is not None  # refused above
        kept = read(path)
        chosen = answers.named(found, scenario or kept.scenario)
        planned = replace(spec_of(chosen, kept, kept.stack), canary=kept.canary)
        _check(before, planned, kept, f"planner stack {ask.loaded.where}", chosen)
        refuse_over(kept)
        more = f"; missing: {', '.join(kept.placeholders)}" if kept.placeholders else ""
        say(f"{path} matches {asked.plan}{more}", quiet)
        return
    scenario = scenario or "best"
    chosen = answers.named(found, scenario)
    if not chosen.eligible and scenario != chosen.id:
        raise UsageProblem(
            f"{chosen.id} is not eligible: {'; '.join(deployed.lacks(chosen))}\n"
            f"    to deploy it all the same: --scenario {chosen.id}"
        )
    kept = before.spec if before else None
    spec = written_over(path, kept, spec_of(chosen, kept, name), switch, printed=out == "-", force=force)
    refuse_over(spec)
    text = rendered(spec, before.text if before else "", where=str(path))
    if out == "-":
        write_result(text, None)
        return
    _refuse_another(path, kept, spec, force or switch)
    files = write_missing(folder)
    check_out(str(path))  # only once the stack's name is known to be valid
    write(path, text)
    write_result(deployed.summary(ask, spec, chosen, look_of(asked), asked.overrides, out), None)
    if kept is not None:
        changed = change_lines(changes(kept, spec))
        say("\n".join(["Changed:", *changed] if changed else ["Nothing changed"]), quiet)
        if kept.canary and not spec.canary:
            stays = f"The canary stays: `pulumi up` adds the other nodes, {spec.fleet.nodes - 1:,}"
            say(f"`pulumi up` starts all {spec.fleet.nodes:,} nodes" if spec.scheduler else stays, quiet)
    others = f", and {' and '.join(files)} beside it, which `pulumi up` needs" if files else ""
    say(f"Wrote {path}{others}", quiet)


def _before(path: Path, force: bool) -> StackFile | None:
    """The stack file that is there, or None. Raises PlanProblems where its cluster is wrong, unless forced."""
    from planner.stack.file import open_file

    if not path.exists():
        return None
    file = open_file(path)
    if file.found and not force:
        raise PlanProblems(file.problems(file.found))
    return file


def _refuse_another(path: Path, kept: ClusterSpec | None, spec: ClusterSpec, force: bool) -> None:
    from planner.cli.stack_words import change_lines
    from planner.stack.changes import changes

    if kept is None or force or (kept.plan_sha256, kept.scenario) == (spec.plan_sha256, spec.scenario):
        return
    what = "scenario" if kept.plan_sha256 == spec.plan_sha256 else "plan"
    lines = "\n".join(change_lines(changes(kept, spec)))
    raise UsageProblem(f"{path} belongs to another {what}; --force would change\n{lines}")


def _check(file: StackFile, spec: ClusterSpec, kept: ClusterSpec, command: str, chosen: Row) -> None:
    """Raises PlanProblems with every value of the file that the plan does not give."""
    from planner.cli.stack_words import value_words
    from planner.stack.changes import changes
    from planner.stack.finding import Finding

    again = f"{command} --scenario {chosen.id} --stack {kept.stack} --force"
    problems = file.problems(
        Finding(
            path=change.path,
            message=f"{change.name} is {value_words(change.before)}; the plan gives {value_words(change.after)}",
        )
        for change in changes(kept, spec)
    )
    if problems:
        raise PlanProblems((*problems[:-1], replace(problems[-1], remedy=f"to use the plan's values: {again}")))
