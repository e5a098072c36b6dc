"""What `planner stack` prints of a worker pool: what would be deployed, what it costs with jobs and without, what is
missing, what follows."""

from __future__ import annotations

import math
import shlex

from fleet_pool.worker.joblist import MOST_JOBS

from planner.report.wording.figures import many, money, visible
from planner.report.wording.next_commands import hourly
from planner.report.wording.wrapping import wrap
from planner.stack.component import usd_per_hour_by_component, usd_per_hour_now
from planner.stack.placeholders import missing_ids
from planner.stack.spec import ClusterSpec
from planner.worker_pool.result import PoolScenario


def summary(spec: ClusterSpec, chosen: PoolScenario, plan_path: str, *, width: int) -> str:
    """Lines of at most `width` cells, but for commands."""
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
    plan = shlex.quote(visible(plan_path))
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
        f"  # without jobs it {hourly(usd_per_hour_now(spec), block=False)}",
        f"  pulumi up --stack {spec.stack}",
        "  PLANNER_DATA=$(pulumi stack output data_bucket) python -m fleet_pool.worker put jobs.json",
        f"  aws batch submit-job --job-name NAME --job-queue {queue} --job-definition {definition} "
        f"{jobs} --parameters list=NAME",
    ]
    wrapped = [
        part for line in lines for part in (wrap(line, width, "  ") if line and not line.startswith("  ") else [line])
    ]
    return "\n".join(wrapped) + "\n"
