"""Monitoring of cost and nodes: budget, alarms, cost anomalies, and the start and end of a Capacity Block."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_aws as aws

from infra.alarms import Alarm
from infra.budget import budget_with_action
from infra.job_notice import job_notice
from infra.launch_notice import launch_notice
from infra.naming import Component, Naming
from infra.policy import document
from planner.stack.spec import BEFORE_END, COST_ANOMALIES, PLACEHOLDER, Block, Guard, suffixes
from planner.stack.timestamps import parse_timestamp, timestamp_text

ANOMALY_SHARE = 0.01  # of the budget: smaller anomalies are not worth a notice
ANOMALY_LEAST_USD = 100.0


@dataclass(frozen=True, kw_only=True)
class GuardArgs:
    """guard: address and limits of notices. alarms: as many as the plan pays for. dimensions: target -> its CloudWatch
    dimensions. blocks, groups: for the start and the end of each Capacity Block, with the group of its nodes.
    storage_groups: of other nodes. queue: ARN of the workers' queue, None without one. data_bucket: has the boot
    logs. by_pcs: whether AWS PCS launches the GPU nodes."""

    guard: Guard
    blocks: Sequence[Block]
    alarms: list[Alarm]
    dimensions: Mapping[str, Mapping[str, pulumi.Input[str]]]
    groups: Sequence[aws.autoscaling.Group]
    storage_groups: Sequence[aws.autoscaling.Group]
    data_bucket: pulumi.Input[str]
    queue: pulumi.Input[str] | None = None
    by_pcs: bool = False


class Guards(Component):
    """Budget and alarms, and what the account may have of action and anomaly notices; for a Capacity Block the schedule
    that scales the fleet up and down."""

    def __init__(self, naming: Naming, args: GuardArgs) -> None:
        super().__init__("guard", naming)
        self.topic = self._topic(args.guard.notify)
        budget_with_action(self, args.guard, by_pcs=args.by_pcs)
        if COST_ANOMALIES in args.guard.more:
            self._anomalies(args.guard)
        groups = [group.name for group in (*args.groups, *args.storage_groups)]
        if groups:
            launch_notice(self, self.topic, groups, args.data_bucket)
        if args.queue is not None:
            job_notice(self, self.topic, args.queue)
        self.alarms = [self._alarm(alarm, args.dimensions[alarm.target]) for alarm in args.alarms]
        for suffix, block, group in zip(suffixes(args.blocks), args.blocks, args.groups, strict=False):
            if block.starts:
                self._schedule(f"block-start{suffix}", group, scale_up_at(block.starts), block.nodes)
            self._schedule(f"block-end{suffix}", group, scale_down_at(block.ends), 0)
        self.register_outputs({"topic": self.topic.arn})

    def _schedule(self, part: str, group: aws.autoscaling.Group, at: str, nodes: int) -> None:
        """Set the size of the group at a given time."""
        aws.autoscaling.Schedule(
            self.named(part),
            scheduled_action_name=part,
            autoscaling_group_name=group.name,
            start_time=at,
            min_size=nodes,
            max_size=nodes,
            desired_capacity=nodes,
            opts=self.child(),
        )

    def _topic(self, notify: str) -> aws.sns.Topic:
        topic = aws.sns.Topic(
            self.named("topic"),
            name=self.physical("topic"),
            tags={**self.tags("topic"), "planner:plan": self.naming.plan_sha256},
            opts=self.child(),
        )
        aws.sns.TopicSubscription(
            self.named("subscription"), topic=topic.arn, protocol="email", endpoint=notify, opts=self.child()
        )
        self.topic_policy = aws.sns.TopicPolicy(
            self.named("topic-policy"),
            arn=topic.arn,
            policy=pulumi.Output.all(arn=topic.arn, account=self.naming.account).apply(_topic_policy),
            opts=self.child(),
        )
        return topic

    def _anomalies(self, guard: Guard) -> None:
        stack = {"Key": "user:planner:stack", "MatchOptions": None, "Values": [self.naming.stack]}
        others = dict.fromkeys(("And", "CostCategories", "Dimensions", "Not", "Or"))
        monitor = aws.costexplorer.AnomalyMonitor(
            self.named("anomalies"),
            name=self.physical("anomalies"),
            monitor_type="CUSTOM",
            monitor_specification=json.dumps({**others, "Tags": stack}, sort_keys=True),
            tags=self.tags("anomalies"),
            opts=self.child(),
        )
        least = max(ANOMALY_LEAST_USD, ANOMALY_SHARE * guard.budget_usd)
        aws.costexplorer.AnomalySubscription(
            self.named("anomaly-notice"),
            name=self.physical("anomalies"),
            frequency="IMMEDIATE",  # daily and weekly notices cannot be sent to a topic
            monitor_arn_lists=[monitor.arn],
            subscribers=[aws.costexplorer.AnomalySubscriptionSubscriberArgs(type="SNS", address=self.topic.arn)],
            threshold_expression=aws.costexplorer.AnomalySubscriptionThresholdExpressionArgs(
                dimension=aws.costexplorer.AnomalySubscriptionThresholdExpressionDimensionArgs(
                    key="ANOMALY_TOTAL_IMPACT_ABSOLUTE",
                    match_options=["GREATER_THAN_OR_EQUAL"],
                    values=[f"{least:.0f}"],
                )
            ),
            tags=self.tags("anomaly-notice"),
            opts=self.child(depends_on=[self.topic_policy]),
        )

    def _alarm(self, alarm: Alarm, dimensions: Mapping[str, pulumi.Input[str]]) -> aws.cloudwatch.MetricAlarm:
        part, dimensions = f"alarm-{alarm.name}", {**dimensions, **dict(alarm.more)}
        return aws.cloudwatch.MetricAlarm(
            self.named(part),
            name=self.physical(part),
            alarm_description=alarm.why,
            **(_difference(alarm, dimensions) if alarm.minus else _plain(alarm, dimensions)),
            comparison_operator=alarm.comparison,
            threshold=alarm.threshold,
            evaluation_periods=alarm.within or alarm.periods,
            datapoints_to_alarm=alarm.periods if alarm.within else None,
            treat_missing_data=alarm.missing,
            alarm_actions=[self.topic.arn],
            ok_actions=[self.topic.arn],
            tags=self.tags(part),
            opts=self.child(),
        )


def _plain(alarm: Alarm, dimensions: Mapping[str, pulumi.Input[str]]) -> dict[str, Any]:
    return {
        "namespace": alarm.namespace,
        "metric_name": alarm.metric,
        "dimensions": dimensions,
        "statistic": alarm.statistic,
        "period": alarm.period,
    }


def _difference(alarm: Alarm, dimensions: Mapping[str, pulumi.Input[str]]) -> dict[str, Any]:
    """The first metric of a target minus the second."""
    taken = {"namespace": alarm.namespace, "dimensions": dimensions, "stat": alarm.statistic, "period": alarm.period}
    metrics = [
        aws.cloudwatch.MetricAlarmMetricQueryArgs(
            id=id, metric=aws.cloudwatch.MetricAlarmMetricQueryMetricArgs(metric_name=name, **taken)
        )
        for id, name in (("metric", alarm.metric), ("less", alarm.minus))
    ]
    answer = aws.cloudwatch.MetricAlarmMetricQueryArgs(
        id="difference", expression="metric - less", label=f"{alarm.metric} - {alarm.minus}", return_data=True
    )
    return {"metric_queries": [answer, *metrics]}


def scale_up_at(starts: str) -> str:
    """When the fleet of a later block is scaled up: at its start, as AWS writes timestamps."""
    return timestamp_text(parse_timestamp(starts))


def scale_down_at(ends: str) -> str:
    """When the fleet is scaled to zero: 45 minutes before a block ends. A placeholder is returned unchanged."""
    if PLACEHOLDER in ends:
        return f"{PLACEHOLDER}-45-minutes-before-the-block-ends"
    return timestamp_text(parse_timestamp(ends) - BEFORE_END)


def _topic_policy(given: Mapping[str, str]) -> str:
    # budgets send mail themselves, not through the topic
    services = ["cloudwatch.amazonaws.com", "costalerts.amazonaws.com"]
    allowed = {"Effect": "Allow", "Action": "sns:Publish", "Resource": given["arn"]}
    return document(
        {
            **allowed,
            "Sid": "Notices",
            "Principal": {"Service": services},
            "Condition": {"StringEquals": {"aws:SourceAccount": given["account"]}},
        },
        # EventBridge publishes without the account: a condition would refuse it silently (EventBridge User Guide,
        # "Troubleshooting": no Condition blocks in SNS topic policies)
        {**allowed, "Sid": "NotReady", "Principal": {"Service": "events.amazonaws.com"}},
    )
