"""What `pulumi up` runs: check the cluster of the stack file, create its resources, print its cost per hour."""

from __future__ import annotations

import sys
from pathlib import Path

import pulumi

# the engine runs this file from its own folder; our packages are beside it
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "pool"))

from infra.compose import Stack, compose
from infra.derived import bundle_of
from infra.node import built
from infra.standing import begin, check_switch, export_standing
from planner import clock
from planner.errors import PlannerError, UsageProblem
from planner.stack.block_dates import begun, over
from planner.stack.component import usd_per_hour_by_component
from planner.stack.file import CLUSTER, from_config, refuse_findings
from planner.stack.spec import ClusterSpec

KEY_LINE = "storage.kms.key"


def cluster() -> ClusterSpec:
    """The cluster of the stack's configuration. Raises UsageProblem, or PlanProblems with everything wrong in it."""
    config, stack = pulumi.Config(), pulumi.get_stack()
    given = config.get_object(CLUSTER)
    if given is None:
        writes = f"`planner stack PLAN --scenario best --stack {stack}` writes it"
        raise UsageProblem(f"the stack has no {config.full_key(CLUSTER)}: {writes}")
    spec = from_config(given, stack=stack, region=pulumi.Config("aws").get("region"))
    refuse_findings(over(spec, clock.now()), stack)
    if spec.placeholders and not pulumi.runtime.is_dry_run():
        raise UsageProblem(
            f"still placeholders: {', '.join(spec.placeholders)}; `planner stack` prints how to get each"
        )
    return spec


def bundle_folder(spec: ClusterSpec) -> Path | None:
    """The folder of the built files of the nodes' bundle; None if it has none, or if a preview runs without them.

    Raises UsageProblem if they are missing.
    """
    files = bundle_of(spec).binaries
    if not files:
        return None
    folder = built.FOLDER if built.CHECKOUT else Path(pulumi.get_root_directory()) / "out" / "bundle"
    wrong = built.missing(files, folder)
    if not wrong:
        return folder
    if pulumi.runtime.is_dry_run():
        pulumi.log.warn(f"the nodes' bundle in out/bundle: {wrong}. `pulumi up` needs it: {built.HOW}")
        return None
    raise UsageProblem(f"the nodes' bundle in out/bundle: {wrong}; {built.HOW}")


def cost_lines(spec: ClusterSpec) -> list[str]:
    """USD per hour of each component, and their sum."""
    found = usd_per_hour_by_component(spec)
    every = {**found, "all": sum(found.values())}
    width = max(map(len, every))
    return [f"{name:<{width}}  {usd:>14,.4f} $/hour" for name, usd in every.items()]


def kept_by_destroy(spec: ClusterSpec) -> list[str]:
    """What `pulumi destroy` keeps at AWS and what it costs; destroy shows the stack's outputs."""
    key = spec.usd_per_hour.get(KEY_LINE)
    dollars = "an unknown amount per day" if key is None else f"{key * 24:,.4f} $/day"
    return [
        "the data bucket with all object versions, billed by size; `planner teardown-check` shows the cost",
        f"its key, billed {dollars} until it is deleted",
        *_protected(spec),
    ]


def _protected(spec: ClusterSpec) -> list[str]:
    """The file system, which `destroy --exclude-protected` keeps and bills until its protection is taken away."""
    if spec.lustre is None:
        return []
    return ["the file system and its network, billed by the hour, unless `pulumi state unprotect` was run before"]


def export(spec: ClusterSpec, stack: Stack) -> None:
    """Outputs of a deployed stack, for people and scripts."""
    pulumi.export("scenario", spec.scenario)
    export_standing(spec)
    pulumi.export("plan_sha256", spec.plan_sha256)
    pulumi.export("usd_per_hour", {**usd_per_hour_by_component(spec)})
    pulumi.export("data_bucket", stack.data_bucket.bucket.id)
    pulumi.export("artefacts_bucket", stack.artefacts.bucket.id)
    pulumi.export("kept_by_destroy", kept_by_destroy(spec))
    pulumi.export("vpc_id", stack.network.vpc.id)
    if stack.scheduler:
        pulumi.export("slurm_cluster", stack.scheduler.cluster_id)
        pulumi.export("login_node", stack.scheduler.tags("node")["Name"])  # the tag Name of its instance
    elif stack.fleet:
        pulumi.export("fleet_group", stack.fleet.groups[0].name)
        if len(stack.fleet.groups) > 1:
            pulumi.export("fleet_groups", [group.name for group in stack.fleet.groups])
    if stack.workers:
        pulumi.export("job_queue", stack.workers.queue.name)
        pulumi.export("job_definition", stack.workers.job.name)
        pulumi.export("job_logs", stack.workers.logs.name)
    if stack.pool:
        pulumi.export("control_addresses", list(stack.network.addresses.control))
    if stack.nvme:
        pulumi.export("storage_group", stack.nvme.group.name)
    if stack.lustre:
        pulumi.export("lustre_dns_name", stack.lustre.file_system.dns_name)
        pulumi.export("lustre_mount_name", stack.lustre.file_system.mount_name)


def main() -> None:
    """The program. Tests of the engine run it too."""
    try:
        spec = cluster()
        outputs = check_switch(spec)
        begin(spec, outputs)
        spec = begun(spec, clock.now())
        nodes = f", with 1 of {spec.fleet.nodes} GPU nodes, the canary" if spec.canary else ""
        pulumi.log.info("\n".join([f"What this stack costs while it is deployed{nodes}:", *cost_lines(spec)]))
        export(spec, compose(spec, bundle_folder(spec)))
    except PlannerError as error:
        raise pulumi.RunError(str(error)) from error


if __name__ == "__main__":
    main()
