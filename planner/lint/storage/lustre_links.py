"""Exports from FSx for Lustre to S3, and options that AWS rejects."""

from __future__ import annotations

import re
from itertools import combinations

from planner.lint.read.graph import Graph
from planner.lint.read.values import at, given, literal, one, texts, whole
from planner.lint.rule import WARNING, Hits, rule
from planner.lint.storage.lustre import LINK, SYSTEM

CHUNK = (1, 512_000)  # MiB
SQUASH = re.compile(r"\d{1,10}:\d{1,10}")
CHECKPOINTS = re.compile(r"checkpoint|ckpt", re.IGNORECASE)
ARN = re.compile(r"arn:aws[a-z-]*:(logs|firehose):.+")


@rule(
    "FSX-EXPORT",
    LINK,
    severity=WARNING,
    what="checkpoints on a file system that are never exported to S3",
    why="The trained weights are lost: without an export policy they stay on the file system, which is "
    "deleted at the end of the run",
    remedy="Set s3.autoExportPolicy with NEW and CHANGED on the checkpoint link",
    example="the /checkpoints link without autoExportPolicy",
)
def checkpoints_not_exported(graph: Graph) -> Hits:
    for link in graph.of(LINK):
        events = texts(at(link.inputs, "s3.autoExportPolicy.events"))
        held = at(link.inputs, "s3.autoExportPolicy.events")
        unknown = isinstance(held, str) and literal(held) is None
        missing = [event for event in ("NEW", "CHANGED") if event not in events]
        if CHECKPOINTS.search(str(link.inputs.get("fileSystemPath"))) and missing and not unknown:
            yield link, "s3.autoExportPolicy.events", f"does not export {' and '.join(missing)}"


@rule(
    "FSX-OPTION",
    SYSTEM,
    LINK,
    what="an invalid option of a file system or its link",
    why="The file system fails after many minutes, while the nodes that wait for it are billed",
    remedy="Set iops with USER_PROVISIONED, root squash as uid:gid, logs to an ARN, chunks of 1 to 512,000 MiB, "
    "and paths that do not contain each other",
    example="metadataConfiguration.mode USER_PROVISIONED without iops",
)
def invalid_file_system_option(graph: Graph) -> Hits:
    for system in graph.of(SYSTEM):
        version = system.inputs.get("fileSystemTypeVersion")
        metadata = one(system.inputs.get("metadataConfiguration"))
        if metadata.get("mode") == "USER_PROVISIONED" and not given(metadata.get("iops")):
            yield system, "metadataConfiguration.iops", "USER_PROVISIONED needs iops"
        if system.inputs.get("deploymentType") == "PERSISTENT_2" and literal(version) == "2.10":
            yield system, "fileSystemTypeVersion", "PERSISTENT_2 needs Lustre 2.12 or newer"
        squash = one(system.inputs.get("rootSquashConfiguration"))
        user = literal(squash.get("rootSquash"))
        if user and not SQUASH.fullmatch(user):
            yield system, "rootSquashConfiguration.rootSquash", f"{user!r} is not uid:gid"
        place = literal(at(system.inputs, "logConfiguration.destination"))
        if place and not ARN.fullmatch(place):
            yield system, "logConfiguration.destination", f"{place!r} is not the ARN of a log group or stream"
        if not given(system.inputs.get("securityGroupIds")):
            yield (
                system,
                "securityGroupIds",
                "no security group, so it gets the VPC's default one, which blocks the nodes",
            )
    for link in graph.of(LINK):
        chunk = whole(link.inputs.get("importedFileChunkSize"))
        if chunk is not None and not CHUNK[0] <= chunk <= CHUNK[1]:
            yield link, "importedFileChunkSize", f"{chunk:,} MiB; allowed: {CHUNK[0]} to {CHUNK[1]:,}"
    for one_link, other in combinations(graph.of(LINK), 2):
        same = graph.target(one_link.inputs.get("fileSystemId"), SYSTEM)
        if same is None or graph.target(other.inputs.get("fileSystemId"), SYSTEM) is not same:
            continue
        paths = [f"{(literal(r.inputs.get('fileSystemPath')) or '').rstrip('/')}/" for r in (one_link, other)]
        inner, outer = max(paths, key=len), min(paths, key=len)
        if outer != "/" and inner != outer and inner.startswith(outer):
            yield other, "fileSystemPath", f"{inner} lies within {outer}; linked paths must not overlap"
