"""Alarms and their topics: existing metrics, valid settings, and someone who is notified."""

from __future__ import annotations

from planner.lint.inputs.enums import hint
from planner.lint.known.metrics import DIMENSIONS, GROUP_METRICS, METRICS, SOME, misread, namespace_of
from planner.lint.read.graph import Graph, Resource
from planner.lint.read.policies import allows, policies, principals
from planner.lint.read.topology import GROUP
from planner.lint.read.values import given, literal, many, one, texts, whole
from planner.lint.rule import WARNING, Hits, rule

ALARM, TOPIC, POLICY = "cloudwatch:MetricAlarm", "sns:Topic", "sns:TopicPolicy"
NOTICES = ("alarmActions", "okActions", "insufficientDataActions")


@rule(
    "ALARM-SHAPE",
    ALARM,
    what="an invalid alarm",
    why="CloudWatch rejects the alarm: a period is 10, 20, 30 or a multiple of 60 seconds, with at least one "
    "evaluation period, a threshold, and a metric to watch",
    remedy="Set the period to 60 or a multiple of it, evaluationPeriods to 1 or more, and a threshold",
    example="period: 45",
)
def invalid_alarm(graph: Graph) -> Hits:
    for alarm in graph.of(ALARM):
        period, count = whole(alarm.inputs.get("period")), whole(alarm.inputs.get("evaluationPeriods"))
        needed = whole(alarm.inputs.get("datapointsToAlarm"))
        if period is not None and (period <= 0 or (period not in (10, 20, 30) and period % 60)):
            yield alarm, "period", f"a period of {period} seconds"
        if count is not None and count < 1:
            yield alarm, "evaluationPeriods", f"{count}"
        if needed is not None and count is not None and needed > count:
            yield alarm, "datapointsToAlarm", f"{needed} datapoints, but only {count} periods"
        if not given(alarm.inputs.get("threshold")) and not given(alarm.inputs.get("thresholdMetricId")):
            yield alarm, "threshold", "no threshold"
        aws = str(alarm.inputs.get("namespace")).startswith("AWS/")
        if aws and not given(alarm.inputs.get("dimensions")) and not given(alarm.inputs.get("metricQueries")):
            yield alarm, "dimensions", "without dimensions the alarm watches nothing"
        simple = not given(alarm.inputs.get("metricQueries"))
        for keys in ("metricName", "namespace", "period", "statistic|extendedStatistic") if simple else ():
            if not any(given(alarm.inputs.get(key)) for key in keys.split("|")):
                yield alarm, keys.split("|")[0], f"no {keys.replace('|', ' and no ')}"
        if not given(alarm.inputs.get("comparisonOperator")):
            yield alarm, "comparisonOperator", "no comparison operator"


@rule(
    "ALARM-SILENT",
    ALARM,
    severity=WARNING,
    what="an alarm that notifies nobody",
    why="The alarm costs the same and is seen only by those who look",
    remedy="Set alarmActions to the topic",
    example="a MetricAlarm without alarmActions",
)
def alarm_without_action(graph: Graph) -> Hits:
    for alarm in graph.of(ALARM):
        if not given(alarm.inputs.get("alarmActions")) or alarm.inputs.get("actionsEnabled") is False:
            yield alarm, "alarmActions", "nobody is notified"


@rule(
    "ALARM-METRIC",
    ALARM,
    GROUP,
    what="an alarm on a metric that does not exist",
    why="The alarm gets no data, and never fires or always does: CloudWatch accepts any name",
    remedy="Use the service's namespace, metricName and dimensions, and list the metric in the group's enabledMetrics",
    example="metricName: GroupInServiceInstance",
)
def unknown_metric(graph: Graph) -> Hits:
    for alarm in graph.of(ALARM):
        space, name = literal(alarm.inputs.get("namespace")), literal(alarm.inputs.get("metricName"))
        if space and (wrong := namespace_of(space)):
            yield alarm, "namespace", wrong
        known = METRICS.get(space or "", ())
        if name and name not in known and (known or misread(space or "", name)):
            yield alarm, "metricName", f"{space} has no metric {name!r}; {hint(name, known or SOME[str(space)])}"
        named = one(alarm.inputs.get("dimensions"))
        fits = DIMENSIONS.get(space or "", ())
        for key in named if fits else ():
            if key not in fits:
                yield alarm, f"dimensions.{key}", f"{space} has no dimension {key!r}; {hint(key, fits)}"
        group = graph.target(named.get("AutoScalingGroupName"), GROUP)
        asked = name if space == "AWS/AutoScaling" and name in GROUP_METRICS else None
        if group and asked and asked not in texts(group.inputs.get("enabledMetrics")):
            yield group, "enabledMetrics", f"{asked} is not enabled, but {alarm.name} watches it"


@rule(
    "TOPIC-CLOSED",
    POLICY,
    TOPIC,
    what="a topic that rejects its publishers",
    why="The alarm fires and nobody gets a notification: a topic policy replaces the default one, which lets "
    "the account publish",
    remedy="Allow sns:Publish for cloudwatch.amazonaws.com, budgets.amazonaws.com or costalerts.amazonaws.com",
    example="alarms on a topic whose policy does not allow cloudwatch.amazonaws.com",
)
def topic_rejects_publisher(graph: Graph) -> Hits:
    wanted: dict[Resource, dict[str, Resource]] = {}
    for alarm in graph.of(ALARM):
        for key in NOTICES:
            for topic in graph.targets(alarm.inputs.get(key), TOPIC):
                wanted.setdefault(topic, {}).setdefault("cloudwatch.amazonaws.com", alarm)
    for notice in graph.of("costexplorer:AnomalySubscription"):
        for subscriber in many(notice.inputs.get("subscribers")):
            for topic in graph.targets(subscriber.get("address"), TOPIC):
                wanted.setdefault(topic, {}).setdefault("costalerts.amazonaws.com", notice)
    for policy in policies(graph):
        if policy.holder.kind not in (POLICY, TOPIC) or policy.document is None:
            continue
        own = policy.holder if policy.holder.kind == TOPIC else graph.target(policy.holder.inputs.get("arn"), TOPIC)
        whom = {name for _, statement in policy.statements() if allows(statement) for _, name in principals(statement)}
        # with an account or everyone as principal, conditions decide
        if own is None or any(not name.endswith(".amazonaws.com") for name in whom):
            continue
        for service, writer in sorted(wanted.get(own, {}).items()):
            if service not in whom:
                yield policy.holder, policy.where, f"{service} may not publish, but {writer.name} needs it to"
    with_policy = {graph.target(p.inputs.get("arn"), TOPIC) for p in graph.of(POLICY)}
    for topic, writers in wanted.items():
        # a topic's default policy allows its own account, and so alarms
        missing = sorted(writers.keys() - {"cloudwatch.amazonaws.com"})
        if missing and topic not in with_policy and None not in with_policy and not given(topic.inputs.get("policy")):
            yield topic, "policy", f"no policy, but {missing[0]} publishes to it for {writers[missing[0]].name}"


@rule(
    "TOPIC-UNHEARD",
    TOPIC,
    severity=WARNING,
    what="an alarm topic without a subscription",
    why="The alarms cost the same, and nobody is notified",
    remedy="Add a TopicSubscription with an address that someone reads",
    example="a Topic without TopicSubscription",
)
def topic_without_subscription(graph: Graph) -> Hits:
    heard = {graph.target(s.inputs.get("topic"), TOPIC) for s in graph.of("sns:TopicSubscription")}
    written = {t for alarm in graph.of(ALARM) for key in NOTICES for t in graph.targets(alarm.inputs.get(key), TOPIC)}
    for topic in graph.of(TOPIC):
        if topic in written and topic not in heard and None not in heard:
            yield topic, "", "no subscription"
