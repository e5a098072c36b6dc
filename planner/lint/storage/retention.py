"""What must outlive the stack: the data bucket, its key and its settings."""

from __future__ import annotations

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.values import at, flag, many
from planner.lint.rule import WARNING, Hits, rule
from planner.lint.storage.buckets import BUCKET, ENCRYPTION, KEY, LIFECYCLE, MADE, VERSIONING, part_of

PARTS = ("s3:BucketPolicy", "s3:BucketPublicAccessBlock", "s3:BucketOwnershipControls", VERSIONING, ENCRYPTION)


@rule(
    "S3-KEEP",
    BUCKET,
    KEY,
    what="data that `destroy` or a replacement would delete",
    why="The training data and checkpoints can be deleted: a changed argument may replace the bucket, which "
    "starts with deleting it. protect makes Pulumi refuse, and retainOnDelete keeps the data once protect is "
    "off or the resource is removed from the program",
    remedy="Set protect and retainOnDelete on the bucket and its key, and forceDestroy: false",
    example="protect: false on the data bucket, or forceDestroy: true",
)
def data_not_protected(graph: Graph) -> Hits:
    for bucket in data_buckets(graph):
        if flag(bucket.inputs.get("forceDestroy")):
            yield bucket, "forceDestroy", "the bucket is deleted with all its objects"
        for where, message in _missing_protection(graph, bucket):
            yield bucket, where, message
        for key in keys_of(graph, bucket):
            for where, message in _missing_protection(graph, key):
                yield key, where, f"{message}, but {bucket.name} is encrypted with this key"


def _missing_protection(graph: Graph, resource: Resource) -> list[tuple[str, str]]:
    """What a resource lacks to be kept. A graph that only lists what is set does not need both settings."""
    says_no = any(r.protect is False or r.retain is False for r in graph.resources)
    if not resource.protect and not resource.retain:
        return [("retainOnDelete", "neither retained nor protected")]
    if resource.protect is False or (says_no and not resource.protect):
        return [("protect", "retained, but not protected from replacement and deletion")]
    if resource.retain is False or (says_no and not resource.retain):
        return [("retainOnDelete", "protected, but not retained")]
    return []


def keys_of(graph: Graph, bucket: Resource) -> list[Resource]:
    """The KMS keys that encrypt a bucket."""
    found: list[Resource] = []
    for _, _, inputs in part_of(graph, bucket, ENCRYPTION, "serverSideEncryptionConfiguration"):
        for block in many(inputs.get("rules") or inputs.get("rule")):
            key = graph.target(at(block, "applyServerSideEncryptionByDefault.kmsMasterKeyId"), KEY)
            found += [key] if key is not None else []
    return list(dict.fromkeys(found))


def data_buckets(graph: Graph) -> list[Resource]:
    """Buckets that hold data: all but those with files of the deployment."""
    filled = {graph.target(o.inputs.get("bucket"), BUCKET) for kind in MADE for o in graph.of(kind)}
    return [bucket for bucket in graph.of(BUCKET) if bucket not in filled]


@rule(
    "S3-KEEP-PARTS",
    *PARTS,
    *LIFECYCLE,
    severity=WARNING,
    what="settings of a retained bucket that are deleted with the stack",
    why="After `destroy` the data remains without its policy, versioning, encryption or lifecycle",
    remedy="Set retainOnDelete on the bucket's settings too",
    example="retain_on_delete: false on the BucketPolicy of a retained bucket",
)
def bucket_settings_not_retained(graph: Graph) -> Hits:
    for bucket in data_buckets(graph):
        for kind in (*PARTS, *LIFECYCLE) if bucket.retain else ():
            for part in graph.pointing(bucket, kind, "bucket"):
                if part.retain is False:
                    yield part, "retainOnDelete", f"not retained, although {bucket.name} is"


# types whose replacement or deletion takes data with it
HOLDS_DATA = (
    BUCKET,
    KEY,
    "dynamodb:Table",
    "ebs:Volume",
    "ecr:Repository",
    "efs:FileSystem",
    "fsx:FileCache",
    "fsx:LustreFileSystem",
    "fsx:OntapFileSystem",
    "fsx:OpenZfsFileSystem",
    "fsx:WindowsFileSystem",
    "rds:Cluster",
    "rds:Instance",
    "s3:DirectoryBucket",
    "s3tables:TableBucket",
)


@rule(
    "DATA-ENDS",
    *HOLDS_DATA,
    what="a preview that replaces or deletes what holds data",
    why="`pulumi up` deletes the data, or leaves it behind and goes on with an empty resource in its place. Without "
    "its KMS key, encrypted data cannot be read",
    remedy="Undo the changed argument, or copy the data first; set protect, so that Pulumi refuses",
    example="op: replace of a file system, or op: delete of a bucket",
)
def preview_ends_data(graph: Graph) -> Hits:
    for how, resource in graph.ending:
        if resource.kind not in HOLDS_DATA:
            continue
        if how == "replaced":
            left = "the old one is kept outside the stack" if resource.retain else "the old one is deleted"
            yield resource, "op", f"replaced by an empty one; {left}"
        elif not resource.retain:
            yield resource, "op", "deleted, and retainOnDelete is not set"
