"""The size of a bucket, by S3's own daily count."""

from __future__ import annotations

from datetime import datetime, timedelta

from planner.account.aws_client import MakeClient, aws_errors


def stored_bytes(bucket: str, region: str, now: datetime, make: MakeClient) -> dict[str, float]:
    """Storage type -> bytes, old versions and unfinished uploads included. Empty before S3's first daily count."""
    watch = make("cloudwatch", region)
    found: dict[str, float] = {}
    named = {"Name": "BucketName", "Value": bucket}
    with aws_errors(f"the size of {bucket}"):
        for page in watch.get_paginator("list_metrics").paginate(
            Namespace="AWS/S3", MetricName="BucketSizeBytes", Dimensions=[named]
        ):
            for metric in page.get("Metrics", ()):
                answer = watch.get_metric_statistics(
                    Namespace="AWS/S3",
                    MetricName="BucketSizeBytes",
                    Dimensions=metric["Dimensions"],
                    StartTime=now - timedelta(days=3),  # S3 counts once a day, with a delay
                    EndTime=now,
                    Period=86_400,
                    Statistics=["Average"],
                )
                points = sorted(answer.get("Datapoints", ()), key=lambda point: point["Timestamp"])
                types = [entry["Value"] for entry in metric["Dimensions"] if entry["Name"] == "StorageType"]
                if points and types:
                    found[types[0]] = points[-1]["Average"]
    return found
