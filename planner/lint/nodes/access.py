"""Access to nodes: instance metadata, instance profile, SSH keys, SSM."""

from __future__ import annotations

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.policies import IDENTITY, allows, matches, policies
from planner.lint.read.topology import INSTANCE, TEMPLATE, completed_by_service, from_template, node_configs, role_of
from planner.lint.read.values import at, given, literal, one, texts, whole
from planner.lint.rule import WARNING, Hits, rule

ATTACHED = ("iam:RolePolicyAttachment", "iam:PolicyAttachment")
# AWS managed policies for SSM
SSM = ("AmazonSSMManagedInstanceCore", "AmazonSSMManagedEC2InstanceDefaultPolicy", "AmazonEC2RoleforSSM")


@rule(
    "IMDS-V2",
    TEMPLATE,
    INSTANCE,
    what="instance metadata without a session token",
    why="Anything that can make the node send a request can read the role's credentials: IMDSv1 needs no token",
    remedy="Set metadataOptions.httpTokens to required",
    example="httpTokens: optional, or no metadataOptions",
)
def imds_without_token(graph: Graph) -> Hits:
    for resource in node_configs(graph):
        options = one(resource.inputs.get("metadataOptions"))
        tokens = options.get("httpTokens")
        if options.get("httpEndpoint") == "disabled" or (from_template(resource) and not options):
            continue
        if tokens in (None, "", "optional"):
            yield resource, "metadataOptions.httpTokens", "httpTokens is not required"


@rule(
    "IMDS-HOPS",
    TEMPLATE,
    INSTANCE,
    what="an invalid or wide hop limit for instance metadata",
    why="Credentials can leave the node. A limit of 1 keeps them on the node, 2 also reaches its containers, "
    "and more reaches other hosts",
    remedy="Set httpPutResponseHopLimit to 1, or to 2 for containers",
    example="httpPutResponseHopLimit: 64",
)
def imds_hop_limit(graph: Graph) -> Hits:
    for resource in node_configs(graph):
        hops = at(resource.inputs, "metadataOptions.httpPutResponseHopLimit")
        count = whole(hops)
        if count is not None and not 1 <= count <= 2:
            yield resource, "metadataOptions.httpPutResponseHopLimit", f"a hop limit of {count}"


@rule(
    "IMDS-OFF",
    TEMPLATE,
    INSTANCE,
    what="a role on a node whose instance metadata is disabled",
    why="The node reaches neither the bucket nor SSM: it gets its credentials, name and Region from instance metadata",
    remedy="Set httpEndpoint to enabled and httpTokens to required",
    example="httpEndpoint: disabled on a node with iamInstanceProfile",
)
def imds_disabled_with_role(graph: Graph) -> Hits:
    for resource in node_configs(graph):
        off = at(resource.inputs, "metadataOptions.httpEndpoint") == "disabled"
        if off and given(resource.inputs.get("iamInstanceProfile")):
            yield resource, "metadataOptions.httpEndpoint", "disabled, but the node has a role"


@rule(
    "SSH-KEY",
    TEMPLATE,
    INSTANCE,
    severity=WARNING,
    what="an SSH key on a node",
    why="Access with a key is not logged; SSM sessions are, and need no key",
    remedy="Remove the key and use SSM",
    example="keyName: ops",
)
def ssh_key_on_node(graph: Graph) -> Hits:
    for resource in node_configs(graph):
        if given(resource.inputs.get("keyName")):
            yield resource, "keyName", "an SSH key on a node"


@rule(
    "NODE-PROFILE",
    TEMPLATE,
    INSTANCE,
    severity=WARNING,
    what="nodes without an instance profile",
    why="The nodes reach neither the bucket nor SSM, and people tend to copy access keys to them instead",
    remedy="Set iamInstanceProfile to a role with least privilege",
    example="a launch template without iamInstanceProfile",
)
def node_without_profile(graph: Graph) -> Hits:
    for resource in node_configs(graph):
        profile = resource.inputs.get("iamInstanceProfile")
        said = any(given(value) for value in one(profile).values()) if isinstance(profile, dict) else given(profile)
        if not said and not from_template(resource) and not completed_by_service(graph, resource):
            yield resource, "iamInstanceProfile", "no instance profile"


@rule(
    "NODE-SSM",
    "iam:Role",
    severity=WARNING,
    what="nodes that Systems Manager cannot reach",
    why="Nobody can log in to a node that fails to start or hangs: there is no SSH, and the role lacks the "
    "rights for SSM",
    remedy="Allow ssm:UpdateInstanceInformation, ssmmessages:* and ec2messages:*; AmazonSSMManagedInstanceCore has "
    "them, and reads every SSM parameter of the account too",
    example="the nodes' role without ssm:UpdateInstanceInformation",
)
def node_without_ssm(graph: Graph) -> Hits:
    roles = {role for maker in node_configs(graph) if (role := role_of(graph, maker)) is not None}
    for role in sorted(roles, key=lambda r: r.urn):
        if not _has_ssm_policy(graph, role):
            yield role, "", "no policy allows Systems Manager"


def _has_ssm_policy(graph: Graph, role: Resource) -> bool:
    """Whether a role has SSM permissions; True if one of its policies is unknown."""
    named = texts(role.inputs.get("managedPolicyArns"))
    for held in graph.of(*ATTACHED):
        mine = [*texts(held.inputs.get("role")), *texts(held.inputs.get("roles"))]
        if any(graph.target(text, "iam:Role") is role for text in mine):
            named += texts(held.inputs.get("policyArn"))
    if any(literal(text) is None or text.rpartition("/")[2] in SSM for text in named):
        return True
    for policy in policies(graph):
        if policy.kind != IDENTITY or graph.target(policy.holder.inputs.get("role"), "iam:Role") is not role:
            continue
        for _, statement in policy.statements():
            actions = texts(statement.get("Action")) if allows(statement) else []
            if any(matches(action, "ssm:UpdateInstanceInformation") for action in actions):
                return True
    return False
