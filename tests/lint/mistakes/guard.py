"""Mistakes about budgets, alarms and topics."""

from __future__ import annotations

from tests.lint.graphs import Document, drop, find
from tests.lint.mistakes.edits import OURS, Mistake, alarm, asg, block, budget, cut, gone, of, policy, put


def topic_policy(document: Document) -> Document:
    return policy(find(document, "TopicPolicy")["inputs"])["Statement"][0]


def open_topic(document: Document) -> None:
    topic_policy(document).update(Principal="*")
    topic_policy(document).pop("Condition", None)


def deaf_topic(document: Document) -> None:
    topic_policy(document)["Principal"] = {"Service": ["budgets.amazonaws.com"]}


count_alarm = of("MetricAlarm", "fleet-count")
action = of("BudgetAction")


MISTAKES = (
    Mistake(
        "no budget",
        "BUDGET-NONE",
        lambda d: drop(
            d, *[r for r in d["resources"] if ":budgets/" in r["type"] or r["type"].startswith("aws:budgets")]
        ),
    ),
    Mistake("budget of zero", "BUDGET-LIMIT", put(budget, "limitAmount", "0")),
    Mistake(
        "budget without subscribers",
        "BUDGET-LIMIT",
        lambda d: block(budget(d)["notifications"]).pop("subscriberEmailAddresses"),
    ),
    Mistake("time unit misspelled", "WORD-UNKNOWN", put(budget, "timeUnit", "YEARLY")),
    Mistake(
        "empty email address",
        "NOTIFY-ADDRESS",
        lambda d: block(budget(d)["notifications"]).update(subscriberEmailAddresses=["ops"]),
    ),
    Mistake("operator misspelled", "WORD-UNKNOWN", put(alarm, "comparisonOperator", "GreaterThan"), only=OURS),
    Mistake("period of 45 seconds", "ALARM-SHAPE", put(alarm, "period", 45), only=OURS),
    Mistake("silent alarm", "ALARM-SILENT", cut(alarm, "alarmActions"), only=OURS),
    Mistake(
        "immediate anomaly notice by email",
        "ANOMALY-NOTICE",
        put(of("AnomalySubscription"), "subscribers", [{"type": "EMAIL", "address": "a@example.org"}]),
        only=OURS,
    ),
    Mistake("alarm on a group that does not exist", "ALARM-SHAPE", cut(alarm, "dimensions"), only=OURS),
    Mistake("topic for everybody", "TOPIC-OPEN", open_topic, only=OURS),
    Mistake("topic policy without CloudWatch", "TOPIC-CLOSED", deaf_topic, only=OURS),
    Mistake("topic without subscription", "TOPIC-UNHEARD", gone("TopicSubscription"), only=OURS),
    Mistake("unknown namespace", "ALARM-METRIC", put(count_alarm, "metricName", "InServiceInstances"), only=OURS),
    Mistake("namespace misspelled", "ALARM-METRIC", put(count_alarm, "namespace", "AWS/AutoScalling"), only=OURS),
    Mistake(
        "dimension misspelled",
        "ALARM-METRIC",
        lambda d: count_alarm(d)["dimensions"].update(AutoscalingGroupName="planner-dev-fleet-group"),
        only=OURS,
    ),
    Mistake("metric that is not published", "ALARM-METRIC", cut(asg, "enabledMetrics"), only=OURS),
    Mistake(
        "alarm by a topic's name",
        "ARN-SYNTAX",
        put(count_alarm, "alarmActions", ["planner-dev-guard-topic"]),
        only=OURS,
    ),
    Mistake("budget in euros", "BUDGET-LIMIT", put(budget, "limitUnit", "EUR")),
    Mistake(
        "budget threshold below one percent",
        "BUDGET-LIMIT",
        lambda d: block(budget(d)["notifications"]).update(threshold=0.8),
    ),
    Mistake(
        "more notices than a budget has",
        "BUDGET-LIMIT",
        lambda d: budget(d).update(notifications=[block(budget(d)["notifications"])] * 6),
        also=("BUDGET-SENSE",),
    ),
    Mistake("budget action with manual approval", "BUDGET-ACTION", put(action, "approvalModel", "MANUAL"), only=OURS),
    Mistake(
        "budget action without a target",
        "BUDGET-ACTION",
        put(action, "definition", {"iamActionDefinition": {"policyArn": "arn:aws:iam::aws:policy/AWSDenyAll"}}),
        only=OURS,
    ),
    Mistake(
        "budget action far above the budget",
        "BUDGET-ACTION",
        put(action, "actionThreshold", {"actionThresholdType": "PERCENTAGE", "actionThresholdValue": 1000}),
        only=OURS,
    ),
    Mistake("topic without its policy", "TOPIC-CLOSED", gone("TopicPolicy"), only=OURS),
    Mistake("alarm without a metric", "ALARM-SHAPE", cut(count_alarm, "metricName"), only=OURS),
    Mistake("alarm without a statistic", "ALARM-SHAPE", cut(count_alarm, "statistic"), only=OURS),
    Mistake("action without a threshold", "INPUT-MISSING", cut(action, "actionThreshold"), only=OURS),
    Mistake(
        "notice without its comparison",
        "INPUT-MISSING",
        lambda d: block(budget(d)["notifications"]).pop("comparisonOperator"),
    ),
)
