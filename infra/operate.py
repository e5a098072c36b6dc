"""The IAM policy of whoever operates one running stack: shells on nodes, jobs, lost nodes, data.

A shell on a node is root there, so this identity can do what the node's role can. `python -m infra.deployer` writes it
for a stack named dev; `python -m infra.operate STACK` prints that of another.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from planner.stack.names import physical

FILE = "operator-policy.json"
_NODES = ["arn:aws:ec2:*:*:instance/*"]


def policy(stack: str = "dev") -> dict[str, Any]:
    """What docs/operations.md and the rehearsal do on one stack, and on nothing else of the account.

    By its tag, and by name where AWS knows no tag: jobs of AWS Batch and Lustre tasks have neither, and may be ended
    whosever they are.
    """
    tagged = {"StringEquals": {"aws:ResourceTag/planner:stack": stack}}
    named, data = physical(stack, "*"), physical(stack, "data-*")
    return {
        "Version": "2012-10-17",
        "Statement": [
            _statement("EndNodes", "ec2", "TerminateInstances", _NODES, tagged),
            # Session Manager's own sample: the node by its tag, the document apart
            _statement(
                "ReachNodes",
                "ssm",
                "SendCommand StartSession",
                _NODES,
                {"StringEquals": {"ssm:resourceTag/planner:stack": stack}},
            ),
            _statement(
                "ReachWith",
                "ssm",
                "SendCommand StartSession",
                ["arn:aws:ssm:*::document/AWS-RunShellScript", "arn:aws:ssm:*:*:document/SSM-SessionManagerRunShell"],
            ),
            _statement(
                "OwnSessions", "ssm", "ResumeSession TerminateSession", ["arn:aws:ssm:*:*:session/${aws:userid}-*"]
            ),
            # what a session's plugin calls; names of sessions of an assumed role do not begin with its user id
            _statement("Sessions", "ssmmessages", "OpenDataChannel", ["arn:aws:ssm:*:*:session/*"]),
            _statement(
                "Groups",
                "autoscaling",
                "CancelInstanceRefresh CompleteLifecycleAction DeleteScheduledAction PutScheduledUpdateGroupAction "
                "RecordLifecycleActionHeartbeat ResumeProcesses SetInstanceProtection StartInstanceRefresh "
                "SuspendProcesses TerminateInstanceInAutoScalingGroup UpdateAutoScalingGroup",
                [f"arn:aws:autoscaling:*:*:autoScalingGroup:*:autoScalingGroupName/{named}"],
                tagged,
            ),
            _statement(
                "Jobs",
                "batch",
                "SubmitJob TerminateJob",
                [
                    f"arn:aws:batch:*:*:job-definition/{named}",
                    f"arn:aws:batch:*:*:job-queue/{named}",
                    "arn:aws:batch:*:*:job/*",
                ],
            ),
            _statement("LustreOfStack", "fsx", "CreateDataRepositoryTask", ["arn:aws:fsx:*:*:file-system/*"], tagged),
            _statement(
                "LustreTasks", "fsx", "CancelDataRepositoryTask CreateDataRepositoryTask", ["arn:aws:fsx:*:*:task/*"]
            ),
            _statement(
                "Data",
                "s3",
                "AbortMultipartUpload GetObject GetObjectVersion ListBucket ListBucketVersions PutObject",
                [f"arn:aws:s3:::{data}", f"arn:aws:s3:::{data}/*"],
            ),
            _statement(
                "KeyThroughS3",
                "kms",
                "Decrypt GenerateDataKey",
                ["*"],
                {"StringLike": {"kms:ViaService": "s3.*.amazonaws.com"}},
            ),
            {
                "Sid": "Look",
                "Effect": "Allow",
                "Action": [
                    "autoscaling:DescribeAutoScalingGroups",
                    "autoscaling:DescribeInstanceRefreshes",
                    "autoscaling:DescribeScalingActivities",
                    "batch:DescribeJobs",
                    "batch:ListJobs",
                    "cloudwatch:GetMetricData",
                    "cloudwatch:GetMetricStatistics",
                    "ec2:DescribeInstances",
                    "fsx:DescribeDataRepositoryTasks",
                    "fsx:DescribeFileSystems",
                    "ssm:DescribeInstanceInformation",
                    "ssm:GetCommandInvocation",
                ],
                "Resource": ["*"],
            },
        ],
    }


def _statement(
    sid: str, service: str, actions: str, where: list[str], condition: dict[str, Any] | None = None
) -> dict[str, Any]:
    found: dict[str, Any] = {
        "Sid": sid,
        "Effect": "Allow",
        "Action": [f"{service}:{action}" for action in actions.split()],
        "Resource": where,
    }
    return {**found, "Condition": condition} if condition else found


if __name__ == "__main__":
    print(json.dumps(policy(*sys.argv[1:2]), indent=2))
