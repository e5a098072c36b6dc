"""planner/lint/inputs/values.csv: what AWS accepts where an argument has a fixed set of values: from botocore's models.

Where a model has plain text, the values are of the provider or of the service's documentation, and stand here.
"""

from __future__ import annotations

import csv
import io
from functools import cache

import botocore.session

from planner.lint.known.metrics import GROUP_METRICS

CLASSES = ("STANDARD", "STANDARD_IA", "ONEZONE_IA", "INTELLIGENT_TIERING", "GLACIER", "GLACIER_IR", "DEEP_ARCHIVE")
# AWS API Reference, ProcessType
PROCESSES = (
    *("Launch", "Terminate", "HealthCheck", "ReplaceUnhealthy", "AZRebalance", "AlarmNotification"),
    *("ScheduledActions", "AddToLoadBalancer", "InstanceRefresh"),
)
# EC2 Auto Scaling User Guide, "Configure termination policies"
TERMINATION = (
    *("OldestInstance", "NewestInstance", "OldestLaunchConfiguration", "ClosestToNextInstanceHour"),
    *("OldestLaunchTemplate", "AllocationStrategy", "Default"),
)
PROTOCOLS = ("sqs", "sms", "lambda", "firehose", "application", "email", "email-json", "http", "https")
# type -> path, with [] for each entry of a list -> the shape in botocore's model of the service, or the values
PLACES: dict[str, dict[str, str | tuple[str, ...]]] = {
    "ec2:LaunchTemplate": {
        "instanceMarketOptions.marketType": "MarketType",
        "metadataOptions.httpTokens": "LaunchTemplateHttpTokensState",
        "metadataOptions.httpEndpoint": "LaunchTemplateInstanceMetadataEndpointState",
        "metadataOptions.instanceMetadataTags": "LaunchTemplateInstanceMetadataTagsState",
        "blockDeviceMappings[].ebs.volumeType": "VolumeType",
        "instanceMarketOptions.spotOptions.instanceInterruptionBehavior": "InstanceInterruptionBehavior",
        "instanceMarketOptions.spotOptions.spotInstanceType": "SpotInstanceType",
        "instanceInitiatedShutdownBehavior": "ShutdownBehavior",
        "capacityReservationSpecification.capacityReservationPreference": "CapacityReservationPreference",
        "placement.tenancy": "Tenancy",
        # of all that can be tagged, what a launch makes
        "tagSpecifications[].resourceType": (
            *("instance", "volume", "network-interface", "spot-instances-request", "elastic-gpu"),
        ),
    },
    "ec2:Instance": {
        "metadataOptions.httpTokens": "HttpTokensState",
        "metadataOptions.httpEndpoint": "InstanceMetadataEndpointState",
        "rootBlockDevice.volumeType": "VolumeType",
        "ebsBlockDevices[].volumeType": "VolumeType",
        "tenancy": "Tenancy",
        "instanceInitiatedShutdownBehavior": "ShutdownBehavior",
    },
    "ec2:PlacementGroup": {"strategy": "PlacementStrategy"},
    "ec2:VpcEndpoint": {"vpcEndpointType": "VpcEndpointType"},
    "ec2:Eip": {"domain": ("vpc",)},  # EC2-Classic is gone
    "ec2:NatGateway": {"connectivityType": "ConnectivityType"},
    "ec2:FlowLog": {"trafficType": "TrafficType", "logDestinationType": "LogDestinationType"},
    # what one may create, and what the provider calls the plain one
    "ec2:NetworkInterface": {"interfaceType": ("efa", "efa-only", "branch", "trunk", "interface")},
    "autoscaling:Group": {
        "enabledMetrics[]": tuple(GROUP_METRICS),
        "terminationPolicies[]": TERMINATION,
        "mixedInstancesPolicy.instancesDistribution.onDemandAllocationStrategy": ("lowest-price", "prioritized"),
        "healthCheckType": ("EC2", "ELB", "EBS", "VPC_LATTICE"),
        "suspendedProcesses[]": PROCESSES,
    },
    "autoscaling:Policy": {
        "policyType": ("SimpleScaling", "StepScaling", "TargetTrackingScaling", "PredictiveScaling"),
    },
    "autoscaling:LifecycleHook": {
        "lifecycleTransition": ("autoscaling:EC2_INSTANCE_LAUNCHING", "autoscaling:EC2_INSTANCE_TERMINATING"),
        "defaultResult": ("CONTINUE", "ABANDON"),
    },
    "s3:BucketVersioning": {"versioningConfiguration.status": ("Enabled", "Suspended", "Disabled")},
    "s3:BucketLifecycleConfiguration": {
        "rules[].status": "ExpirationStatus",
        "rules[].transitions[].storageClass": "TransitionStorageClass",
        "rules[].noncurrentVersionTransitions[].storageClass": "TransitionStorageClass",
    },
    # of the model's, without those that only AWS Backup and FSx set
    "s3:BucketServerSideEncryptionConfiguration": {
        "rules[].applyServerSideEncryptionByDefault.sseAlgorithm": ("AES256", "aws:kms", "aws:kms:dsse"),
    },
    "s3:BucketOwnershipControls": {"rule.objectOwnership": "ObjectOwnership"},
    "s3:BucketObject": {"storageClass": CLASSES},  # likewise
    "fsx:LustreFileSystem": {
        "deploymentType": "LustreDeploymentType",
        "storageType": "StorageType",
        "dataCompressionType": "DataCompressionType",
        "driveCacheType": "DriveCacheType",
        "metadataConfiguration.mode": "MetadataConfigurationMode",
        "logConfiguration.level": "LustreAccessAuditLogLevel",
        "fileSystemTypeVersion": ("2.10", "2.12", "2.15"),
        "dataReadCacheConfiguration.sizingMode": "LustreReadCacheSizingMode",
    },
    "fsx:DataRepositoryAssociation": {
        "s3.autoImportPolicy.events[]": "EventType",
        "s3.autoExportPolicy.events[]": "EventType",
    },
    "cloudwatch:MetricAlarm": {
        "comparisonOperator": "ComparisonOperator",
        "statistic": "Statistic",
        "unit": "StandardUnit",
        "treatMissingData": ("missing", "ignore", "breaching", "notBreaching"),
    },
    "budgets:Budget": {
        "budgetType": "BudgetType",
        "timeUnit": "TimeUnit",
        "notifications[].comparisonOperator": "ComparisonOperator",
        "notifications[].notificationType": "NotificationType",
        "notifications[].thresholdType": "ThresholdType",
    },
    "budgets:BudgetAction": {
        "actionType": "ActionType",
        "approvalModel": "ApprovalModel",
        "notificationType": "NotificationType",
        "actionThreshold.actionThresholdType": "ThresholdType",
        "subscribers[].subscriptionType": "SubscriptionType",
    },
    "costexplorer:AnomalySubscription": {
        "frequency": "AnomalySubscriptionFrequency",
        "subscribers[].type": "SubscriberType",
        # of all dimensions and operators, what an anomaly's threshold takes
        "thresholdExpression.dimension.key": ("ANOMALY_TOTAL_IMPACT_ABSOLUTE", "ANOMALY_TOTAL_IMPACT_PERCENTAGE"),
        "thresholdExpression.dimension.matchOptions[]": ("GREATER_THAN_OR_EQUAL",),
    },
    "costexplorer:AnomalyMonitor": {"monitorType": "MonitorType"},
    "sns:TopicSubscription": {"protocol": PROTOCOLS},
}


@cache
def _model(service: str):
    return botocore.session.get_session().get_service_model("ce" if service == "costexplorer" else service)


def text() -> str:
    """The file as it would be today."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("type", "path", "values"))
    for kind, places in PLACES.items():
        for path, known in places.items():
            values = _model(kind.partition(":")[0]).shape_for(known).enum if isinstance(known, str) else known
            writer.writerow((kind, path, " ".join(values)))
    return out.getvalue()
