"""What else a stack may hold that is open to the world, or that is bought and not only made."""

from __future__ import annotations

import json

from infra.lint.graph import Graph
from infra.lint.policies import for_everybody
from infra.lint.rule import Hits, rule
from infra.lint.values import Json, flag, given, many, number, one, texts

PERMISSIONS = {"lambda:Permission": "principal", "ec2:AmiLaunchPermission": "group"}
POLICIES = ("ecr:RepositoryPolicy", "secretsmanager:SecretPolicy", "efs:FileSystemPolicy")
BLOCK = "ec2:CapacityBlockReservation"


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


@rule(
    "BLOCK-BOUGHT",
    BLOCK,
    what="a Capacity Block that an update buys",
    why="the block is paid in full as soon as the resource is made, and nothing gives it back: to destroy it only "
    "forgets it, to replace it buys another",
    remedy="buy it outside of the stack and give its id; where it must stand here, protect and retainOnDelete",
    example="a CapacityBlockReservation without protect",
)
def blocks_are_bought_by_people(graph: Graph) -> Hits:
    for block in graph.of(BLOCK):
        if not (block.protect and block.retain):
            yield block, "protect", "bought by an update, and not protected from being bought again"


@rule(
    "RESERVED-OPEN",
    "ec2:CapacityReservation",
    what="a reservation that any machine of the account eats, or that nothing uses",
    why="an open reservation is taken by whatever starts with its type, and it bills from the day it is made whether "
    "the fleet is in it or not",
    remedy="instanceMatchCriteria targeted, and its id in the template of the fleet; an end",
    example="instanceMatchCriteria: open",
)
def reservations_are_ours(graph: Graph) -> Hits:
    named = [text for template in graph.of("ec2:LaunchTemplate") for text in texts(_target(template.inputs))]
    for held in graph.of("ec2:CapacityReservation"):
        if held.inputs.get("instanceMatchCriteria") in (None, "open"):
            yield held, "instanceMatchCriteria", "open: any machine of its type takes it"
        elif not any(graph.target(text) is held for text in named):
            yield held, "", "no template starts in it"
        count = number(held.inputs.get("instanceCount"))
        if count is not None and count < 1:
            yield held, "instanceCount", f"{count:g} machines"


def _target(inputs: dict[str, object]) -> object:
    target = one(one(inputs.get("capacityReservationSpecification")).get("capacityReservationTarget"))
    return target.get("capacityReservationId")


RULES = (nothing_is_for_the_world, blocks_are_bought_by_people, reservations_are_ours)
