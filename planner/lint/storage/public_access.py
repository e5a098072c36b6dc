"""Resource policies: buckets without TLS, and buckets, keys and topics open to everyone."""

from __future__ import annotations

from fnmatch import fnmatchcase

from planner.lint.inputs.names import is_ours
from planner.lint.read.graph import REFERENCE, Graph, Resource
from planner.lint.read.policies import RESOURCE, allows_everyone, matches, policies, principals
from planner.lint.read.values import Json, flag, given, literal, one, texts
from planner.lint.rule import Hits, rule
from planner.lint.storage.buckets import BUCKET, KEY, MADE

PUBLIC = ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")
TOPICS = ("sns:TopicPolicy", "sns:Topic")
OBJECT = "/one/object"


@rule(
    "S3-TLS",
    BUCKET,
    what="a bucket that accepts requests without TLS",
    why="Data and checkpoints could be read in transit",
    remedy="Add a bucket policy that denies s3:* to everyone where aws:SecureTransport is false, on the bucket "
    "and its objects",
    example="no BucketPolicy, one without the Deny, or a Deny on another bucket or on the objects only",
)
def bucket_without_tls_policy(graph: Graph) -> Hits:
    all_policies = [policy for policy in policies(graph) if policy.kind == RESOURCE]
    unreadable = [r for r in graph.of("s3:BucketPolicy") if r not in {policy.holder for policy in all_policies}]
    for bucket in graph.of(BUCKET):
        mine = [
            policy
            for policy in all_policies
            if policy.holder is bucket
            or (
                policy.holder.kind == "s3:BucketPolicy"
                and graph.target(policy.holder.inputs.get("bucket"), BUCKET) is bucket
            )
        ]
        if any(graph.target(r.inputs.get("bucket"), BUCKET) is bucket for r in unreadable):
            continue
        # S3 websites do not support TLS
        if graph.pointing(bucket, "s3:BucketWebsiteConfiguration", "bucket"):
            continue
        if any(policy.document is None for policy in mine):
            continue
        denied = [s for policy in mine for _, s in policy.statements() if _denies_without_tls(s)]
        holder = mine[0].holder if mine else bucket
        if not denied:
            yield holder, "policy", "no statement denies s3:* where aws:SecureTransport is false"
            continue
        for end, what in (("", "the bucket itself"), (OBJECT, "its objects")):
            if not any(_names(graph, statement, bucket, end) for statement in denied):
                yield holder, "policy", f"the Deny for requests without TLS does not cover {what}"


def _denies_without_tls(statement: Json) -> bool:
    condition = one(one(statement.get("Condition")).get("Bool"))
    plain = any(
        str(key).lower() == "aws:securetransport" and flag(one_of(value)) is False for key, value in condition.items()
    )
    everybody = any(name == "*" for _, name in principals(statement))
    actions = any(action in ("s3:*", "*") for action in texts(statement.get("Action")))
    return statement.get("Effect") == "Deny" and plain and everybody and actions


def one_of(value: object) -> object:
    """The value of a condition, which may be a list of one."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _names(graph: Graph, statement: Json, bucket: Resource, end: str) -> bool:
    """Whether a statement may apply to a bucket (end empty) or an object in it."""
    if given(statement.get("NotResource")):
        return True
    wanted = f"arn:aws:s3:::{_called(bucket)}{end}"
    for text in texts(statement.get("Resource")):
        found = _resolved(graph, text)
        head, _, name = (found or "").partition(":s3:::")
        if found is None or found == "*" or (name and fnmatchcase(wanted, f"arn:aws:s3:::{name}")):
            return True
        # the bucket's name is unknown: a plain ARN may be this bucket's
        if bucket.physical is None and name and head and "<" not in name and bool(end) == ("/" in name):
            return True
    return False


def _called(bucket: Resource) -> str:
    return bucket.physical or f"<{bucket.urn.translate(BRACKETS)}>"


BRACKETS = str.maketrans("[]*?", "____")  # a URN is not a pattern


def _resolved(graph: Graph, text: str) -> str | None:
    """A policy resource with references to buckets resolved; None if a reference is to anything else."""
    unknown = False

    def put(found: object) -> str:
        nonlocal unknown
        other = graph.split(found[1])  # type: ignore[index]
        if other is None or other[0].kind != BUCKET or other[1] not in ("arn", "id", "bucket"):
            unknown = True
            return ""
        return f"arn:aws:s3:::{_called(other[0])}" if other[1] == "arn" else _called(other[0])

    resolved = REFERENCE.sub(put, text)
    return None if unknown or literal(resolved) is None else resolved


@rule(
    "S3-PUBLIC",
    BUCKET,
    what="a bucket that is or can become public",
    why="One policy or ACL is enough to publish the training data",
    remedy="Add a BucketPublicAccessBlock with all four settings true, and remove public ACLs and every Allow for *",
    example="blockPublicPolicy: false",
)
def bucket_can_be_public(graph: Graph) -> Hits:
    for bucket in graph.of(BUCKET):
        blocks = graph.pointing(bucket, "s3:BucketPublicAccessBlock", "bucket")
        # S3 itself blocks public access to buckets made since April 2023; ours say so all the same
        if not blocks and is_ours(graph):
            yield bucket, "publicAccessBlock", "no BucketPublicAccessBlock"
        for block in blocks:
            for key in PUBLIC:
                if flag(block.inputs.get(key)) is not True and literal(str(block.inputs.get(key))) is not None:
                    yield block, key, f"{key} is not true"
        made = [o for kind in MADE for o in graph.pointing(bucket, kind, "bucket")]
        for resource in [bucket, *graph.pointing(bucket, "s3:BucketAcl", "bucket"), *made]:
            if str(resource.inputs.get("acl")).startswith(("public", "authenticated")):
                yield resource, "acl", f"{resource.inputs['acl']}"
    for policy in policies(graph):
        if policy.holder.kind not in ("s3:BucketPolicy", BUCKET):
            continue
        for where, statement in policy.statements():
            if allows_everyone(statement):
                yield policy.holder, f"{where}.Principal", "allows everyone"


@rule(
    "KMS-OPEN",
    KEY,
    "kms:KeyPolicy",
    what="a KMS key that every AWS account can use",
    why="The key no longer protects the data: anyone who obtains the objects can decrypt them",
    remedy="Allow only the account's root and the roles that need the key",
    example='"Principal": "*" in the key\'s policy',
)
def key_open_to_everyone(graph: Graph) -> Hits:
    for policy in policies(graph):
        for where, statement in policy.statements() if policy.holder.kind in (KEY, "kms:KeyPolicy") else ():
            used = any(matches(action, "kms:Decrypt") for action in texts(statement.get("Action")))
            if used and allows_everyone(statement):
                yield policy.holder, f"{where}.Principal", "allows everyone"


@rule(
    "TOPIC-OPEN",
    *TOPICS,
    what="an SNS topic that everyone can publish or subscribe to",
    why="Anyone with an AWS account can send false alarms or read the real ones",
    remedy="Allow only the service or role that needs it, with aws:SourceArn or aws:SourceAccount",
    example='"Principal": "*" without a condition in a TopicPolicy',
)
def topic_open_to_everyone(graph: Graph) -> Hits:
    for policy in policies(graph):
        for where, statement in policy.statements() if policy.holder.kind in TOPICS else ():
            if allows_everyone(statement):
                yield policy.holder, f"{where}.Principal", "allows everyone"
