"""How a node gets rights and how a person gets to it: metadata, role, SSM in place of SSH."""

from __future__ import annotations

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.policies import IDENTITY, allows, matches, policies
from planner.lint.read.topology import INSTANCE, TEMPLATE, from_template, makers, role_of
from planner.lint.read.values import at, given, literal, one, texts, whole
from planner.lint.rule import WARNING, Hits, rule

ATTACHED = ("iam:RolePolicyAttachment", "iam:PolicyAttachment")
# policies of AWS that let a node be managed
SSM = ("AmazonSSMManagedInstanceCore", "AmazonSSMManagedEC2InstanceDefaultPolicy", "AmazonEC2RoleforSSM")


@rule(
    "IMDS-V2",
    TEMPLATE,
    INSTANCE,
    what="instance metadata without a token",
    why="IMDSv1 hands the role's credentials to whatever can make the node send a request",
    remedy="metadataOptions.httpTokens required",
    example="httpTokens: optional, or no metadataOptions",
)
def metadata_wants_a_token(graph: Graph) -> Hits:
    for resource in makers(graph):
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
    what="a hop limit that EC2 refuses, or wider than containers need",
    why="1 keeps the credentials on the node, 2 lets its containers have them; more lets others have them",
    remedy="httpPutResponseHopLimit 1, or 2 with containers",
    example="httpPutResponseHopLimit: 64",
)
def metadata_stays_near(graph: Graph) -> Hits:
    for resource in makers(graph):
        hops = at(resource.inputs, "metadataOptions.httpPutResponseHopLimit")
        count = whole(hops)
        if count is not None and not 1 <= count <= 2:
            yield resource, "metadataOptions.httpPutResponseHopLimit", f"{count} hops"


@rule(
    "IMDS-OFF",
    TEMPLATE,
    INSTANCE,
    what="a role behind metadata that are switched off",
    why="a node learns its role, its name and its region there: without them it reaches neither the bucket nor SSM",
    remedy="httpEndpoint enabled with httpTokens required",
    example="httpEndpoint: disabled beside iamInstanceProfile",
)
def metadata_are_on(graph: Graph) -> Hits:
    for resource in makers(graph):
        off = at(resource.inputs, "metadataOptions.httpEndpoint") == "disabled"
        if off and given(resource.inputs.get("iamInstanceProfile")):
            yield resource, "metadataOptions.httpEndpoint", "off, and the node has a role"


@rule(
    "SSH-KEY",
    TEMPLATE,
    INSTANCE,
    severity=WARNING,
    what="an SSH key on a node",
    why="a key is a way in that nobody logs; SSM sessions need none",
    remedy="leave the key out and use SSM",
    example="keyName: ops",
)
def no_keys(graph: Graph) -> Hits:
    for resource in makers(graph):
        if given(resource.inputs.get("keyName")):
            yield resource, "keyName", "an SSH key on a node"


@rule(
    "NODE-PROFILE",
    TEMPLATE,
    INSTANCE,
    severity=WARNING,
    what="nodes without an instance profile",
    why="without a role they reach neither the bucket nor SSM, and somebody will put keys on them",
    remedy="iamInstanceProfile with a role of least privilege",
    example="a launch template without iamInstanceProfile",
)
def nodes_have_a_role(graph: Graph) -> Hits:
    for resource in makers(graph):
        profile = resource.inputs.get("iamInstanceProfile")
        said = any(given(value) for value in one(profile).values()) if isinstance(profile, dict) else given(profile)
        if not said and not from_template(resource):
            yield resource, "iamInstanceProfile", "no instance profile"


@rule(
    "NODE-SSM",
    "iam:Role",
    severity=WARNING,
    what="nodes that Systems Manager does not reach",
    why="there is no SSH: without these rights nobody gets onto a node that does not come up, or that is stuck",
    remedy="a RolePolicyAttachment of AmazonSSMManagedInstanceCore",
    example="the nodes' role without AmazonSSMManagedInstanceCore",
)
def nodes_are_managed(graph: Graph) -> Hits:
    roles = {role for maker in makers(graph) if (role := role_of(graph, maker)) is not None}
    for role in sorted(roles, key=lambda r: r.urn):
        if not _managed(graph, role):
            yield role, "", "no policy for Systems Manager"


def _managed(graph: Graph, role: Resource) -> bool:
    """Whether a role has AWS's policy for SSM, or rights like it; also where a policy of it is not known."""
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
