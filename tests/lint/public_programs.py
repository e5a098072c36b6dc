"""The resource graphs of three public Pulumi programs for GPUs on AWS, rebuilt from what they declare.

Facts alone are carried: types of resources that lint knows, and arguments that a rule can judge. Names and configured
ids are invented here. Sources, as of 2026-11-23:

* `training_instance`: github.com/theopensystemslab/planx-new, infrastructure/ml/index.ts. One instance to train on.
* `speech_service`: github.com/collabora/WhisperLive/pull/168, a Pulumi program in Python. ECS on g4dn.
* `cloud_desktop`: github.com/PierreBeucher/cloudypad, src/providers/aws/pulumi/main.ts. A GPU desktop on spot.
"""

from __future__ import annotations

import base64
import json
from typing import Any

Document = dict[str, Any]
SSM_IMAGE = "ami-0fedcba9876543210"
ANYWHERE = "0.0.0.0/0"


class _Program:
    """Resources with Pulumi's own references, as `planner lint --graph` reads them."""

    def __init__(self) -> None:
        self.resources: list[Document] = []

    def add(self, type_: str, name: str, /, **inputs: Any) -> str:
        """Adds a resource, and gives the reference to its id."""
        urn = f"urn:pulumi:prod::gpu::{type_}::{name}"
        self.resources.append({"type": type_, "name": name, "urn": urn, "inputs": inputs})
        return f"${{{urn}.id}}"

    def document(self) -> Document:
        return {"resources": self.resources}


def _trust(service: str) -> str:
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def _notices(*thresholds: int) -> list[Document]:
    held = {"comparisonOperator": "GREATER_THAN", "thresholdType": "PERCENTAGE", "notificationType": "ACTUAL"}
    return [{**held, "threshold": t, "subscriberEmailAddresses": ["ops@example.org"]} for t in thresholds]


def training_instance() -> Document:
    """An instance with a public address and SSH from anywhere, in a network of another stack, below a budget."""
    program = _Program()
    group = program.add(
        "aws:ec2/securityGroup:SecurityGroup", "train", vpcId="vpc-0aa11bb22cc33dd44", description="SSH"
    )
    rule = {"securityGroupId": group, "cidrIpv4": ANYWHERE}
    program.add(
        "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
        "ssh",
        **rule,
        fromPort=22,
        toPort=22,
        ipProtocol="tcp",
    )
    program.add("aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule", "out", **rule, ipProtocol="-1")
    program.add("aws:ec2/keyPair:KeyPair", "operator", keyName="operator", publicKey="ssh-ed25519 AAAAC3Nz operator")
    instance = program.add(
        "aws:ec2/instance:Instance",
        "train",
        instanceType="g6.xlarge",
        ami=SSM_IMAGE,
        keyName="operator",
        subnetId="subnet-0aa11bb22cc33dd44",
        vpcSecurityGroupIds=[group],
        associatePublicIpAddress=True,
        instanceInitiatedShutdownBehavior="stop",
        rootBlockDevice={"volumeType": "gp3", "volumeSize": 256, "deleteOnTermination": True, "encrypted": True},
        userData="#!/bin/bash\nnvidia-smi\n",
    )
    program.add("aws:ec2/eip:Eip", "train", domain="vpc", instance=instance)
    program.add(
        "aws:budgets/budget:Budget",
        "month",
        name="train-month",
        budgetType="COST",
        limitAmount="250",
        limitUnit="USD",
        timeUnit="MONTHLY",
        timePeriodStart="2025-10-01_00:00",
        costFilters=[{"name": "TagKeyValue", "values": ["project$ml"]}],
        notifications=_notices(80, 100),
    )
    return program.document()


def speech_service() -> Document:
    """One or two g4dn nodes of an ECS cluster behind a load balancer, in subnets that it adds to a VPC that stands."""
    program = _Program()
    vpc, public = "vpc-0aa11bb22cc33dd44", ("subnet-0aa11bb22cc33dd44", "subnet-0bb11bb22cc33dd44")
    role = program.add("aws:iam/role:Role", "node", assumeRolePolicy=_trust("ec2.amazonaws.com"))
    ecs = "arn:aws:iam::aws:policy/service-role/AmazonEC2ContainerServiceforEC2Role"
    program.add("aws:iam/rolePolicyAttachment:RolePolicyAttachment", "node", role=role, policyArn=ecs)
    profile = program.add("aws:iam/instanceProfile:InstanceProfile", "node", role=role)
    port = {"protocol": "tcp", "fromPort": 9090, "toPort": 9090, "cidrBlocks": [ANYWHERE]}
    everything = {"protocol": "-1", "fromPort": 0, "toPort": 0, "cidrBlocks": [ANYWHERE]}
    group = program.add(
        "aws:ec2/securityGroup:SecurityGroup", "service", description="9090", ingress=[port], egress=[everything]
    )
    private = []
    for i, zone in enumerate(("us-west-1a", "us-west-1c")):
        block = f"172.31.{64 + i}.0/24"
        subnet = program.add("aws:ec2/subnet:Subnet", f"inner-{i}", vpcId=vpc, cidrBlock=block, availabilityZone=zone)
        table = program.add("aws:ec2/routeTable:RouteTable", f"inner-{i}", vpcId=vpc, tags={"Name": f"inner-{i}"})
        kind = "aws:ec2/routeTableAssociation:RouteTableAssociation"
        program.add(kind, f"inner-{i}", subnetId=subnet, routeTableId=table)
        address = program.add("aws:ec2/eip:Eip", f"nat-{i}", domain="vpc")
        nat = program.add("aws:ec2/natGateway:NatGateway", f"nat-{i}", allocationId=address, subnetId=public[i])
        program.add(
            "aws:ec2/route:Route", f"out-{i}", routeTableId=table, destinationCidrBlock=ANYWHERE, natGatewayId=nat
        )
        private.append(subnet)
    template = program.add(
        "aws:ec2/launchTemplate:LaunchTemplate",
        "gpu",
        imageId=SSM_IMAGE,
        instanceType="g4dn.xlarge",
        iamInstanceProfile={"arn": profile.replace(".id}", ".arn}")},
        keyName="operator",
        userData=base64.b64encode(b"#!/bin/bash\necho ECS_CLUSTER=gpu >> /etc/ecs/ecs.config\n").decode(),
        vpcSecurityGroupIds=[group],
        blockDeviceMappings=[
            {
                "deviceName": "/dev/xvda",
                "ebs": {"deleteOnTermination": "true", "volumeSize": 60, "volumeType": "gp3"},
            }
        ],
    )
    program.add(
        "aws:autoscaling/group:Group",
        "gpu",
        desiredCapacity=1,
        minSize=1,
        maxSize=2,
        launchTemplate={"id": template, "version": "$Latest"},
        vpcZoneIdentifiers=private,
        tags=[{"key": "Name", "value": "gpu", "propagateAtLaunch": True}],
    )
    program.add("aws:ecs/cluster:Cluster", "gpu")
    program.add("aws:cloudwatch/logGroup:LogGroup", "service", retentionInDays=7)
    return program.document()


def cloud_desktop() -> Document:
    """A g5 on persistent spot with a public address and a data volume, in a VPC of its own with one public subnet."""
    program = _Program()
    tags = {"Name": "desktop"}
    vpc = program.add(
        "aws:ec2/vpc:Vpc",
        "desktop",
        cidrBlock="10.0.0.0/16",
        enableDnsHostnames=True,
        enableDnsSupport=True,
        assignGeneratedIpv6CidrBlock=True,
        tags=tags,
    )
    gateway = program.add("aws:ec2/internetGateway:InternetGateway", "desktop", vpcId=vpc, tags=tags)
    routes = [{"cidrBlock": ANYWHERE, "gatewayId": gateway}, {"ipv6CidrBlock": "::/0", "gatewayId": gateway}]
    table = program.add("aws:ec2/routeTable:RouteTable", "desktop", vpcId=vpc, routes=routes, tags=tags)
    subnet = program.add(
        "aws:ec2/subnet:Subnet",
        "desktop",
        vpcId=vpc,
        cidrBlock="10.0.0.0/24",
        ipv6CidrBlock=vpc.replace(".id}", ".ipv6CidrBlock}"),
        availabilityZone="eu-west-3a",
        mapPublicIpOnLaunch=True,
        assignIpv6AddressOnCreation=True,
        tags=tags,
    )
    program.add("aws:ec2/routeTableAssociation:RouteTableAssociation", "desktop", subnetId=subnet, routeTableId=table)
    ports = [("tcp", 22), ("tcp", 47984), ("udp", 47998)]
    group = program.add(
        "aws:ec2/securityGroup:SecurityGroup",
        "desktop",
        name="desktop",
        vpcId=vpc,
        ingress=[{"protocol": p, "fromPort": n, "toPort": n, "cidrBlocks": [ANYWHERE]} for p, n in ports],
        egress=[{"protocol": "-1", "fromPort": 0, "toPort": 0, "cidrBlocks": [ANYWHERE], "ipv6CidrBlocks": ["::/0"]}],
        tags=tags,
    )
    program.add("aws:ec2/keyPair:KeyPair", "desktop", keyName="desktop", publicKey="ssh-ed25519 AAAAC3Nz desktop")
    spot = {"instanceInterruptionBehavior": "stop", "spotInstanceType": "persistent"}
    instance = program.add(
        "aws:ec2/instance:Instance",
        "desktop",
        ami=SSM_IMAGE,
        instanceType="g5.2xlarge",
        tags=tags,
        vpcSecurityGroupIds=[group],
        keyName="desktop",
        rootBlockDevice={"encrypted": True, "volumeSize": 20, "volumeType": "gp3"},
        instanceMarketOptions={"marketType": "spot", "spotOptions": spot},
        subnetId=subnet,
        associatePublicIpAddress=True,
    )
    volume = program.add(
        "aws:ebs/volume:Volume", "data", encrypted=True, size=100, type="gp3", availabilityZone="eu-west-3a", tags=tags
    )
    program.add(
        "aws:ec2/volumeAttachment:VolumeAttachment", "data", deviceName="/dev/sdf", volumeId=volume, instanceId=instance
    )
    address = program.add("aws:ec2/eip:Eip", "desktop", tags=tags)
    program.add("aws:ec2/eipAssociation:EipAssociation", "desktop", instanceId=instance, allocationId=address)
    return program.document()


PROGRAMS = {"training_instance": training_instance, "speech_service": speech_service, "cloud_desktop": cloud_desktop}
