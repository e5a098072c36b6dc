"""Mistakes about the network: firewall, endpoints, ranges, NAT, logs."""

from __future__ import annotations

from tests.lint.graphs import Document, drop, find
from tests.lint.mistakes.edits import (
    OURS,
    POOLED,
    Edit,
    Mistake,
    add,
    again,
    asg,
    block,
    cut,
    gone,
    nat,
    node_group,
    nodes_subnet,
    of,
    put,
    s3_endpoint,
    vpc,
)


def subnet_in_another(document: Document) -> None:
    """A small subnet in the range of the nodes'."""
    held = nodes_subnet(document)
    low, _, _ = held["cidrBlock"].partition("/")
    add(document, "aws:ec2/subnet:Subnet", "small", {**held, "cidrBlock": f"{low}/28"})


def named_twice(document: Document) -> None:
    """A rule from a group, and from a range as well."""
    rules = [r["inputs"] for r in document["resources"] if r["type"].endswith(":SecurityGroupIngressRule")]
    rule = next(r for r in rules if "referencedSecurityGroupId" in r)
    rule["cidrIpv4"] = "10.0.0.0/16"


def allow(protocol: str, low: int | None, high: int | None, cidr: str | None) -> Edit:
    """One more rule for what comes in to the nodes, in the style of the graph."""

    def edit(document: Document) -> None:
        group = node_group(document)
        if "ingress" in group["inputs"]:
            source = {"cidrBlocks": [cidr]} if cidr else {"cidrBlocks": ["10.0.0.0/8"]}
            ports = {"fromPort": low, "toPort": high}
            group["inputs"]["ingress"].append(
                {"protocol": protocol} | {k: v for k, v in ports.items() if v is not None} | source
            )
            return
        inputs = {"securityGroupId": f"${{{group['urn']}.id}}", "ipProtocol": protocol, "fromPort": low, "toPort": high}
        inputs["cidrIpv4"] = cidr or "10.0.0.0/8"
        inputs = {key: value for key, value in inputs.items() if value is not None}
        add(document, "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", "more", inputs)

    return edit


def no_self(way: str) -> Edit:
    """The self rule of the nodes' group, taken away on one side."""

    def edit(document: Document) -> None:
        group = node_group(document)
        if way in group["inputs"]:
            group["inputs"][way] = [rule for rule in group["inputs"][way] if not rule.get("self")]
            return
        kind = {"ingress": "SecurityGroupIngressRule", "egress": "SecurityGroupEgressRule"}[way]
        own = [
            r
            for r in document["resources"]
            if r["type"].endswith(kind)
            and r["inputs"].get("ipProtocol") == "-1"
            and group["urn"] in r["inputs"]["securityGroupId"]
            and group["urn"] in r["inputs"].get("referencedSecurityGroupId", "")
        ]
        assert own
        drop(document, *own)

    return edit


def no_way_out(document: Document) -> None:
    """Everything that leads out of the nodes' group on 443."""
    group = node_group(document)
    if "egress" in group["inputs"]:
        group["inputs"]["egress"] = [rule for rule in group["inputs"]["egress"] if rule.get("self")]
        return
    mine = [
        r
        for r in document["resources"]
        if r["type"].endswith("SecurityGroupEgressRule")
        and group["urn"] in r["inputs"]["securityGroupId"]
        and r["inputs"].get("fromPort") == 443
    ]
    assert mine
    drop(document, *mine)


def wide_open_route(document: Document) -> None:
    """The nodes' route to everywhere, to the internet gateway."""
    gateway = find(document, "InternetGateway")
    inner = next((r for r in document["resources"] if r["name"] == "GpuRoutes"), None)
    if inner is not None:
        inner["inputs"]["routes"] = [{"cidrBlock": "0.0.0.0/0", "gatewayId": gateway["id"]}]
        return
    route = next(r for r in document["resources"] if r["type"].endswith(":Route") and "natGatewayId" in r["inputs"])
    route["inputs"].pop("natGatewayId")
    route["inputs"]["gatewayId"] = f"${{{gateway['urn']}.id}}"


def association(document: Document) -> Document:
    """What gives the nodes' subnet its routes."""
    found = [r for r in document["resources"] if r["type"].endswith(":RouteTableAssociation")]
    return next(r for r in found if r["name"] in ("network-routes-private-nodes", "GpuAssoc"))


def no_routes(document: Document) -> None:
    drop(document, *[r for r in document["resources"] if r["type"].endswith(":RouteTableAssociation")])


def both_zones(document: Document) -> None:
    subnet = nodes_subnet(document)
    if "availabilityZone" in subnet:
        subnet["availabilityZoneId"] = "usw2-az1"
    else:
        subnet["availabilityZone"] = "us-east-1a"


def other_vpc(document: Document) -> None:
    """The nodes' group, in a VPC of its own."""
    tags = vpc(document).get("tags", {})
    add(document, "aws:ec2/vpc:Vpc", "other", {"cidrBlock": "10.99.0.0/16", "tags": tags})
    node_group(document)["inputs"]["vpcId"] = "${added::other.id}"


def route_of(document: Document) -> Document:
    """The route of the nodes to the NAT gateway."""
    inner = next((r for r in document["resources"] if r["name"] == "GpuRoutes"), None)
    if inner is not None:
        return block(inner["inputs"]["routes"])
    return next(r for r in document["resources"] if "natGatewayId" in r["inputs"])["inputs"]


MISTAKES = (
    Mistake("SSH from anywhere", "SG-SSH", allow("tcp", 22, 22, "0.0.0.0/0")),
    Mistake("SSH in a range", "SG-SSH", allow("tcp", 0, 1024, "0.0.0.0/0")),
    Mistake("everything from anywhere", "SG-OPEN", allow("-1", None, None, "0.0.0.0/0")),
    Mistake("engine's port from half the world", "SG-OPEN", allow("tcp", 51080, 51083, "128.0.0.0/1")),
    Mistake("SSH from inside", "SG-SSH-INSIDE", allow("tcp", 22, 22, "10.0.0.0/8")),
    Mistake("tcp without ports", "SG-PORTS", allow("tcp", None, None, None)),
    Mistake("ports the wrong way round", "SG-PORTS", allow("tcp", 443, 80, None)),
    Mistake("no self rule in", "EFA-SELF", no_self("ingress")),
    Mistake("no self rule out", "EFA-SELF", no_self("egress")),
    Mistake("no way out", "SG-EGRESS", no_way_out, also=("SG-PAIR",)),
    Mistake("no gateway endpoint", "S3-GATEWAY", lambda d: drop(d, s3_endpoint(d))),
    Mistake(
        "gateway in no route table", "S3-GATEWAY-ROUTE", lambda d: s3_endpoint(d)["inputs"].update(routeTableIds=[])
    ),
    Mistake(
        "S3 by interface",
        "S3-GATEWAY",
        lambda d: s3_endpoint(d)["inputs"].update(
            vpcEndpointType="Interface", subnetIds=["subnet-0123456789abcdef0"], routeTableIds=None
        ),
        also=("ENDPOINT-GROUP",),
    ),
    Mistake(
        "another Region's endpoint",
        "ENDPOINT-REGION",
        lambda d: s3_endpoint(d)["inputs"].update(serviceName="com.amazonaws.eu-west-1.s3"),
        only=(*OURS, "foreign p5"),
    ),
    Mistake("endpoint without DNS", "ENDPOINT-DNS", cut(of("VpcEndpoint", "ssm"), "privateDnsEnabled"), only=OURS),
    Mistake("VPC without DNS names", "ENDPOINT-DNS", put(vpc, "enableDnsHostnames", False), only=OURS),
    Mistake("not an address range", "CIDR-SYNTAX", put(nodes_subnet, "cidrBlock", "10.0.0.0/33")),
    Mistake("host bits in a range", "CIDR-SYNTAX", put(vpc, "cidrBlock", "10.0.0.1/16")),
    Mistake("VPC too large", "CIDR-SIZE", put(vpc, "cidrBlock", "10.0.0.0/8")),
    Mistake(
        "subnet outside", "SUBNET-OUTSIDE", put(nodes_subnet, "cidrBlock", "172.31.0.0/20"), also=("ENDPOINT-REACH",)
    ),
    Mistake(
        "subnet too small",
        "SUBNET-SMALL",
        lambda d: nodes_subnet(d).update(cidrBlock=nodes_subnet(d)["cidrBlock"].split("/")[0] + "/28"),
        only=(*OURS, "foreign p5"),
    ),
    Mistake("more nodes than addresses", "SUBNET-SMALL", lambda d: asg(d).update(maxSize=100_000)),
    Mistake("nodes in a public subnet", "SUBNET-PUBLIC", wide_open_route),
    Mistake("NAT in the nodes' subnet", "NAT-ROUTE", lambda d: nat(d).update(subnetId=asg(d)["vpcZoneIdentifiers"][0])),
    Mistake("NAT gateway without an Elastic IP", "NAT-ROUTE", cut(nat, "allocationId")),
    Mistake("no flow logs", "FLOW-LOGS", gone("FlowLog")),
    Mistake(
        "subnet without its table",
        "SUBNET-UNROUTED",
        lambda d: drop(d, association(d)),
    ),
    Mistake("no subnet with a table", "SUBNET-UNROUTED", no_routes),
    Mistake("NAT gateway in a private subnet", "NAT-ROUTE", put(nat, "connectivityType", "private")),
    Mistake("two NATs on one address", "NAT-SHARED", again(lambda d: find(d, "NatGateway"))),
    Mistake(
        "endpoint in the default group", "ENDPOINT-GROUP", cut(of("VpcEndpoint", "ssm"), "securityGroupIds"), only=OURS
    ),
    Mistake("two endpoints of S3", "ENDPOINT-TWICE", again(s3_endpoint)),
    Mistake(
        "two endpoints of SSM",
        "ENDPOINT-TWICE",
        put(of("VpcEndpoint", "ssmmessages"), "serviceName", "com.amazonaws.us-east-1.ssm"),
        also=("ENDPOINT-SERVICE",),
        only=OURS,
    ),
    Mistake("zone by name and id", "ZONE-TWICE", both_zones),
    Mistake("group of another VPC", "REF-VPC", other_vpc),
    Mistake("SSH from half of a large range", "SG-SSH", allow("tcp", 22, 22, "3.0.0.0/9")),
    Mistake("SSH from a public office", "SG-SSH", allow("tcp", 22, 22, "198.51.100.0/24")),
    Mistake("SSH from one address", "SG-SSH-INSIDE", allow("tcp", 22, 22, "198.51.100.7/32")),
    Mistake("remote desktop from a public range", "SG-ADMIN", allow("tcp", 3389, 3389, "198.51.100.0/24")),
    Mistake("WinRM from a public range", "SG-ADMIN", allow("tcp", 5985, 5986, "198.51.100.0/24")),
    Mistake("database from one public address", "SG-ADMIN", allow("tcp", 5432, 5432, "198.51.100.7/32")),
    Mistake("engine from a public range", "SG-ADMIN", allow("tcp", 51080, 51083, "198.51.100.0/24")),
    Mistake("notebooks from a public range", "SG-ADMIN", allow("tcp", 8000, 9000, "198.51.100.0/22")),
    Mistake("everything from a public range", "SG-OPEN", allow("-1", None, None, "198.51.100.0/24")),
    Mistake("flow log interval of five minutes", "FLOW-SHAPE", put(of("FlowLog"), "maxAggregationInterval", 300)),
    Mistake("flow log without a role", "FLOW-SHAPE", cut(of("FlowLog"), "iamRoleArn")),
    Mistake("flow log of rejected traffic only", "FLOW-HALF", put(of("FlowLog"), "trafficType", "REJECT")),
    Mistake("logs for 31 days", "LOG-RETENTION", put(of("LogGroup"), "retentionInDays", 31), only=OURS),
    Mistake("logs never expire", "LOG-FOREVER", cut(of("LogGroup"), "retentionInDays"), only=OURS),
    Mistake("log retention of zero days", "LOG-FOREVER", put(of("LogGroup"), "retentionInDays", 0), only=OURS),
    Mistake(
        "missing ingress rule of the pool", "SG-PAIR", gone("SecurityGroupIngressRule", "fleet-to-pool"), only=POOLED
    ),
    Mistake(
        "missing egress rule to the pool", "SG-PAIR", gone("SecurityGroupEgressRule", "fleet-to-pool"), only=POOLED
    ),
    Mistake("route without a target", "ROUTE-TARGET", lambda d: route_of(d).pop("natGatewayId")),
    Mistake("route with two targets", "ROUTE-TARGET", lambda d: route_of(d).update(gatewayId="vgw-0123456789abcdef0")),
    Mistake("gateway in no VPC", "ROUTE-TARGET", cut(of("InternetGateway"), "vpcId")),
    Mistake(
        "nodes' subnet without a zone",
        "ZONE-NONE",
        lambda d: [nodes_subnet(d).pop(key, None) for key in ("availabilityZone", "availabilityZoneId")],
        also=("ENDPOINT-REGION",),
    ),
    Mistake("group of the default VPC", "REF-VPC", lambda d: node_group(d)["inputs"].pop("vpcId")),
    Mistake("flow log without a destination", "FLOW-SHAPE", cut(of("FlowLog"), "logDestination")),
    Mistake("overlapping subnets", "SUBNET-OVERLAP", subnet_in_another),
    Mistake(
        "address of another subnet",
        "ADDRESS-OUTSIDE",
        put(of("NetworkInterface"), "privateIps", ["192.168.0.10"]),
        only=POOLED,
    ),
    Mistake(
        "one fixed address used twice",
        "ADDRESS-OUTSIDE",
        lambda d: of("NetworkInterface", "pool-address-1")(d).update(
            privateIps=of("NetworkInterface", "pool-address-0")(d)["privateIps"]
        ),
        only=POOLED,
    ),
    Mistake("two tables for a subnet", "SUBNET-TABLE", again(lambda d: find(d, "RouteTableAssociation"))),
    Mistake(
        "endpoint without a type",
        "ENDPOINT-TYPE",
        cut(of("VpcEndpoint", "network-endpoint-ssm"), "vpcEndpointType"),
        only=OURS,
    ),
    Mistake(
        "endpoint without an ingress rule",
        "SG-ENDPOINT",
        gone("SecurityGroupIngressRule", "network-endpoints-https"),
        only=OURS,
    ),
    Mistake(
        "rule without a source",
        "SG-SOURCE",
        cut(of("SecurityGroupIngressRule", "firewall-in-fleet-to-fleet"), "referencedSecurityGroupId"),
        also=("EFA-SELF",),
        only=OURS,
    ),
    Mistake("rule with two sources", "SG-SOURCE", named_twice, only=OURS),
    Mistake(
        "inline and separate rules",
        "SG-MIXED",
        lambda d: node_group(d)["inputs"].update(
            ingress=[{"protocol": "tcp", "fromPort": 443, "toPort": 443, "cidrBlocks": ["10.0.0.0/16"]}]
        ),
        only=OURS,
    ),
    Mistake("group with an id for its name", "SG-NAME", lambda d: node_group(d)["inputs"].update(name="sg-nodes")),
    Mistake(
        "default group left open",
        "SG-DEFAULT",
        put(of("DefaultSecurityGroup"), "ingress", [{"protocol": "-1", "fromPort": 0, "toPort": 0, "self": True}]),
        only=OURS,
    ),
)
