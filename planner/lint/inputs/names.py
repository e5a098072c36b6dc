"""Names and tags: what a killed and repeated update finds again, and what it must not make twice."""

from __future__ import annotations

from collections.abc import Iterator

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import TEMPLATE
from planner.lint.read.values import at, given, literal, many, one, texts
from planner.lint.rule import Hits, rule

# what AWS gives a unique name, and the argument that holds it; without it the engine adds a random end
NAMED = {
    "autoscaling:Group": "name",
    "budgets:Budget": "name",
    "cloudwatch:LogGroup": "name",
    "cloudwatch:MetricAlarm": "name",
    "costexplorer:AnomalyMonitor": "name",
    "costexplorer:AnomalySubscription": "name",
    "ec2:LaunchTemplate": "name",
    "ec2:PlacementGroup": "name",
    "iam:InstanceProfile": "name",
    "iam:Role": "name",
    "s3:Bucket": "bucket",
    "sns:Topic": "name",
}
# what bills and has no unique name: only its tags say whose it is
TAGGED = {
    *NAMED,
    "ec2:CapacityReservation",
    "ec2:Eip",
    "ec2:FlowLog",
    "ec2:Instance",
    "ec2:NatGateway",
    "ec2:NetworkInterface",
    "ec2:SecurityGroup",
    "ec2:Subnet",
    "ec2:Volume",
    "ec2:Vpc",
    "ec2:VpcEndpoint",
    "fsx:DataRepositoryAssociation",
    "fsx:LustreFileSystem",
    "kms:Key",
} - {"iam:InstanceProfile"}
WANTED = ("planner:stack", "planner:plan", "planner:component", "planner:name")


@rule(
    "URN-TWICE",
    what="two resources of one URN",
    why="the engine refuses the second; recording mocks and a preview without an engine do not",
    remedy="a logical name of its own for each",
    example="two Subnets called nodes",
)
def urns_are_unique(graph: Graph) -> Hits:
    seen: dict[str, Resource] = {}
    for resource in graph.resources:
        if resource.urn in seen:
            yield resource, "urn", f"{seen[resource.urn].name} has this URN too"
        seen.setdefault(resource.urn, resource)


@rule(
    "NAME-RANDOM",
    *sorted(NAMED),
    what="a name that the engine makes up",
    why="an update that is killed and repeated makes the resource a second time under another random name, and the "
    "first one bills unseen; with a name of its own the second create is refused as existing",
    remedy="a name that follows from the stack and the component",
    example="an Auto Scaling group without name, or with namePrefix",
)
def names_are_given(graph: Graph) -> Hits:
    for kind, key in NAMED.items():
        for resource in graph.of(kind):
            prefix = f"{key}Prefix"
            # the engine notes which arguments it filled in
            made_up = key in texts(resource.inputs.get("__defaults"))
            if made_up or not given(resource.inputs.get(key)):
                where = prefix if given(resource.inputs.get(prefix)) else key
                yield resource, where, f"no {key}: the engine adds a random end"


@rule(
    "NAME-TWICE",
    *sorted(NAMED),
    what="two things of one name",
    why="AWS refuses the second, or takes it for the first",
    remedy="a name of its own for each",
    example="two roles called planner-dev-node",
)
def names_are_unique(graph: Graph) -> Hits:
    for kind, key in {**NAMED, "ec2:SecurityGroup": "name", "iam:Policy": "name", "kms:Alias": "name"}.items():
        seen: dict[object, Resource] = {}
        for resource in graph.of(kind):
            name = literal(resource.inputs.get(key))
            scope = name and (name, str(resource.inputs.get("vpcId"))) if kind == "ec2:SecurityGroup" else name
            if scope and scope in seen and seen[scope].urn != resource.urn:
                yield resource, key, f"{name!r} is the name of {seen[scope].name} too"
            if scope:
                seen.setdefault(scope, resource)


def tags_of(graph: Graph, resource: Resource) -> set[str]:
    """Keys of its tags, with those that the provider gives to everything."""
    found: set[str] = set()
    held = [resource.inputs.get("tags"), resource.inputs.get("tagsAll")]
    held += [at(provider.inputs, "defaultTags.tags") for provider in graph.of("pulumi:providers:aws")]
    for value in held:
        for block in many(value):
            key = block.get("key")
            found |= {key} if isinstance(key, str) and "value" in block else set(block)
    return found


def tags_of_stack(graph: Graph) -> dict[str, set[str]]:
    """Tag -> the values that resources of the graph have for it, as far as they are known."""
    found: dict[str, set[str]] = {}
    for resource in graph.resources:
        for _, key, value in _pairs(resource):
            if (text := literal(value)) is not None:
                found.setdefault(key, set()).add(text)
    return found


def _ours(graph: Graph) -> bool:
    """Whether the stack uses the planner's tags at all: a graph of others has tags of its own."""
    return any(key.startswith("planner:") for resource in graph.resources for key in tags_of(graph, resource))


@rule(
    "TAG-MISSING",
    *sorted(TAGGED),
    what="something that bills, or holds what bills, without the stack's tags",
    why="what a killed update made twice is found by its tags alone, and so is its share of the bill",
    remedy="tags planner:stack, planner:plan, planner:component and planner:name",
    example="a NAT gateway without tags",
)
def tags_are_given(graph: Graph) -> Hits:
    if not _ours(graph):
        return
    for resource in graph.of(*sorted(TAGGED)):
        missing = [key for key in WANTED if key not in tags_of(graph, resource)]
        if missing:
            yield resource, "tags", f"without {', '.join(missing)}"
        wanted = {"planner:stack": graph.stack.get("name"), "planner:plan": graph.stack.get("plan_sha256")}
        for where, key, value in _pairs(resource):
            if isinstance(wanted.get(key), str) and literal(value) != wanted[key] and "${" not in str(value):
                yield resource, where, f"{key} is {value!r}, and the graph is of {wanted[key]!r}"
    for template in graph.of(TEMPLATE):
        specifications = many(template.inputs.get("tagSpecifications"))
        for made in ("instance", "volume"):
            tags = {key for s in specifications if s.get("resourceType") == made for key in one(s.get("tags"))}
            missing = [key for key in WANTED if key not in tags]
            if missing:
                yield template, "tagSpecifications", f"each {made} is without {', '.join(missing)}"
        wanted = {"planner:stack": graph.stack.get("name"), "planner:plan": graph.stack.get("plan_sha256")}
        for i, block in enumerate(specifications):
            for key, value in one(block.get("tags")).items():
                if isinstance(wanted.get(key), str) and literal(value) not in (wanted[key], None):
                    place = f"tagSpecifications[{i}].tags"
                    yield template, place, f"{key} is {value!r}, and the graph is of {wanted[key]!r}"


@rule(
    "TAG-SYNTAX",
    what="a tag that AWS refuses",
    why="keys have 1 to 128 characters and do not begin with aws:, values have up to 256, and there are 50 at most",
    remedy="a shorter or plainer tag",
    example='tags: {"aws:stack": "dev"}',
)
def tags_are_tags(graph: Graph) -> Hits:
    for resource in graph.resources:
        if not resource.type.startswith("aws:"):
            continue
        for where, key, value in _pairs(resource):
            if not 1 <= len(key) <= 128 or key.lower().startswith("aws:"):
                yield resource, where, f"the key {key[:60]!r}"
            elif isinstance(value, str) and "${" not in value and len(value) > 256:
                yield resource, where, f"the value of {key!r} has {len(value)} characters"


def _pairs(resource: Resource) -> Iterator[tuple[str, str, object]]:
    for block in many(resource.inputs.get("tags")):
        key = block.get("key")
        if isinstance(key, str) and "value" in block:
            yield "tags", key, block["value"]
        else:
            yield from (("tags", str(name), value) for name, value in block.items())
