"""Budget, budget actions, and cost-anomaly monitors and subscriptions of a stack, found by name.

AWS creates an action, a monitor or a subscription a second time without an error, so an interrupted `pulumi up` can
leave some behind. They have no Region. Each service lists its own resources reliably.
"""

from __future__ import annotations

from collections.abc import Container
from contextlib import suppress
from typing import Any

from planner.account.aws_client import GLOBAL_REGION, MakeClient, aws_errors
from planner.account.tagged_resources import tagged_resource
from planner.stack.deployed_resources import TaggedResource
from planner.stack.names import physical

BUDGET, ANOMALIES = "guard-budget", "guard-anomalies"  # parts of the names that the Pulumi program gives them


def budgets_of(stack: str, make: MakeClient, seen: Container[str]) -> list[TaggedResource]:
    """The budget and its actions, without those whose ARN is in `seen`."""
    name = physical(stack, BUDGET)
    with aws_errors("the account's id"):
        account = make("sts", GLOBAL_REGION).get_caller_identity()["Account"]
    budgets = make("budgets", GLOBAL_REGION)
    whose = {"AccountId": account, "BudgetName": name}
    arn = f"arn:aws:budgets::{account}:budget/{name}"
    arns = [arn]
    with aws_errors(f"budget {name}"):
        try:
            budgets.describe_budget(**whose)
            for page in budgets.get_paginator("describe_budget_actions_for_budget").paginate(**whose):
                arns += [f"{arn}/action/{action['ActionId']}" for action in page["Actions"]]
        except budgets.exceptions.NotFoundException:
            return []
    gone = budgets.exceptions.NotFoundException
    return _with_tags(budgets, "ResourceARN", gone, [arn for arn in arns if arn not in seen])


def anomalies_of(stack: str, make: MakeClient, seen: Container[str]) -> list[TaggedResource]:
    """Monitors and subscriptions with the stack's name, without those whose ARN is in `seen`."""
    name, explorer, arns = physical(stack, ANOMALIES), make("ce", GLOBAL_REGION), []
    for operation, list_, named, arn in (
        ("get_anomaly_monitors", "AnomalyMonitors", "MonitorName", "MonitorArn"),
        ("get_anomaly_subscriptions", "AnomalySubscriptions", "SubscriptionName", "SubscriptionArn"),
    ):
        with aws_errors(f"cost anomalies: {operation}"):
            for page in explorer.get_paginator(operation).paginate():
                arns += [entry[arn] for entry in page.get(list_, ()) if entry.get(named) == name]
    gone = explorer.exceptions.ResourceNotFoundException
    return _with_tags(explorer, "ResourceArn", gone, [arn for arn in arns if arn not in seen])


def _with_tags(service: Any, argument: str, gone: type[Exception], arns: list[str]) -> list[TaggedResource]:
    """Each with its logical name. gone: what the service raises for one that was deleted meanwhile."""
    found = []
    for arn in arns:
        with aws_errors(f"tags of {arn}"), suppress(gone):
            found.append(tagged_resource(arn, service.list_tags_for_resource(**{argument: arn}).get("ResourceTags")))
    return found
