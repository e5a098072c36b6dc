"""Mistakes about FSx for Lustre."""

from __future__ import annotations

from tests.lint.graphs import Document
from tests.lint.mistakes.edits import LUSTRE, Mistake, add, cut, fs, node_group, nodes_subnet, of, put


def add_group(document: Document) -> str:
    """A security group of its own, that lets nobody in."""
    add(
        document,
        "aws:ec2/securityGroup:SecurityGroup",
        "closed",
        {
            "name": "closed",
            "vpcId": nodes_subnet(document)["vpcId"],
            "tags": node_group(document)["inputs"].get("tags", {}),
        },
    )
    return "added::closed"


MISTAKES = (
    Mistake("file system size off the increment", "FSX-SIZE", put(fs, "storageCapacity", 5000), only=LUSTRE),
    Mistake("throughput that is not sold", "FSX-THROUGHPUT", put(fs, "perUnitStorageThroughput", 300), only=LUSTRE),
    Mistake("EFA with an old version", "FSX-EFA", put(fs, "fileSystemTypeVersion", "2.12"), only=("fsx-lustre",)),
    Mistake("EFA without metadata", "FSX-EFA", cut(fs, "metadataConfiguration"), only=("fsx-lustre",)),
    Mistake(
        "EFA on scratch",
        "FSX-EFA",
        put(fs, "deploymentType", "SCRATCH_2"),
        also=("FSX-METADATA", "FSX-THROUGHPUT"),
        only=("fsx-lustre",),
    ),
    Mistake(
        "Lustre EFA with p4d nodes",
        "FSX-EFA-CLIENT",
        lambda d: fs(d).update(efaEnabled=True, storageCapacity=19200, metadataConfiguration={"mode": "AUTOMATIC"}),
        also=("FSX-GROUP", "EFA-SELF"),
        only=("foreign p4d lustre",),
    ),
    Mistake(
        "two subnets",
        "FSX-SUBNET",
        put(fs, "subnetIds", ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"]),
        only=LUSTRE,
    ),
    Mistake(
        "nodes do not reach it",
        "FSX-GROUP",
        lambda d: fs(d).update(securityGroupIds=[f"${{{add_group(d)}.id}}"]),
        also=("EFA-SELF",),
        only=LUSTRE,
    ),
    Mistake(
        "metadata IOPS not offered",
        "FSX-METADATA",
        put(fs, "metadataConfiguration", {"mode": "USER_PROVISIONED", "iops": 8000}),
        only=LUSTRE,
    ),
    Mistake(
        "repository path without s3://",
        "FSX-LINK",
        put(of("DataRepositoryAssociation"), "dataRepositoryPath", "acme/data"),
        only=LUSTRE,
    ),
    Mistake(
        "backups on no line of the bill", "BILL-LINES", put(fs, "automaticBackupRetentionDays", 7), only=("fsx-lustre",)
    ),
    Mistake(
        "backups for 91 days",
        "FSX-BACKUP",
        put(fs, "automaticBackupRetentionDays", 91),
        only=LUSTRE,
        also=("BILL-LINES",),
    ),
    Mistake("maintenance on monday", "FSX-BACKUP", put(fs, "weeklyMaintenanceStartTime", "monday"), only=LUSTRE),
    Mistake(
        "link that deletes its files",
        "FSX-LINK-DELETE",
        put(of("DataRepositoryAssociation"), "deleteDataInFilesystem", True),
        only=LUSTRE,
    ),
    Mistake(
        "deployment type missing",
        "FSX-THROUGHPUT",
        cut(fs, "deploymentType"),
        also=("FSX-EFA", "FSX-SIZE", "FSX-METADATA", "FSX-LINK"),
        only=LUSTRE,
    ),
)
