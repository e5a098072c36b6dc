"""What must outlive the stack: the bucket of the data, its key, and what guards the bucket."""

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
    what="data that `destroy` or a replacement would delete, or leave behind unseen",
    why="a renamed argument can replace a bucket, and a replaced bucket begins with deleting: protect makes the engine "
    "refuse; once somebody lifts it, or the resource leaves the program, only retainOnDelete still keeps the data",
    remedy="protect and retainOnDelete on the bucket and its key, forceDestroy false",
    example="protect: false on the data bucket, or forceDestroy: true",
)
def data_is_kept(graph: Graph) -> Hits:
    for bucket in data_buckets(graph):
        if flag(bucket.inputs.get("forceDestroy")):
            yield bucket, "forceDestroy", "the bucket is deleted with everything in it"
        for where, message in _lost(graph, bucket):
            yield bucket, where, message
        for key in keys_of(graph, bucket):
            for where, message in _lost(graph, key):
                yield key, where, f"{message}, and {bucket.name} is encrypted with it"


def _lost(graph: Graph, resource: Resource) -> list[tuple[str, str]]:
    """What a resource lacks to be kept. A file that never says no is not asked for both: it names what it has."""
    says_no = any(r.protect is False or r.retain is False for r in graph.resources)
    if not resource.protect and not resource.retain:
        return [("retainOnDelete", "neither retained nor protected")]
    if resource.protect is False or (says_no and not resource.protect):
        return [("protect", "retained, but not protected from replacement and deletion")]
    if resource.retain is False or (says_no and not resource.retain):
        return [("retainOnDelete", "protected, but not retained")]
    return []


def keys_of(graph: Graph, bucket: Resource) -> list[Resource]:
    """The keys that a bucket is encrypted with."""
    found: list[Resource] = []
    for _, _, inputs in part_of(graph, bucket, ENCRYPTION, "serverSideEncryptionConfiguration"):
        for block in many(inputs.get("rules") or inputs.get("rule")):
            key = graph.target(at(block, "applyServerSideEncryptionByDefault.kmsMasterKeyId"), KEY)
            found += [key] if key is not None else []
    return list(dict.fromkeys(found))


def data_buckets(graph: Graph) -> list[Resource]:
    """Buckets that hold data: what a file system is linked to, else those without artefacts of the deployment."""
    filled = {graph.target(o.inputs.get("bucket"), BUCKET) for kind in MADE for o in graph.of(kind)}
    return [bucket for bucket in graph.of(BUCKET) if bucket not in filled]


@rule(
    "S3-KEEP-PARTS",
    *PARTS,
    *LIFECYCLE,
    severity=WARNING,
    what="a guard of a kept bucket that goes with the stack",
    why="after `destroy` the data stays, but without its policy, versions, encryption or lifecycle",
    remedy="retainOnDelete on what configures the bucket too",
    example="retain_on_delete: false on the BucketPolicy of a bucket that is retained",
)
def guards_are_kept(graph: Graph) -> Hits:
    for bucket in data_buckets(graph):
        for kind in (*PARTS, *LIFECYCLE) if bucket.retain else ():
            for part in graph.pointing(bucket, kind, "bucket"):
                if part.retain is False:
                    yield part, "retainOnDelete", f"not retained, and {bucket.name} is"
