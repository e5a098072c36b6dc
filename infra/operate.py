"""The IAM policy of whoever operates a running stack: shells on nodes, jobs, lost nodes, data.

A shell on a node is root there, so this identity can do what the node's role can. `python -m infra.deployer` writes it.
"""

from __future__ import annotations

from typing import Any

FILE = "operator-policy.json"
_TAGGED = {"StringLike": {"aws:ResourceTag/planner:stack": "*"}}
_NODES = ["arn:aws:ec2:*:*:instance/*"]


def policy() -> dict[str, Any]:
    """What docs/operations.md and the rehearsal do on nodes of a stack, and on nothing else of the account."""
    return {
        "Version": "2012-10-17",
        "Statement": [
            _statement("EndNodes", "ec2", "TerminateInstances", _NODES, _TAGGED),
            # Session Manager's own sample: the node by its tag, the document apart
            _statement(
                "ReachNodes",
                "ssm",
                "SendCommand StartSession",
                _NODES,
                {"StringLike": {"ssm:resourceTag/planner:stack": "*"}},
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
                ["arn:aws:autoscaling:*:*:autoScalingGroup:*:autoScalingGroupName/planner-*"],
            ),
            _statement(
                "Jobs",
                "batch",
                "SubmitJob TerminateJob",
                [
                    "arn:aws:batch:*:*:job-definition/planner-*",
                    "arn:aws:batch:*:*:job-queue/planner-*",
                    "arn:aws:batch:*:*:job/*",
                ],
            ),
            _statement(
                "LustreTasks",
                "fsx",
                "CancelDataRepositoryTask CreateDataRepositoryTask",
                ["arn:aws:fsx:*:*:file-system/*", "arn:aws:fsx:*:*:task/*"],
            ),
            _statement(
                "Data",
                "s3",
                "AbortMultipartUpload GetObject GetObjectVersion ListBucket ListBucketVersions PutObject",
                ["arn:aws:s3:::planner-*-data-*", "arn:aws:s3:::planner-*-data-*/*"],
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
