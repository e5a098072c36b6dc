"""What else can block nodes: unknown endpoint services, DNS, endpoint address ranges."""

from __future__ import annotations

import re

from planner.lint.read.graph import Graph
from planner.lint.read.suggestions import suggestion
from planner.lint.read.topology import ENDPOINT, SECURITY, VPC, groups_of, network, node_subnets
from planner.lint.read.traffic import traffic
from planner.lint.read.values import flag, given, literal
from planner.lint.rule import Hits, rule

# common endpoint services, by the end of their names (AWS PrivateLink guide)
SERVICES = (
    *("autoscaling", "autoscaling-plans", "batch", "cloudformation", "cloudtrail", "codeartifact.api", "ec2"),
    *("ec2messages", "ecr.api", "ecr.dkr", "ecs", "ecs-agent", "ecs-telemetry", "eks", "eks-auth", "elasticfilesystem"),
    *("elasticloadbalancing", "events", "execute-api", "fsx", "git-codecommit", "imagebuilder", "kms", "lambda"),
    *("logs", "monitoring", "rds", "resource-groups", "s3", "s3express", "dynamodb", "sagemaker.api"),
    *("sagemaker.runtime", "secretsmanager", "sns", "sqs", "ssm", "ssmmessages", "ssm-contacts", "states", "sts"),
    *("synthetics", "tagging", "xray", "pcs", "access-analyzer", "acm-pca", "airflow.api", "athena", "glue"),
)
AGENT = ("ssm", "ssmmessages")  # endpoints that the SSM agent needs; newer agents do not need ec2messages
SERVICE = re.compile(r"(cn\.)?(com\.amazonaws|aws\.\w+|api\.aws)\.[a-z0-9.-]+")


@rule(
    "ENDPOINT-SERVICE",
    ENDPOINT,
    what="an endpoint for an unknown service, or only half of what SSM needs",
    why="AWS rejects the name after the network exists. With only one of SSM's two endpoints, the agent needs "
    "NAT, and the endpoint is billed for nothing",
    remedy="Use com.amazonaws.<region>.<service> as in the PrivateLink guide, and ssm together with ssmmessages",
    example="serviceName: com.amazonaws.us-east-1.ssmm, or ssm without ssmmessages",
)
def unknown_endpoint_service(graph: Graph) -> Hits:
    held: dict[object, set[str]] = {}
    for endpoint in graph.of(ENDPOINT):
        name = literal(endpoint.inputs.get("serviceName"))
        if not name:
            continue
        short = ".".join(name.split(".")[3:])
        if not SERVICE.fullmatch(name):
            yield endpoint, "serviceName", f"{name!r} is not a service name: com.amazonaws.<region>.<service>"
        elif name.startswith("com.amazonaws.") and "vpce-svc" not in name and short not in SERVICES:
            near = suggestion(short, SERVICES, cutoff=0.5)
            if near:
                yield endpoint, "serviceName", f"unknown service {short!r}{near}"
        vpc = graph.target(endpoint.inputs.get("vpcId"), VPC)
        held.setdefault(vpc, set()).add(short)
    for endpoint in graph.of(ENDPOINT):
        short = ".".join((literal(endpoint.inputs.get("serviceName")) or "").split(".")[3:])
        others = held.get(graph.target(endpoint.inputs.get("vpcId"), VPC), set())
        missing = [name for name in AGENT if name not in others]
        if short in AGENT and missing and endpoint.inputs.get("vpcEndpointType") == "Interface":
            yield endpoint, "serviceName", f"an endpoint for {missing[0]} is missing"


@rule(
    "VPC-DNS",
    VPC,
    what="a VPC with nodes and without DNS",
    why="The nodes boot and reach nothing: no name of AWS, S3 or a file system resolves",
    remedy="Set enableDnsSupport: true, or remove it",
    example="enableDnsSupport: false",
)
def vpc_without_dns(graph: Graph) -> Hits:
    named = any(e.inputs.get("vpcEndpointType") == "Interface" for e in graph.of(ENDPOINT))
    for vpc in dict.fromkeys(v for s in node_subnets(graph) for v in graph.targets(s.inputs.get("vpcId"), VPC)):
        # ENDPOINT-DNS reports it where there are interface endpoints
        if flag(vpc.inputs.get("enableDnsSupport")) is False and not named:
            yield vpc, "enableDnsSupport", "off"


@rule(
    "ENDPOINT-REACH",
    SECURITY,
    what="an interface endpoint that accepts another address range than the nodes'",
    why="The endpoint drops all traffic from the nodes, although it exists and is billed",
    remedy="Allow the VPC's range or the nodes' security group",
    example="tcp 443 from 10.9.0.0/16 in a VPC of 10.0.0.0/16",
)
def endpoint_allows_other_range(graph: Graph) -> Hits:
    rules = list(traffic(graph))
    subnets = [found for s in node_subnets(graph) if (found := network(s.inputs.get("cidrBlock")))]
    seen: set[object] = set()
    for endpoint in graph.of(ENDPOINT):
        for group in groups_of(graph, endpoint):
            into = [r for r in rules if r.inwards and r.group is group and r.covers(443)]
            ranges = [text for r in into for _, text in r.networks()]
            others = any(r.others(graph) or given(r.block.get("prefixListId")) for r in into)
            if group in seen or others or not ranges or not subnets:
                continue
            seen.add(group)
            known = [network(text) for text in ranges]
            if all(known) and not any(s.subnet_of(k) for s in subnets for k in known if k):
                yield group, "ingress", f"accepts {', '.join(ranges)}, but the nodes are in {subnets[0]}"
