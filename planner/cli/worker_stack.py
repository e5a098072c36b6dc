"""What `stack` and `preview` do with the plan of a worker pool."""

from __future__ import annotations

import math
import shlex
from typing import TYPE_CHECKING

from fleet_pool.worker.joblist import MOST_JOBS

from planner.cli import worker_pool
from planner.cli.output import check_out, columns, say, write_result
from planner.cli.stack_shared import project_folder, written_over
from planner.errors import PlanProblems, UsageProblem
from planner.report.wording.figures import many, money, visible
from planner.report.wording.worker_pool import reasons as why_not
from planner.report.wording.wrapping import wrap
from planner.stack.choose_workers import STACK, FromUser, kept, worker_spec_of
from planner.stack.component import usd_per_hour_by_component
from planner.stack.placeholders import missing_ids

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planner.cli.options import Asked
    from planner.plan.load import LoadedPool
    from planner.stack.spec import ClusterSpec
    from planner.worker_pool.result import PoolScenario
    from pricing.book import PriceBook

OF_GANGS = {
    "nic_profile": "--nic-profile",
    "ami": "--ami",
    "control_ami": "--control-ami",
    "reservation": "--reservation",
    "placement_group": "--placement-group",
    "block_starts": "--block-starts",
    "block_ends": "--block-ends",
}


def planned(
    asked: Asked, loaded: LoadedPool, scenario: str, stack: str, *, quiet: bool
) -> tuple[ClusterSpec, PriceBook]:
    """The stack of a choice as the plan has it, and its price book. Raises UsageProblem or PlanProblems."""
    found, book = worker_pool.simulated(loaded, asked, runs=worker_pool.asked_runs(), quiet=quiet)
    chosen = worker_pool.named(found, scenario)
    return worker_spec_of(loaded, found, chosen, book, stack=stack), book


def stack(
    asked: Asked,
    loaded: LoadedPool,
    scenario: str | None,
    name: str | None,
    out: str | None,
    given: FromUser,
    budget: float | None,
    others: Mapping[str, object],
    *,
    force: bool,
    switch: bool,
    check: bool,
    quiet: bool,
) -> None:
    """`planner stack`. others: options of training plans, by parameter. Raises UsageProblem or PlanProblems."""
    from planner.cli.stack_words import change_lines
    from planner.stack.changes import by_hand, changes
    from planner.stack.file import name_of, open_file, rendered, write
    from planner.stack.project import write_missing

    used = [option for parameter, option in OF_GANGS.items() if others.get(parameter)]
    if used:
        raise UsageProblem(f"{', '.join(used)}: not of a worker pool, whose nodes AWS Batch makes")
    folder = project_folder(None if out == "-" else out)
    path = folder / name_of(name or STACK)
    file = open_file(path) if path.exists() else None
    if file is not None and file.found and (check or not force):
        raise PlanProblems(file.problems(file.found))
    before = file.spec if file else None
    if check and before is None:
        raise UsageProblem(f"{path} does not exist: `planner stack {loaded.where} --scenario best` writes it")
    scenario = scenario or (before.scenario if check and before else "best")
    found, book = worker_pool.simulated(loaded, asked, runs=worker_pool.asked_runs(), quiet=quiet)
    chosen = worker_pool.named(found, scenario)
    if not chosen.eligible and scenario != chosen.id and not check:
        reasons = "; ".join(why_not(chosen)) or "a price is missing"
        raise UsageProblem(
            f"{chosen.id} is not eligible: {reasons}\n    to deploy it all the same: --scenario {chosen.id}"
        )
    values = kept(before, loaded.plan.region, given)
    spec = worker_spec_of(loaded, found, chosen, book, stack=name or STACK, given=values, budget=budget)
    spec = by_hand(before, spec) if before else spec
    changed = change_lines(changes(before, spec)) if before else []
    if check:
        if changed:
            raise UsageProblem("\n".join([f"{path} differs from {asked.plan}:", *changed]))
        say(f"{path} matches {asked.plan}", quiet)
        return
    spec = written_over(path, before, spec, switch, printed=out == "-")
    text = rendered(spec, file.text if file else "", where=str(path))
    if out == "-":
        write_result(text, None)
        return
    same = before is None or (before.plan_sha256, before.scenario) == (spec.plan_sha256, spec.scenario)
    if not same and not (force or switch):
        raise UsageProblem("\n".join([f"{path} belongs to another plan or scenario; --force would change", *changed]))
    files = write_missing(folder)
    check_out(str(path))
    write(path, text)
    write_result(summary(spec, chosen, asked, width=columns()), None)
    if before is not None:
        say("\n".join(["Changed:", *changed] if changed else ["Nothing changed"]), quiet)
    others_said = f", and {' and '.join(files)} beside it, which `pulumi up` needs" if files else ""
    say(f"Wrote {path}{others_said}", quiet)


def summary(spec: ClusterSpec, chosen: PoolScenario, asked: Asked, *, width: int) -> str:
    """The answer: what would be deployed, what it costs with jobs and without, what is missing, what follows."""
    price, standing = chosen.price, math.fsum(usd_per_hour_by_component(spec).values())
    lines = [f"Stack {spec.stack}: {visible(spec.plan_name)}, {spec.scenario}"]
    assert spec.workers is not None  # the caller makes stacks of workers
    types = ", ".join((spec.fleet.instance_type, *spec.workers.more_types))
    zones = many(1 + len(spec.workers.more_zones), "zone")
    tail = f", then {spec.workers.tail_type} On-Demand by `planner leave`" if spec.workers.tail_type else ""
    lines.append(
        f"AWS Batch in {spec.region}: {spec.workers.least_nodes} to {spec.fleet.nodes:,} x {types} in {zones}, "
        f"{spec.buying.kind}{tail}; one job on a node"
    )
    if price is not None and math.isfinite(price.p50):
        lines.append(
            f"Nodes: ${price.p50:.4g} an hour each while there are jobs, ${money(price.p50 * spec.fleet.nodes)} at most"
        )
    lines.append(f"Without jobs: ${standing:.4f} an hour (${money(standing * 24)} a day) until `pulumi destroy`")
    if chosen.cost_usd is not None and chosen.days is not None:
        lines.append(
            f"All jobs: about ${money(chosen.cost_usd.p50)} in {chosen.days.p50:.1f} days; budget of the stack "
            f"${money(spec.guard.budget_usd)}"
        )
    if spec.unpriced:
        lines.append(f"! The stack costs more than this: no price for {', '.join(spec.unpriced)}.")
    lines.append("")
    for entry in missing_ids(spec):
        lines.append(f"- missing: {entry.what}: {entry.option} {entry.example}")
        if entry.command:
            lines.append(f"    {entry.command}")
    plan = shlex.quote(visible(asked.plan))
    queue = "$(pulumi stack output job_queue)"
    definition = "$(pulumi stack output job_definition)"
    count = chosen.choice.jobs.count if chosen.choice.jobs else MOST_JOBS
    jobs = f"--array-properties size={min(max(count, 2), MOST_JOBS)}"
    if count > MOST_JOBS:
        lines.append(f"! An array holds {MOST_JOBS:,} jobs: write {math.ceil(count / MOST_JOBS)} lists.")
    lines += [
        "",
        "Next:",
        f"  planner preview {plan} --scenario {spec.scenario}",
        f"  pulumi up --stack {spec.stack}",
        "  PLANNER_DATA=$(pulumi stack output data_bucket) python -m fleet_pool.worker put jobs.json",
        f"  aws batch submit-job --job-name NAME --job-queue {queue} --job-definition {definition} "
        f"{jobs} --parameters list=NAME",
    ]
    wrapped = [
        part for line in lines for part in (wrap(line, width, "  ") if line and not line.startswith("  ") else [line])
    ]
    return "\n".join(wrapped) + "\n"
