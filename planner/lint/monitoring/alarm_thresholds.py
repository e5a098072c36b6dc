"""Alarm thresholds outside a metric's range, and windows, statistics and expressions that CloudWatch rejects."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planner.lint.known.metrics import GROUP_METRICS
from planner.lint.monitoring.alarms import ALARM
from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import GROUP, nodes_of
from planner.lint.read.values import Json, flag, given, literal, many, number, one, texts, whole
from planner.lint.rule import Hits, rule

DAY, WEEK, HOUR = 86_400, 604_800, 3600
PERCENTILE = re.compile(
    r"p\d{1,2}(\.\d{1,10})?|p100|IQM|(tm|wm|tc|ts|pr)\d{1,2}(\.\d+)?|(TM|WM|PR|TC|TS)\([\d.%]*:[\d.%]*\)"
)
PERCENTS = (
    *("CPUUtilization", "GPUUtilization", "MemoryUtilization", "DiskUsedPercent"),
    "FileServerDiskThroughputUtilization",
)
CHECKS = ("StatusCheckFailed", "StatusCheckFailed_Instance", "StatusCheckFailed_System")
QUERY = re.compile(r"[a-z][A-Za-z0-9_]*")


@rule(
    "ALARM-NEVER",
    ALARM,
    what="an alarm that can never fire, or always does",
    why="The alarm is billed, stays green and says nothing when the nodes are gone; one that always fires is "
    "soon ignored. A count is never below 0, and a percentage never above 100",
    remedy="Set a threshold between the normal and the bad value",
    example="GroupInServiceInstances LessThanThreshold 0, or CPUUtilization GreaterThanThreshold 100",
)
def alarm_never_or_always_fires(graph: Graph) -> Hits:
    for alarm in graph.of(ALARM):
        limit, how = number(alarm.inputs.get("threshold")), str(alarm.inputs.get("comparisonOperator"))
        metric = str(alarm.inputs.get("metricName"))
        if limit is None or given(alarm.inputs.get("metricQueries")):
            continue
        most = _most(graph, alarm, metric)
        below = how in ("LessThanThreshold", "LessThanOrEqualToThreshold")
        above = how in ("GreaterThanThreshold", "GreaterThanOrEqualToThreshold")
        strict = how in ("LessThanThreshold", "GreaterThanThreshold")
        known = most is not None
        if below and known and (limit < 0 or (strict and limit == 0)):
            yield alarm, "threshold", f"{metric} is never below {limit:g}"
        elif above and most is not None and (limit > most or (strict and limit == most)):
            yield alarm, "threshold", f"{metric} is never above {most:g}"
        elif below and most is not None and limit > most:
            yield alarm, "threshold", f"{metric} is always below {limit:g}: it is {most:g} at most"
        elif above and known and limit < 0:
            yield alarm, "threshold", f"{metric} is always above {limit:g}"


def _most(graph: Graph, alarm: Resource, metric: str) -> float | None:
    """The highest possible value of a metric; None if not known."""
    if metric in PERCENTS:
        return 100
    if metric in CHECKS:
        return 1 if alarm.inputs.get("statistic") in ("Minimum", "Maximum", "Average") else None
    if metric in GROUP_METRICS:
        named = one(alarm.inputs.get("dimensions")).get("AutoScalingGroupName")
        group = graph.target(named, GROUP)
        return float(nodes_of(group)) if group is not None and nodes_of(group) else None
    return None


@rule(
    "ALARM-WINDOW",
    ALARM,
    what="an alarm with an invalid window, statistic or expression",
    why="CloudWatch rejects the alarm: its periods add up to at most a day (a week with periods of an hour), "
    "and an expression uses queries of the same alarm, one of which returns data",
    remedy="Use fewer or shorter periods, ids that start with a lower-case letter, and returnData on one query",
    example="200 periods of 3,600 seconds, or an expression with an unknown query",
)
def invalid_alarm_window(graph: Graph) -> Hits:
    for alarm in graph.of(ALARM):
        period, count = whole(alarm.inputs.get("period")), whole(alarm.inputs.get("evaluationPeriods"))
        if period and count and period > 0:
            most = WEEK if period >= HOUR else DAY
            if period * count > most:
                yield alarm, "evaluationPeriods", f"the periods add up to {period * count:,} seconds; allowed: {most:,}"
        extended = literal(alarm.inputs.get("extendedStatistic"))
        if extended and not PERCENTILE.fullmatch(extended):
            yield alarm, "extendedStatistic", f"{extended!r} is not an extended statistic such as p99"
        if extended and given(alarm.inputs.get("statistic")):
            yield alarm, "extendedStatistic", "both statistic and extendedStatistic are given"
        for where, message in _queries(graph, many(alarm.inputs.get("metricQueries"))):
            yield alarm, f"metricQueries{where}", message


def _queries(graph: Graph, queries: list[Json]) -> Iterator[tuple[str, str]]:
    ids = [literal(query.get("id")) or "" for query in queries]
    for i, query in enumerate(queries):
        if ids[i] and (not QUERY.fullmatch(ids[i]) or ids.index(ids[i]) != i):
            yield f"[{i}].id", f"{ids[i]!r} is not a unique id that starts with a lower-case letter"
        metric, expression = one(query.get("metric")), literal(query.get("expression"))
        if not metric and not given(query.get("expression")):
            yield f"[{i}]", "neither a metric nor an expression"
        for name in re.findall(r"(?<![A-Za-z0-9_(\"'])[a-z][A-Za-z0-9_]*(?![A-Za-z0-9_(\"'])", expression or ""):
            if name not in ids and not (expression or "").upper().startswith(("SELECT", "SEARCH")):
                yield f"[{i}].expression", f"{name!r} is not a query of this alarm"
        period = whole(metric.get("period"))
        if metric and period is not None and (period <= 0 or (period not in (10, 20, 30) and period % 60)):
            yield f"[{i}].metric.period", f"a period of {period} seconds"
        group = graph.target(one(metric.get("dimensions")).get("AutoScalingGroupName"), GROUP)
        name = literal(metric.get("metricName"))
        if metric.get("namespace") == "AWS/AutoScaling" and name:
            if name not in GROUP_METRICS:
                yield f"[{i}].metric.metricName", f"AWS/AutoScaling has no metric {name!r}"
            elif group is not None and name not in texts(group.inputs.get("enabledMetrics")):
                yield f"[{i}].metric.metricName", f"{group.name} does not publish {name}"
            if not given(metric.get("dimensions")):
                yield f"[{i}].metric.dimensions", "without dimensions the alarm watches nothing"
    shown = [query for query in queries if flag(query.get("returnData")) is True]
    unknown = any(isinstance(query.get("returnData"), str) and flag(query["returnData"]) is None for query in queries)
    if len(queries) > 1 and len(shown) != 1 and not unknown:
        yield "", f"{len(shown)} queries have returnData; exactly one must"
