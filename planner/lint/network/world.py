"""What else a stack may hold that is open to the world."""

from __future__ import annotations

import json

from planner.lint.read.graph import Graph
from planner.lint.read.policies import for_everybody
from planner.lint.read.values import Json, flag, given, many, one
from planner.lint.rule import Hits, rule

PERMISSIONS = {"lambda:Permission": "principal", "ec2:AmiLaunchPermission": "group"}
POLICIES = ("ecr:RepositoryPolicy", "secretsmanager:SecretPolicy", "efs:FileSystemPolicy")


@rule(
    "WORLD-OPEN",
    "rds:Instance",
    "lambda:Permission",
    "ec2:AmiLaunchPermission",
    "ec2:SnapshotCreateVolumePermission",
    "ecr:RepositoryPolicy",
    "secretsmanager:SecretPolicy",
    "efs:FileSystem",
    what="a database, an image, a function or a secret that everybody reaches, or files in the clear",
    why="what stands beside the fleet has its data, its images or its secrets, and is looked for all over the internet",
    remedy="publiclyAccessible false, an account or a service as principal, encrypted true",
    example="publiclyAccessible: true on a database",
)
def nothing_is_for_the_world(graph: Graph) -> Hits:
    for database in graph.of("rds:Instance", "rds:ClusterInstance", "redshift:Cluster"):
        if flag(database.inputs.get("publiclyAccessible")):
            yield database, "publiclyAccessible", "reached from the internet"
    for kind, key in PERMISSIONS.items():
        for permission in graph.of(kind):
            wide = permission.inputs.get(key) in ("*", "all")
            narrowed = any(given(permission.inputs.get(k)) for k in ("sourceArn", "sourceAccount", "principalOrgId"))
            if wide and not narrowed:
                yield permission, key, f"{permission.inputs[key]}: everybody"
    for system in graph.of("efs:FileSystem"):
        if flag(system.inputs.get("encrypted")) is False or not given(system.inputs.get("encrypted")):
            yield system, "encrypted", "files in the clear"
    for kind in POLICIES:
        for holder in graph.of(kind):
            for i, statement in enumerate(_statements(holder.inputs.get("policy"))):
                if for_everybody(statement):
                    yield holder, f"policy.Statement[{i}].Principal", "allows everybody"


def _statements(value: object) -> list[Json]:
    try:
        return many(one(json.loads(value) if isinstance(value, str) else value).get("Statement"))
    except (ValueError, RecursionError):
        return []


RULES = (nothing_is_for_the_world,)
