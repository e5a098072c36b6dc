"""FSx for Lustre linked to the data bucket: files are loaded on first use, and new checkpoints are exported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from infra.layouts import Directory
from infra.naming import Component, Naming
from planner.stack.spec import Lustre

VERSION = "2.15"  # needed for EFA and metadata settings
EVENTS = ["NEW", "CHANGED", "DELETED"]
PATIENCE = pulumi.CustomTimeouts(create="2h", update="2h", delete="2h")  # a file system of petabytes takes so long


@dataclass(frozen=True, kw_only=True)
class LustreArgs:
    """size: the file system as AWS sells it. security_group_ids: its own, and the clients' if it uses EFA.
    bucket: name of the data bucket. prefixes: of the directories that are linked to it."""

    size: Lustre
    subnet_id: pulumi.Input[str]
    security_group_ids: list[pulumi.Input[str]]
    bucket: pulumi.Input[str]
    prefixes: Mapping[Directory, str]
    key_arn: pulumi.Input[str]
    waits_for: list[pulumi.Resource]


class LustreFileSystem(Component):
    """The file system, and for PERSISTENT_2 a data repository association for each directory."""

    def __init__(self, naming: Naming, args: LustreArgs) -> None:
        super().__init__("lustre", naming)
        size = args.size
        persistent, tiering = size.deployment == "PERSISTENT_2", size.deployment == "INTELLIGENT_TIERING"
        metadata = None
        if persistent or tiering:
            metadata = aws.fsx.LustreFileSystemMetadataConfigurationArgs(
                mode="USER_PROVISIONED" if size.metadata_iops or tiering else "AUTOMATIC",
                iops=size.metadata_iops or (6000 if tiering else None),
            )
        # SCRATCH_2 has a fixed throughput, and Intelligent-Tiering one for the whole file system
        self.file_system = aws.fsx.LustreFileSystem(
            self.named("file-system"),
            subnet_ids=args.subnet_id,
            deployment_type="PERSISTENT_2" if tiering else size.deployment,
            storage_type="INTELLIGENT_TIERING" if tiering else "SSD",
            storage_capacity=None if tiering else size.capacity_gib,
            per_unit_storage_throughput=size.mbps_per_tib if persistent else None,
            throughput_capacity=size.throughput_mbps if tiering else None,
            data_read_cache_configuration=aws.fsx.LustreFileSystemDataReadCacheConfigurationArgs(sizing_mode="NO_CACHE")
            if tiering
            else None,
            metadata_configuration=metadata,
            file_system_type_version=VERSION,
            efa_enabled=size.efa or None,
            security_group_ids=args.security_group_ids,
            kms_key_id=args.key_arn if persistent or tiering else None,
            data_compression_type="NONE",
            copy_tags_to_backups=True if persistent else None,
            # FSx takes no backup of a file system that is linked to a bucket, nor of scratch (FSx API Reference,
            # CreateBackup): protection and the bucket are what keeps its files
            automatic_backup_retention_days=0 if persistent else None,
            tags=self.tags("file-system"),
            opts=self.child(depends_on=args.waits_for, protected=True, patience=PATIENCE),
        )
        self.ready: list[pulumi.Resource] = [self.file_system]
        for directory, prefix in args.prefixes.items() if persistent else ():
            self.ready.append(
                aws.fsx.DataRepositoryAssociation(
                    self.named(f"link-{directory.name}"),
                    file_system_id=self.file_system.id,
                    file_system_path=f"/{directory.name}",
                    data_repository_path=pulumi.Output.concat("s3://", args.bucket, "/", prefix),
                    batch_import_meta_data_on_create=True,
                    delete_data_in_filesystem=False,
                    s3=aws.fsx.DataRepositoryAssociationS3Args(
                        auto_import_policy=aws.fsx.DataRepositoryAssociationS3AutoImportPolicyArgs(events=EVENTS),
                        auto_export_policy=aws.fsx.DataRepositoryAssociationS3AutoExportPolicyArgs(events=EVENTS)
                        if directory.exported
                        else None,
                    ),
                    tags=self.tags(f"link-{directory.name}"),
                    opts=self.child(),
                )
            )
        self.mount_source = pulumi.Output.concat(
            self.file_system.dns_name, "@tcp:/", self.file_system.mount_name
        )  # as `mount` takes it
        self.register_outputs({"dns_name": self.file_system.dns_name, "mount_name": self.file_system.mount_name})
