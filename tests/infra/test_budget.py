"""What the budget's action forbids and to whom: all buying that a policy of ours allows, and no way down."""

from __future__ import annotations

import json
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

import pytest

from infra.budget import FORBIDDEN, FORBIDDEN_BUT_TO_ZERO, OF_PCS
from infra.deployer import policies
from planner.stack.spec import LAYOUTS, Guard
from tests.infra.specs import graph_of, inputs, names, spec_of
from tests.infra.test_deployer import operations

ALLOWED = sorted(
    action for policy in policies().values() for statement in policy["Statement"] for action in statement["Action"]
)
READING = ("Describe", "Get", "List", "View")
GOING_DOWN = (
    *("Abort", "Cancel", "Delete", "Detach", "Disable", "Disassociate", "Release", "Remove", "Revoke", "Stop"),
    *("Suspend", "Terminate", "Unassign", "Unmonitor", "Unsubscribe", "Untag"),
)
# what the deployer may and the action does not forbid, for AWS bills none of it; or why it is left
FREE = {
    "*:Tag*": "tags",
    "*:*Tags": "tags",
    "autoscaling:EnableMetricsCollection": "group metrics are free",
    "autoscaling:*LifecycleAction*": "free: a node is counted or leaves",
    "autoscaling:PutLifecycleHook": "free",
    "autoscaling:SetInstanceProtection": "free; what is scaled in by choice needs it",
    "autoscaling:StartInstanceRefresh": "replaces nodes one for one",
    "batch:*JobDefinition": "free",
    "batch:*JobQueue": "free: jobs are forbidden",
    "batch:UpdateComputeEnvironment": "destroy disables it first; what makes its nodes is jobs, which are forbidden",
    "budgets:ModifyBudget": "a budget is raised by it",
    "budgets:UpdateBudgetAction": "of an action that is there",
    "ce:*": "anomaly detection is free",
    "cloudformation:CreateResource": "Cloud Control calls the service with the caller's rights, and that is forbidden",
    "cloudformation:UpdateResource": "the same",
    "cloudwatch:PutDashboard": "one of a stack: free among an account's first three, else 3 USD a month",
    "events:Put*": "rules for events of AWS are free",
    "ec2:AssignPrivateIpAddresses": "private addresses are free",
    "ec2:Associate*": "free",
    "ec2:Attach*": "free",
    "ec2:Authorize*": "free",
    "ec2:CreateInternetGateway": "free",
    "ec2:CreateLaunchTemplate*": "free: what starts from it is forbidden",
    "ec2:CreateNetworkInterface": "free without a public address",
    "ec2:CreatePlacementGroup": "free",
    "ec2:CreateRoute*": "free",
    "ec2:CreateSecurityGroup": "free",
    "ec2:CreateSubnet": "free",
    "ec2:CreateVpc": "free",
    "ec2:ModifyInstance*": "another type is set on a stopped instance, and starting it is forbidden",
    "ec2:ModifyLaunchTemplate": "free",
    "ec2:ModifyNetworkInterfaceAttribute": "free",
    "ec2:ModifySecurityGroupRules": "free",
    "ec2:ModifySubnetAttribute": "free",
    "ec2:ModifyVpcAttribute": "free",
    "pcs:CreateQueue": "free: what its jobs run on is forbidden",
    "pcs:Update*": "a node group is scaled to zero by it, as `pulumi destroy` begins",
    "secretsmanager:RotateSecret": "of a secret that is there",
    "secretsmanager:CreateSecret": "0.40 USD a month, made by AWS with a cluster, which is forbidden",
    "ec2:Replace*": "free",
    "fsx:*DataRepositoryAssociation": "bills nothing of its own on a file system that stands",
    "iam:*": "free",
    "kms:CreateAlias": "free",
    "rds:AddTagsToResource": "free",
    "rds:CreateDBParameterGroup": "free",
    "rds:CreateDBSnapshot": "a last copy of a database that goes",
    "rds:CreateDBSubnetGroup": "free",
    "rds:ModifyDB*": "protection against deletion is lifted by it, as `pulumi destroy` begins",
    "rds:RebootDBInstance": "of one that is there",
    "rds:ResetDBParameterGroup": "free",
    "route53:AssociateVPCWithHostedZone": "free: the private name of an endpoint, which is forbidden",
    "kms:CreateGrant": "free",
    "kms:Decrypt": "training reads and saves by it",
    "kms:EnableKeyRotation": "of a key that is there",
    "kms:GenerateDataKey": "training saves by it",
    "kms:PutKeyPolicy": "free",
    "kms:Update*": "free",
    "logs:CreateLogGroup": "bills by what is written, which the flow log decides",
    "logs:PutRetentionPolicy": "free",
    "s3:CreateBucket": "an empty bucket is free",
    "s3:Put*": "settings are free; objects are checkpoints, which must be saved after the budget too",
    "fsx:CreateDataRepositoryTask": "free but for requests; what is in the file system alone must reach S3",
    "sns:*": "mail of alarms is free",
    "ssm*:*": "a shell on a node that runs",
}


def statements(graph: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return json.loads(inputs(graph, name)["policy"])["Statement"]


def with_roles(*roles: str) -> dict[str, Any]:
    spec = spec_of("s3-stream")
    return graph_of(replace(spec, guard=replace(spec.guard, roles=roles)))


@pytest.mark.parametrize("action", sorted(set(ALLOWED)))
def test_what_the_deployer_can_buy_is_forbidden_and_what_is_not_is_free(action):
    name = action.split(":")[1]
    free = [pattern for pattern in FREE if fnmatchcase(action, pattern)]
    forbidden = action in (*FORBIDDEN, *OF_PCS, FORBIDDEN_BUT_TO_ZERO)
    if name.startswith((*READING, *GOING_DOWN)):
        assert not forbidden, "looking and going down must stay possible"
    else:
        assert forbidden != bool(free), "every action is forbidden, or said here to be free"


@pytest.mark.parametrize("action", [*FORBIDDEN, FORBIDDEN_BUT_TO_ZERO])
def test_it_is_an_action_of_aws_and_none_that_goes_down(action):
    service, name = action.split(":")
    assert name in operations(service)
    assert not name.startswith((*READING, *GOING_DOWN))


@pytest.mark.parametrize(
    "action",
    [
        "ec2:RequestSpotInstances",
        "ec2:RequestSpotFleet",
        "ec2:CreateFleet",
        "ec2:PurchaseCapacityBlock",
        "ec2:PurchaseReservedInstancesOffering",
        "savingsplans:CreateSavingsPlan",
        "autoscaling:SetDesiredCapacity",
    ],
)
def test_other_ways_to_buy_are_forbidden_too(action):
    assert action in FORBIDDEN


def test_the_list_is_in_order_and_names_nothing_twice():
    assert list(FORBIDDEN) == sorted(set(FORBIDDEN))


def test_a_group_may_still_be_set_to_zero_which_is_how_destroy_begins():
    more, to_zero = statements(graph_of("s3-stream"), "guard-no-more")
    assert (more["Effect"], more["Resource"], more.get("Condition")) == ("Deny", "*", None)
    assert tuple(more["Action"]) == FORBIDDEN
    assert (to_zero["Effect"], to_zero["Action"]) == ("Deny", "autoscaling:UpdateAutoScalingGroup")
    # negated, so that an update of the desired size alone, which names no maximum, is denied
    assert to_zero["Condition"] == {"NumericNotEquals": {"autoscaling:MaxSize": "0"}}


def test_the_action_is_for_a_group_and_for_roles_that_the_stack_file_names():
    plain = graph_of("s3-stream")
    assert set(inputs(plain, "guard-action")["definition"]["iamActionDefinition"]) == {"policyArn", "groups"}
    assert [statement["Sid"] for statement in statements(plain, "guard-action-policy")] == ["AttachNoMoreToGroup"]
    graph = with_roles("planner-deployer", "team/training")
    assert inputs(graph, "guard-action")["definition"]["iamActionDefinition"]["roles"] == [
        "planner-deployer",
        "team/training",
    ]
    _, role = statements(graph, "guard-action-policy")
    assert role["Action"] == ["iam:AttachRolePolicy", "iam:DetachRolePolicy"]
    assert role["Resource"] == [
        "arn:aws:iam::000000000000:role/planner-deployer",
        "arn:aws:iam::000000000000:role/team/training",
    ]
    assert set(role["Condition"]["ArnEquals"]) == {"iam:PolicyARN"}, "that one policy and no other"


@pytest.mark.parametrize(
    ("budget", "least"),
    [(500.0, "100"), (10_000.0, "100"), (20_000.0, "200"), (2_500_000.0, "25000")],
)
def test_an_anomaly_is_reported_from_one_percent_of_the_budget_but_not_below_100_usd(budget, least):
    spec = spec_of("s3-stream")
    graph = graph_of(replace(spec, guard=replace(spec.guard, budget_usd=budget)))
    dimension = inputs(graph, "guard-anomaly-notice")["thresholdExpression"]["dimension"]
    assert dimension["values"] == [least]
    assert dimension["matchOptions"] == ["GREATER_THAN_OR_EQUAL"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_stack_makes_nothing_that_aws_may_refuse_to_a_member_account_unless_asked_to(layout):
    """AWS Cost Management User Guide: monitors by cost allocation tag are of the management account alone."""
    spec = spec_of(layout)
    usual, least = (replace(spec, guard=replace(spec.guard, more=more)) for more in (Guard.more, ()))
    kinds = {entry["type"] for entry in graph_of(usual)["resources"]}
    assert not [kind for kind in kinds if "costexplorer" in kind]
    assert "guard-action" in names(graph_of(usual))
    assert names(graph_of(spec)) - names(graph_of(usual)) == {"guard-anomalies", "guard-anomaly-notice"}
    gone = names(graph_of(usual)) - names(graph_of(least))
    assert gone == {f"guard-{part}" for part in ("action", "action-policy", "action-role", "no-more", "operators")}
    assert {"guard-budget", "guard-topic"} <= names(graph_of(least))
    assert "aws:iam/group:Group" not in {entry["type"] for entry in graph_of(least)["resources"]}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_role_has_the_boundary_of_the_organization(layout):
    boundary = "arn:aws:iam::111122223333:policy/boundary"
    for given in (boundary, ""):
        graph = graph_of(spec_of(layout, permissions_boundary=given))
        roles = [entry["inputs"] for entry in graph["resources"] if entry["type"] == "aws:iam/role:Role"]
        assert len(roles) >= 3
        assert {role.get("permissionsBoundary", "") for role in roles} == {given}


def test_only_who_publishes_to_the_topic_may():
    """Budgets and their actions mail by themselves."""
    notices, events = statements(graph_of("s3-stream"), "guard-topic-policy")
    assert notices["Principal"] == {"Service": ["cloudwatch.amazonaws.com", "costalerts.amazonaws.com"]}
    assert events["Principal"] == {"Service": "events.amazonaws.com"}
    assert (events["Action"], events["Resource"]) == (notices["Action"], notices["Resource"])
    for name in ("guard-budget", "guard-action"):
        assert "sns" not in json.dumps(inputs(graph_of("s3-stream"), name)).lower()
