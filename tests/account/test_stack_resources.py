"""What stands at AWS: by the tagging service in two Regions, by name where it is silent, less what is gone."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from planner.account.cost_controls import ANOMALIES
from planner.account.cost_controls import BUDGET as GUARD_BUDGET
from planner.account.stack_resources import stack_resources
from planner.errors import CredentialsProblem
from planner.stack.deployed_resources import TaggedResource
from planner.stack.names import physical
from planner.stack.spec import LAYOUTS
from tests.account.stubs import ACCOUNT, REGION, Cloud, arn, mapping, reservation
from tests.infra.specs import graph_of, spec_of


@pytest.fixture
def cloud() -> Cloud:
    return Cloud()


ELSEWHERE = "eu-west-1"
BUDGET = f"arn:aws:budgets::{ACCOUNT}:budget/planner-dev-guard-budget"
ACTIONS = tuple(f"{number:08}-0000-0000-0000-000000000000" for number in (1, 2))
CALLER = {"Account": ACCOUNT, "Arn": f"arn:aws:iam::{ACCOUNT}:user/test", "UserId": "test"}
POLICY = f"arn:aws:iam::{ACCOUNT}:policy/planner-dev-guard-no-more"
WANTED = {"TagFilters": [{"Key": "planner:stack", "Values": ["dev"]}], "ResourcesPerPage": 100}


def by_name(cloud: Cloud, *, actions: tuple[str, ...] | None = None, **more: list[dict[str, Any]]) -> None:
    """Answers of the services that are asked by name; without words there is nothing.

    actions: ids of the budget's, None where there is no budget. more: entries of IAM's and Cost Explorer's lists.
    """
    cloud.stub("sts").add_response("get_caller_identity", CALLER)
    budgets, whose = cloud.stub("budgets"), {"AccountId": ACCOUNT, "BudgetName": "planner-dev-guard-budget"}
    if actions is None:
        budgets.add_client_error("describe_budget", "NotFoundException", "no budget", 400)
    else:
        budget = {"BudgetName": "planner-dev-guard-budget", "TimeUnit": "ANNUALLY", "BudgetType": "COST"}
        budgets.add_response("describe_budget", {"Budget": budget}, whose)
        found = {"Actions": [action(id_) for id_ in actions]}
        budgets.add_response("describe_budget_actions_for_budget", found, whose)
    explorer, iam = cloud.stub("ce"), cloud.stub("iam")
    explorer.add_response("get_anomaly_monitors", {"AnomalyMonitors": more.get("monitors", [])}, {})
    explorer.add_response("get_anomaly_subscriptions", {"AnomalySubscriptions": more.get("subscriptions", [])}, {})
    if "roles" not in more:
        for operation, list_ in (("list_roles", "Roles"), ("list_instance_profiles", "InstanceProfiles")):
            iam.add_response(operation, {list_: []}, {})
        iam.add_response("list_policies", {"Policies": []}, {"Scope": "Local"})


def action(id_: str) -> dict[str, Any]:
    return {
        "ActionId": id_,
        "BudgetName": "planner-dev-guard-budget",
        "NotificationType": "ACTUAL",
        "ActionType": "APPLY_IAM_POLICY",
        "ActionThreshold": {"ActionThresholdValue": 100, "ActionThresholdType": "PERCENTAGE"},
        "Definition": {
            "IamActionDefinition": {"PolicyArn": f"arn:aws:iam::{ACCOUNT}:policy/planner-dev-guard-no-more"}
        },
        "ExecutionRoleArn": f"arn:aws:iam::{ACCOUNT}:role/planner-dev-guard-action",
        "ApprovalModel": "AUTOMATIC",
        "Status": "STANDBY",
        "Subscribers": [{"SubscriptionType": "EMAIL", "Address": "gpu@example.org"}],
    }


def tags(name: str, stack: str = "dev") -> list[dict[str, str]]:
    return mapping("", name, stack)["Tags"]


def tagging(cloud: Cloud, region: str, *entries: dict[str, Any]) -> None:
    answer = {"ResourceTagMappingList": list(entries), "PaginationToken": ""}
    cloud.stub("resourcegroupstaggingapi", region).add_response("get_resources", answer, WANTED)


def no_groups(cloud: Cloud, region: str = REGION) -> None:
    cloud.stub("autoscaling", region).add_response("describe_auto_scaling_groups", {"AutoScalingGroups": []}, None)


def test_what_has_no_region_is_asked_for_in_us_east_1(cloud):
    vpc, budget = arn("ec2", "vpc/vpc-1", ELSEWHERE), BUDGET
    tagging(cloud, ELSEWHERE, mapping(vpc, "network-vpc"))
    # a stack of the same name in us-east-1 has a network and a bucket there
    others = [mapping(arn("ec2", "vpc/vpc-2"), "network-vpc"), mapping("arn:aws:s3:::another", "tier-bucket")]
    tagging(cloud, REGION, mapping(budget, "guard-budget"), *others)
    no_groups(cloud, ELSEWHERE)
    by_name(cloud)
    assert [thing.arn for thing in stack_resources("dev", ELSEWHERE, cloud.client)] == [budget, vpc]
    cloud.done()


@pytest.mark.parametrize("region", [REGION, ELSEWHERE])
def test_what_the_tagging_service_may_not_list_is_found_by_name(cloud, region):
    monitors = [f"arn:aws:ce::{ACCOUNT}:anomalymonitor/{number}" for number in (1, 2, 3)]
    subscription = f"arn:aws:ce::{ACCOUNT}:anomalysubscription/4"
    for asked in dict.fromkeys((region, REGION)):
        # it lists the first monitor all the same, which is asked about no more
        tagging(cloud, asked, *([mapping(monitors[0], "guard-anomalies")] if asked == REGION else []))
    no_groups(cloud, region)
    names = ("planner-dev-guard-anomalies", "planner-dev-guard-anomalies", "planner-dev-2-guard-anomalies")
    by_name(
        cloud,
        actions=ACTIONS,
        monitors=[
            {"MonitorArn": arn_, "MonitorName": name, "MonitorType": "CUSTOM"}
            for arn_, name in zip(monitors, names, strict=True)
        ],
        subscriptions=[
            {
                "SubscriptionArn": subscription,
                "SubscriptionName": names[0],
                "MonitorArnList": monitors[:1],
                "Subscribers": [],
                "Frequency": "IMMEDIATE",
            }
        ],
    )
    budgets = cloud.stub("budgets")
    for arn_, name in ((BUDGET, "guard-budget"), *((f"{BUDGET}/action/{id_}", "guard-action") for id_ in ACTIONS)):
        budgets.add_response("list_tags_for_resource", {"ResourceTags": tags(name)}, {"ResourceARN": arn_})
    for arn_, name in ((monitors[1], "guard-anomalies"), (subscription, "guard-anomaly-notice")):
        answer = {"ResourceTags": tags(name)}
        cloud.stub("ce").add_response("list_tags_for_resource", answer, {"ResourceArn": arn_})
    assert [(thing.name, thing.id) for thing in stack_resources("dev", region, cloud.client)] == [
        ("guard-action", f"planner-dev-guard-budget/action/{ACTIONS[0]}"),
        ("guard-action", f"planner-dev-guard-budget/action/{ACTIONS[1]}"),
        ("guard-anomalies", "1"),
        ("guard-anomalies", "2"),
        ("guard-anomaly-notice", "4"),
        ("guard-budget", "planner-dev-guard-budget"),
    ]
    cloud.done()


def test_identities_are_those_with_the_name_and_the_tag(cloud):
    tagging(cloud, REGION)
    no_groups(cloud)
    by_name(cloud, roles=[])
    iam, made = cloud.stub("iam"), datetime(2026, 11, 21, tzinfo=UTC)

    def entry(kind: str, name: str) -> dict[str, Any]:
        arn_ = f"arn:aws:iam::{ACCOUNT}:{kind.lower().replace('instanceprofile', 'instance-profile')}/{name}"
        return {"Path": "/", f"{kind}Name": name, f"{kind}Id": "A" * 21, "Arn": arn_, "CreateDate": made}

    roles = ["admin", "planner-dev-fleet-role", "planner-dev-2-fleet-role", "planner-dev-guard-action"]
    iam.add_response(
        "list_roles", {"Roles": [entry("Role", name) for name in roles[:2]], "Marker": "m", "IsTruncated": True}, {}
    )
    rest = {"Roles": [entry("Role", name) for name in roles[2:]]}
    iam.add_response("list_roles", rest, {"Marker": "m"})
    iam.add_response("list_role_tags", {"Tags": tags("fleet-role")}, {"RoleName": roles[1]})
    iam.add_response("list_role_tags", {"Tags": tags("fleet-role", "dev-2")}, {"RoleName": roles[2]})
    iam.add_client_error("list_role_tags", "NoSuchEntity", "it went meanwhile", 404)
    profile = entry("InstanceProfile", "planner-dev-fleet-profile") | {"Roles": []}
    iam.add_response("list_instance_profiles", {"InstanceProfiles": [profile]}, {})
    by = {"InstanceProfileName": "planner-dev-fleet-profile"}
    iam.add_response("list_instance_profile_tags", {"Tags": tags("fleet-profile")}, by)
    policy = entry("Policy", "planner-dev-guard-no-more")
    iam.add_response("list_policies", {"Policies": [policy]}, {"Scope": "Local"})
    iam.add_response("list_policy_tags", {"Tags": tags("guard-no-more")}, {"PolicyArn": policy["Arn"]})
    found = stack_resources("dev", REGION, cloud.client)
    assert [(thing.name, thing.kind) for thing in found] == [
        ("fleet-profile", "iam:instance-profile"),
        ("fleet-role", "iam:role"),
        ("guard-no-more", "iam:policy"),
    ]
    cloud.done()


def test_a_refusal_is_no_all_clear(cloud):
    tagging(cloud, REGION)
    no_groups(cloud)
    cloud.stub("sts").add_response("get_caller_identity", CALLER)
    cloud.stub("budgets").add_client_error("describe_budget", "AccessDeniedException", "no", 400)
    with pytest.raises(CredentialsProblem, match="refuses budget planner-dev-guard-budget"):
        stack_resources("dev", REGION, cloud.client)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_names_are_those_that_the_program_gives(layout):
    for stack in ("dev", "Prod_2026.Q4"):
        entries = graph_of(replace(spec_of(layout), stack=stack))["resources"]
        names = {(entry["type"].partition("/")[0], str(entry["inputs"].get("name", ""))) for entry in entries}
        assert {name for service, name in names if service == "aws:costexplorer"} == {physical(stack, ANOMALIES)}
        assert ("aws:budgets", physical(stack, GUARD_BUDGET)) in names
        begins = physical(stack, "")
        identities = [entry for entry in entries if entry["type"].startswith("aws:iam/") and "tags" in entry["inputs"]]
        assert identities
        assert all(entry["inputs"]["name"].startswith(begins) for entry in identities)


def test_all_of_it_less_what_is_gone(cloud):
    here, gone = arn("ec2", "instance/i-0a"), arn("ec2", "instance/i-0b")
    nat, old_nat = arn("ec2", "natgateway/nat-0a"), arn("ec2", "natgateway/nat-0b")
    key, old_key = arn("kms", "key/1111"), arn("kms", "key/2222")
    block, over = arn("ec2", "capacity-reservation/cr-0a"), arn("ec2", "capacity-reservation/cr-0b")
    names = {
        here: "pool-node-0",
        gone: "pool-node-0",
        nat: "network-nat",
        old_nat: "network-nat",
        key: "tier-key",
        old_key: "tier-key",
        block: "fleet-reservation",
        over: "fleet-reservation",
    }
    stub = cloud.stub("resourcegroupstaggingapi")
    entries = [mapping(arn_, name) for arn_, name in names.items()]
    stub.add_response("get_resources", {"ResourceTagMappingList": entries[:3], "PaginationToken": "more"}, WANTED)
    stub.add_response(
        "get_resources",
        {"ResourceTagMappingList": entries[3:], "PaginationToken": ""},
        {**WANTED, "PaginationToken": "more"},
    )
    by_name(cloud)
    group = arn("autoscaling", "autoScalingGroup:0000:autoScalingGroupName/planner-dev-fleet-group")
    cloud.stub("autoscaling").add_response(
        "describe_auto_scaling_groups",
        {"AutoScalingGroups": [_group(group)]},
        {"Filters": [{"Name": "tag:planner:stack", "Values": ["dev"]}]},
    )
    ec2 = cloud.stub("ec2")
    instances = [
        {"InstanceId": "i-0a", "State": {"Name": "running"}},
        {"InstanceId": "i-0b", "State": {"Name": "terminated"}},
    ]
    ec2.add_response(
        "describe_instances",
        {"Reservations": [{"Instances": instances}]},
        {"Filters": [{"Name": "instance-id", "Values": ["i-0a", "i-0b"]}]},
    )
    gateways = [{"NatGatewayId": "nat-0a", "State": "available"}, {"NatGatewayId": "nat-0b", "State": "deleted"}]
    ec2.add_response(
        "describe_nat_gateways",
        {"NatGateways": gateways},
        {"Filter": [{"Name": "nat-gateway-id", "Values": ["nat-0a", "nat-0b"]}]},
    )
    reservations = [
        reservation(state="active", CapacityReservationId="cr-0a"),
        reservation(state="expired", CapacityReservationId="cr-0b"),
    ]
    ec2.add_response("describe_capacity_reservations", {"CapacityReservations": reservations}, None)
    kms = cloud.stub("kms")
    for id_, state in (("1111", "Enabled"), ("2222", "PendingDeletion")):
        kms.add_response("describe_key", {"KeyMetadata": {"KeyId": id_, "KeyState": state}}, {"KeyId": id_})
    found = stack_resources("dev", REGION, cloud.client)
    assert [entry.arn for entry in found] == [group, block, nat, here, key]
    cloud.done()


def _group(arn_: str) -> dict[str, object]:
    moment = datetime(2026, 11, 21, tzinfo=UTC)
    return {
        "AutoScalingGroupName": "planner-dev-fleet-group",
        "AutoScalingGroupARN": arn_,
        "MinSize": 4,
        "MaxSize": 4,
        "DesiredCapacity": 4,
        "DefaultCooldown": 300,
        "AvailabilityZones": ["us-east-1d"],
        "HealthCheckType": "EC2",
        "CreatedTime": moment,
        "Tags": [{"Key": "planner:name", "Value": "fleet-group"}],
    }


@pytest.mark.parametrize(
    ("found", "kind", "id_"),
    [
        (arn("ec2", "instance/i-0a"), "ec2:instance", "i-0a"),
        ("arn:aws:s3:::planner-dev-data", "s3:bucket", "planner-dev-data"),
        (arn("kms", "key/1-2"), "kms:key", "1-2"),
        (arn("sns", "planner-dev-topic"), "sns:topic", "planner-dev-topic"),
        (arn("cloudwatch", "alarm:planner-dev-x"), "cloudwatch:alarm", "planner-dev-x"),
        (arn("logs", "log-group:/planner/dev"), "logs:log-group", "/planner/dev"),
        (arn("fsx", "file-system/fs-0a"), "fsx:file-system", "fs-0a"),
        (arn("autoscaling", "autoScalingGroup:0:autoScalingGroupName/g"), "autoscaling:autoScalingGroup", "g"),
    ],
)
def test_what_an_arn_says(found, kind, id_):
    thing = TaggedResource(arn=found, name="x")
    assert (thing.kind, thing.id) == (kind, id_)
