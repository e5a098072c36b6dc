"""Mistakes that block access to data, or open it to others."""

from __future__ import annotations

import json
from typing import Any

from tests.lint.graphs import Document, find
from tests.lint.mistakes.edits import OURS, Edit, Mistake, add, again, both, data_bucket, key, lt, of, part, policy, put
from tests.lint.mistakes.identity import grant

STATEMENT = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::acme-training-data/*"}


def role_policy(document: Document) -> Document:
    """The nodes' own policy, as an object."""
    found = [r for r in document["resources"] if r["type"].endswith(":RolePolicy")]
    return policy(next(r for r in found if r["name"] in ("fleet-role-data", "NodePolicy"))["inputs"])


def may(**more: Any) -> Edit:
    """One more statement in the nodes' policy."""
    return lambda document: role_policy(document)["Statement"].append({**STATEMENT, **more})


def without(word: str) -> Edit:
    """The nodes' policy without the statements about something."""

    def edit(document: Document) -> None:
        held = role_policy(document)
        held["Statement"] = [s for s in held["Statement"] if word not in json.dumps(s["Action"])]

    return edit


def bucket_policy(**statement: Any) -> Edit:
    def edit(document: Document) -> None:
        policy(part("BucketPolicy")(document)["inputs"])["Statement"].append(statement)

    return edit


def outside(endpoint: str, *actions: str) -> Edit:
    """A Deny for everyone who does not come through one VPC endpoint."""
    condition = {"StringNotEquals": {"aws:SourceVpce": endpoint}}
    here = "arn:aws:s3:::acme-training-data"
    named: Document = {"Effect": "Deny", "Principal": "*", "Action": list(actions), "Condition": condition}
    return bucket_policy(**named, Resource=[here, f"{here}/*"])


def trust(statement: Document) -> Edit:
    def edit(document: Document) -> None:
        roles = [r for r in document["resources"] if r["type"].endswith(":Role")]
        held = next(r for r in roles if r["name"] in ("fleet-role", "NodeRole"))["inputs"]
        policy(held, "assumeRolePolicy")["Statement"].append({"Effect": "Allow", **statement})

    return edit


def rule(**more: Any) -> Edit:
    """One more rule in the lifecycle of the data bucket."""
    held = {"id": "more", "status": "Enabled"}
    return lambda document: part("BucketLifecycleConfiguration")(document)["inputs"]["rules"].append({**held, **more})


def endpoint_of_another_bucket(document: Document) -> None:
    held = policy(find(document, "VpcEndpoint", "s3")["inputs"])
    for statement in held["Statement"]:
        statement["Resource"] = ["arn:aws:s3:::other", "arn:aws:s3:::other/*"]


def endpoint_without_programs(document: Document) -> None:
    """The data is reached, the bundle that a node begins with is not."""
    held = policy(find(document, "VpcEndpoint", "s3")["inputs"])
    for statement in held["Statement"]:
        if isinstance(statement["Resource"], list):
            statement["Resource"] = [where for where in statement["Resource"] if "artefacts" not in where]


def key_of_administrators(document: Document) -> None:
    admin = {"AWS": "arn:aws:iam::000000000000:role/admin"}
    statement = {"Effect": "Allow", "Principal": admin, "Action": "kms:*", "Resource": "*"}
    key(document)["policy"] = json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def another_bucket(document: Document) -> None:
    held, urn = role_policy(document), data_bucket(document)["urn"]
    changed = json.dumps(held["Statement"]).replace(f"${{{urn}.arn}}", "arn:aws:s3:::some-other-bucket")
    held["Statement"] = json.loads(changed)


def unread(document: Document) -> None:
    for statement in role_policy(document)["Statement"]:
        actions = statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]]
        statement["Action"] = ["s3:PutObject" if a == "s3:GetObject" else a for a in actions]


def vpc_id(document: Document) -> str:
    return f"${{{find(document, 'Vpc')['urn']}.id}}"


def vpc_of_itself(document: Document) -> None:
    find(document, "Vpc")["inputs"]["ipv4IpamPoolId"] = vpc_id(document)


TAGS = {"planner:stack": "dev", "planner:plan": "ab" * 32, "planner:component": "network", "planner:name": "spare"}
ELSEWHERE = {"AWS": "arn:aws:iam::999999999999:root"}
GITHUB = {"Federated": "arn:aws:iam::111122223333:oidc-provider/token.actions.githubusercontent.com"}
ARN = "arn:aws:iam::111122223333:role/acme-node"

MISTAKES = (
    Mistake("bucket shut to all but one endpoint", "POLICY-DENIES", outside("vpce-0aa11bb22cc33dd44", "s3:*")),
    Mistake(
        "bucket shut to all but another endpoint",
        "POLICY-DENIES",
        outside("vpce-0123456789abcdef0", "s3:GetObject", "s3:PutObject"),
    ),
    Mistake("condition's key misspelled", "IAM-GRAMMAR", may(Conditon={"Bool": {"aws:SecureTransport": "true"}})),
    Mistake(
        "operator of a condition misspelled", "IAM-GRAMMAR", may(Condition={"StringEqual": {"aws:PrincipalTag/a": "b"}})
    ),
    Mistake(
        "federated trust with an empty condition",
        "IAM-GRAMMAR",
        may(Condition={"StringEquals": {"aws:SourceVcp": "vpc-1"}}),
    ),
    Mistake("Sid with a space", "IAM-GRAMMAR", may(Sid="my data")),
    Mistake("two statements of one Sid", "IAM-GRAMMAR", both(may(Sid="Same"), may(Sid="Same"))),
    Mistake(
        "policy too long",
        "IAM-GRAMMAR",
        both(*(may(Resource=f"arn:aws:s3:::acme-{i:060}/{'x' * 120}*") for i in range(60))),
    ),
    Mistake("s3:ListBucket on objects", "IAM-NOTHING", may(Action="s3:ListBucket")),
    Mistake("reads a bucket, not its objects", "IAM-NOTHING", may(Resource="arn:aws:s3:::acme-training-data")),
    Mistake("node that makes itself administrator", "IAM-ESCALATE", grant("iam:PutRolePolicy", ARN)),
    Mistake("node that attaches policies", "IAM-ESCALATE", grant("iam:AttachRolePolicy", ARN)),
    Mistake("node that opens objects", "IAM-ESCALATE", grant("s3:PutObjectAcl", "arn:aws:s3:::acme-training-data/*")),
    Mistake("role for another account", "IAM-FOREIGN", trust({"Principal": ELSEWHERE, "Action": "sts:AssumeRole"})),
    Mistake(
        "bucket for another account",
        "IAM-FOREIGN",
        bucket_policy(Effect="Allow", Principal=ELSEWHERE, Action="s3:GetObject", Resource="arn:aws:s3:::acme/*"),
    ),
    Mistake(
        "role for every repository",
        "IAM-FEDERATED",
        trust({"Principal": GITHUB, "Action": "sts:AssumeRoleWithWebIdentity"}),
    ),
    Mistake(
        "bucket policy that denies everyone",
        "POLICY-DENIES",
        bucket_policy(Effect="Deny", Principal="*", Action="s3:*", Resource="arn:aws:s3:::acme-training-data/*"),
    ),
    Mistake("role that denies what it allows", "POLICY-DENIES", may(Effect="Deny", Resource="*")),
    Mistake("nodes without the key", "IAM-KEY", without("kms:"), only=OURS),
    Mistake("key policy without the nodes' role", "IAM-KEY", key_of_administrators, only=OURS),
    Mistake("nodes that write and do not read", "IAM-DATA", unread),
    Mistake("rights on another bucket", "IAM-DATA", another_bucket, only=OURS),
    Mistake("endpoint for another bucket", "ENDPOINT-POLICY", endpoint_of_another_bucket, only=OURS),
    Mistake("endpoint without the nodes' programs", "ENDPOINT-POLICY", endpoint_without_programs, only=OURS),
    Mistake(
        "checkpoints expire after a day", "S3-PREFIX", rule(filter={"prefix": "checkpoints/"}, expiration={"days": 1})
    ),
    Mistake(
        "training data archived",
        "S3-PREFIX",
        rule(filter={"prefix": "dataset/"}, transitions=[{"days": 0, "storageClass": "GLACIER"}]),
    ),
    Mistake(
        "expiration before the transition",
        "S3-RULE",
        rule(
            filter={"prefix": "tmp/"},
            transitions=[{"days": 60, "storageClass": "STANDARD_IA"}],
            expiration={"days": 30},
        ),
    ),
    Mistake(
        "days and a date",
        "S3-RULE",
        rule(filter={"prefix": "tmp/"}, expiration={"days": 30, "date": "2027-01-01T00:00:00Z"}),
    ),
    Mistake("filter and prefix", "S3-RULE", rule(prefix="tmp/", filter={"prefix": "tmp/"}, expiration={"days": 3})),
    Mistake(
        "uploads by tag",
        "S3-RULE",
        rule(filter={"tag": {"key": "a", "value": "b"}}, abortIncompleteMultipartUpload={"daysAfterInitiation": 1}),
    ),
    Mistake("key that signs", "KMS-USAGE", put(key, "keyUsage", "SIGN_VERIFY")),
    Mistake("key turned monthly", "KMS-USAGE", put(key, "rotationPeriodInDays", 30)),
    Mistake(
        "bucket for every address",
        "S3-PUBLIC",
        bucket_policy(
            Effect="Allow",
            Principal="*",
            Action="s3:GetObject",
            Resource="arn:aws:s3:::acme-training-data/*",
            Condition={"IpAddress": {"aws:SourceIp": "0.0.0.0/0"}},
        ),
    ),
    Mistake("two policies of one bucket", "MADE-TWICE", again(part("BucketPolicy"))),
    Mistake("one flow log twice", "MADE-TWICE", again(lambda d: find(d, "FlowLog"))),
    Mistake("two internet gateways", "MADE-TWICE", again(lambda d: find(d, "InternetGateway"))),
    Mistake(
        "unused Elastic IP",
        "MADE-FOR-NOTHING",
        lambda d: add(d, "aws:ec2/eip:Eip", "spare", {"domain": "vpc", "tags": TAGS}),
        only=OURS,
    ),
    Mistake(
        "contradictory group sizes as text",
        "INPUT-TYPE",
        put(of("BucketVersioning"), "versioningConfiguration", "Enabled"),
    ),
    Mistake(
        "instance type as a list",
        "INPUT-TYPE",
        put(lt, "instanceType", ["p5.48xlarge", "p4d.24xlarge"]),
        also=("INPUT-MISSING",),
    ),
    Mistake("VPC id as a list", "INPUT-TYPE", put(of("RouteTable"), "vpcId", ["vpc-1", "vpc-2"])),
    Mistake("yes instead of true", "INPUT-TYPE", put(of("Key"), "multiRegion", "yes")),
    Mistake("logical name instead of an id", "REF-ID", put(of("NatGateway"), "subnetId", "network-subnet-public")),
    Mistake("number for an id", "REF-ID", put(of("RouteTable"), "vpcId", 12)),
    Mistake("refers to itself", "REF-CYCLE", vpc_of_itself),
    Mistake(
        "instance profile as an object",
        "REF-KIND",
        lambda d: lt(d).update(iamInstanceProfile={"name": vpc_id(d)}),
        also=("REF-PROPERTY",),
    ),
)
