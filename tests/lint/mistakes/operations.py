"""Mistakes about schedules, first boots, monitoring, and resources next to the nodes."""

from __future__ import annotations

import base64
from typing import Any

from tests.lint.graphs import Document, drop, find
from tests.lint.mistakes.edits import (
    BLOCKED,
    LUSTRE,
    OURS,
    POOLED,
    Edit,
    Mistake,
    add,
    asg,
    budget,
    fleet,
    fs,
    lt,
    nic_at,
    of,
    policy,
    put,
    vpc,
)


def scheduled(**inputs: Any) -> Edit:
    """A scheduled action of the fleet's group."""

    def edit(document: Document) -> None:
        held = {"scheduledActionName": "more", "autoscalingGroupName": _name(document), **inputs}
        add(document, "aws:autoscaling/schedule:Schedule", "more", held)

    return edit


def _name(document: Document) -> str:
    return fleet(document)["inputs"]["name"]


def scaled(document: Document) -> None:
    held = {"autoscalingGroupName": _name(document), "policyType": "TargetTrackingScaling"}
    add(document, "aws:autoscaling/policy:Policy", "scale", held)


def alarm(metric: str, **inputs: Any) -> Edit:
    """Changes the first alarm on a metric."""

    def edit(document: Document) -> None:
        found = [r for r in document["resources"] if r["type"].endswith(":MetricAlarm")]
        next(r for r in found if r["inputs"].get("metricName") == metric)["inputs"].update(inputs)

    return edit


def boots(text: bytes) -> Edit:
    return put(lt, "userData", base64.b64encode(text).decode())


def notice(document: Document) -> Document:
    held = budget(document)["notifications"]
    return held[0] if isinstance(held, list) else held


def same_notice_twice(document: Document) -> None:
    budget(document)["notifications"] = [dict(notice(document)), dict(notice(document))]


def endpoint(name: str) -> Edit:
    def edit(document: Document) -> None:
        found = [r["inputs"] for r in document["resources"] if r["type"].endswith(":VpcEndpoint")]
        next(i for i in found if i["serviceName"].endswith(".ssm"))["serviceName"] = name

    return edit


def policy_that_forbids_little(document: Document) -> None:
    policy(find(document, "Policy", "no-more")["inputs"])["Statement"][0]["Action"] = ["s3:GetObject"]


def first_card_shut_in(document: Document) -> None:
    group = find(document, "SecurityGroup", "endpoints")
    nic_at(0)(document)["securityGroups"] = [f"${{{group['urn']}.id}}"]


def other_stack(document: Document) -> None:
    for specification in lt(document)["tagSpecifications"]:
        specification["tags"]["planner:stack"] = "prod"


def of_nothing(document: Document) -> None:
    drop(document, find(document, "BudgetAction"))


def mixed_twice(document: Document) -> None:
    overrides = asg(document)["mixedInstancesPolicy"]["launchTemplate"]["overrides"]
    overrides.append(dict(overrides[0]))


def empty_artefact(document: Document) -> None:
    held = find(document, "BucketObjectv2")["inputs"]
    for key in ("source", "content", "contentBase64"):
        held.pop(key, None)


def unstarted(document: Document) -> None:
    starts = [r for r in document["resources"] if r["type"].endswith(":Schedule") and r["inputs"]["desiredCapacity"]]
    drop(document, *starts)


MISTAKES = (
    Mistake(
        "sizes of a schedule the wrong way round",
        "SCHEDULE-SIZE",
        scheduled(minSize=20, maxSize=16, startTime="2027-01-11T00:00:00Z"),
        only=OURS,
    ),
    Mistake("recurrence in words", "SCHEDULE-SIZE", scheduled(recurrence="every night", minSize=0), only=OURS),
    Mistake("nightly schedule", "ASG-SCALED", scheduled(recurrence="0 20 * * *", minSize=0, maxSize=0), only=OURS),
    Mistake("fixed-size group with a scaling policy", "ASG-SCALED", scaled),
    Mistake("warm pool", "ASG-SCALED", put(asg, "warmPool", {"minSize": 16, "poolState": "Running"})),
    Mistake("negative grace period", "ASG-TIMES", put(asg, "healthCheckGracePeriod", -1)),
    Mistake("ELB health check without a load balancer", "ASG-TIMES", put(asg, "healthCheckType", "ELB")),
    Mistake(
        "hook that may not write",
        "ASG-HOOK",
        put(of("LifecycleHook"), "notificationTargetArn", "arn:aws:sqs:us-east-1:111122223333:q"),
        only=OURS,
    ),
    Mistake("misspelled termination policy", "WORD-UNKNOWN", put(asg, "terminationPolicies", ["Newest"])),
    Mistake(
        "preference beside a target",
        "LT-TOGETHER",
        put(lt, "capacityReservationSpecification", {"capacityReservationPreference": "open", **BLOCKED}),
    ),
    Mistake("hibernation on GPU nodes", "LT-TOGETHER", put(lt, "hibernationOptions", {"configured": True})),
    Mistake(
        "requirements beside the type",
        "LT-TOGETHER",
        put(lt, "instanceRequirements", {"vcpuCount": {"min": 1}, "memoryMib": {"min": 1}}),
    ),
    Mistake(
        "role for a profile", "LT-TOGETHER", put(lt, "iamInstanceProfile", {"arn": "arn:aws:iam::111122223333:role/x"})
    ),
    Mistake("one address for all nodes", "LT-ONE-NODE", put(nic_at(0), "privateIpAddress", "10.0.0.9")),
    Mistake(
        "one interface for all nodes", "LT-ONE-NODE", put(nic_at(0), "networkInterfaceId", "eni-0123456789abcdef0")
    ),
    Mistake("Windows line endings", "USERDATA-RUNS", boots(b"#!/bin/bash\r\necho hello\r\n")),
    Mistake("script by plain http", "USERDATA-RUNS", boots(b"#!/bin/bash\ncurl -s http://example.com/x.sh | bash\n")),
    Mistake("node without its bundle", "USERDATA-RUNS", lambda d: lt(d).pop("userData"), only=OURS),
    Mistake("wandb's key in a command", "SECRET-PLAIN", boots(b"#!/bin/sh\nwandb login " + b"0123456789" * 4)),
    Mistake("unknown endpoint service", "ENDPOINT-SERVICE", endpoint("com.amazonaws.us-east-1.ssmm"), only=OURS),
    Mistake(
        "service by its host name",
        "ENDPOINT-SERVICE",
        endpoint("ssm.us-east-1.amazonaws.com"),
        only=OURS,
        also=("ENDPOINT-REGION",),
    ),
    Mistake(
        "VPC without DNS", "VPC-DNS", put(vpc, "enableDnsSupport", False), only=("foreign p5", "foreign p4d lustre")
    ),
    Mistake(
        "endpoint for another range",
        "ENDPOINT-REACH",
        put(of("SecurityGroupIngressRule", "endpoints"), "cidrIpv4", "10.9.0.0/16"),
        only=OURS,
    ),
    Mistake(
        "first interface without outbound access",
        "SG-EGRESS",
        first_card_shut_in,
        only=("converged", "fsx-lustre", "s3-stream"),
    ),
    Mistake("flow log of two resources", "FLOW-SHAPE", put(of("FlowLog"), "subnetId", "subnet-0123456789abcdef0")),
    Mistake(
        "budget of another stack",
        "BUDGET-BLIND",
        lambda d: budget(d)["costFilters"][0].update(values=["user:planner:stack$prod"]),
        only=OURS,
    ),
    Mistake(
        "filter misspelled",
        "BUDGET-BLIND",
        lambda d: budget(d)["costFilters"][0].update(name="TagKeyValues"),
        only=OURS,
    ),
    Mistake(
        "anomaly monitor with invalid JSON",
        "BUDGET-BLIND",
        put(of("AnomalyMonitor"), "monitorSpecification", "{Tags: x}"),
        only=OURS,
    ),
    Mistake("budget below an hour of the fleet", "BUDGET-SENSE", put(budget, "limitAmount", "10")),
    Mistake("budget threshold that is never reached", "BUDGET-SENSE", put(notice, "threshold", 100_000)),
    Mistake("one notice twice", "BUDGET-SENSE", same_notice_twice),
    Mistake(
        "too many email addresses in a budget",
        "BUDGET-SENSE",
        put(notice, "subscriberEmailAddresses", [f"a{i}@example.org" for i in range(11)]),
    ),
    Mistake(
        "end before its beginning",
        "BUDGET-SENSE",
        lambda d: budget(d).update(timePeriodStart="2027-01-01_00:00", timePeriodEnd="2026-01-01_00:00"),
    ),
    Mistake("budget action policy that denies too little", "BUDGET-POLICY", policy_that_forbids_little, only=OURS),
    Mistake(
        "budget action without a valid subscriber",
        "BUDGET-POLICY",
        lambda d: find(d, "BudgetAction")["inputs"]["subscribers"][0].update(address="ops"),
        only=OURS,
    ),
    Mistake("policy that nothing attaches", "MADE-FOR-NOTHING", of_nothing, only=OURS),
    Mistake("alarm that never fires", "ALARM-NEVER", alarm("GroupInServiceInstances", threshold=0), only=OURS),
    Mistake(
        "GPU alarm above 100 percent",
        "ALARM-NEVER",
        alarm("GPUUtilization", threshold=100, comparisonOperator="GreaterThanThreshold"),
        only=OURS,
    ),
    Mistake(
        "alarm window over a week",
        "ALARM-WINDOW",
        lambda d: of("MetricAlarm")(d).update(period=3600, evaluationPeriods=200),
        only=OURS,
    ),
    Mistake(
        "invalid extended statistic",
        "ALARM-WINDOW",
        lambda d: of("MetricAlarm")(d).update(extendedStatistic="99"),
        only=OURS,
    ),
    Mistake(
        "notices by plain http",
        "NOTIFY-WAY",
        lambda d: of("TopicSubscription")(d).update(protocol="http", endpoint="http://example.org/x"),
        only=OURS,
    ),
    Mistake(
        "SMS to an email address",
        "NOTIFY-WAY",
        lambda d: of("TopicSubscription")(d).update(protocol="sms"),
        only=OURS,
    ),
    Mistake(
        "key that alarms may not use", "NOTIFY-WAY", put(of("Topic"), "kmsMasterKeyId", "alias/aws/sns"), only=OURS
    ),
    Mistake("nodes tagged for another stack", "TAG-MISSING", other_stack, only=OURS),
    Mistake("iops left out", "FSX-OPTION", lambda d: fs(d)["metadataConfiguration"].pop("iops"), only=("fsx-lustre",)),
    Mistake(
        "root squash that is not uid:gid",
        "FSX-OPTION",
        put(fs, "rootSquashConfiguration", {"rootSquash": "nobody"}),
        only=LUSTRE,
    ),
    Mistake(
        "file system without a group",
        "FSX-OPTION",
        lambda d: fs(d).pop("securityGroupIds"),
        only=("foreign p4d lustre",),
    ),
    Mistake(
        "checkpoints not exported",
        "FSX-EXPORT",
        lambda d: find(d, "DataRepositoryAssociation", "checkpoints")["inputs"]["s3"].pop("autoExportPolicy"),
        only=("fsx-lustre",),
    ),
    Mistake(
        "bucket object without content",
        "INPUT-MISSING",
        empty_artefact,
        only=OURS,
    ),
    Mistake(
        "Capacity Block bought by a deployment",
        "BLOCK-BOUGHT",
        lambda d: add(
            d,
            "aws:ec2/capacityBlockReservation:CapacityBlockReservation",
            "block",
            {"capacityBlockOfferingId": "cb-0123456789abcdef0", "instancePlatform": "Linux/UNIX"},
        ),
    ),
    Mistake(
        "instance subnet next to a separate interface",
        "LT-TOGETHER",
        put(of("Instance"), "subnetId", "subnet-0123456789abcdef0"),
        only=POOLED,
    ),
    Mistake("path of a role", "NAME-SYNTAX", put(of("Role"), "path", "planner")),
)
MIXED = (Mistake("one type twice in a mix", "SPOT-OVERRIDES", mixed_twice),)
NEVER = (Mistake("Capacity Block that never starts", "BLOCK-START", unstarted),)
