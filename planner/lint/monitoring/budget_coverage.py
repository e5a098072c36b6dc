"""Budgets, actions and notices that look right and never speak, or speak at once and for ever."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from planner.lint.inputs.names import tags_of_stack
from planner.lint.monitoring.alarms import TOPIC
from planner.lint.monitoring.budgets import BUDGET, NOTICE
from planner.lint.read.graph import Graph, Resource
from planner.lint.read.policies import matches, policies
from planner.lint.read.values import Json, at, given, leaves, literal, many, number, one, texts
from planner.lint.rule import Hits, rule

MAILS = 10  # subscribers of one notification
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
    what="a budget or a monitor that sees none of the stack's cost",
    why="it stands at nothing whatever the fleet costs: nobody is told, and its action never comes",
    remedy="TagKeyValue with user:key$value of a tag that the stack's resources have; valid JSON with such tags",
    example="costFilters with user:planner:stack$prod in the stack dev",
)
def budgets_see_the_stack(graph: Graph) -> Hits:
    worn = tags_of_stack(graph)
    for budget in graph.of(BUDGET):
        for i, block in enumerate(many(budget.inputs.get("costFilters"))):
            name = literal(block.get("name"))
            if name and name not in FILTERS:
                yield budget, f"costFilters[{i}].name", f"{name!r} is no filter of budgets"
            for text in texts(block.get("values")) if name == "TagKeyValue" else ():
                key, _, value = text.partition("$")
                known = worn.get(key.removeprefix("user:"))
                if literal(text) is None:
                    continue
                if not key.startswith(("user:", "aws:")) or not value:
                    yield budget, f"costFilters[{i}].values", f"{text!r} is not user:key$value"
                elif known is not None and value not in known:
                    yield budget, f"costFilters[{i}].values", f"{text!r}, and the stack has {sorted(known)[0]!r}"
    for monitor in graph.of(MONITOR):
        text = monitor.inputs.get("monitorSpecification")
        if monitor.inputs.get("monitorType") == "CUSTOM" and not given(text):
            yield monitor, "monitorSpecification", "CUSTOM without what it watches"
        found = _json(text)
        if isinstance(text, str) and literal(text) and found is None:
            yield monitor, "monitorSpecification", "no JSON"
        tags = one(one(found).get("Tags"))
        known = worn.get(str(tags.get("Key")).removeprefix("user:"))
        for value in texts(tags.get("Values")):
            if known is not None and literal(value) and value not in known:
                yield monitor, "monitorSpecification", f"{value!r}, and the stack has {sorted(known)[0]!r}"


def _json(text: object) -> object:
    try:
        return json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None


@rule(
    "BUDGET-SENSE",
    BUDGET,
    what="a budget that speaks at once, twice, too late, or never",
    why="AWS refuses two notifications that are the same and more than ten mail addresses; a limit of an hour of the "
    "fleet is passed before anybody looks, and a threshold of many times the budget never",
    remedy="a limit by the plan's forecast, thresholds up to 100 % or little more, each once",
    example="threshold: 100000 with PERCENTAGE, or a limit of 10 USD for a fleet of 440 USD an hour",
)
def budgets_make_sense(graph: Graph) -> Hits:
    hourly = sum(max(resource.usd_per_hour or 0.0, 0.0) for resource in graph.resources)
    for budget in graph.of(BUDGET):
        amount = number(budget.inputs.get("limitAmount"))
        costs = budget.inputs.get("budgetType") == "COST"
        if costs and amount is not None and 0 < amount < hourly:
            yield budget, "limitAmount", f"{amount:g} USD, which the stack costs in an hour ({hourly:,.2f} USD)"
        elif costs and amount is not None and hourly > 0 and amount > 100 * YEAR_HOURS * hourly:
            yield budget, "limitAmount", f"{amount:,.0f} USD: a hundred years of the stack"
        seen: set[tuple[str, ...]] = set()
        for i, notice in enumerate(many(budget.inputs.get("notifications"))):
            keys = ("comparisonOperator", "notificationType", "threshold", "thresholdType")
            mark = tuple(str(notice.get(key)) for key in keys)
            threshold = number(notice.get("threshold"))
            if mark in seen:
                yield budget, f"notifications[{i}]", "the same notification again"
            seen.add(mark)
            if threshold is not None and threshold > 1000 and notice.get("thresholdType") == "PERCENTAGE":
                yield budget, f"notifications[{i}].threshold", f"{threshold:,.0f} % of the budget"
            mails = texts(notice.get("subscriberEmailAddresses"))
            if len(mails) > MAILS:
                yield budget, f"notifications[{i}].subscriberEmailAddresses", f"{len(mails)} addresses; {MAILS} at most"
        times = {key: literal(budget.inputs.get(key)) for key in ("timePeriodStart", "timePeriodEnd")}
        for key, text in times.items():
            if text and not PERIOD.fullmatch(text):
                yield budget, key, f"{text!r} is no time of budgets: 2027-01-01_00:00"
        start, end = times["timePeriodStart"], times["timePeriodEnd"]
        if start and end and PERIOD.fullmatch(start) and PERIOD.fullmatch(end) and end <= start:
            yield budget, "timePeriodEnd", f"{end} is not after {start}"


@rule(
    "BUDGET-POLICY",
    ACTION,
    what="an action whose policy forbids nothing, or that is of another kind than it says",
    why="the budget is passed, the action runs, and the nodes go on being bought",
    remedy="a policy that denies ec2:RunInstances and its like, and the definition of the action's own type",
    example="a policy for the action that denies s3:GetObject only",
)
def actions_forbid(graph: Graph) -> Hits:
    for action in graph.of(ACTION):
        kind = literal(action.inputs.get("actionType"))
        wanted = DEFINITIONS.get(kind or "")
        told = one(action.inputs.get("definition"))
        if wanted and told and not given(told.get(wanted)):
            yield action, f"definition.{wanted}", f"{kind} without {wanted}"
        policy = graph.target(one(told.get("iamActionDefinition")).get("policyArn"), "iam:Policy")
        mine = [s for p in policies(graph) if policy is not None and p.holder is policy for _, s in p.statements()]
        denied = any(
            s.get("Effect") == "Deny" and any(matches(a, "ec2:RunInstances") for a in texts(s.get("Action")))
            for s in mine
        )
        if policy is not None and mine and not denied:
            yield action, "definition.iamActionDefinition.policyArn", f"{policy.name} does not deny ec2:RunInstances"
        for i, subscriber in enumerate(many(action.inputs.get("subscribers"))):
            if subscriber.get("subscriptionType") == "EMAIL" and _no_mail(subscriber.get("address")):
                yield action, f"subscribers[{i}].address", f"{subscriber['address']!r} is no mail address"


def _no_mail(value: object) -> bool:
    text = literal(value)
    return text is not None and ("@" not in text.strip("@") or any(char.isspace() for char in text))


@rule(
    "NOTIFY-WAY",
    "sns:TopicSubscription",
    TOPIC,
    NOTICE,
    what="a notice on a way that does not carry it",
    why="SNS refuses an endpoint that is not of its protocol; by plain http anybody reads and writes notices; a topic "
    "that AWS's own key encrypts takes no alarm; a threshold that is no number never comes",
    remedy="an address of the protocol; a key of the stack that lets cloudwatch.amazonaws.com in",
    example="protocol: sms with a mail address, or kmsMasterKeyId: alias/aws/sns on the topic of alarms",
)
def ways_carry(graph: Graph) -> Hits:
    for subscription in graph.of("sns:TopicSubscription"):
        for where, message in _wrong_way(subscription.inputs):
            yield subscription, where, message
    written = {
        t for a in graph.of("cloudwatch:MetricAlarm") for t in graph.targets(a.inputs.get("alarmActions"), TOPIC)
    }
    for topic in graph.of(TOPIC):
        if topic in written and topic.inputs.get("kmsMasterKeyId") == "alias/aws/sns":
            yield topic, "kmsMasterKeyId", "AWS's own key: alarms may not use it"
        name = literal(topic.inputs.get("name"))
        if name and topic.inputs.get("fifoTopic") in (True, "true") and not name.endswith(".fifo"):
            yield topic, "name", f"{name!r}: a fifo topic ends with .fifo"
    for notice in graph.of(NOTICE):
        for where, leaf in _amounts(notice):
            if literal(leaf) and number(leaf) is None:
                yield notice, where, f"{leaf!r} is no amount"


def _wrong_way(inputs: Json) -> Iterator[tuple[str, str]]:
    protocol, end = literal(inputs.get("protocol")), literal(inputs.get("endpoint"))
    if not protocol or not end:
        return
    if protocol == "http":
        yield "protocol", "plain http"
    elif protocol == "sms" and not re.fullmatch(r"\+?[0-9][0-9 -]{5,18}", end):
        yield "endpoint", f"{end!r} is no telephone number"
    elif protocol in ("lambda", "sqs", "firehose", "application") and not end.startswith("arn:"):
        yield "endpoint", f"{end!r} is no ARN"
    elif protocol == "https" and not end.startswith("https://"):
        yield "endpoint", f"{end!r} does not begin with https://"


def _amounts(notice: Resource) -> Iterator[tuple[str, str]]:
    for where, leaf in leaves(at(notice.inputs, "thresholdExpression"), "thresholdExpression"):
        if ".values" in where and isinstance(leaf, str) and "osts" not in where:
            yield where, leaf
