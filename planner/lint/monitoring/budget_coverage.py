"""Budgets, monitors, actions and notifications that have no effect although they look right."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from planner.lint.inputs.names import tags_of_stack
from planner.lint.monitoring.alarms import TOPIC
from planner.lint.monitoring.budgets import BUDGET, NOTICE
from planner.lint.read.graph import Graph, Resource
from planner.lint.read.policies import matches, policies
from planner.lint.read.topology import ENVIRONMENT
from planner.lint.read.values import Json, at, given, leaves, literal, many, number, one, texts
from planner.lint.rule import Hits, rule

MAILS = 10  # allowed subscribers of one notification
FILTERS = (
    *(
        "AZ",
        "BillingEntity",
        "CostCategory",
        "InstanceType",
        "InstanceTypeFamily",
        "InvoicingEntity",
        "LegalEntityName",
    ),
    *("LinkedAccount", "Operation", "PurchaseType", "Region", "Service", "TagKeyValue", "UsageType", "UsageTypeGroup"),
    *("Tenancy", "Platform", "OperatingSystem", "RecordType", "ReservationARN", "SavingsPlanARN", "DatabaseEngine"),
)
PERIOD = re.compile(r"\d{4}-\d\d-\d\d_\d\d:\d\d")
DEFINITIONS = {
    "APPLY_IAM_POLICY": "iamActionDefinition",
    "APPLY_SCP_POLICY": "scpActionDefinition",
    "RUN_SSM_DOCUMENTS": "ssmActionDefinition",
}
ACTION, MONITOR = "budgets:BudgetAction", "costexplorer:AnomalyMonitor"
YEAR_HOURS = 8760


@rule(
    "BUDGET-BLIND",
    BUDGET,
    MONITOR,
    what="a budget or monitor that does not see the stack's cost",
    why="The budget stays at $0 whatever the fleet costs: nobody is notified, and its action never runs",
    remedy="Filter by TagKeyValue with user:key$value for a tag that the stack's resources have, and write valid JSON",
    example="costFilters with user:planner:stack$prod in the stack dev",
)
def budget_sees_no_cost(graph: Graph) -> Hits:
    worn = tags_of_stack(graph)
    for budget in graph.of(BUDGET):
        for i, block in enumerate(many(budget.inputs.get("costFilters"))):
            name = literal(block.get("name"))
            if name and name not in FILTERS:
                yield budget, f"costFilters[{i}].name", f"{name!r} is not a budget filter"
            for text in texts(block.get("values")) if name == "TagKeyValue" else ():
                key, _, value = text.partition("$")
                known = worn.get(key.removeprefix("user:"))
                if literal(text) is None:
                    continue
                if not key.startswith(("user:", "aws:")) or not value:
                    yield budget, f"costFilters[{i}].values", f"{text!r} is not user:key$value"
                elif known is not None and value not in known:
                    yield (
                        budget,
                        f"costFilters[{i}].values",
                        f"{text!r}, but the stack's resources have {sorted(known)[0]!r}",
                    )
    for monitor in graph.of(MONITOR):
        text = monitor.inputs.get("monitorSpecification")
        if monitor.inputs.get("monitorType") == "CUSTOM" and not given(text):
            yield monitor, "monitorSpecification", "a CUSTOM monitor without a specification"
        found = _json(text)
        if isinstance(text, str) and literal(text) and found is None:
            yield monitor, "monitorSpecification", "not valid JSON"
        tags = one(one(found).get("Tags"))
        known = worn.get(str(tags.get("Key")).removeprefix("user:"))
        for value in texts(tags.get("Values")):
            if known is not None and literal(value) and value not in known:
                yield monitor, "monitorSpecification", f"{value!r}, but the stack's resources have {sorted(known)[0]!r}"


def _json(text: object) -> object:
    try:
        return json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None


@rule(
    "BUDGET-SENSE",
    BUDGET,
    what="a budget that alerts at once, twice or never",
    why="A budget of one hour of the fleet is exceeded before anyone looks, and a threshold of many times the "
    "budget is never reached. AWS rejects repeated notifications and more than ten email addresses",
    remedy="Set the limit to the plan's forecast, and each threshold once, at or slightly above 100 % at most",
    example="threshold: 100000 with PERCENTAGE, or a limit of $10 for a fleet that costs $440 per hour",
)
def unusable_budget(graph: Graph) -> Hits:
    by_use = bool(graph.of(ENVIRONMENT))  # nodes that AWS Batch makes for jobs have no cost per hour
    hourly = sum(max(resource.usd_per_hour or 0.0, 0.0) for resource in graph.resources)
    for budget in graph.of(BUDGET):
        amount = number(budget.inputs.get("limitAmount"))
        costs = budget.inputs.get("budgetType") == "COST"
        if costs and amount is not None and 0 < amount < hourly:
            yield budget, "limitAmount", f"the stack spends ${amount:g} in about an hour (${hourly:,.2f} per hour)"
        elif costs and amount is not None and not by_use and 0 < 100 * YEAR_HOURS * hourly < amount:
            yield budget, "limitAmount", f"${amount:,.0f} would pay for a hundred years of the stack"
        seen: set[tuple[str, ...]] = set()
        for i, notice in enumerate(many(budget.inputs.get("notifications"))):
            keys = ("comparisonOperator", "notificationType", "threshold", "thresholdType")
            mark = tuple(str(notice.get(key)) for key in keys)
            threshold = number(notice.get("threshold"))
            if mark in seen:
                yield budget, f"notifications[{i}]", "the same notification twice"
            seen.add(mark)
            if threshold is not None and threshold > 1000 and notice.get("thresholdType") == "PERCENTAGE":
                yield budget, f"notifications[{i}].threshold", f"{threshold:,.0f} % of the budget is never reached"
            mails = texts(notice.get("subscriberEmailAddresses"))
            if len(mails) > MAILS:
                yield (
                    budget,
                    f"notifications[{i}].subscriberEmailAddresses",
                    f"{len(mails)} addresses; allowed: {MAILS}",
                )
        times = {key: literal(budget.inputs.get(key)) for key in ("timePeriodStart", "timePeriodEnd")}
        for key, text in times.items():
            if text and not PERIOD.fullmatch(text):
                yield budget, key, f"{text!r} is not in the form 2027-01-01_00:00"
        start, end = times["timePeriodStart"], times["timePeriodEnd"]
        if start and end and PERIOD.fullmatch(start) and PERIOD.fullmatch(end) and end <= start:
            yield budget, "timePeriodEnd", f"{end} is not after {start}"


@rule(
    "BUDGET-POLICY",
    ACTION,
    what="a budget action whose policy blocks nothing, or of the wrong type",
    why="The budget is exceeded, the action runs, and nodes keep starting",
    remedy="Use a policy that denies ec2:RunInstances and similar actions, and the definition for the action's type",
    example="a policy that denies only s3:GetObject",
)
def budget_action_blocks_nothing(graph: Graph) -> Hits:
    for action in graph.of(ACTION):
        kind = literal(action.inputs.get("actionType"))
        wanted = DEFINITIONS.get(kind or "")
        definition = one(action.inputs.get("definition"))
        if wanted and definition and not given(definition.get(wanted)):
            yield action, f"definition.{wanted}", f"{kind} needs {wanted}"
        policy = graph.target(one(definition.get("iamActionDefinition")).get("policyArn"), "iam:Policy")
        mine = [s for p in policies(graph) if policy is not None and p.holder is policy for _, s in p.statements()]
        denied = any(
            s.get("Effect") == "Deny" and any(matches(a, "ec2:RunInstances") for a in texts(s.get("Action")))
            for s in mine
        )
        if policy is not None and mine and not denied:
            yield action, "definition.iamActionDefinition.policyArn", f"{policy.name} does not deny ec2:RunInstances"
        for i, subscriber in enumerate(many(action.inputs.get("subscribers"))):
            if subscriber.get("subscriptionType") == "EMAIL" and _no_mail(subscriber.get("address")):
                yield action, f"subscribers[{i}].address", f"{subscriber['address']!r} is not an email address"


def _no_mail(value: object) -> bool:
    text = literal(value)
    return text is not None and ("@" not in text.strip("@") or any(char.isspace() for char in text))


@rule(
    "NOTIFY-WAY",
    "sns:TopicSubscription",
    TOPIC,
    NOTICE,
    what="a notification that cannot be delivered safely",
    why="SNS rejects an endpoint that does not fit its protocol, and plain http can be read and forged. A "
    "topic encrypted with AWS's own key gets no alarms, and a threshold that is not a number is never reached",
    remedy="Use an endpoint of the protocol, and a KMS key of the stack that allows cloudwatch.amazonaws.com",
    example="protocol: sms with an email address, or kmsMasterKeyId: alias/aws/sns on an alarm topic",
)
def wrong_notification_protocol(graph: Graph) -> Hits:
    for subscription in graph.of("sns:TopicSubscription"):
        for where, message in _wrong_way(subscription.inputs):
            yield subscription, where, message
    written = {
        t for a in graph.of("cloudwatch:MetricAlarm") for t in graph.targets(a.inputs.get("alarmActions"), TOPIC)
    }
    for topic in graph.of(TOPIC):
        if topic in written and topic.inputs.get("kmsMasterKeyId") == "alias/aws/sns":
            yield topic, "kmsMasterKeyId", "alarms may not use AWS's own key"
        name = literal(topic.inputs.get("name"))
        if name and topic.inputs.get("fifoTopic") in (True, "true") and not name.endswith(".fifo"):
            yield topic, "name", f"{name!r}: the name of a FIFO topic ends with .fifo"
    for notice in graph.of(NOTICE):
        for where, leaf in _amounts(notice):
            if literal(leaf) and number(leaf) is None:
                yield notice, where, f"{leaf!r} is not an amount"


def _wrong_way(inputs: Json) -> Iterator[tuple[str, str]]:
    protocol, end = literal(inputs.get("protocol")), literal(inputs.get("endpoint"))
    if not protocol or not end:
        return
    if protocol == "http":
        yield "protocol", "notifications over plain http"
    elif protocol == "sms" and not re.fullmatch(r"\+?[0-9][0-9 -]{5,18}", end):
        yield "endpoint", f"{end!r} is not a phone number"
    elif protocol in ("lambda", "sqs", "firehose", "application") and not end.startswith("arn:"):
        yield "endpoint", f"{end!r} is not an ARN"
    elif protocol == "https" and not end.startswith("https://"):
        yield "endpoint", f"{end!r} does not start with https://"


def _amounts(notice: Resource) -> Iterator[tuple[str, str]]:
    for where, leaf in leaves(at(notice.inputs, "thresholdExpression"), "thresholdExpression"):
        if ".values" in where and isinstance(leaf, str) and "osts" not in where:
            yield where, leaf
