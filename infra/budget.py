"""The budget of a stack and its action: when the budget is spent, some identities may not buy anything more.

The action does not stop running resources: they are billed further, and groups of nodes keep their size, since Auto
Scaling launches nodes with its own role. It denies purchases to the members of an IAM group, which is empty at first,
and to the roles that the stack file names. Deleting, stopping and scaling to zero stay allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_aws as aws

from infra.naming import Component
from infra.policy import document
from infra.service_role import service_role
from planner.stack.spec import BUDGET_ACTION, Guard

THRESHOLDS_PERCENT = (50, 80, 100)
# every action that creates, starts or enlarges something billed: those of the deployer, and other ways to spend money
FORBIDDEN = (
    "autoscaling:BatchPutScheduledUpdateGroupAction",
    "autoscaling:CreateAutoScalingGroup",
    "autoscaling:ExecutePolicy",
    "autoscaling:PutScalingPolicy",
    "autoscaling:PutScheduledUpdateGroupAction",
    "autoscaling:PutWarmPool",
    "autoscaling:ResumeProcesses",
    "autoscaling:SetDesiredCapacity",
    "batch:CreateComputeEnvironment",
    "batch:SubmitJob",
    "batch:SubmitServiceJob",
    "budgets:CreateBudgetAction",
    "cloudwatch:PutMetricAlarm",
    "ec2:AllocateAddress",
    "ec2:AllocateHosts",
    "ec2:CreateCapacityReservation",
    "ec2:CreateCapacityReservationFleet",
    "ec2:CreateFleet",
    "ec2:CreateFlowLogs",
    "ec2:CreateNatGateway",
    "ec2:CreateVolume",
    "ec2:CreateVpcEndpoint",
    "ec2:ModifyCapacityReservation",
    "ec2:ModifyCapacityReservationFleet",
    "ec2:ModifyFleet",
    "ec2:ModifySpotFleetRequest",
    "ec2:ModifyVolume",
    "ec2:ModifyVpcEndpoint",
    "ec2:MonitorInstances",
    "ec2:PurchaseCapacityBlock",
    "ec2:PurchaseCapacityBlockExtension",
    "ec2:PurchaseHostReservation",
    "ec2:PurchaseReservedInstancesOffering",
    "ec2:PurchaseScheduledInstances",
    "ec2:RequestSpotFleet",
    "ec2:RequestSpotInstances",
    "ec2:RunInstances",
    "ec2:RunScheduledInstances",
    "ec2:StartInstances",
    "fsx:CreateFileSystem",
    "fsx:CreateFileSystemFromBackup",
    "fsx:UpdateFileSystem",
    "kms:CreateKey",
    "rds:CreateDBInstance",
    "rds:RestoreDBInstanceToPointInTime",
    "savingsplans:CreateSavingsPlan",
)
OF_PCS = ("pcs:CreateCluster", "pcs:CreateComputeNodeGroup")  # an update may scale a group to zero
# denied unless it scales a group to zero, which is how `pulumi destroy` begins
FORBIDDEN_BUT_TO_ZERO = "autoscaling:UpdateAutoScalingGroup"


def budget_with_action(guards: Component, guard: Guard, *, by_pcs: bool = False) -> None:
    """Create both; the action where the account may have it, since it needs an IAM group.

    by_pcs: whether the stack has a cluster of AWS PCS, which may not be made anew then either.

    The budget is annual, because the planned cost is that of the whole run, which may take months.
    """
    subscribers = {"subscriber_email_addresses": [guard.notify], "threshold_type": "PERCENTAGE"}
    notices = [("ACTUAL", percent) for percent in THRESHOLDS_PERCENT] + [("FORECASTED", 100)]
    budget = aws.budgets.Budget(
        guards.named("budget"),
        name=guards.physical("budget"),
        budget_type="COST",
        time_unit="ANNUALLY",
        limit_amount=f"{guard.budget_usd:.2f}",
        limit_unit="USD",
        cost_filters=[
            aws.budgets.BudgetCostFilterArgs(name="TagKeyValue", values=[f"user:planner:stack${guards.naming.stack}"])
        ],
        notifications=[
            aws.budgets.BudgetNotificationArgs(
                comparison_operator="GREATER_THAN", threshold=percent, notification_type=kind, **subscribers
            )
            for kind, percent in notices
        ],
        tags=guards.tags("budget"),
        opts=guards.child(),
    )
    if BUDGET_ACTION in guard.more:
        _action(guards, guard, budget, OF_PCS if by_pcs else ())


def _action(guards: Component, guard: Guard, budget: aws.budgets.Budget, more: tuple[str, ...]) -> None:
    operators = aws.iam.Group(
        guards.named("operators"), name=guards.physical("operators"), path="/planner/", opts=guards.child()
    )
    forbidden = aws.iam.Policy(
        guards.named("no-more"),
        name=guards.physical("no-more"),
        description="Attached by the budget: denies all purchases",  # another text would replace the policy
        policy=document(*_deny(more)),
        tags=guards.tags("no-more"),
        opts=guards.child(),
    )
    role = service_role(
        guards,
        "action-role",
        name="action",
        service="budgets.amazonaws.com",
        description="The budget attaches its policy to the operators",
    )
    others = [guards.naming.arn("iam", f"role/{name}", region=False) for name in guard.roles]
    may = aws.iam.RolePolicy(
        guards.named("action-policy"),
        name="attach",
        role=role.id,
        policy=pulumi.Output.all(group=operators.arn, policy=forbidden.arn, roles=others).apply(_attach_policy),
        opts=guards.child(),
    )
    aws.budgets.BudgetAction(
        guards.named("action"),
        budget_name=budget.name,
        action_type="APPLY_IAM_POLICY",
        approval_model="AUTOMATIC",
        notification_type="ACTUAL",
        execution_role_arn=role.arn,
        action_threshold=aws.budgets.BudgetActionActionThresholdArgs(
            action_threshold_type="PERCENTAGE", action_threshold_value=100
        ),
        definition=aws.budgets.BudgetActionDefinitionArgs(
            iam_action_definition=aws.budgets.BudgetActionDefinitionIamActionDefinitionArgs(
                policy_arn=forbidden.arn, groups=[operators.name], roles=list(guard.roles) or None
            )
        ),
        subscribers=[aws.budgets.BudgetActionSubscriberArgs(subscription_type="EMAIL", address=guard.notify)],
        tags=guards.tags("action"),
        opts=guards.child(depends_on=[may]),
    )


def _deny(more: tuple[str, ...] = ()) -> tuple[dict[str, object], ...]:
    # an update without a maximum is denied too: a missing key is not equal to 0
    to_zero = {"NumericNotEquals": {"autoscaling:MaxSize": "0"}}
    return (
        {"Sid": "NoMore", "Effect": "Deny", "Action": (*FORBIDDEN, *more), "Resource": "*"},
        {
            "Sid": "OnlyToZero",
            "Effect": "Deny",
            "Action": FORBIDDEN_BUT_TO_ZERO,
            "Resource": "*",
            "Condition": to_zero,
        },
    )


def _attach_policy(given: Mapping[str, Any]) -> str:
    """The action's role may attach this one policy to the group and to the named roles only."""
    only = {"ArnEquals": {"iam:PolicyARN": given["policy"]}}
    targets = [("Group", given["group"])] + ([("Role", given["roles"])] if given["roles"] else [])
    statements = [
        {
            "Sid": f"AttachNoMoreTo{kind}",
            "Effect": "Allow",
            "Action": [f"iam:Attach{kind}Policy", f"iam:Detach{kind}Policy"],
            "Resource": where,
            "Condition": only,
        }
        for kind, where in targets
    ]
    return document(*statements)
