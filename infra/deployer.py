"""IAM policies of the deployer's identity, from the table of actions that each resource type needs; and the operator's.

The policies beside this file are written by `python -m infra.deployer`. Resources that are kept when a stack is
destroyed have no action that deletes them: deleting them needs another identity.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from infra import operate
from infra.deployer_actions import ACTIONS, FILES_TYPES, LOOK_UP_ACTIONS, PURCHASE_ACTIONS, SCHEDULER_ACTIONS

LIMIT = 6144  # characters of a managed policy, white space not counted (IAM quotas)
FOLDER = Path(__file__).resolve().parent

_SERVICE_ROLES = (
    "autoscaling.amazonaws.com",
    "batch.amazonaws.com",
    "fsx.amazonaws.com",
    "s3.data-source.lustre.fsx.amazonaws.com",
    "spot.amazonaws.com",
)
_DATA_READ_AND_SET = "arn:aws:s3:::planner-*"
_BUNDLES = ("arn:aws:s3:::planner-*-artefacts-*", "arn:aws:s3:::planner-*-artefacts-*/*")
_ROLES = "arn:aws:iam::*:role/planner-*"
_LUSTRE_ROLES = "arn:aws:iam::*:role/aws-service-role/s3.data-source.lustre.fsx.amazonaws.com/*"
SCHEDULER_FILE = "deployer-policy-scheduler.json"
# AWS PCS asks for this path, or names that begin with AWSPCS
_PCS_ROLES = "arn:aws:iam::*:role/aws-pcs/planner-*"
_PCS_PROFILES = "arn:aws:iam::*:instance-profile/aws-pcs/planner-*"
FILES_FILE = "deployer-policy-files.json"
_DATABASES = tuple(f"arn:aws:rds:*:*:{kind}:planner-*" for kind in ("db", "pg", "snapshot", "subgrp"))
_DATABASE_SECRETS = "arn:aws:secretsmanager:*:*:secret:rds!db-*"  # the database's password, which RDS makes
_PCS_SECRETS = "arn:aws:secretsmanager:*:*:secret:pcs!*"  # the cluster's key, which AWS PCS makes
# service -> resources that its actions are limited to, by the names that a stack gives them
_WHERE: dict[str, tuple[str, ...]] = {
    "autoscaling": ("arn:aws:autoscaling:*:*:autoScalingGroup:*:autoScalingGroupName/planner-*",),
    "batch": (
        "arn:aws:batch:*:*:compute-environment/planner-*",
        "arn:aws:batch:*:*:job-definition/planner-*",
        "arn:aws:batch:*:*:job-queue/planner-*",
    ),
    "budgets": ("arn:aws:budgets::*:budget/planner-*",),
    "cloudwatch": ("arn:aws:cloudwatch:*:*:alarm:planner-*", "arn:aws:cloudwatch::*:dashboard/planner-*"),
    "events": ("arn:aws:events:*:*:rule/planner-*",),
    "logs": ("arn:aws:logs:*:*:log-group:/planner/*",),
    "s3": (_DATA_READ_AND_SET,),
    "sns": ("arn:aws:sns:*:*:planner-*",),
    "iam": (
        _ROLES,
        "arn:aws:iam::*:instance-profile/planner-*",
        "arn:aws:iam::*:policy/planner-*",
        "arn:aws:iam::*:group/planner/planner-*",
    ),
}
# they list every identity, among which those of a stack are found by name
_IAM_LISTS = ("iam:ListInstanceProfiles", "iam:ListPolicies", "iam:ListRoles")
# actions without resource-level permissions, and those that list everything
_ANYWHERE = (
    "autoscaling:Describe",
    "batch:DeregisterJobDefinition",
    "batch:Describe",
    "cloudwatch:DescribeAlarms",
    "cloudwatch:GetMetricStatistics",
    "cloudwatch:ListMetrics",
    "logs:DescribeLogGroups",
    "sns:Unsubscribe",
    "sns:GetSubscriptionAttributes",
    "sns:SetSubscriptionAttributes",
)
_ON_BUNDLES = ("DeleteBucket", "DeleteBucketPolicy", "DeleteObject", "DeleteObjectVersion", "GetObject")
_ON_BUNDLES += ("AbortMultipartUpload", "GetObjectTagging", "PutObject", "PutObjectTagging")
FILES = {
    "network": ("ec2", "route53"),
    "services": (
        "autoscaling",
        "batch",
        "budgets",
        "ce",
        "cloudwatch",
        "events",
        "fsx",
        "logs",
        "sns",
        "ssm",
        "sts",
        "tag",
    ),
    "data": ("iam", "kms", "s3"),
}


def policies() -> dict[str, dict[str, Any]]:
    """File name -> policy: three for `pulumi up` and `destroy`, one more for a Slurm cluster, one for files over the
    pool, one for buying capacity, one for operating."""
    always = (found for type_, found in ACTIONS.items() if type_ not in FILES_TYPES)
    needed = {action for found in always for action in found} | set(LOOK_UP_ACTIONS)
    found = {}
    for name, services in FILES.items():
        statements: dict[str, dict[str, Any]] = {}
        for action in sorted(needed):
            if action.split(":")[0] in services:
                sid, where, condition = _scope(action)
                entry = statements.setdefault(sid, {"Sid": sid, "Effect": "Allow", "Action": [], "Resource": where})
                entry["Action"].append(action)
                if condition:
                    entry["Condition"] = condition
                if action == "iam:PutRolePolicy":
                    statements["LustreRole"]["Action"].append(action)
        found[f"deployer-policy-{name}.json"] = _policy(list(statements.values()))
    buying = {"Sid": "Reserve", "Effect": "Allow", "Action": sorted(PURCHASE_ACTIONS), "Resource": ["*"]}
    found |= {"deployer-policy-reserve.json": _policy([buying]), SCHEDULER_FILE: _policy(_scheduling())}
    found |= {FILES_FILE: _policy(_of_files())}
    return {**found, operate.FILE: operate.policy()}


def _scheduling() -> list[dict[str, Any]]:
    """Beside the three: for a stack with a Slurm cluster."""
    services: dict[str, list[str]] = {}
    for action in sorted(SCHEDULER_ACTIONS):
        services.setdefault(action.split(":")[0], []).append(action)
    apart = ("iam:PassRole", "iam:CreateServiceLinkedRole")
    named = [action for action in services.pop("iam") if action not in apart]
    secrets = services.pop("secretsmanager")
    return [
        *(_allow(f"{name.capitalize()}Anywhere", actions, ["*"]) for name, actions in services.items()),
        _allow("PcsSecrets", secrets, [_PCS_SECRETS]),
        _allow("PcsRoles", named, [_PCS_ROLES, _PCS_PROFILES]),
        {
            **_allow("PassPcsRole", ["iam:PassRole"], [_PCS_ROLES]),
            "Condition": {"StringEquals": {"iam:PassedToService": ["ec2.amazonaws.com"]}},
        },
        {
            **_allow("PcsServiceRole", ["iam:CreateServiceLinkedRole"], ["arn:aws:iam::*:role/aws-service-role/*"]),
            "Condition": {"StringEquals": {"iam:AWSServiceName": ["pcs.amazonaws.com"]}},
        },
    ]


def _of_files() -> list[dict[str, Any]]:
    """Beside the three: for a stack with files over the pool."""
    needed = sorted({action for type_ in FILES_TYPES for action in ACTIONS[type_]})
    of_rds = [action for action in needed if action.startswith("rds:")]
    lists = [action for action in of_rds if action.startswith("rds:Describe")]
    return [
        _allow("RdsAnywhere", lists, ["*"]),  # they list by a filter
        _allow("Rds", [action for action in of_rds if action not in lists], list(_DATABASES)),
        _allow("RdsSecrets", [one for one in needed if one.startswith("secretsmanager:")], [_DATABASE_SECRETS]),
        {
            **_allow("KeyThroughSecrets", ["kms:Decrypt", "kms:GenerateDataKey"], ["*"]),
            "Condition": {"StringLike": {"kms:ViaService": "secretsmanager.*.amazonaws.com"}},
        },
        {
            **_allow("RdsServiceRole", ["iam:CreateServiceLinkedRole"], ["arn:aws:iam::*:role/aws-service-role/*"]),
            "Condition": {"StringEquals": {"iam:AWSServiceName": ["rds.amazonaws.com"]}},
        },
    ]


def _allow(sid: str, actions: list[str], where: list[str]) -> dict[str, Any]:
    return {"Sid": sid, "Effect": "Allow", "Action": actions, "Resource": where}


def _scope(action: str) -> tuple[str, list[str], dict[str, Any]]:
    """Name of the statement that an action belongs in, its resources, and its condition."""
    service, name = action.split(":")
    if action == "iam:PassRole":
        services = [f"{name}.amazonaws.com" for name in ("budgets", "ec2", "ecs-tasks", "vpc-flow-logs")]
        return "PassRole", [_ROLES], {"StringEquals": {"iam:PassedToService": services}}
    if action == "iam:AttachRolePolicy":
        return "LustreRole", [_LUSTRE_ROLES], {}  # FSx creates its role for a bucket with the permissions of the caller
    if action == "iam:CreateServiceLinkedRole":
        where = ["arn:aws:iam::*:role/aws-service-role/*"]
        return "ServiceRoles", where, {"StringEquals": {"iam:AWSServiceName": list(_SERVICE_ROLES)}}
    if action == "kms:CreateGrant":
        return "GrantToServices", ["*"], {"Bool": {"kms:GrantIsForAWSResource": "true"}}
    if action in ("kms:Decrypt", "kms:GenerateDataKey"):
        return "KeyThroughS3", ["*"], {"StringLike": {"kms:ViaService": "s3.*.amazonaws.com"}}
    if service == "s3" and name in _ON_BUNDLES:
        return "Bundles", list(_BUNDLES), {}
    if service in _WHERE and action not in _IAM_LISTS and not action.startswith(_ANYWHERE):
        return service.capitalize(), list(_WHERE[service]), {}
    return f"{service.capitalize()}Anywhere", ["*"], {}


def _policy(statements: list[dict[str, Any]]) -> dict[str, Any]:
    return {"Version": "2012-10-17", "Statement": statements}


def text_of(name: str) -> str:
    return json.dumps(policies()[name], indent=2) + "\n"


if __name__ == "__main__":
    for file in policies():
        (FOLDER / file).write_text(text_of(file), encoding="utf-8", newline="\n")
