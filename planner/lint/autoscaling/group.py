"""Auto Scaling groups: sizes, launch templates, versions, and whether a deployment waits for capacity."""

from __future__ import annotations

from itertools import pairwise

from planner.lint.read.graph import Graph
from planner.lint.read.suggestions import suggestion
from planner.lint.read.topology import (
    GROUP,
    TEMPLATE,
    has_efa,
    is_clustered,
    named_template,
    specifications,
    templates_of,
)
from planner.lint.read.values import given, leaves, literal, whole
from planner.lint.rule import WARNING, Hits, rule

STORAGE_LINE = "storage.nvme.nodes"  # the bill line of nodes whose drives are the pool


@rule(
    "ASG-SIZE",
    GROUP,
    what="group sizes that contradict each other",
    why="AWS rejects the group: min, desired and max must be in this order and not below 0",
    remedy="Set minSize <= desiredCapacity <= maxSize. For a job that needs every node, set all three to the "
    "same number",
    example="minSize: 8, maxSize: 4",
)
def contradictory_group_sizes(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        sizes = [(key, whole(group.inputs.get(key))) for key in ("minSize", "desiredCapacity", "maxSize")]
        for key, size in sizes:
            value = group.inputs.get(key)
            if (size is None and given(value) and literal(value) == value) or (size is not None and size < 0):
                yield group, key, f"{value!r} is not a number of nodes"
        known = [(key, size) for key, size in sizes if size is not None]
        for (low, a), (high, b) in pairwise(known):
            if a > b:
                yield group, low, f"{low} {a:,} is greater than {high} {b:,}"


@rule(
    "ASG-TEMPLATE",
    GROUP,
    what="a group without exactly one of launchTemplate and mixedInstancesPolicy",
    why="AWS rejects the group when it creates it: a group needs exactly one of the two",
    remedy="Use launchTemplate for one instance type, mixedInstancesPolicy for Spot",
    example="launchTemplate and mixedInstancesPolicy in one group",
)
def launch_template_and_mixed_policy(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        named = [
            k for k in ("launchTemplate", "mixedInstancesPolicy", "launchConfiguration") if given(group.inputs.get(k))
        ]
        if len(named) != 1:
            yield group, named[-1] if named else "launchTemplate", f"{' and '.join(named) or 'neither'} given"
        for where, block, _ in specifications(group):
            pairs = (("id", "name"), ("launchTemplateId", "launchTemplateName"))
            if any(given(block.get(a)) and given(block.get(b)) for a, b in pairs):
                yield group, where, "both the id and the name of a launch template are given"


@rule(
    "ASG-VERSION",
    GROUP,
    severity=WARNING,
    what="a launch template version that can change without a deployment",
    why="The next node may differ from the others: $Latest and $Default change without showing in a preview",
    remedy="Use the template's latestVersion output",
    example="version: $Latest",
)
def floating_template_version(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        for where, block, _ in specifications(group):
            if block.get("version") in (None, "", "$Latest", "$Default"):
                yield group, f"{where}.version", f"version {block.get('version') or 'not given'} can change at any time"


@rule(
    "ASG-WAIT",
    GROUP,
    severity=WARNING,
    what="a deployment that waits for GPU capacity",
    why="The update fails after ten minutes with half of the nodes running and billed: GPU capacity can take hours",
    remedy='Set waitForCapacityTimeout to "0" and check the nodes separately',
    example="no waitForCapacityTimeout on a group of GPU nodes",
)
def update_waits_for_capacity(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        wait = group.inputs.get("waitForCapacityTimeout")
        gang = any(has_efa(template) for template in templates_of(graph, group))
        if gang and str(wait) not in ("0", "0s", "0m", "0.0"):
            yield (
                group,
                "waitForCapacityTimeout",
                f"the deployment waits {wait if isinstance(wait, str) else '10m'} for all nodes",
            )


@rule(
    "ASG-UNRESOLVED",
    GROUP,
    what="a group whose launch template is another kind of resource",
    why="AWS rejects the group: it starts instances from launch templates only",
    remedy="Refer to the id of a LaunchTemplate",
    example="launchTemplate.id that refers to a placement group",
)
def template_of_wrong_kind(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        for where, block, _ in specifications(group):
            if named_template(graph, block) is None:
                for _, leaf in leaves({k: v for k, v in block.items() if k != "version"}):
                    found = next(graph.referred(leaf), None)
                    if found is not None and found.kind != TEMPLATE:
                        yield group, where, f"refers to {found.name}, a {found.kind}"
                known = [name for template in graph.of(TEMPLATE) if (name := literal(template.inputs.get("name")))]
                for key in ("name", "launchTemplateName"):
                    text = literal(block.get(key))
                    near = suggestion(text, known, cutoff=0.9) if text else ""
                    if near:
                        yield group, f"{where}.{key}", f"there is no launch template {text!r}{near}"


@rule(
    "ASG-GANG-SIZE",
    GROUP,
    severity=WARNING,
    what="a fixed-size group that may start without all of its nodes",
    why="The nodes that start are billed while the job waits for the rest: it needs every GPU node, and a pool's data "
    "is on all of its storage nodes",
    remedy="Set minSize, desiredCapacity and maxSize to the same number, and none to 0 while the plan pays for nodes",
    example="minSize: 0 on a group of 16 nodes with EFA",
)
def group_smaller_than_job(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        low, wanted, high = (whole(group.inputs.get(k)) for k in ("minSize", "desiredCapacity", "maxSize"))
        gang = any(has_efa(template) for template in templates_of(graph, group)) and is_clustered(graph, group)
        gang = gang or STORAGE_LINE in group.bill_lines  # a pool's data is on all of its nodes
        if high == 0 and (group.usd_per_hour or 0) > 0:
            yield group, "maxSize", f"0 nodes, but the bill has ${group.usd_per_hour:,.2f} per hour for them"
        elif gang and high is not None and low is not None and low < high:
            yield group, "minSize", f"may start with {low:,} of {high:,} nodes"
        elif gang and high is not None and wanted is not None and wanted < high:
            yield group, "desiredCapacity", f"starts {wanted:,} of {high:,} nodes"
