"""The metadata database of files over the pool: PostgreSQL on RDS, with a standby in a second zone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from infra.naming import Component, Naming
from planner.stack.spec import Files

VERSION = "15"  # what the trials of docs/decisions/0019-posix-pool.md ran on; minor releases come by themselves
DATABASE, USER, PORT = "files", "planner", 5432
# mounts hold the password as long as they stand, so that a new one every week (RDS's default) would end them: the most
# that Secrets Manager takes (API reference, RotationRulesType)
ROTATION_DAYS = 1000
PATIENCE = pulumi.CustomTimeouts(create="2h", update="2h", delete="1h")  # two zones, a first backup, a last snapshot


# RDS User Guide, "Maximum number of database connections": memory / 9,531,392 bytes, at most 5,000; a db.r8g.xlarge has
# 3,604. A tenth is left for people and for RDS itself
CONNECTIONS = 3_200
MOST_OF_A_MOUNT = 32


def mount_connections(nodes: int) -> int:
    """That a mount may hold: JuiceFS would take twice its cores, which 400 nodes together cannot have."""
    return max(min(CONNECTIONS // max(nodes, 1), MOST_OF_A_MOUNT), 2)


@dataclass(frozen=True, kw_only=True)
class FilesArgs:
    """size: as the stack file has it. zone_ids, blocks: of its two subnets. key_arn: of the data bucket."""

    size: Files
    vpc_id: pulumi.Input[str]
    zone_ids: Sequence[str]
    blocks: Sequence[str]
    security_group_id: pulumi.Input[str]
    key_arn: pulumi.Input[str]
    waits_for: list[pulumi.Resource]


class FilesDatabase(Component):
    """The database in subnets without a route out. It is protected, and leaves a snapshot when it goes: without it
    the blocks in the bucket are no files."""

    def __init__(self, naming: Naming, args: FilesArgs) -> None:
        super().__init__("files", naming)
        size = args.size
        subnets = [
            aws.ec2.Subnet(
                self.named(f"subnet-{number}"),
                vpc_id=args.vpc_id,
                cidr_block=block,
                availability_zone_id=zone,
                map_public_ip_on_launch=False,
                tags=self.tags(f"subnet-{number}"),
                opts=self.child(),
            )
            for number, (zone, block) in enumerate(zip(args.zone_ids, args.blocks, strict=True), start=1)
        ]
        group = aws.rds.SubnetGroup(
            self.named("subnets"),
            name=self.physical("subnets"),
            description=f"Zones of the files' database of stack {naming.stack}",
            subnet_ids=[subnet.id for subnet in subnets],
            tags=self.tags("subnets"),
            opts=self.child(),
        )
        parameters = aws.rds.ParameterGroup(
            self.named("parameters"),
            name=self.physical("parameters"),
            description=f"Files of stack {naming.stack}",
            family=f"postgres{VERSION}",
            parameters=[aws.rds.ParameterGroupParameterArgs(name="rds.force_ssl", value="1")],
            tags=self.tags("parameters"),
            opts=self.child(),
        )
        self.instance = aws.rds.Instance(
            self.named("database"),
            identifier=self.physical("database"),
            engine="postgres",
            engine_version=VERSION,
            auto_minor_version_upgrade=True,
            instance_class=size.instance_class,
            multi_az=True,
            allocated_storage=size.storage_gib,
            storage_type="gp3",
            storage_encrypted=True,
            kms_key_id=args.key_arn,
            db_name=DATABASE,
            port=PORT,
            username=USER,
            manage_master_user_password=True,
            master_user_secret_kms_key_id=args.key_arn,
            db_subnet_group_name=group.name,
            vpc_security_group_ids=[args.security_group_id],
            parameter_group_name=parameters.name,
            publicly_accessible=False,
            backup_retention_period=size.backup_days,
            copy_tags_to_snapshot=True,
            deletion_protection=True,
            skip_final_snapshot=False,
            final_snapshot_identifier=self.physical("last"),
            apply_immediately=True,
            tags=self.tags("database"),
            opts=self.child(depends_on=args.waits_for, protected=True, patience=PATIENCE),
        )
        self.secret_arn = self.instance.master_user_secrets.apply(
            lambda found: str(found[0].secret_arn) if found else ""
        )
        self.ready: list[pulumi.Resource] = [
            self.instance,
            aws.secretsmanager.SecretRotation(
                self.named("rotation"),
                secret_id=self.secret_arn,
                rotate_immediately=False,
                rotation_rules=aws.secretsmanager.SecretRotationRotationRulesArgs(
                    automatically_after_days=ROTATION_DAYS
                ),
                opts=self.child(),
            ),
        ]
        self.register_outputs({"address": self.instance.address, "secret_arn": self.secret_arn})

    def url(self, connections: int) -> pulumi.Output[str]:
        """As JuiceFS takes it, without the password. connections: that one mount may hold."""
        query = f"sslmode=verify-full&max_open_conns={connections}&max_idle_conns={connections}"
        return pulumi.Output.concat(f"postgres://{USER}@", self.instance.address, f":{PORT}/{DATABASE}?{query}")
