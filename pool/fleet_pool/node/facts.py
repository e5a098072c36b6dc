"""Facts about a node and its stack: /etc/planner/node.env and the bundle's stack.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fleet_pool import settings
from fleet_pool.compat import frozen
from fleet_pool.node import config

CLIENT = "PLANNER_CLIENT"  # of node.env: set on a GPU node that only reads the pool of other GPU nodes
USER = "planner"  # runs the daemons and owns the drives' file systems; jobs that use the pool join its group
DAEMON_OF = {"control": "proxy", "storage": "target", "gpu": "target"}  # role of a node -> role of its daemon
TLS = config.Tls(
    certificate=f"{settings.TLS_FOLDER}/node.crt",
    key=f"{settings.TLS_FOLDER}/node.key",
    authority=f"{settings.TLS_FOLDER}/authority.crt",
)


class BadFacts(Exception):
    """Facts that are missing or invalid: which ones, and where they belong."""


@frozen
class Expected:
    """What a node has by its instance type and its launch template: PLANNER_EXPECTED of node.env. mount: folder of a
    file system; "" for none."""

    nvidia: int = 0
    neuron: int = 0
    efa: int = 0
    drives: int = 0
    mount: str = ""

    def __str__(self) -> str:
        return " ".join(f"{name}={value}" for name, value in vars(self).items() if value)


@frozen
class Stack:
    """The bundle's stack.json. proxies: addresses of the control nodes; empty if the layout has no pool.
    targets_on: role of the nodes that run targets. drives: number on such a node. reserved_vcpu: on a GPU node.
    checkpoints_kept: per run, as priced in the plan; 0 for all. files: whether GPU nodes mount files over the pool,
    through a proxy of their own."""

    name: str
    layout: str
    proxies: tuple[str, ...]
    targets_on: str
    drives: int
    reserved_vcpu: int
    tls: bool
    low_watermark_percent: int
    dataset_prefix: str
    checkpoint_prefix: str
    checkpoints_kept: int
    files: bool = False


@frozen
class Node:
    """Of /etc/planner/node.env. role: control, storage or gpu. number: of a control node, else -1. group: the Auto
    Scaling group that launched it; "" for a control node. fleet: the group of a node that Slurm's cluster
    launched. client: whether it has no target, though others of its role have."""

    role: str
    instance: str
    address: str
    number: int
    group: str
    region: str
    artefacts_bucket: str
    data_bucket: str
    fleet: str = ""
    client: bool = False

    @property
    def counted(self) -> str:
        """The name under which CloudWatch counts this node; "" for none."""
        return self.fleet or self.group


def stack_of(data: Mapping[str, Any]) -> Stack:
    """The stack from the data of stack.json. Raises BadFacts with every key that is missing."""
    keys = Stack.__annotations__
    missing = [key for key in keys if key not in data]
    if missing:
        raise BadFacts(f"stack.json lacks {', '.join(missing)}: bundle and planner-pool.pyz differ in version")
    given: dict[str, Any] = {key: data[key] for key in keys}
    return Stack(**{**given, "proxies": tuple(given["proxies"])})


def expected_of(text: str) -> Expected:
    """From its words, such as `nvidia=8 efa=4 drives=8 mount=/fsx`. Raises BadFacts."""
    given: dict[str, Any] = {}
    for word in text.split():
        name, _, value = word.partition("=")
        if name not in Expected.__annotations__ or (name != "mount" and not value.isdigit()):
            raise BadFacts(f"{settings.CONF_FOLDER}/node.env: {word!r} in PLANNER_EXPECTED is unknown")
        given[name] = value if name == "mount" else int(value)
    return Expected(**given)


def node_of(environment: Mapping[str, str]) -> Node:
    """The node from the variables of node.env. Raises BadFacts with every variable that is missing."""
    names = ("ROLE", "INSTANCE", "ADDRESS", "REGION", "BUCKET", "DATA")
    missing = [f"PLANNER_{name}" for name in names if not environment.get(f"PLANNER_{name}")]
    if missing:
        raise BadFacts(f"{settings.CONF_FOLDER}/node.env lacks {', '.join(missing)}")
    role = environment["PLANNER_ROLE"]
    if role not in DAEMON_OF:
        raise BadFacts(f"PLANNER_ROLE is {role!r}; it must be one of {', '.join(DAEMON_OF)}")
    return Node(
        role=role,
        instance=environment["PLANNER_INSTANCE"],
        address=environment["PLANNER_ADDRESS"],
        number=int(environment.get("PLANNER_NUMBER") or -1),
        group=environment.get("PLANNER_GROUP", ""),
        region=environment["PLANNER_REGION"],
        artefacts_bucket=environment["PLANNER_BUCKET"],
        data_bucket=environment["PLANNER_DATA"],
        fleet=environment.get("PLANNER_FLEET", ""),
        client=bool(environment.get(CLIENT)),
    )


def read_stack(path: Path) -> Stack:
    """Raises BadFacts."""
    try:
        return stack_of(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise BadFacts(f"cannot read {path}: {error}") from None


def daemon_role(stack: Stack, node: Node) -> str:
    """ "proxy", "target", or "" for a node that is only a client and for a layout without a pool."""
    if not stack.proxies or node.client or (node.role != "control" and node.role != stack.targets_on):
        return ""
    return DAEMON_OF[node.role]


def daemon_id(node: Node, role: str) -> str:
    """A target's id comes from its instance, so that another instance's drives are refused; that of a control node's
    proxy from its slot, whose address survives a replaced instance. Raises BadSetting."""
    slot = role == "proxy" and node.role == "control"
    return settings.daemon_id(role, f"control{node.number}" if slot else node.instance)


def cluster_settings(stack: Stack) -> config.ClusterSettings:
    return config.ClusterSettings(
        proxies=stack.proxies,
        tls=TLS if stack.tls else None,
        watermarks=config.watermarks(stack.low_watermark_percent),
        min_free_gib=settings.MIN_FREE_GIB,
        to_journal=True,
        s3_door=stack.files,
    )


def node_settings(node: Node, role: str, mountpaths: tuple[str, ...]) -> config.NodeSettings:
    return config.NodeSettings(
        role=role,
        address=node.address,
        public_addresses=(node.address,),
        conf_folder=f"{settings.STATE_FOLDER}/{role}",
        log_folder=f"{settings.STATE_FOLDER}/{role}/log",
        mountpaths=mountpaths,
    )
