"""Auto Scaling groups: sizes, templates, versions, what a deployment waits for."""

from __future__ import annotations

import difflib
from itertools import pairwise

from planner.lint.read.graph import Graph
from planner.lint.read.topology import GROUP, TEMPLATE, clustered, has_efa, named_template, specifications, templates_of
from planner.lint.read.values import given, leaves, literal, whole
from planner.lint.rule import WARNING, Hits, rule


@rule(
    "ASG-SIZE",
    GROUP,
    what="sizes that contradict each other",
    why="min, desired and max must be in this order, and none below 0: AWS refuses the group",
    remedy="min <= desired <= max; a gang has all three the same",
    example="minSize: 8, maxSize: 4",
)
def sizes_in_order(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        sizes = [(key, whole(group.inputs.get(key))) for key in ("minSize", "desiredCapacity", "maxSize")]
        for key, size in sizes:
            value = group.inputs.get(key)
            if (size is None and given(value) and literal(value) == value) or (size is not None and size < 0):
                yield group, key, f"{value!r} is no number of nodes"
        known = [(key, size) for key, size in sizes if size is not None]
        for (low, a), (high, b) in pairwise(known):
            if a > b:
                yield group, low, f"{low} {a:,} is above {high} {b:,}"


@rule(
    "ASG-TEMPLATE",
    GROUP,
    what="not exactly one of launchTemplate and mixedInstancesPolicy",
    why="AWS takes one of the two and refuses both or neither; no check before the call sees it",
    remedy="launchTemplate for a gang of one type, mixedInstancesPolicy for spot",
    example="launchTemplate and mixedInstancesPolicy in one group",
)
def one_template(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        named = [
            k for k in ("launchTemplate", "mixedInstancesPolicy", "launchConfiguration") if given(group.inputs.get(k))
        ]
        if len(named) != 1:
            yield group, named[-1] if named else "launchTemplate", f"{' and '.join(named) or 'none'} given"
        for where, block, _ in specifications(group):
            pairs = (("id", "name"), ("launchTemplateId", "launchTemplateName"))
            if any(given(block.get(a)) and given(block.get(b)) for a, b in pairs):
                yield group, where, "id and name of a launch template: AWS takes one"


@rule(
    "ASG-VERSION",
    GROUP,
    severity=WARNING,
    what="a template's version that changes unseen",
    why="with $Latest or $Default a preview shows nothing, and the next node differs from the others",
    remedy="version of the template's latestVersion output",
    example="version: $Latest",
)
def version_is_seen(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        for where, block, _ in specifications(group):
            if block.get("version") in (None, "", "$Latest", "$Default"):
                yield group, f"{where}.version", f"version {block.get('version') or 'not given'}"


@rule(
    "ASG-WAIT",
    GROUP,
    severity=WARNING,
    what="a deployment that waits for the nodes and fails without them",
    why="GPUs may be short for hours: after ten minutes the update fails, with half a gang that bills",
    remedy='waitForCapacityTimeout "0" and a check of its own for the nodes',
    example="no waitForCapacityTimeout on a group of GPU nodes",
)
def does_not_wait(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        wait = group.inputs.get("waitForCapacityTimeout")
        gang = any(has_efa(template) for template in templates_of(graph, group))
        if gang and str(wait) not in ("0", "0s", "0m", "0.0"):
            yield group, "waitForCapacityTimeout", f"waits {wait if isinstance(wait, str) else '10m'} for all nodes"


@rule(
    "ASG-UNRESOLVED",
    GROUP,
    what="a group whose template is of another kind of thing",
    why="a group starts from a launch template; a reference to anything else is refused",
    remedy="the id of a launch template",
    example="launchTemplate.id that refers to a placement group",
)
def template_is_one(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        for where, block, _ in specifications(group):
            if named_template(graph, block) is None:
                for _, leaf in leaves({k: v for k, v in block.items() if k != "version"}):
                    found = next(graph.referred(leaf), None)
                    if found is not None and found.kind != TEMPLATE:
                        yield group, where, f"refers to {found.name}, which is a {found.kind}"
                known = [name for template in graph.of(TEMPLATE) if (name := literal(template.inputs.get("name")))]
                for key in ("name", "launchTemplateName"):
                    text = literal(block.get(key))
                    near = difflib.get_close_matches(text, known, n=1, cutoff=0.9) if text else []
                    if near:
                        yield group, f"{where}.{key}", f"no template is called {text!r}, did you mean {near[0]!r}?"


@rule(
    "ASG-GANG-SIZE",
    GROUP,
    severity=WARNING,
    what="a gang without all of its nodes",
    why="a job that needs every node starts with none missing: what is there bills while it waits for the rest",
    remedy="minSize, desiredCapacity and maxSize the same; none 0 while the plan pays for nodes",
    example="minSize: 0 on a group of 16 nodes with EFA",
)
def gang_is_whole(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        low, wanted, high = (whole(group.inputs.get(k)) for k in ("minSize", "desiredCapacity", "maxSize"))
        gang = any(has_efa(template) for template in templates_of(graph, group)) and clustered(graph, group)
        if high == 0 and (group.usd_per_hour or 0) > 0:
            yield group, "maxSize", f"no nodes, and the bill has {group.usd_per_hour:,.2f} USD an hour for them"
        elif gang and high is not None and low is not None and low < high:
            yield group, "minSize", f"{low:,}, and the gang has up to {high:,} nodes"
        elif gang and high is not None and wanted is not None and wanted < high:
            yield group, "desiredCapacity", f"{wanted:,} of {high:,} nodes"
