"""What lies in a bucket, by S3's daily count."""

from __future__ import annotations

from datetime import UTC, datetime

from planner.account.bucket_size import stored_bytes
from tests.account.stubs import REGION, Cloud


def test_what_lies_in_a_bucket_is_the_newest_count():
    cloud = Cloud()
    watch, now = cloud.stub("cloudwatch"), datetime(2026, 11, 21, tzinfo=UTC)
    sizes = [{"Name": "StorageType", "Value": "StandardStorage"}, {"Name": "BucketName", "Value": "b"}]
    metric = {"Namespace": "AWS/S3", "MetricName": "BucketSizeBytes", "Dimensions": sizes}
    wanted = {**metric, "Dimensions": [{"Name": "BucketName", "Value": "b"}]}
    watch.add_response("list_metrics", {"Metrics": [metric]}, wanted)
    points = [
        {"Timestamp": datetime(2026, 11, 20, tzinfo=UTC), "Average": 7.0},
        {"Timestamp": datetime(2026, 11, 19, tzinfo=UTC), "Average": 5.0},
    ]
    asked = {"StartTime": datetime(2026, 11, 18, tzinfo=UTC), "EndTime": now, "Period": 86_400}
    watch.add_response("get_metric_statistics", {"Datapoints": points}, {**metric, **asked, "Statistics": ["Average"]})
    assert stored_bytes("b", REGION, now, cloud.client) == {"StandardStorage": 7.0}
    cloud.done()
