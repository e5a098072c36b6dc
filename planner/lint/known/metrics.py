"""CloudWatch metrics that a fleet's alarms watch: namespaces, names, dimensions.

Source: user guides of EC2, Auto Scaling and NAT gateways, autumn 2026. A namespace that is not listed is reported only
if it is a near miss of one that is.
"""

from __future__ import annotations

from planner.lint.read.suggestions import suggestion

GROUP_METRICS = tuple(
    f"{prefix}{name}"
    for prefix, names in {
        "Group": (
            *("MinSize", "MaxSize", "DesiredCapacity", "InServiceInstances", "PendingInstances", "StandbyInstances"),
            *("TerminatingInstances", "TotalInstances", "InServiceCapacity", "PendingCapacity", "StandbyCapacity"),
            *("TerminatingCapacity", "TotalCapacity"),
        ),
        "WarmPool": (
            *("MinSize", "DesiredCapacity", "PendingCapacity", "WarmedCapacity", "TerminatingCapacity"),
            *("TotalCapacity",),
        ),
        "GroupAndWarmPool": ("DesiredCapacity", "TotalCapacity"),
    }.items()
    for name in names
)
METRICS: dict[str, tuple[str, ...]] = {
    "AWS/AutoScaling": (
        *GROUP_METRICS,
        *("PredictiveScalingLoadForecast", "PredictiveScalingCapacityForecast"),
        "PredictiveScalingMetricPairCorrelation",
    ),
    "AWS/EC2": (
        *("CPUUtilization", "CPUCreditUsage", "CPUCreditBalance", "CPUSurplusCreditBalance"),
        *("CPUSurplusCreditsCharged", "DedicatedHostCPUUtilization", "DiskReadOps", "DiskWriteOps", "DiskReadBytes"),
        *("DiskWriteBytes", "EBSReadOps", "EBSWriteOps", "EBSReadBytes", "EBSWriteBytes", "EBSIOBalance%"),
        *("EBSByteBalance%", "InstanceEBSIOPSExceededCheck", "InstanceEBSThroughputExceededCheck", "MetadataNoToken"),
        *("MetadataNoTokenRejected", "NetworkIn", "NetworkOut", "NetworkPacketsIn", "NetworkPacketsOut"),
        *("StatusCheckFailed", "StatusCheckFailed_Instance", "StatusCheckFailed_System"),
        *("StatusCheckFailed_AttachedEBS", "GPUPowerUtilization"),
    ),
    "AWS/NATGateway": (
        *("ActiveConnectionCount", "BytesInFromDestination", "BytesInFromSource", "BytesOutToDestination"),
        *("BytesOutToSource", "ConnectionAttemptCount", "ConnectionEstablishedCount", "ErrorPortAllocation"),
        *("IdleTimeoutCount", "PacketsDropCount", "PacketsInFromDestination", "PacketsInFromSource"),
        *("PacketsOutToDestination", "PacketsOutToSource", "PeakBytesPerSecond", "PeakPacketsPerSecond"),
    ),
}
# partial lists: only near misses of these names are reported
SOME: dict[str, tuple[str, ...]] = {
    "AWS/FSx": (
        *("DataReadBytes", "DataWriteBytes", "DataReadOperations", "DataWriteOperations", "MetadataOperations"),
        *("FreeDataStorageCapacity", "LogicalDiskUsage", "PhysicalDiskUsage", "StorageCapacityUtilization"),
        *("CPUUtilization", "NetworkThroughputUtilization", "ClientConnections", "AgeOfOldestQueuedMessage"),
    ),
    "AWS/S3": ("BucketSizeBytes", "NumberOfObjects", "4xxErrors", "5xxErrors", "AllRequests", "BytesDownloaded"),
    "AWS/Billing": ("EstimatedCharges",),
}
DIMENSIONS: dict[str, tuple[str, ...]] = {
    "AWS/AutoScaling": ("AutoScalingGroupName",),
    "AWS/EC2": ("AutoScalingGroupName", "ImageId", "InstanceId", "InstanceType"),
    "AWS/NATGateway": ("NatGatewayId",),
}
SPACES = (
    *METRICS,
    *("AWS/ApplicationELB", "AWS/Batch", "AWS/Billing", "AWS/DynamoDB", "AWS/EBS", "AWS/EC2CapacityReservations"),
    *("AWS/EC2Spot", "AWS/ECS", "AWS/EFS", "AWS/ELB", "AWS/Events", "AWS/FSx", "AWS/KMS", "AWS/Lambda", "AWS/Logs"),
    *("AWS/NetworkELB", "AWS/PrivateLinkEndpoints", "AWS/RDS", "AWS/S3", "AWS/SNS", "AWS/SQS", "AWS/SageMaker"),
    *("AWS/Usage", "AWS/VPN", "AWS/EC2/API", "AWS/SSM-RunCommand", "AWS/TransitGateway", "AWS/TrustedAdvisor"),
)


def misread(space: str, name: str) -> bool:
    """Whether a metric's name is a near miss of one in its namespace."""
    known = SOME.get(space, ())
    return name not in known and bool(suggestion(name, known, cutoff=0.88))


def namespace_of(space: str) -> str:
    """What is wrong with a namespace; "" unless it is a near miss of one of AWS's."""
    if space in SPACES:
        return ""
    lower = {known.lower(): known for known in SPACES}
    near = suggestion(space.lower(), lower, cutoff=0.88)
    return f"there is no namespace {space!r}{near}" if near else ""
