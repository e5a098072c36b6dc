"""The network: private subnets in one zone (of a pool of workers in several), a NAT gateway, and endpoints for S3 and
AWS services."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from infra.addresses import AddressPlan
from infra.flow_logs import flow_logs
from infra.naming import Component, Naming
from infra.policy import document
from planner.stack.switching import BEGAN_TAG

# the most important first, for a plan that pays for fewer: Systems Manager needs the first three
ENDPOINTS = (
    "ssm",
    "ssmmessages",
    "ec2messages",
    "autoscaling",
    "logs",
    "kms",
    "monitoring",
    "sqs",
    "ec2",
    "sts",
)
# AWS's buckets of packages and images that nodes read: Systems Manager, Amazon Linux, the container registry, the
# client of FSx for Lustre
AWS_BUCKETS = (
    "amazon-ssm-{region}",
    "amazon-ssm-packages-{region}",
    "aws-ssm-{region}",
    "al2023-repos-{region}-de612dc2",
    "prod-{region}-starport-layer-bucket",
    "fsx-lustre-client-repo",
    "fsx-lustre-client-repo-public-keys",
)


@dataclass(frozen=True, kw_only=True)
class NetworkArgs:
    """addresses: the plan of subnets. zone_id: the zone, like use1-az4; more_zones: others, only with nodes.
    interface_endpoints: how many, in the order of ENDPOINTS. gateway_endpoint: whether S3 is reached without the NAT
    gateway. buckets: ARNs that nodes may write to through it; read_buckets: names of others that they read. began_as:
    what a first update is of."""

    zone_id: str
    began_as: str
    addresses: AddressPlan
    interface_endpoints: int
    gateway_endpoint: bool
    buckets: Sequence[pulumi.Input[str]]
    read_buckets: Sequence[str]
    more_zones: Sequence[str] = ()


class Network(Component):
    """VPC, subnets, NAT gateway, endpoints, flow logs, and a default security group without rules."""

    def __init__(self, naming: Naming, args: NetworkArgs) -> None:
        super().__init__("network", naming)
        self.addresses = args.addresses
        self.vpc = aws.ec2.Vpc(
            self.named("vpc"),
            cidr_block=args.addresses.vpc,
            enable_dns_support=True,
            enable_dns_hostnames=True,
            tags={**self.tags("vpc"), BEGAN_TAG: args.began_as},
            opts=self.child(ignored=[f'tags["{BEGAN_TAG}"]']),
        )
        aws.ec2.DefaultSecurityGroup(
            self.named("default-group"),
            vpc_id=self.vpc.id,
            tags=self.tags("default-group"),
            opts=self.child(),
        )
        self.nodes = self._subnet("nodes", args.addresses.nodes, args.zone_id)
        self.private = {"nodes": self.nodes}
        for zone, cidr in zip(args.more_zones, args.addresses.more, strict=True):
            self.private[f"nodes-{zone}"] = self._subnet(f"nodes-{zone}", cidr, zone)
        self.of_nodes = list(self.private.values())
        if args.addresses.control:
            self.private["control"] = self._subnet("control", args.addresses.control_subnet, args.zone_id)
        self.public = self._subnet("public", args.addresses.public, args.zone_id)
        self._routes(args)
        self._endpoints(args)
        flow_logs(self, self.vpc)
        self.register_outputs({"vpc_id": self.vpc.id, "nodes_subnet_id": self.nodes.id})

    def _subnet(self, part: str, cidr: str, zone_id: str) -> aws.ec2.Subnet:
        return aws.ec2.Subnet(
            self.named(f"subnet-{part}"),
            vpc_id=self.vpc.id,
            cidr_block=cidr,
            availability_zone_id=zone_id,
            map_public_ip_on_launch=False,
            tags=self.tags(f"subnet-{part}"),
            opts=self.child(),
        )

    def _table(self, part: str, subnets: dict[str, aws.ec2.Subnet]) -> tuple[aws.ec2.RouteTable, list[pulumi.Resource]]:
        """A route table, and its associations with the subnets."""
        table = aws.ec2.RouteTable(
            self.named(f"routes-{part}"),
            vpc_id=self.vpc.id,
            tags=self.tags(f"routes-{part}"),
            opts=self.child(),
        )
        return table, [
            aws.ec2.RouteTableAssociation(
                self.named(f"routes-{part}-{name}"),
                route_table_id=table.id,
                subnet_id=subnet.id,
                opts=self.child(),
            )
            for name, subnet in subnets.items()
        ]

    def _routes(self, args: NetworkArgs) -> None:
        """Private subnets reach the internet through the NAT gateway, and S3 through the gateway endpoint."""
        gateway = aws.ec2.InternetGateway(
            self.named("internet-gateway"),
            vpc_id=self.vpc.id,
            tags=self.tags("internet-gateway"),
            opts=self.child(),
        )
        outside, associations = self._table("public", {"public": self.public})
        internet_route = aws.ec2.Route(
            self.named("route-internet"),
            route_table_id=outside.id,
            destination_cidr_block="0.0.0.0/0",
            gateway_id=gateway.id,
            opts=self.child(),
        )
        address = aws.ec2.Eip(
            self.named("nat-address"),
            domain="vpc",
            tags=self.tags("nat-address"),
            opts=self.child(depends_on=[gateway]),
        )
        self.nat = aws.ec2.NatGateway(
            self.named("nat"),
            allocation_id=address.id,
            subnet_id=self.public.id,
            connectivity_type="public",
            tags=self.tags("nat"),
            opts=self.child(depends_on=[internet_route, *associations]),
        )
        private, associations = self._table("private", self.private)
        # nodes need the route from boot to last checkpoint: they are created after it and deleted before it
        self.ready: list[pulumi.Resource] = [
            *associations,
            aws.ec2.Route(
                self.named("route-nat"),
                route_table_id=private.id,
                destination_cidr_block="0.0.0.0/0",
                nat_gateway_id=self.nat.id,
                opts=self.child(),
            ),
        ]
        if args.gateway_endpoint:
            self.ready.append(
                aws.ec2.VpcEndpoint(
                    self.named("gateway-s3"),
                    vpc_id=self.vpc.id,
                    service_name=f"com.amazonaws.{self.naming.region}.s3",
                    vpc_endpoint_type="Gateway",
                    route_table_ids=[private.id],
                    policy=pulumi.Output.all(*args.buckets).apply(lambda own: self._s3_policy(own, args.read_buckets)),
                    tags=self.tags("gateway-s3"),
                    opts=self.child(),
                )
            )

    def _s3_policy(self, buckets: Sequence[str], read: Sequence[str]) -> str:
        """The endpoint allows all actions on our own buckets and reading from AWS's and the plan's others; roles limit
        them further.

        Data cannot be copied to other buckets through it.
        """
        ours = [arn for bucket in buckets for arn in (bucket, f"{bucket}/*")]
        theirs = [f"arn:aws:s3:::{name.format(region=self.naming.region)}/*" for name in AWS_BUCKETS]
        statements = [
            {"Sid": "OwnBuckets", "Effect": "Allow", "Principal": "*", "Action": "s3:*", "Resource": ours},
            {"Sid": "Packages", "Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": theirs},
        ]
        if read:
            others = [f"arn:aws:s3:::{name}{part}" for name in read for part in ("", "/*")]
            allowed = ["s3:GetObject", "s3:ListBucket"]
            statements.append(
                {"Sid": "OtherBuckets", "Effect": "Allow", "Principal": "*", "Action": allowed, "Resource": others}
            )
        return document(*statements)

    def _endpoints(self, args: NetworkArgs) -> None:
        if args.interface_endpoints > len(ENDPOINTS):
            pulumi.log.warn(
                f"the bill pays for {args.interface_endpoints} interface endpoints; a stack has only {len(ENDPOINTS)}"
            )
        services = ENDPOINTS[: args.interface_endpoints]
        if not services:
            return
        group = aws.ec2.SecurityGroup(
            self.named("endpoints-group"),
            name=self.physical("endpoints"),
            description="Interface endpoints: HTTPS from inside the VPC",
            vpc_id=self.vpc.id,
            tags=self.tags("endpoints-group"),
            opts=self.child(),
        )
        https = aws.vpc.SecurityGroupIngressRule(
            self.named("endpoints-https"),
            security_group_id=group.id,
            description="HTTPS from inside the VPC",
            cidr_ipv4=args.addresses.vpc,
            ip_protocol="tcp",
            from_port=443,
            to_port=443,
            tags=self.tags("endpoints-https"),
            opts=self.child(),
        )
        self.ready.append(https)
        for service in services:
            self.ready.append(
                aws.ec2.VpcEndpoint(
                    self.named(f"endpoint-{service}"),
                    vpc_id=self.vpc.id,
                    service_name=f"com.amazonaws.{self.naming.region}.{service}",
                    vpc_endpoint_type="Interface",
                    private_dns_enabled=True,
                    subnet_ids=[self.nodes.id],
                    security_group_ids=[group.id],
                    tags=self.tags(f"endpoint-{service}"),
                    opts=self.child(),
                )
            )
