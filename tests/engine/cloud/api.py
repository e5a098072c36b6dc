"""AWS's API over the stand-in cloud, for what asks the account besides the engine: planner/account, and its verbs.

The clients are boto3's own, so that paginators, arguments and errors are real; an answer is made of what stands, a few
things a page, and held against botocore's model of the service.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

import boto3
from botocore.awsrequest import AWSResponse
from botocore.validate import validate_parameters

from tests.engine.cloud.kinds import kind_of
from tests.engine.cloud.store import ACCOUNT, Cloud, Thing, tags_of

HOME = "us-east-1"  # where the tagging service lists what has no Region
PAGE = 7  # things in an answer: few, so that there are several pages
MADE = datetime(2026, 11, 21, tzinfo=UTC)
Answer = dict[str, Any]


class Missing(Exception):
    """What is asked for is not there: the code by which its service says so."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One call. region: of the client; where: the Region that the cloud is in."""

    things: Sequence[Thing]
    said: Mapping[str, Any]
    region: str
    where: str

    def of(self, *types: str) -> list[Thing]:
        return [thing for thing in self.things if thing["type"] in types]

    def launched(self, kind: str) -> list[Thing]:
        return [thing for thing in self.things if thing.get("by") and thing["kind"] == kind]

    def page(self, list_: str, entries: Sequence[Any], token: str = "NextToken") -> Answer:
        """Some of the entries, and by which token there are more."""
        first = int(self.said.get(token) or 0)
        more = {token: str(first + PAGE)} if first + PAGE < len(entries) else {}
        return {list_: list(entries[first : first + PAGE]), **more}


class Api:
    """Clients by service and Region, in place of planner.account.aws_client.client."""

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud
        self.clients: dict[tuple[str, str], Any] = {}

    def client(self, service: str, region: str, *, attempts: int = 4) -> Any:
        if (service, region) not in self.clients:
            made = boto3.client(
                service, region_name=region, aws_access_key_id="testing", aws_secret_access_key="testing"
            )
            made.meta.events.register("provide-client-params", _keep)
            made.meta.events.register("before-call", partial(self._answer, service, region))
            self.clients[service, region] = made
        return self.clients[service, region]

    def _answer(self, service: str, region: str, model: Any, context: dict[str, Any], **_: Any) -> Any:
        answer = ANSWERS.get((service, model.name))
        assert answer is not None, f"the stand-in cloud does not answer {service} {model.name}"
        things = self.cloud.standing(pending=True)
        try:
            found = answer(Asked(things=things, said=context["said"], region=region, where=self.cloud.region))
        except Missing as error:
            return AWSResponse("", 400, {}, None), {"Error": {"Code": str(error), "Message": "not there"}}
        validate_parameters(found, model.output_shape)
        return AWSResponse("", 200, {}, None), found


def _keep(params: Mapping[str, Any], context: dict[str, Any], **_: Any) -> None:
    context["said"] = params


def _written(tags: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in tags.items()]


def _lists(asked: Asked, thing: Thing) -> bool:
    """Whether the tagging service lists a thing there."""
    if not (thing["type"] in ("pending", "launched") or kind_of(thing["type"]).listed):
        return False
    service, region = thing["arn"].split(":")[2:4] if thing["arn"] else ("", "nowhere")
    return asked.region == (region or (asked.where if service == "s3" else HOME))


def _resources(asked: Asked) -> Answer:
    (wanted,) = asked.said["TagFilters"]
    found = [
        {"ResourceARN": thing["arn"], "Tags": _written(tags_of(thing))}
        for thing in asked.things
        if tags_of(thing).get(wanted["Key"]) in wanted["Values"] and _lists(asked, thing)
    ]
    return asked.page("ResourceTagMappingList", found, "PaginationToken")


def _groups(asked: Asked) -> Answer:
    (wanted,) = asked.said["Filters"]
    found = []
    for thing in asked.of("aws:autoscaling/group:Group"):
        tags, inputs = tags_of(thing), thing["inputs"]
        if asked.region == asked.where and tags.get(wanted["Name"].removeprefix("tag:")) in wanted["Values"]:
            found.append(
                {
                    "AutoScalingGroupName": thing["id"],
                    "AutoScalingGroupARN": thing["arn"],
                    "MinSize": inputs["minSize"],
                    "MaxSize": inputs["maxSize"],
                    "DesiredCapacity": inputs.get("desiredCapacity", inputs["minSize"]),
                    "DefaultCooldown": 300,
                    "AvailabilityZones": ["a"],
                    "HealthCheckType": "EC2",
                    "CreatedTime": MADE,
                    "Tags": _written(tags),
                }
            )
    return asked.page("AutoScalingGroups", found)


def _standing(asked: Asked, things: Sequence[Thing], id_: str, state: Any) -> list[dict[str, Any]]:
    """Those whose ids or tags are asked for, in the Region where they are."""
    filters = asked.said.get("Filters") or asked.said["Filter"]
    ours = [thing for thing in things if asked.region == asked.where and all(_fits(thing, one) for one in filters)]
    return [{id_: thing["id"], "State": state} for thing in ours]


def _fits(thing: Thing, wanted: Any) -> bool:
    """Every instance that exists is running."""
    kind, _, tag = wanted["Name"].partition(":")
    if kind == "instance-state-name":
        return "running" in wanted["Values"]
    return (tags_of(thing).get(tag) if kind == "tag" else thing["id"]) in wanted["Values"]


def _instances(asked: Asked) -> Answer:
    things = [*asked.of("aws:ec2/instance:Instance"), *asked.launched("instance")]
    return {"Reservations": [{"Instances": _standing(asked, things, "InstanceId", {"Name": "running"})}]}


def _gateways(asked: Asked) -> Answer:
    things = asked.of("aws:ec2/natGateway:NatGateway")
    return {"NatGateways": _standing(asked, things, "NatGatewayId", "available")}


def _endpoints(asked: Asked) -> Answer:
    things = asked.of("aws:ec2/vpcEndpoint:VpcEndpoint")
    return {"VpcEndpoints": _standing(asked, things, "VpcEndpointId", "available")}


def _key(asked: Asked) -> Answer:
    for thing in asked.of("aws:kms/key:Key", "pending"):
        if thing["id"] == asked.said["KeyId"] and asked.region == asked.where:
            state = "PendingDeletion" if thing["type"] == "pending" else "Enabled"
            return {"KeyMetadata": {"KeyId": thing["id"], "KeyState": state}}
    raise Missing("NotFoundException")


def _budget(asked: Asked) -> Answer:
    name = asked.said["BudgetName"]
    if name not in [thing["inputs"]["name"] for thing in asked.of("aws:budgets/budget:Budget")]:
        raise Missing("NotFoundException")
    return {"Budget": {"BudgetName": name, "TimeUnit": "ANNUALLY", "BudgetType": "COST"}}


def _actions(asked: Asked) -> Answer:
    _budget(asked)
    found = []
    for thing in asked.of("aws:budgets/budgetAction:BudgetAction"):
        inputs = thing["inputs"]
        if inputs["budgetName"] == asked.said["BudgetName"]:
            found.append(
                {
                    "ActionId": thing["outputs"]["actionId"],
                    "BudgetName": inputs["budgetName"],
                    "NotificationType": inputs["notificationType"],
                    "ActionType": inputs["actionType"],
                    "ActionThreshold": {"ActionThresholdValue": 100, "ActionThresholdType": "PERCENTAGE"},
                    "Definition": {},
                    "ExecutionRoleArn": inputs["executionRoleArn"],
                    "ApprovalModel": inputs["approvalModel"],
                    "Status": "STANDBY",
                    "Subscribers": [{"SubscriptionType": "EMAIL", "Address": "gpu@example.org"}],
                }
            )
    return asked.page("Actions", found)


def _monitors(asked: Asked) -> Answer:
    found = [
        {"MonitorArn": one["arn"], "MonitorName": one["inputs"]["name"], "MonitorType": one["inputs"]["monitorType"]}
        for one in asked.of("aws:costexplorer/anomalyMonitor:AnomalyMonitor")
    ]
    return asked.page("AnomalyMonitors", found, "NextPageToken")


def _subscriptions(asked: Asked) -> Answer:
    found = [
        {
            "SubscriptionArn": one["arn"],
            "SubscriptionName": one["inputs"]["name"],
            "MonitorArnList": one["inputs"]["monitorArnLists"],
            "Subscribers": [],
            "Frequency": one["inputs"]["frequency"],
        }
        for one in asked.of("aws:costexplorer/anomalySubscription:AnomalySubscription")
    ]
    return asked.page("AnomalySubscriptions", found, "NextPageToken")


def _tags(code: str, asked: Asked) -> Answer:
    arn = asked.said.get("ResourceARN") or asked.said["ResourceArn"]
    for thing in asked.things:
        if thing["arn"] == arn:
            return {"ResourceTags": _written(tags_of(thing))}
    raise Missing(code)


def _identities(type_: str, list_: str, name: str, asked: Asked) -> Answer:
    found = [
        {
            "Path": "/",
            name: thing["inputs"]["name"],
            name.replace("Name", "Id"): "A" * 21,
            "Arn": thing["arn"],
            "CreateDate": MADE,
            **({"Roles": []} if name.startswith("InstanceProfile") else {}),
        }
        for thing in asked.of(type_)
    ]
    some = asked.page(list_, found, "Marker")
    return {**some, "IsTruncated": "Marker" in some}


def _identity_tags(type_: str, argument: str, asked: Asked) -> Answer:
    for thing in asked.of(type_):
        if asked.said[argument] in (thing["id"], thing["arn"]):
            return {"Tags": _written(tags_of(thing))}
    raise Missing("NoSuchEntity")


_ROLE, _PROFILE, _POLICY = "aws:iam/role:Role", "aws:iam/instanceProfile:InstanceProfile", "aws:iam/policy:Policy"
ANSWERS: dict[tuple[str, str], Callable[[Asked], Answer]] = {
    ("resourcegroupstaggingapi", "GetResources"): _resources,
    ("autoscaling", "DescribeAutoScalingGroups"): _groups,
    ("ec2", "DescribeInstances"): _instances,
    ("ec2", "DescribeNatGateways"): _gateways,
    ("ec2", "DescribeVpcEndpoints"): _endpoints,
    ("kms", "DescribeKey"): _key,
    ("sts", "GetCallerIdentity"): lambda _: {"Account": ACCOUNT, "Arn": f"arn:aws:iam::{ACCOUNT}:user/test"},
    ("budgets", "DescribeBudget"): _budget,
    ("budgets", "DescribeBudgetActionsForBudget"): _actions,
    ("budgets", "ListTagsForResource"): partial(_tags, "NotFoundException"),
    ("ce", "GetAnomalyMonitors"): _monitors,
    ("ce", "GetAnomalySubscriptions"): _subscriptions,
    ("ce", "ListTagsForResource"): partial(_tags, "ResourceNotFoundException"),
    ("iam", "ListRoles"): partial(_identities, _ROLE, "Roles", "RoleName"),
    ("iam", "ListRoleTags"): partial(_identity_tags, _ROLE, "RoleName"),
    ("iam", "ListInstanceProfiles"): partial(_identities, _PROFILE, "InstanceProfiles", "InstanceProfileName"),
    ("iam", "ListInstanceProfileTags"): partial(_identity_tags, _PROFILE, "InstanceProfileName"),
    ("iam", "ListPolicies"): partial(_identities, _POLICY, "Policies", "PolicyName"),
    ("iam", "ListPolicyTags"): partial(_identity_tags, _POLICY, "PolicyArn"),
    ("cloudwatch", "ListMetrics"): lambda _: {"Metrics": []},
}
