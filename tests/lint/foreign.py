"""Two graphs as somebody else would write them.

They have other names, no tags, plain ids in place of references, policies as objects, rules inline, numbers as strings,
and keys left out that the contract allows to be absent.
"""

from __future__ import annotations

import base64
import json
from typing import Any

Document = dict[str, Any]


class _Foreign:
    """A graph as a person would write one by hand."""

    def __init__(self) -> None:
        self.resources: list[Document] = []

    def add(self, type_: str, name: str, inputs: Document, **more: Any) -> str:
        """Adds a resource and gives its plain id."""
        plain = more.pop("id", f"{name}-id")
        self.resources.append(
            {"type": type_, "name": name, "urn": f"stack/{name}", "id": plain, "inputs": inputs, **more}
        )
        return plain


def _foreign_base(stack: _Foreign, nodes: str) -> tuple[str, str, str]:
    """VPC with a private subnet, NAT, gateway endpoint, flow log; a bucket with its key. Gives vpc, subnet, bucket."""
    vpc = stack.add(
        "aws:ec2/vpc:Vpc",
        "Main",
        {"cidrBlock": "10.20.0.0/16", "enableDnsHostnames": "true"},
        id="vpc-0aa11bb22cc33dd44",
    )
    zone = {"availabilityZone": "us-west-2b", "vpcId": vpc}
    private = stack.add("aws:ec2/subnet:Subnet", "Gpu", {**zone, "cidrBlock": nodes}, id="subnet-0aa11bb22cc33dd44")
    public = stack.add(
        "aws:ec2/subnet:Subnet", "Edge", {**zone, "cidrBlock": "10.20.255.0/28"}, id="subnet-0ff11bb22cc33dd44"
    )
    igw = stack.add("aws:ec2/internetGateway:InternetGateway", "Igw", {"vpcId": vpc}, id="igw-0aa11bb22cc33dd44")
    eip = stack.add("aws:ec2/eip:Eip", "NatIp", {"domain": "vpc"}, id="eipalloc-0aa11bb22cc33dd44", free=False)
    nat = stack.add(
        "aws:ec2/natGateway:NatGateway", "Nat", {"subnetId": public, "allocationId": eip}, id="nat-0aa11bb22cc33dd44"
    )
    out = stack.add(
        "aws:ec2/routeTable:RouteTable",
        "EdgeRoutes",
        {"vpcId": vpc, "routes": [{"cidrBlock": "0.0.0.0/0", "gatewayId": igw}]},
        id="rtb-0ff11bb22cc33dd44",
    )
    inner = stack.add(
        "aws:ec2/routeTable:RouteTable",
        "GpuRoutes",
        {"vpcId": vpc, "routes": {"cidrBlock": "0.0.0.0/0", "natGatewayId": nat}},
        id="rtb-0aa11bb22cc33dd44",
    )
    association = "aws:ec2/routeTableAssociation:RouteTableAssociation"
    stack.add(association, "EdgeAssoc", {"subnetId": public, "routeTableId": out})
    stack.add(association, "GpuAssoc", {"subnetId": private, "routeTableId": inner})
    stack.add(
        "aws:ec2/vpcEndpoint:VpcEndpoint",
        "S3",
        {"vpcId": vpc, "serviceName": "com.amazonaws.us-west-2.s3", "routeTableIds": inner},
        id="vpce-0aa11bb22cc33dd44",
    )
    stack.add(
        "aws:ec2/flowLog:FlowLog",
        "Flows",
        {
            "vpcId": vpc,
            "trafficType": "ALL",
            "iamRoleArn": "arn:aws:iam::111122223333:role/flows",
            "logDestination": "arn:aws:logs:us-west-2:111122223333:log-group:flows",
        },
    )
    return vpc, private, _foreign_bucket(stack)


def _foreign_bucket(stack: _Foreign) -> str:
    name = "acme-training-data"
    key = stack.add(
        "aws:kms/key:Key",
        "DataKey",
        {"enableKeyRotation": True},
        id="1111aaaa-22bb-33cc-44dd-555555eeeeee",
        protect=True,
    )
    stack.add("aws:s3/bucketV2:BucketV2", "Data", {"bucket": name}, id=name, protect=True)
    sse = {
        "rules": [
            {
                "applyServerSideEncryptionByDefault": [{"sseAlgorithm": "aws:kms", "kmsMasterKeyId": key}],
                "bucketKeyEnabled": "true",
            }
        ]
    }
    kind = "BucketServerSideEncryptionConfiguration"
    stack.add(f"aws:s3/bucket{kind[6:]}V2:{kind}V2", "DataSse", {"bucket": name, **sse})
    blocks = dict.fromkeys(("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets"), True)
    stack.add("aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock", "DataPrivate", {"bucket": name, **blocks})
    versions = {"bucket": name, "versioningConfiguration": {"status": "Enabled"}}
    stack.add("aws:s3/bucketVersioning:BucketVersioning", "DataVersions", versions)
    rule = {
        "id": "tidy",
        "status": "Enabled",
        "abortIncompleteMultipartUpload": {"daysAfterInitiation": "3"},
        "noncurrentVersionExpiration": {"noncurrentDays": 14},
    }
    stack.add(
        "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
        "DataLifecycle",
        {"bucket": name, "rules": [rule]},
        depends_on=["stack/DataVersions"],
    )
    tls = {
        "Effect": "Deny",
        "Principal": {"AWS": "*"},
        "Action": ["s3:*"],
        "Resource": [f"arn:aws:s3:::{name}", f"arn:aws:s3:::{name}/*"],
        "Condition": {"Bool": {"aws:SecureTransport": ["false"]}},
    }
    policy = {"Version": "2012-10-17", "Statement": tls}
    stack.add("aws:s3/bucketPolicy:BucketPolicy", "DataPolicy", {"bucket": name, "policy": policy})
    return name


def _foreign_role(stack: _Foreign, bucket: str) -> str:
    trust = {
        "Version": "2012-10-17",
        "Statement": {"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"},
    }
    stack.add(
        "aws:iam/role:Role", "NodeRole", {"name": "acme-node", "assumeRolePolicy": json.dumps(trust)}, id="acme-node"
    )
    may = [
        {"Effect": "Allow", "Action": ["s3:GetObject", "s3:PutObject"], "Resource": f"arn:aws:s3:::{bucket}/*"},
        {"Effect": "Allow", "Action": "s3:ListBucket", "Resource": f"arn:aws:s3:::{bucket}"},
        {"Effect": "Allow", "Action": "ec2:DescribeInstances", "Resource": "*"},
    ]
    policy = json.dumps({"Version": "2012-10-17", "Statement": may})
    stack.add("aws:iam/rolePolicy:RolePolicy", "NodePolicy", {"role": "acme-node", "policy": policy})
    ssm = "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"
    stack.add("aws:iam/rolePolicyAttachment:RolePolicyAttachment", "NodeSsm", {"role": "acme-node", "policyArn": ssm})
    stack.add(
        "aws:iam/instanceProfile:InstanceProfile",
        "NodeProfile",
        {"name": "acme-node-profile", "role": "acme-node"},
        id="acme-node-profile",
    )
    return "acme-node-profile"


def _foreign_fleet(
    stack: _Foreign, vpc: str, subnet: str, bucket: str, kind: str, nics: list[Document], size: int
) -> str:
    """Security group with inline rules, template, placement, group, budget."""
    everything = {"protocol": "-1", "fromPort": "0", "toPort": "0"}
    inside = [{**everything, "self": True}]
    https = {"protocol": "tcp", "fromPort": 443, "toPort": 443, "cidrBlocks": ["0.0.0.0/0"]}
    group = stack.add(
        "aws:ec2/securityGroup:SecurityGroup",
        "GpuSg",
        {"vpcId": vpc, "name": "acme-gpu", "ingress": inside, "egress": [*inside, https]},
        id="sg-0aa11bb22cc33dd44",
    )
    stack.add(
        "aws:ec2/placementGroup:PlacementGroup", "Close", {"name": "acme-close", "strategy": "cluster"}, id="acme-close"
    )
    profile = _foreign_role(stack, bucket)
    template = stack.add(
        "aws:ec2/launchTemplate:LaunchTemplate",
        "GpuTemplate",
        {
            "name": "acme-gpu",
            "imageId": "ami-0fedcba9876543210",
            "instanceType": kind,
            "iamInstanceProfile": {"name": profile},
            "metadataOptions": [{"httpTokens": "required", "httpEndpoint": "enabled"}],
            "blockDeviceMappings": {
                "deviceName": "/dev/sda1",
                "ebs": [{"encrypted": "true", "volumeSize": "200", "volumeType": "gp3"}],
            },
            "placement": {"groupName": "acme-close"},
            "networkInterfaces": [{**nic, "securityGroups": group} for nic in nics],
            "userData": base64.b64encode(b"#!/bin/bash\necho ${HOSTNAME}\n").decode(),
        },
        id="lt-0aa11bb22cc33dd44",
    )
    stack.add(
        "aws:autoscaling/group:Group",
        "GpuGroup",
        {
            "name": "acme-gpu",
            "minSize": f"{size}",
            "maxSize": float(size),
            "vpcZoneIdentifiers": [subnet],
            "launchTemplate": {"id": template, "version": "7"},
            "waitForCapacityTimeout": "0",
            "suspendedProcesses": ["AZRebalance", "ReplaceUnhealthy"],
        },
        depends_on=["stack/NodePolicy", "stack/NodeSsm"],
        usd_per_hour=100.0,
    )
    notice = {
        "comparisonOperator": "GREATER_THAN",
        "threshold": 90,
        "thresholdType": "PERCENTAGE",
        "notificationType": "ACTUAL",
    }
    told = {**notice, "subscriberEmailAddresses": "ops@example.org"}
    stack.add(
        "aws:budgets/budget:Budget",
        "Budget",
        {
            "name": "acme",
            "budgetType": "COST",
            "timeUnit": "MONTHLY",
            "limitAmount": "50000",
            "limitUnit": "USD",
            "notifications": told,
        },
    )
    return group


def foreign_p5() -> Document:
    """Sixteen p5 nodes with the older published layout: EFA with an address on every card, device 1 past the first."""
    stack = _Foreign()
    vpc, subnet, bucket = _foreign_base(stack, "10.20.0.0/21")
    nics = [{"networkCardIndex": i, "deviceIndex": min(i, 1), "interfaceType": "efa"} for i in range(32)]
    _foreign_fleet(stack, vpc, subnet, bucket, "p5.48xlarge", nics, 16)
    return {"resources": stack.resources}


def foreign_p4d_lustre() -> Document:
    """Four p4d nodes by today's guide (one ENA, efa-only on every card), with a Lustre file system."""
    stack = _Foreign()
    vpc, subnet, bucket = _foreign_base(stack, "10.20.8.0/24")
    nics = [
        {"deviceIndex": 0, "interfaceType": "interface"},
        {"networkCardIndex": 0, "deviceIndex": 1, "interfaceType": "efa-only"},
    ]
    nics += [{"networkCardIndex": str(i), "deviceIndex": "0", "interfaceType": "efa-only"} for i in range(1, 4)]
    clients = _foreign_fleet(stack, vpc, subnet, bucket, "p4d.24xlarge", nics, 4)
    # the mount goes out of the nodes' group too
    out = {"protocol": "tcp", "fromPort": 988, "toPort": 1023, "cidrBlocks": "10.20.0.0/16"}
    stack.resources[[r["name"] for r in stack.resources].index("GpuSg")]["inputs"]["egress"].append(out)
    ports = [
        {"protocol": "tcp", "fromPort": a, "toPort": b, "securityGroups": [clients]}
        for a, b in ((988, 988), (1018, 1023))
    ]
    group = stack.add(
        "aws:ec2/securityGroup:SecurityGroup",
        "LustreSg",
        {"vpcId": vpc, "name": "acme-lustre", "ingress": ports},
        id="sg-0bb11bb22cc33dd44",
    )
    system = stack.add(
        "aws:fsx/lustreFileSystem:LustreFileSystem",
        "Scratch",
        {
            "deploymentType": "PERSISTENT_2",
            "storageCapacity": "4800",
            "perUnitStorageThroughput": 250.0,
            "subnetIds": subnet,
            "securityGroupIds": [group],
            "fileSystemTypeVersion": "2.15",
        },
        id="fs-0aa11bb22cc33dd44",
        usd_per_hour=1.0,
    )
    link = {"fileSystemId": system, "dataRepositoryPath": f"s3://{bucket}", "fileSystemPath": "/data"}
    stack.add("aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation", "Link", link)
    stack.add("random:index/randomPet:RandomPet", "Pet", {"length": 2})
    return {"resources": stack.resources, "stack": {"name": "acme"}}
