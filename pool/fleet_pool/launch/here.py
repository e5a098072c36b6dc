"""This node as the launcher sees it: its name, its place in the network, its fabric, its folders."""

from __future__ import annotations

import json
import os
import secrets
import shlex
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from fleet_pool import settings
from fleet_pool.compat import frozen
from fleet_pool.launch.bucket import PATIENCE_S, Bucket
from fleet_pool.launch.environment import Fabric
from fleet_pool.launch.ranks import Member
from fleet_pool.node.devices import efa_devices
from fleet_pool.node.facts import Node, node_of, read_stack
from fleet_pool.node.machine import Machine
from fleet_pool.operate.imds import Metadata
from fleet_pool.operate.s3 import SHOWN_VARIABLE, URL_VARIABLE, Place, credentials, place

BUNDLE_FOLDER = "/opt/planner"
CHECKPOINTS = "checkpoints/"  # where the bundle's stack.json does not say otherwise
TOPOLOGY_LIMIT_S = 30.0
# written by a node's bundle; a job finds the pool, the cores that are left to it and its credentials there
FILES = ("node.env", "pool.env", "cpus.env", "jobs.env")
OF_JOBS = (URL_VARIABLE, SHOWN_VARIABLE)  # where jobs get the keys of their role


@frozen
class Here:
    """node: of node.env. state: folder for logs of this user. pace_s: between two looks at the bucket."""

    node: Node
    bucket: Bucket
    fabric: Fabric
    member: Member
    state: Path
    pace_s: float


def settings_of(environment: Mapping[str, str], folder: Path = Path(settings.CONF_FOLDER)) -> dict[str, str]:
    """The node's own files, and above them the environment. Root has the node's role, not that of jobs."""
    found: dict[str, str] = {}
    for name in FILES:
        path = folder / name
        if path.is_file():
            lines = shlex.split(path.read_text(encoding="utf-8"))
            found.update({name: value for name, sep, value in (line.partition("=") for line in lines) if sep})
    if os.geteuid() == 0:
        found = {name: value for name, value in found.items() if name not in OF_JOBS}
    return {**found, **environment}


def bucket_of(environment: Mapping[str, str], node: Node, patience_s: float = PATIENCE_S, *, name: str = "") -> Bucket:
    """The data bucket, or the one named, with the role of whoever asks. Raises PoolProblem."""
    metadata = Metadata.of(environment)
    where = place({**environment, "AWS_REGION": node.region}, metadata)
    where = Place(region=node.region, endpoint=where.endpoint)
    return Bucket(name or node.data_bucket, where, lambda: credentials(environment, metadata), patience_s=patience_s)


def here_of(environment: Mapping[str, str]) -> Here:
    """Raises BadFacts, PoolProblem."""
    node = node_of(environment)
    layers, unknown = layers_of(node, _run)
    return Here(
        node=node,
        bucket=bucket_of(environment, node),
        fabric=fabric_of(node, environment),
        member=Member(
            instance=node.instance,
            incarnation=secrets.token_hex(4),
            address=node.address,
            layers=layers,
            unknown=unknown,
        ),
        state=Path(environment.get("STATE_DIRECTORY") or "/var/lib/planner-launch"),
        pace_s=float(environment.get("PLANNER_LAUNCH_PACE_S") or 5),
    )


def fabric_of(node: Node, environment: Mapping[str, str]) -> Fabric:
    """The network of this node."""
    return Fabric(
        instance_type=environment.get("PLANNER_TYPE", ""),
        interface=interface_of(node.address, _run),
        efa_devices=len(efa_devices(Machine())),
    )


def checkpoints_prefix() -> str:
    """Prefix of all checkpoints in the data bucket. Raises BadFacts."""
    stack = Path(BUNDLE_FOLDER, "stack.json")
    return read_stack(stack).checkpoint_prefix if stack.is_file() else CHECKPOINTS


def layers_of(node: Node, run: Callable[[list[str]], str]) -> tuple[tuple[str, ...], str]:
    """Network nodes above this instance, from the top; or none, and why."""
    words = ["aws", "ec2", "describe-instance-topology", "--instance-ids", node.instance]
    try:
        found = json.loads(run([*words, "--region", node.region, "--output", "json"]))["Instances"]
        layers = tuple(found[0]["NetworkNodes"]) if found else ()
    except (OSError, ValueError, KeyError, TypeError, subprocess.SubprocessError) as error:
        said = (getattr(error, "stderr", "") or str(error)).strip().splitlines()
        return (), f"DescribeInstanceTopology failed: {said[-1] if said else type(error).__name__}"
    return (layers, "") if layers else ((), "AWS gives no topology for this instance type")


def interface_of(address: str, run: Callable[[list[str]], str]) -> str:
    """The interface with this address; "" if `ip` does not say."""
    try:
        for link in json.loads(run(["ip", "-json", "-4", "address", "show"])):
            if any(each.get("local") == address for each in link.get("addr_info", ())):
                return str(link["ifname"])
    except (OSError, ValueError, KeyError, subprocess.SubprocessError):
        pass
    return ""


def _run(words: list[str]) -> str:
    done = subprocess.run(words, capture_output=True, text=True, timeout=TOPOLOGY_LIMIT_S, check=True)
    return done.stdout
