"""Mistakes about roles and rights."""

from __future__ import annotations

import json

from tests.lint.graphs import Document, drop, find
from tests.lint.mistakes.edits import OURS, Edit, Mistake, gone, lt, of, policy, put


def policy_of(document: Document) -> Document:
    found = [r for r in document["resources"] if r["type"].endswith(":RolePolicy")]
    return next(r for r in found if r["name"].startswith(("fleet-role", "Node")))


def statement(**changed: object) -> Edit:
    """The first statement of the nodes' policy, changed."""

    def edit(document: Document) -> None:
        held = policy_of(document)["inputs"]
        written = policy(held)
        written["Statement"][0].update(changed)
        held["policy"] = json.dumps(written)

    return edit


def trust(document: Document) -> None:
    role = next(
        r for r in document["resources"] if r["type"].endswith(":Role") and r["name"].startswith(("fleet", "Node"))
    )
    allow_all = {"Effect": "Allow", "Principal": "*", "Action": "sts:AssumeRole"}
    role["inputs"]["assumeRolePolicy"] = json.dumps({"Version": "2012-10-17", "Statement": [allow_all]})


def grant(action: object, resource: object, **more: object) -> Edit:
    """One more right for the nodes."""

    def edit(document: Document) -> None:
        allowed = {"Effect": "Allow", "Action": action, "Resource": resource, **more}
        policy(policy_of(document)["inputs"])["Statement"].append(allowed)

    return edit


def nobody_writes_flows(document: Document) -> None:
    """The trust of the role that writes flow logs, for another service."""
    role = find(document, "Role", "flow-logs")["inputs"]
    policy(role, "assumeRolePolicy")["Statement"][0]["Principal"] = {"Service": "logs.amazonaws.com"}


def ssm(document: Document) -> Document:
    attached = [r for r in document["resources"] if r["type"].endswith(":RolePolicyAttachment")]
    found = attached or [r for r in document["resources"] if r["name"].endswith("-role-ssm")]
    return next(r for r in found if r["name"].startswith(("fleet", "Node")))


ATTACHED = ("foreign p5", "foreign p4d lustre")  # our own nodes have no policy of AWS
MISTAKES = (
    Mistake("every action", "IAM-ACTION", statement(Action="s3:*")),
    Mistake("every resource", "IAM-RESOURCE", statement(Action=["s3:GetObject"], Resource="*")),
    Mistake(
        "administrator",
        "IAM-MANAGED",
        put(of("RolePolicyAttachment"), "policyArn", "arn:aws:iam::aws:policy/AdministratorAccess"),
        only=ATTACHED,
    ),
    Mistake("role that everyone can assume", "IAM-TRUST", trust, also=()),
    Mistake("policy is no JSON", "IAM-JSON", lambda d: policy_of(d)["inputs"].update(policy="{Statement: []}")),
    Mistake("effect misspelled", "IAM-JSON", statement(Effect="allow"), also=("IAM-DATA",)),
    Mistake(
        "not an ARN",
        "ARN-SYNTAX",
        put(of("RolePolicyAttachment"), "policyArn", "AmazonSSMManagedInstanceCore"),
        only=ATTACHED,
    ),
    Mistake("every key", "IAM-RESOURCE", grant("kms:Decrypt", "arn:aws:kms:us-east-1:111122223333:key/*")),
    Mistake(
        "every bucket of a name",
        "IAM-RESOURCE",
        grant(["s3:Put*", "s3:Get*"], "arn:aws:s3:::planner-*/*"),
        also=("IAM-ESCALATE",),
    ),
    Mistake("every object of every bucket", "IAM-RESOURCE", grant("s3:GetObject", "arn:aws:s3:::*/*")),
    Mistake("every object by a prefix", "IAM-RESOURCE", grant("s3:GetObject", "arn:aws:s3:::*/dataset/*")),
    Mistake(
        "every table", "IAM-RESOURCE", grant("dynamodb:PutItem", "arn:aws:dynamodb:us-east-1:111122223333:table/*")
    ),
    Mistake("every role", "IAM-RESOURCE", grant("sts:AssumeRole", "arn:aws:iam::111122223333:role/*")),
    Mistake("passes every role", "IAM-RESOURCE", grant("iam:PassRole", "arn:aws:iam::111122223333:role/*")),
    Mistake("every queue", "IAM-RESOURCE", grant("sqs:Send*", "arn:aws:sqs:us-east-1:111122223333:*")),
    Mistake("every secret", "IAM-RESOURCE", grant("secretsmanager:Get*", "arn:aws:secretsmanager:*:*:secret:*")),
    Mistake(
        "every group", "IAM-RESOURCE", grant("autoscaling:SetDesired*", "arn:aws:autoscaling:*:*:autoScalingGroup:*")
    ),
    Mistake("commands on every node", "IAM-RESOURCE", grant("ssm:SendCommand", "*")),
    Mistake("versions by a glob", "IAM-VERSIONS", grant("s3:DeleteObject*", "arn:aws:s3:::acme-training-data/x/*")),
    Mistake(
        "wildcard for all Put actions",
        "IAM-VERSIONS",
        grant("s3:Put*", "arn:aws:s3:::acme-training-data"),
        also=("IAM-ESCALATE",),
    ),
    Mistake("deletes the bucket", "IAM-VERSIONS", grant("s3:DeleteBucket", "arn:aws:s3:::acme-training-data")),
    Mistake(
        "nodes may delete the key",
        "IAM-VERSIONS",
        grant("kms:ScheduleKeyDeletion", "arn:aws:kms:us-east-1:111122223333:key/1111aaaa"),
    ),
    Mistake("action misspelled", "IAM-UNKNOWN", statement(Action="s3:GetObjct"), also=("IAM-DATA",)),
    Mistake("wildcard that matches no action", "IAM-UNKNOWN", grant("s3:Gett*", "arn:aws:s3:::acme-training-data/x")),
    Mistake(
        "service misspelled", "IAM-UNKNOWN", grant("dynamo:GetItem", "arn:aws:dynamodb:us-east-1:111122223333:table/t")
    ),
    Mistake(
        "action of the API, not of IAM", "IAM-UNKNOWN", grant("s3:ListObjectsV2", "arn:aws:s3:::acme-training-data")
    ),
    Mistake("NotAction in a policy", "IAM-ACTION", grant(None, "*", NotAction="iam:*")),
    Mistake(
        "profile's name for its ARN", "ARN-SYNTAX", put(lt, "iamInstanceProfile", {"arn": "planner-dev-fleet-profile"})
    ),
    Mistake(
        "profile's ARN for its name",
        "ARN-SYNTAX",
        put(lt, "iamInstanceProfile", {"name": "arn:aws:iam::111122223333:instance-profile/nodes"}),
    ),
    Mistake("flow logs' role for another service", "IAM-TRUST", nobody_writes_flows, only=OURS),
    Mistake("role without SSM", "NODE-SSM", lambda d: drop(d, ssm(d))),
    Mistake("nodes without their data", "IAM-EMPTY", lambda d: drop(d, policy_of(d))),
    Mistake("flow logs without rights", "IAM-EMPTY", gone("RolePolicy", "flow-logs"), only=OURS),
    Mistake("budget action role without permissions", "IAM-EMPTY", gone("RolePolicy", "guard-action"), only=OURS),
)
