"""Names and tags: fixed and unique names, and the tags that attribute cost to the stack."""

from __future__ import annotations

from collections.abc import Iterator

from planner.lint.read.earlier import earlier
from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import TEMPLATE
from planner.lint.read.values import at, given, literal, many, one, texts
from planner.lint.rule import Hits, rule

# type -> argument with its unique name; without it Pulumi appends a random suffix
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
# types that need the stack's tags
TAGGED = {
    *NAMED,
    "ec2:Eip",
    "ec2:FlowLog",
    "ec2:Instance",
    "ec2:NatGateway",
    "ec2:NetworkInterface",
    "ec2:SecurityGroup",
    "ec2:Subnet",
    "ec2:Vpc",
    "ec2:VpcEndpoint",
    "fsx:DataRepositoryAssociation",
    "fsx:LustreFileSystem",
    "kms:Key",
} - {"iam:InstanceProfile"}
WANTED = ("planner:stack", "planner:component", "planner:name")


@rule(
    "URN-TWICE",
    what="two resources with one URN",
    why="Pulumi rejects the second resource. Tests with mocks, and previews without the engine, do not notice",
    remedy="Give each resource its own logical name",
    example="two Subnets called nodes",
)
def duplicate_urn(graph: Graph) -> Hits:
    seen: dict[str, Resource] = {}
    for resource in graph.resources:
        first = earlier(seen, resource.urn, resource)
        if first is not None:
            yield resource, "urn", f"{first.name} has the same URN"


@rule(
    "NAME-RANDOM",
    *sorted(NAMED),
    what="a resource that Pulumi names at random",
    why="A deployment that is killed and repeated can create the resource twice, and the first one is billed "
    "without being noticed. With a fixed name the second create fails",
    remedy="Set a name built from the stack and the component",
    example="an Auto Scaling group without name, or with namePrefix",
)
def auto_named_resource(graph: Graph) -> Hits:
    if not is_ours(graph):  # random names are what Pulumi gives by default, and others may rely on them
        return
    for kind, key in NAMED.items():
        for resource in graph.of(kind):
            prefix = f"{key}Prefix"
            # Pulumi lists the arguments that it filled in
            made_up = key in texts(resource.inputs.get("__defaults"))
            if made_up or not given(resource.inputs.get(key)):
                where = prefix if given(resource.inputs.get(prefix)) else key
                yield resource, where, f"no {key}, so Pulumi appends a random suffix"


@rule(
    "NAME-TWICE",
    *sorted(NAMED),
    what="two resources with one name",
    why="AWS rejects the second resource, or both manage the same one",
    remedy="Give each resource its own name",
    example="two roles called planner-dev-node",
)
def duplicate_name(graph: Graph) -> Hits:
    for kind, key in {**NAMED, "ec2:SecurityGroup": "name", "iam:Policy": "name", "kms:Alias": "name"}.items():
        seen: dict[object, Resource] = {}
        for resource in graph.of(kind):
            name = literal(resource.inputs.get(key))
            scope = name and (name, str(resource.inputs.get("vpcId"))) if kind == "ec2:SecurityGroup" else name
            first = earlier(seen, scope, resource)
            if first is not None and first.urn != resource.urn:
                yield resource, key, f"{first.name} is also named {name!r}"


def tags_of(graph: Graph, resource: Resource) -> set[str]:
    """Keys of a resource's tags, including the provider's default tags."""
    found: set[str] = set()
    held = [resource.inputs.get("tags"), resource.inputs.get("tagsAll")]
    held += [at(provider.inputs, "defaultTags.tags") for provider in graph.of("pulumi:providers:aws")]
    for value in held:
        for block in many(value):
            key = block.get("key")
            found |= {key} if isinstance(key, str) and "value" in block else set(block)
    return found


def tags_of_stack(graph: Graph) -> dict[str, set[str]]:
    """Tag -> its known values in the graph."""
    found: dict[str, set[str]] = {}
    for resource in graph.resources:
        for _, key, value in _pairs(resource):
            if (text := literal(value)) is not None:
                found.setdefault(key, set()).add(text)
    return found


def is_ours(graph: Graph) -> bool:
    """Whether the stack uses the planner's tags; graphs of other programs do not."""
    return any(key.startswith("planner:") for resource in graph.resources for key in tags_of(graph, resource))


@rule(
    "TAG-MISSING",
    *sorted(TAGGED),
    what="a resource that costs money without the stack's tags",
    why="Its cost is missing from the stack's costs, and a leftover of a killed deployment cannot be found",
    remedy="Set the tags planner:stack, planner:component and planner:name",
    example="a NAT gateway without tags",
)
def missing_stack_tags(graph: Graph) -> Hits:
    if not is_ours(graph):
        return
    for resource in graph.of(*sorted(TAGGED)):
        missing = [key for key in WANTED if key not in tags_of(graph, resource)]
        if missing:
            yield resource, "tags", f"missing tags: {', '.join(missing)}"
        wanted = {"planner:stack": graph.stack.get("name"), "planner:plan": graph.stack.get("plan_sha256")}
        for where, key, value in _pairs(resource):
            if isinstance(wanted.get(key), str) and literal(value) != wanted[key] and "${" not in str(value):
                yield resource, where, f"{key} is {value!r}, but this is {wanted[key]!r}"
    for template in graph.of(TEMPLATE):
        specifications = many(template.inputs.get("tagSpecifications"))
        for made in ("instance", "volume"):
            tags = {key for s in specifications if s.get("resourceType") == made for key in one(s.get("tags"))}
            missing = [key for key in WANTED if key not in tags]
            if missing:
                yield template, "tagSpecifications", f"tags missing on each {made}: {', '.join(missing)}"
        wanted = {"planner:stack": graph.stack.get("name"), "planner:plan": graph.stack.get("plan_sha256")}
        for i, block in enumerate(specifications):
            for key, value in one(block.get("tags")).items():
                if isinstance(wanted.get(key), str) and literal(value) not in (wanted[key], None):
                    place = f"tagSpecifications[{i}].tags"
                    yield template, place, f"{key} is {value!r}, but this is {wanted[key]!r}"


@rule(
    "TAG-SYNTAX",
    what="an invalid tag",
    why="AWS rejects the resource: keys have 1 to 128 characters and do not start with aws:, and values have "
    "at most 256",
    remedy="Use a shorter or plainer tag",
    example='tags: {"aws:stack": "dev"}',
)
def invalid_tag(graph: Graph) -> Hits:
    for resource in graph.resources:
        if not resource.type.startswith("aws:"):
            continue
        for where, key, value in _pairs(resource):
            if not 1 <= len(key) <= 128 or key.lower().startswith("aws:"):
                yield resource, where, f"invalid key {key[:60]!r}"
            elif isinstance(value, str) and "${" not in value and len(value) > 256:
                yield resource, where, f"the value of {key!r} has {len(value)} characters"


def _pairs(resource: Resource) -> Iterator[tuple[str, str, object]]:
    for block in many(resource.inputs.get("tags")):
        key = block.get("key")
        if isinstance(key, str) and "value" in block:
            yield "tags", key, block["value"]
        else:
            yield from (("tags", str(name), value) for name, value in block.items())
