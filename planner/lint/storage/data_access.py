"""Access of the nodes to their data: bucket, key and endpoint policies, and the nodes' own permissions."""

from __future__ import annotations

from fnmatch import fnmatchcase

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.policies import IDENTITY, RESOURCE, Policy, allows, is_of_ssm, matches, policies, principals
from planner.lint.read.topology import node_configs, role_of
from planner.lint.read.values import Json, given, leaves, literal, one, texts
from planner.lint.rule import Hits, rule
from planner.lint.storage.buckets import BUCKET, KEY
from planner.lint.storage.retention import data_buckets, keys_of

READS, WRITES = "s3:GetObject", "s3:PutObject"
UNLOCKS = "s3:PutBucketPolicy"  # who may do this can take a Deny back
NEEDED = (READS, WRITES, "kms:Decrypt", "kms:GenerateDataKey", "sns:Publish", "sqs:SendMessage")


@rule(
    "POLICY-DENIES",
    "s3:BucketPolicy",
    KEY,
    "ec2:VpcEndpoint",
    "iam:RolePolicy",
    what="a Deny on what the stack needs, without a condition or for all but one VPC endpoint",
    why="The nodes lose access to their data, and with a bucket or key policy administrators do too: a Deny "
    "overrides every Allow, and only the account's root can remove it",
    remedy="Add a condition, or name the principal",
    example='{"Effect": "Deny", "Principal": "*", "Action": "s3:*"} without Condition',
)
def deny_without_condition(graph: Graph) -> Hits:
    for policy in policies(graph):
        statements = policy.statements()
        for where, statement in statements:
            if statement.get("Effect") != "Deny":
                continue
            if given(statement.get("Condition")):
                if policy.kind == RESOURCE and (locked := _behind_one_endpoint(graph, statement)):
                    yield policy.holder, where, locked
                continue
            denied = [need for need in NEEDED if any(matches(a, need) for a in texts(statement.get("Action")))]
            everybody = any(name == "*" for _, name in principals(statement))
            if denied and policy.kind == RESOURCE and everybody:
                yield policy.holder, where, f"denies {denied[0]} to everyone"
            elif denied and policy.kind == IDENTITY and _contradicts(statement, statements, denied):
                yield policy.holder, where, f"denies {denied[0]}, which the same policy allows"


def _behind_one_endpoint(graph: Graph, statement: Json) -> str:
    """What a Deny for everyone outside a VPC endpoint breaks; "" where it breaks nothing that the graph shows."""
    keys = [
        (op, key, value) for op, block in one(statement.get("Condition")).items() for key, value in one(block).items()
    ]
    if len(keys) != 1 or not any(name == "*" for _, name in principals(statement)):
        return ""
    (operator, key, value), actions = keys[0], texts(statement.get("Action"))
    negated = operator.lower().startswith(("stringnotequals", "stringnotlike", "foranyvalue:stringnot"))
    if not negated or key.lower() != "aws:sourcevpce":
        return ""
    if any(matches(action, UNLOCKS) for action in actions):
        return f"denies {UNLOCKS} outside one VPC endpoint: administrators and `pulumi up` cannot change the bucket"
    own = graph.of("ec2:VpcEndpoint")
    data = [need for need in (READS, WRITES) if any(matches(action, need) for action in actions)]
    if data and own and not graph.targets(value, "ec2:VpcEndpoint"):
        return f"denies {data[0]} outside a VPC endpoint that is not the stack's"
    return ""


def _contradicts(deny: Json, statements: list[tuple[str, Json]], denied: list[str]) -> bool:
    for _, other in statements:
        both = [need for need in denied if any(matches(a, need) for a in texts(other.get("Action")))]
        if allows(other) and both:
            for text in texts(other.get("Resource")):
                covered = any(fnmatchcase(text, p.replace("[", "[[]")) for p in texts(deny.get("Resource")))
                if covered:
                    return True
    return False


@rule(
    "IAM-KEY",
    "iam:RolePolicy",
    "iam:Role",
    what="nodes that may read objects but not use their KMS key",
    why="Every read and write is denied, and the run stops at its first shard: S3 needs the role to have "
    "access to the object's key",
    remedy="Allow kms:Decrypt and kms:GenerateDataKey on the bucket's key",
    example="s3:GetObject on the bucket, and no kms:Decrypt on its key",
)
def nodes_without_key_access(graph: Graph) -> Hits:
    every = list(policies(graph))
    for role, held in _roles(graph).items():
        for bucket in data_buckets(graph):
            reading = [p for p in held if _reaches(graph, p, bucket, (READS, WRITES))]
            for key in keys_of(graph, bucket) if reading else ():
                # a key with an unknown policy may allow the role
                key_policies = [p for p in every if p.holder is key and p.document is not None]
                if not key_policies or any(role in set(graph.referred(p.document)) for p in key_policies):
                    continue
                if not any(_reaches(graph, p, key, ("kms:Decrypt",)) for p in held):
                    yield reading[0].holder, reading[0].where, f"no kms:Decrypt on {key.name}, the key of {bucket.name}"
                elif not any(_leaves_to_roles(graph, p, role) for p in key_policies):
                    yield (
                        key,
                        key_policies[0].where,
                        f"does not allow {role.name}, by name or through the account's root",
                    )


def _leaves_to_roles(graph: Graph, policy: Policy, role: Resource) -> bool:
    """Whether a key's policy allows the account's root, everyone, or the role by name."""
    for _, statement in policy.statements():
        used = any(matches(action, "kms:Decrypt") for action in texts(statement.get("Action")))
        for _, name in principals(statement) if allows(statement) and used else ():
            by_name = role.physical is not None and name.endswith(f"/{role.physical}")
            if name == "*" or name.endswith(":root") or name.isdigit() or literal(name) is None or by_name:
                return True
    return False


@rule(
    "IAM-DATA",
    "iam:RolePolicy",
    "s3:Bucket",
    what="a data bucket that no node may read",
    why="The nodes start and are billed, but every read is denied",
    remedy="Allow s3:GetObject and s3:PutObject on the bucket's prefixes in the nodes' role",
    example="the nodes' policy names a different bucket",
)
def nodes_without_data_access(graph: Graph) -> Hits:
    roles = _roles(graph)
    for role, held in roles.items():
        actions = [a for p in held for _, s in p.statements() if allows(s) for a in texts(s.get("Action"))]
        aborts = any(matches(action, "s3:AbortMultipartUpload") for action in actions)
        if aborts and not any(matches(action, WRITES) for action in actions):
            yield held[0].holder, held[0].where, f"{role.name} may abort uploads but not start them: no {WRITES}"
        if any(matches(action, WRITES) for action in actions) and not any(matches(a, READS) for a in actions):
            yield held[0].holder, held[0].where, f"{role.name} may write but not read: no {READS}"
    for role, held in roles.items():
        for bucket in data_buckets(graph):
            keyed = [k for k in keys_of(graph, bucket) if any(_reaches(graph, p, k, ("kms:Decrypt",)) for p in held)]
            if keyed and not any(_reaches(graph, p, bucket, (READS, WRITES)) for p in held):
                yield held[0].holder, held[0].where, f"{role.name} may use {keyed[0].name} but not read {bucket.name}"
    every = [policy for held in roles.values() for policy in held]
    unknown = any(p.document is None for p in policies(graph)) or any(not held for held in roles.values())
    linked = {bucket for link in graph.of("fsx:DataRepositoryAssociation") for bucket in graph.referred(link.inputs)}
    for bucket in data_buckets(graph):
        own = any(
            allows(s)
            for p in policies(graph)
            if p.kind == RESOURCE
            for _, s in p.statements()
            if graph.target(p.holder.inputs.get("bucket"), bucket.kind) is bucket
        )
        reached = own or bucket in linked or any(_reaches(graph, p, bucket, (READS, WRITES)) for p in every)
        if roles and not unknown and not reached:
            yield bucket, "", "no node's role may read or write this bucket"


@rule(
    "ENDPOINT-POLICY",
    "ec2:VpcEndpoint",
    what="an endpoint policy that blocks the nodes' data",
    why="S3 denies every read or write of the nodes: a request through a gateway endpoint needs permission "
    "from the endpoint's policy and from the role",
    remedy="Add the bucket and its objects to the endpoint's policy, with every action that the nodes use",
    example="the S3 endpoint's policy names a different bucket",
)
def endpoint_policy_blocks_data(graph: Graph) -> Hits:
    endpoint_policies = [p for p in policies(graph) if p.holder.kind == "ec2:VpcEndpoint" and p.document is not None]
    for policy in endpoint_policies:
        name = str(policy.holder.inputs.get("serviceName"))
        kept = {
            key
            for p in endpoint_policies
            for _, s in p.statements()
            for key in ("NotAction", "NotResource")
            if given(s.get(key))
        }
        for bucket in graph.of(BUCKET) if name.endswith(".s3") and not kept else ():
            for need in (READS, WRITES):
                users = [
                    role
                    for role, held in _roles(graph).items()
                    if any(_reaches(graph, p, bucket, (need,)) and _means(graph, p, bucket) for p in held)
                ]
                if users and not _reaches(graph, policy, bucket, (need,)):
                    yield (
                        policy.holder,
                        policy.where,
                        f"does not allow {need} on {bucket.name}, which {users[0].name} needs",
                    )


def _means(graph: Graph, policy: Policy, bucket: Resource) -> bool:
    """Whether a policy is about a bucket: of the data, or named in it, as that of the nodes' programs is."""
    return bucket in data_buckets(graph) or bucket in set(graph.referred(policy.document))


def _roles(graph: Graph) -> dict[Resource, list[Policy]]:
    """The nodes' roles with their policies; without roles whose attached policies are unknown."""
    found: dict[Resource, list[Policy]] = {}
    for maker in node_configs(graph):
        role = role_of(graph, maker)
        if role is not None:
            found.setdefault(role, [])
    attached: set[Resource | None] = set()
    by_holder = {policy.holder: policy for policy in policies(graph)}
    for attachment in graph.of("iam:RolePolicyAttachment"):
        role = graph.target(attachment.inputs.get("role"), "iam:Role")
        named = graph.target(attachment.inputs.get("policyArn"), "iam:Policy")
        policy = by_holder.get(named) if named else None
        if policy is not None and role in found:
            found[role].append(policy)
        elif policy is None and not str(attachment.inputs.get("policyArn")).endswith("/AmazonSSMManagedInstanceCore"):
            attached.add(role)
    for policy in policies(graph):
        role = policy.holder if policy.holder.kind == "iam:Role" else graph.target(policy.holder.inputs.get("role"))
        if policy.kind == IDENTITY and role in found and not is_of_ssm(policy):
            found[role].append(policy)
    # attached policies that the graph lacks may allow anything
    return {role: held for role, held in found.items() if role not in attached and held}


def _reaches(graph: Graph, policy: Policy, thing: Resource, wanted: tuple[str, ...]) -> bool:
    """Whether a policy is known to allow one of these actions on a resource."""
    for _, statement in policy.statements():
        if not allows(statement) or not any(matches(a, w) for a in texts(statement.get("Action")) for w in wanted):
            continue
        if given(statement.get("NotResource")):
            return True
        for _, leaf in leaves(statement.get("Resource")):
            text = str(leaf)
            names = [name for name in (thing.physical, *thing.ids) if name]
            pattern = text.partition(":::")[2].split("/")[0]
            if text == "*" or thing in set(graph.referred(text)) or any(name in text for name in names):
                return True
            if any(fnmatchcase(name, pattern) for name in names if pattern):
                return True
            # a wildcard key ARN may include this key
            if thing.kind == KEY and text.split("/")[-1] == "*":
                return True
    return False
