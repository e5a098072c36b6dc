"""Security groups open to the internet: SSH, administration ports, all traffic."""

from __future__ import annotations

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import BALANCERS, SECURITY, TEMPLATE, groups_of, node_runners
from planner.lint.read.traffic import INGRESS, OLD, sources, traffic
from planner.lint.read.values import one, whole
from planner.lint.rule import WARNING, Hits, rule

WEB = (80, 443)
# administration and data ports, many without a login
ADMIN = {
    21: "FTP",
    23: "Telnet",
    111: "RPC",
    135: "RPC",
    139: "SMB",
    445: "SMB",
    873: "rsync",
    988: "Lustre",
    1433: "SQL Server",
    1521: "Oracle",
    2049: "NFS",
    2375: "Docker",
    2376: "Docker",
    2379: "etcd",
    3306: "MySQL",
    3389: "RDP",
    5432: "PostgreSQL",
    5439: "Redshift",
    5900: "VNC",
    5985: "WinRM",
    5986: "WinRM",
    6006: "TensorBoard",
    6379: "Redis",
    6443: "Kubernetes",
    6817: "Slurm",
    6818: "Slurm",
    8265: "Ray",
    8888: "Jupyter",
    9200: "OpenSearch",
    10250: "Kubernetes",
    11211: "memcached",
    27017: "MongoDB",
    51080: "the storage engine",
    51081: "the storage engine",
    51082: "the storage engine",
    51083: "the storage engine",
}


@rule(
    "SG-SSH",
    SECURITY,
    INGRESS,
    OLD,
    what="SSH open to the internet",
    why="Attackers find the port within minutes and keep trying; the nodes have access to the data",
    remedy="Remove the rule for port 22. SSM sessions need no port",
    example="tcp 22 from 0.0.0.0/0",
)
def ssh_open_to_internet(graph: Graph) -> Hits:
    for rule_ in traffic(graph):
        if not rule_.inwards or rule_.protocol == "-1" or not rule_.covers(22):
            continue
        for source in sources(graph, rule_):
            if source.public and not (source.single and _only(rule_.block, 22)):
                yield rule_.holder, source.where, f"port 22 is open to {source.text}"


def _only(block: dict[str, object], port: int) -> bool:
    return whole(block.get("fromPort")) == whole(block.get("toPort")) == port


@rule(
    "SG-ADMIN",
    SECURITY,
    INGRESS,
    OLD,
    what="an administration or database port open to the internet",
    why="Anyone in the public range can try to control machines or read data; many of these services need no login",
    remedy="Allow a security group instead. People can use SSM port forwarding",
    example="tcp 3389 from 198.51.100.0/24",
)
def admin_port_open_to_internet(graph: Graph) -> Hits:
    for rule_ in traffic(graph):
        if not rule_.inwards or rule_.protocol == "-1" or rule_.covers(22):
            continue
        found = [port for port in ADMIN if rule_.covers(port)]
        for source in sources(graph, rule_) if found else ():
            if source.public and not source.wide:
                yield rule_.holder, source.where, f"port {found[0]} ({ADMIN[found[0]]}) is open to {source.text}"


@rule(
    "SG-OPEN",
    SECURITY,
    INGRESS,
    OLD,
    what="a port, or all traffic, open to the internet",
    why="Anyone can reach the cluster, and the storage engine's ports need no login",
    remedy="Allow only the security group that needs access",
    example="all traffic from 0.0.0.0/0",
)
def port_open_to_internet(graph: Graph) -> Hits:
    balancing = for_balancers(graph)
    for rule_ in traffic(graph):
        everything = rule_.protocol == "-1"
        # load balancers are meant to be public
        if rule_.group in balancing and any(_only(rule_.block, port) for port in WEB):
            continue
        for source in sources(graph, rule_) if rule_.inwards else ():
            if (source.public and everything) or (source.wide and not rule_.covers(22)):
                low, high = rule_.block.get("fromPort"), rule_.block.get("toPort")
                ports = "all traffic" if everything else f"{rule_.protocol} {low} to {high}"
                yield rule_.holder, source.where, f"{ports} open to {source.text}"


@rule(
    "SG-SSH-INSIDE",
    SECURITY,
    INGRESS,
    OLD,
    severity=WARNING,
    what="a security group rule for SSH",
    why="Whoever gets into one node can reach the others, and SSH access is not logged",
    remedy="Remove the rule for port 22. SSM sessions need no port",
    example="tcp 22 from 10.0.0.0/8",
)
def ssh_rule(graph: Graph) -> Hits:
    for rule_ in traffic(graph):
        outside = any(source.public and not source.single for source in sources(graph, rule_))
        if rule_.inwards and _only(rule_.block, 22) and not outside:
            yield rule_.holder, rule_.place("fromPort"), "port 22 is allowed"


@rule(
    "SG-DEFAULT",
    "ec2:DefaultSecurityGroup",
    severity=WARNING,
    what="a default security group that allows traffic",
    why="Anything that starts without a security group gets this one and its access",
    remedy="Remove all rules from the default group",
    example="the default group with AWS's own self rule",
)
def default_group_with_rules(graph: Graph) -> Hits:
    for group in graph.of("ec2:DefaultSecurityGroup"):
        for key in ("ingress", "egress"):
            if one(group.inputs.get(key)):
                yield group, key, f"the default group has {key} rules"


def for_balancers(graph: Graph) -> set[Resource | None]:
    """Security groups that only load balancers use."""
    held = {g for kind in BALANCERS for b in graph.of(kind) for g in groups_of(graph, b)}
    return set(
        held - {group for maker in [*node_runners(graph), *graph.of(TEMPLATE)] for group in groups_of(graph, maker)}
    )
