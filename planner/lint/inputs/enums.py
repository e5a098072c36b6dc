"""Arguments with a fixed set of values: the provider reports a misspelled one late, or passes it on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planner.lint.known.metrics import GROUP_METRICS
from planner.lint.read.graph import Graph
from planner.lint.read.suggestions import suggestion
from planner.lint.read.values import given, literal
from planner.lint.rule import Hits, rule

CLASSES = ("STANDARD", "STANDARD_IA", "ONEZONE_IA", "INTELLIGENT_TIERING", "GLACIER", "GLACIER_IR", "DEEP_ARCHIVE")
VOLUMES = ("gp3", "gp2", "io1", "io2", "st1", "sc1", "standard")
TOKENS, SWITCH = ("required", "optional"), ("enabled", "disabled")
COMPARISONS = (
    "GreaterThanOrEqualToThreshold",
    "GreaterThanThreshold",
    "LessThanThreshold",
    "LessThanOrEqualToThreshold",
    "LessThanLowerOrGreaterThanUpperThreshold",
    "LessThanLowerThreshold",
    "GreaterThanUpperThreshold",
)
TRANSITIONS = ("autoscaling:EC2_INSTANCE_LAUNCHING", "autoscaling:EC2_INSTANCE_TERMINATING")
UNITS = (
    *("Seconds", "Microseconds", "Milliseconds", "Bytes", "Kilobytes", "Megabytes", "Gigabytes", "Terabytes", "Bits"),
    *("Kilobits", "Megabits", "Gigabits", "Terabits", "Percent", "Count", "None"),
    *(f"{what}/Second" for what in ("Bytes", "Kilobytes", "Megabytes", "Gigabytes", "Terabytes", "Bits", "Kilobits")),
    *(f"{what}/Second" for what in ("Megabits", "Gigabits", "Terabits", "Count")),
)
MORE_OR_LESS = ("GREATER_THAN", "LESS_THAN", "EQUAL_TO")
PROTOCOLS = ("sqs", "sms", "lambda", "firehose", "application", "email", "email-json", "http", "https")

# type -> (path, with [] for each entry of a list; allowed values)
WORDS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "ec2:LaunchTemplate": (
        ("instanceMarketOptions.marketType", ("spot", "capacity-block")),
        ("metadataOptions.httpTokens", TOKENS),
        ("metadataOptions.httpEndpoint", SWITCH),
        ("metadataOptions.instanceMetadataTags", SWITCH),
        ("blockDeviceMappings[].ebs.volumeType", VOLUMES),
        ("instanceMarketOptions.spotOptions.instanceInterruptionBehavior", ("hibernate", "stop", "terminate")),
        ("instanceMarketOptions.spotOptions.spotInstanceType", ("one-time", "persistent")),
        ("instanceInitiatedShutdownBehavior", ("stop", "terminate")),
        (
            "capacityReservationSpecification.capacityReservationPreference",
            ("open", "none", "capacity-reservations-only"),
        ),
        ("placement.tenancy", ("default", "dedicated", "host")),
        (
            "tagSpecifications[].resourceType",
            ("instance", "volume", "network-interface", "spot-instances-request", "elastic-gpu"),
        ),
    ),
    "ec2:Instance": (
        ("metadataOptions.httpTokens", TOKENS),
        ("metadataOptions.httpEndpoint", SWITCH),
        ("rootBlockDevice.volumeType", VOLUMES),
        ("ebsBlockDevices[].volumeType", VOLUMES),
        ("tenancy", ("default", "dedicated", "host")),
        ("instanceInitiatedShutdownBehavior", ("stop", "terminate")),
    ),
    "ec2:PlacementGroup": (("strategy", ("cluster", "spread", "partition")),),
    "ec2:VpcEndpoint": (
        ("vpcEndpointType", ("Gateway", "Interface", "GatewayLoadBalancer", "Resource", "ServiceNetwork")),
    ),
    "ec2:Eip": (("domain", ("vpc",)),),
    "ec2:NatGateway": (("connectivityType", ("public", "private")),),
    "ec2:FlowLog": (
        ("trafficType", ("ACCEPT", "REJECT", "ALL")),
        ("logDestinationType", ("cloud-watch-logs", "s3", "kinesis-data-firehose")),
    ),
    "ec2:NetworkInterface": (("interfaceType", ("efa", "efa-only", "branch", "trunk", "interface")),),
    "autoscaling:Group": (
        ("enabledMetrics[]", GROUP_METRICS),
        (
            "terminationPolicies[]",
            (
                "OldestInstance",
                "NewestInstance",
                "OldestLaunchConfiguration",
                "ClosestToNextInstanceHour",
                "OldestLaunchTemplate",
                "AllocationStrategy",
                "Default",
            ),
        ),
        (
            "mixedInstancesPolicy.instancesDistribution.onDemandAllocationStrategy",
            ("lowest-price", "prioritized"),
        ),
        ("healthCheckType", ("EC2", "ELB", "EBS", "VPC_LATTICE")),
        (
            "suspendedProcesses[]",
            (
                "Launch",
                "Terminate",
                "HealthCheck",
                "ReplaceUnhealthy",
                "AZRebalance",
                "AlarmNotification",
                "ScheduledActions",
                "AddToLoadBalancer",
                "InstanceRefresh",
            ),
        ),
    ),
    "autoscaling:Policy": (
        ("policyType", ("SimpleScaling", "StepScaling", "TargetTrackingScaling", "PredictiveScaling")),
    ),
    "autoscaling:LifecycleHook": (
        ("lifecycleTransition", TRANSITIONS),
        ("defaultResult", ("CONTINUE", "ABANDON")),
    ),
    "s3:BucketVersioning": (("versioningConfiguration.status", ("Enabled", "Suspended", "Disabled")),),
    "s3:BucketLifecycleConfiguration": (
        ("rules[].status", ("Enabled", "Disabled")),
        ("rules[].transitions[].storageClass", CLASSES[1:]),
        ("rules[].noncurrentVersionTransitions[].storageClass", CLASSES[1:]),
    ),
    "s3:BucketServerSideEncryptionConfiguration": (
        (
            "rules[].applyServerSideEncryptionByDefault.sseAlgorithm",
            ("AES256", "aws:kms", "aws:kms:dsse"),
        ),
    ),
    "s3:BucketOwnershipControls": (
        ("rule.objectOwnership", ("BucketOwnerEnforced", "BucketOwnerPreferred", "ObjectWriter")),
    ),
    "s3:BucketObject": (("storageClass", CLASSES),),
    "fsx:LustreFileSystem": (
        ("deploymentType", ("SCRATCH_1", "SCRATCH_2", "PERSISTENT_1", "PERSISTENT_2")),
        ("storageType", ("SSD", "HDD", "INTELLIGENT_TIERING")),
        ("dataCompressionType", ("LZ4", "NONE")),
        ("driveCacheType", ("NONE", "READ")),
        ("metadataConfiguration.mode", ("AUTOMATIC", "USER_PROVISIONED")),
        (
            "logConfiguration.level",
            ("DISABLED", "WARN_ONLY", "ERROR_ONLY", "WARN_ERROR"),
        ),
        ("fileSystemTypeVersion", ("2.10", "2.12", "2.15")),
        (
            "dataReadCacheConfiguration.sizingMode",
            ("NO_CACHE", "USER_PROVISIONED", "PROPORTIONAL_TO_THROUGHPUT_CAPACITY"),
        ),
    ),
    "fsx:DataRepositoryAssociation": (
        ("s3.autoImportPolicy.events[]", ("NEW", "CHANGED", "DELETED")),
        ("s3.autoExportPolicy.events[]", ("NEW", "CHANGED", "DELETED")),
    ),
    "cloudwatch:MetricAlarm": (
        ("comparisonOperator", COMPARISONS),
        ("statistic", ("SampleCount", "Average", "Sum", "Minimum", "Maximum")),
        ("unit", UNITS),
        ("treatMissingData", ("missing", "ignore", "breaching", "notBreaching")),
    ),
    "budgets:Budget": (
        (
            "budgetType",
            (
                "COST",
                "USAGE",
                "RI_UTILIZATION",
                "RI_COVERAGE",
                "SAVINGS_PLANS_UTILIZATION",
                "SAVINGS_PLANS_COVERAGE",
            ),
        ),
        ("timeUnit", ("DAILY", "MONTHLY", "QUARTERLY", "ANNUALLY", "CUSTOM")),
        ("notifications[].comparisonOperator", MORE_OR_LESS),
        ("notifications[].notificationType", ("ACTUAL", "FORECASTED")),
        ("notifications[].thresholdType", ("PERCENTAGE", "ABSOLUTE_VALUE")),
    ),
    "budgets:BudgetAction": (
        ("actionType", ("APPLY_IAM_POLICY", "APPLY_SCP_POLICY", "RUN_SSM_DOCUMENTS")),
        ("approvalModel", ("AUTOMATIC", "MANUAL")),
        ("notificationType", ("ACTUAL", "FORECASTED")),
        ("actionThreshold.actionThresholdType", ("PERCENTAGE", "ABSOLUTE_VALUE")),
        ("subscribers[].subscriptionType", ("EMAIL", "SNS")),
    ),
    "costexplorer:AnomalySubscription": (
        ("frequency", ("DAILY", "IMMEDIATE", "WEEKLY")),
        ("subscribers[].type", ("EMAIL", "SNS")),
        (
            "thresholdExpression.dimension.key",
            ("ANOMALY_TOTAL_IMPACT_ABSOLUTE", "ANOMALY_TOTAL_IMPACT_PERCENTAGE"),
        ),
        ("thresholdExpression.dimension.matchOptions[]", ("GREATER_THAN_OR_EQUAL",)),
    ),
    "costexplorer:AnomalyMonitor": (("monitorType", ("DIMENSIONAL", "CUSTOM")),),
    "sns:TopicSubscription": (("protocol", PROTOCOLS),),
}


def _walk(value: object, path: str, where: str = "") -> Iterator[tuple[str, object]]:
    """Every value at a path, through single blocks and lists of blocks."""
    head, _, rest = path.partition(".")
    key, listed = head.removesuffix("[]"), head.endswith("[]")
    if not isinstance(value, dict) or not given(value.get(key)):
        return
    found, here = value[key], f"{where}.{key}" if where else key
    entries = [(here, found)]
    if isinstance(found, list):
        entries = [(f"{here}[{i}]" if listed else here, entry) for i, entry in enumerate(found)]
    for place, entry in entries:
        if rest:
            yield from _walk(entry, rest, place)
        else:
            yield place, entry


def hint(value: object, known: Sequence[str]) -> str:
    """`did you mean 'x'?` for the closest allowed value, else the list of allowed values."""
    return suggestion(str(value), known, cutoff=0.5).removeprefix("; ") or f"allowed: {', '.join(known)}"


@rule(
    "WORD-UNKNOWN",
    *WORDS,
    what="a value that AWS does not accept here",
    why="AWS rejects the resource, often halfway through a deployment: market types, volume types, storage "
    "classes, statuses and operators are fixed values",
    remedy="Use one of the values in the message, spelled exactly like this",
    example="metadataOptions.httpTokens: require",
)
def unknown_value(graph: Graph) -> Hits:
    for kind, places in WORDS.items():
        for resource in graph.of(kind):
            for path, known in places:
                for where, value in _walk(resource.inputs, path):
                    # a termination policy may be a Lambda function
                    own = path == "terminationPolicies[]" and str(value).startswith("arn:")
                    if (isinstance(value, str) and literal(value) is None) or value in known or own:
                        continue
                    yield resource, where, f"{value!r} is not allowed here; {hint(value, known)}"
