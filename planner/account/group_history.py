"""How many nodes an Auto Scaling group had in service since it exists, by CloudWatch's own records of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from planner.account.aws_client import MakeClient, aws_errors
from planner.stack.spot_losses import History, Interval

# CloudWatch User Guide, metrics retention: periods of a minute are kept for 15 days, of five for 63, of an hour for 455
KEPT = ((60, timedelta(days=15)), (300, timedelta(days=63)), (3600, timedelta(days=455)))
SERIES = {
    "wanted": ("GroupDesiredCapacity", "Maximum"),
    "fewest": ("GroupInServiceInstances", "Minimum"),
    "most": ("GroupInServiceInstances", "Maximum"),
}


def history_of(group: str, region: str, now: datetime, make: MakeClient) -> History | None:
    """In the finest periods that reach back to the first record; None where there is none. Raises AwsProblem."""
    watch = make("cloudwatch", region)
    period, kept = KEPT[-1]
    hourly = _series(watch, group, now - kept, now, period)
    first = min((at for points in hourly.values() for at in points), default=None)
    if first is None:
        return None
    period = next(seconds for seconds, reach in KEPT if now - first < reach - timedelta(hours=1) or seconds == period)
    found = hourly if period == KEPT[-1][0] else _series(watch, group, first, now, period)
    begins = min((at for points in found.values() for at in points), default=first)
    step = timedelta(seconds=period)
    # the last period is not over: its record may still be missing
    count = max(int((now - begins) / step), 0)
    times = [begins + number * step for number in range(count)]
    intervals = [Interval(**{name: points.get(at) for name, points in found.items()}) for at in times]
    while intervals and intervals[-1].fewest is None:  # records come with a delay
        intervals.pop()
    return History(begins=begins, hours=period / 3600, intervals=intervals)


def _series(
    watch: Any, group: str, begins: datetime, ends: datetime, period: int
) -> Mapping[str, Mapping[datetime, float]]:
    """Name of a series -> time -> value."""
    queries = [
        {
            "Id": name,
            "MetricStat": {
                "Metric": {
                    "Namespace": "AWS/AutoScaling",
                    "MetricName": metric,
                    "Dimensions": [{"Name": "AutoScalingGroupName", "Value": group}],
                },
                "Period": period,
                "Stat": statistic,
            },
        }
        for name, (metric, statistic) in SERIES.items()
    ]
    found: dict[str, dict[datetime, float]] = {name: {} for name in SERIES}
    with aws_errors(f"the records of group {group}"):
        pages = watch.get_paginator("get_metric_data").paginate(
            MetricDataQueries=queries, StartTime=begins, EndTime=ends, ScanBy="TimestampAscending"
        )
        for page in pages:
            for answer in page["MetricDataResults"]:
                found[answer["Id"]].update(zip(answer["Timestamps"], answer["Values"], strict=True))
    return found
