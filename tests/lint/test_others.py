"""Correct graphs of other programs: lint reports nothing wrong, and only what is true."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from planner.lint.read.graph import graph_from
from planner.lint.rules import lint
from tests.lint import graphs
from tests.lint.engines import exported
from tests.lint.graphs import Document, find

VPC, SUBNET, GATEWAY = "aws:ec2/vpc:Vpc", "aws:ec2/subnet:Subnet", "aws:ec2/internetGateway:InternetGateway"
TABLE, GROUP, ROLE = "aws:ec2/routeTable:RouteTable", "aws:ec2/securityGroup:SecurityGroup", "aws:iam/role:Role"
QUEUE, BUCKET = "aws:sqs/queue:Queue", "aws:s3/bucket:Bucket"


def said(document: Document) -> set[str]:
    return {finding.id for finding in lint(graph_from(document))}


def made(kind: str, name: str, /, **inputs: Any) -> Document:
    return {"type": kind, "name": name, "urn": f"urn:pulumi:prod::web::{kind}::{name}", "inputs": inputs}


def out(kind: str, name: str, output: str = "id") -> str:
    return f"${{urn:pulumi:prod::web::{kind}::{name}.{output}}}"


def policy(*statements: Document) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


def web() -> Document:
    """A VPC with two public subnets and a load balancer that the internet may reach."""
    https = {"protocol": "tcp", "fromPort": 443, "toPort": 443, "cidrBlocks": ["0.0.0.0/0"]}
    everything = {"protocol": "-1", "fromPort": 0, "toPort": 0, "cidrBlocks": ["0.0.0.0/0"]}
    resources = [
        made(VPC, "web", cidrBlock="10.0.0.0/16", enableDnsHostnames=True, tags={"Name": "web"}),
        made(GATEWAY, "out", vpcId=out(VPC, "web")),
        made(
            TABLE,
            "public",
            vpcId=out(VPC, "web"),
            routes=[{"cidrBlock": "0.0.0.0/0", "gatewayId": out(GATEWAY, "out")}],
        ),
        made(GROUP, "lb", vpcId=out(VPC, "web"), ingress=[https], egress=[everything]),
        made(
            "aws:lb/loadBalancer:LoadBalancer",
            "lb",
            subnets=[out(SUBNET, "a"), out(SUBNET, "b")],
            securityGroups=[out(GROUP, "lb")],
        ),
    ]
    for i, zone in enumerate("ab"):
        place = {"vpcId": out(VPC, "web"), "cidrBlock": f"10.0.{i}.0/24", "availabilityZone": f"eu-west-1{zone}"}
        resources.append(made(SUBNET, zone, **place, mapPublicIpOnLaunch=True))
        routed = {"subnetId": out(SUBNET, zone), "routeTableId": out(TABLE, "public")}
        resources.append(made("aws:ec2/routeTableAssociation:RouteTableAssociation", zone, **routed))
    return {"resources": resources}


def worker() -> Document:
    """A function that reads a queue, with rights on that queue; a role goes by ARN there, by name in IAM."""
    trusted = {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}
    reads = {
        "Effect": "Allow",
        "Action": ["sqs:ReceiveMessage", "sqs:DeleteMessage"],
        "Resource": out(QUEUE, "jobs", "arn"),
    }
    own = "aws:iam/policy:Policy"
    return {
        "resources": [
            made(QUEUE, "jobs", name="jobs"),
            made(
                ROLE, "worker", name="worker", assumeRolePolicy=policy(trusted), path="/work/", maxSessionDuration=7200
            ),
            made(own, "read", name="read", policy=policy(reads)),
            made(
                "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
                "read",
                role=out(ROLE, "worker", "name"),
                policyArn=out(own, "read", "arn"),
            ),
            made("aws:lambda/function:Function", "worker", role=out(ROLE, "worker", "arn"), handler="a.b"),
            made(
                "aws:lambda/permission:Permission",
                "events",
                principal="events.amazonaws.com",
                action="lambda:InvokeFunction",
                function="worker",
                sourceArn="arn:aws:events:eu-west-1:111122223333:rule/x",
            ),
        ]
    }


def pipeline() -> Document:
    """A role that one repository's workflows may take."""
    host = "token.actions.githubusercontent.com"
    trusted = {
        "Effect": "Allow",
        "Principal": {"Federated": f"arn:aws:iam::111122223333:oidc-provider/{host}"},
        "Action": "sts:AssumeRoleWithWebIdentity",
        "Condition": {
            "StringEquals": {f"{host}:aud": "sts.amazonaws.com"},
            "StringLike": {f"{host}:sub": "repo:acme/x:*"},
        },
    }
    may = {"Effect": "Allow", "Action": "ecr:GetAuthorizationToken", "Resource": "*"}
    return {
        "resources": [
            made(ROLE, "ci", name="ci", assumeRolePolicy=policy(trusted)),
            made("aws:iam/rolePolicy:RolePolicy", "ci", role=out(ROLE, "ci", "name"), policy=policy(may)),
        ]
    }


def of_others() -> Document:
    """Types that are not the provider's own, beside ids in plain text."""
    return {
        "resources": [
            made("eks:index:Cluster", "c", vpcId="vpc-0123456789abcdef0", subnetIds=["subnet-1"]),
            made("awsx:ec2:Vpc", "v", numberOfAvailabilityZones=2),
            made("kubernetes:core/v1:Secret", "s", metadata={"name": "x"}, data=None),
        ]
    }


def scratch() -> Document:
    document = graphs.foreign_p4d_lustre()
    held = find(document, "LustreFileSystem")["inputs"]
    held.pop("perUnitStorageThroughput")
    held["deploymentType"] = "SCRATCH_2"
    return document


def slow_disks() -> Document:
    document = graphs.foreign_p4d_lustre()
    disks = {"deploymentType": "PERSISTENT_1", "storageType": "HDD", "storageCapacity": 6000}
    find(document, "LustreFileSystem")["inputs"].update(disks, perUnitStorageThroughput=12)
    graphs.drop(document, find(document, "DataRepositoryAssociation"))
    return document


def list_that_lets_through() -> Document:
    document = graphs.foreign_p5()
    rule = {"action": "allow", "protocol": "-1", "fromPort": 0, "toPort": 0, "ruleNo": 100, "cidrBlock": "0.0.0.0/0"}
    held = {"vpcId": "vpc-0aa11bb22cc33dd44", "subnetIds": ["subnet-0aa11bb22cc33dd44"]}
    document["resources"].append(made("aws:ec2/networkAcl:NetworkAcl", "acl", **held, ingress=[rule], egress=[rule]))
    return document


def key_that_names_its_roles() -> Document:
    document = graphs.ours("s3-stream")
    held = find(document, "Key")["inputs"]
    nodes = next(r for r in document["resources"] if r["name"] == "fleet-role")
    told = json.loads(held["policy"])
    principal = {"AWS": f"${{{nodes['urn']}.arn}}"}
    told["Statement"].append({"Effect": "Allow", "Principal": principal, "Action": "kms:Decrypt", "Resource": "*"})
    held["policy"] = json.dumps(told)
    return document


def tidied_often() -> Document:
    document = graphs.ours("s3-stream")
    rules = find(document, "BucketLifecycleConfiguration", "tier")["inputs"]["rules"]
    rules.append({"id": "tmp", "status": "Enabled", "filter": {"prefix": "scratch/"}, "expiration": {"days": 7}})
    rules.append({"id": "old", "status": "Enabled", "filter": {"prefix": "checkpoints/"}, "expiration": {"days": 60}})
    return document


def told_otherwise() -> Document:
    """Other thresholds, another way of being told, a boundary, tags of one's own."""
    document = graphs.ours("converged")
    for resource in document["resources"]:
        if resource["inputs"].get("metricName") == "GroupInServiceInstances":
            resource["inputs"]["threshold"] = 8
        if isinstance(resource["inputs"].get("tags"), dict):
            resource["inputs"]["tags"]["cost-center"] = "4711"
    find(document, "TopicSubscription")["inputs"].update(protocol="https", endpoint="https://example.org/x")
    find(document, "Role", "fleet")["inputs"]["permissionsBoundary"] = "arn:aws:iam::000000000000:policy/most"
    return document


def with_a_provider() -> Document:
    """A state with the provider in it, by its full name and with secrets of its own."""
    document = exported(graphs.ours("separate-nvme", "spot"))
    urn = "urn:pulumi:dev::p::pulumi:providers:aws::default_7"
    secret = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "AAAB"}
    held = {"region": "us-east-1", "secretKey": secret, "skipCredentialsValidation": "false"}
    states = document["deployment"]["resources"]
    states.append({"urn": urn, "type": "pulumi:providers:aws", "custom": True, "id": "x", "inputs": held})
    return document


FINE: tuple[Callable[[], Document], ...] = (
    *(web, worker, pipeline, of_others, scratch, slow_disks, list_that_lets_through, key_that_names_its_roles),
    *(tidied_often, told_otherwise, with_a_provider),
)


@pytest.mark.parametrize("make", FINE)
def test_correct_foreign_stack_has_no_findings(make: Callable[[], Document]):
    assert said(make()) == set()


def test_public_website_bucket_triggers_S3_PUBLIC_but_not_S3_TLS():
    readable = {"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::www-acme/*"}
    website = {"bucket": out(BUCKET, "site"), "indexDocument": {"suffix": "index.html"}}
    document = {
        "resources": [
            made(BUCKET, "site", bucket="www-acme"),
            made("aws:s3/bucketWebsiteConfiguration:BucketWebsiteConfiguration", "site", **website),
            made("aws:s3/bucketPolicy:BucketPolicy", "site", bucket=out(BUCKET, "site"), policy=policy(readable)),
        ]
    }
    found = said(document)
    assert "S3-PUBLIC" in found
    assert "S3-TLS" not in found


def test_public_subnet_triggers_no_NAT_rules():
    document = web()
    template, group = "aws:ec2/launchTemplate:LaunchTemplate", "aws:autoscaling/group:Group"
    document["resources"] += [
        made(template, "app", name="app", imageId="ami-0123456789abcdef0", instanceType="t3.small"),
        made(
            group,
            "app",
            name="app",
            minSize=2,
            maxSize=6,
            vpcZoneIdentifiers=[out(SUBNET, "a"), out(SUBNET, "b")],
            launchTemplate={"id": out(template, "app"), "version": out(template, "app", "latestVersion")},
        ),
    ]
    found = said(document)
    assert {"SUBNET-PUBLIC", "NIC-ADDRESS"} <= found
    assert not found & {"S3-GATEWAY", "ASG-ZONE", "ASG-GANG", "ASG-SCALED", "LT-TOGETHER", "PG-NONE"}
