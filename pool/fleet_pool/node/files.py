"""A node's files from its facts: for its daemon, for jobs, and for the CPU cores of each. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from fleet_pool import settings
from fleet_pool.compat import frozen
from fleet_pool.node import config, cpus
from fleet_pool.node.facts import USER, Node, Stack, cluster_settings, daemon_id, daemon_role, node_settings
from fleet_pool.tokens import FILE_VARIABLE

UNIT_OF = {"proxy": "planner-proxy.service", "target": "planner-target.service"}
DROP_INS = "/run/systemd/system"  # written at every boot


@frozen
class File:
    """owner: the user, and the group of the same name, that owns the file."""

    path: str
    text: str
    mode: int
    owner: str


def files(
    stack: Stack,
    node: Node,
    mountpaths: tuple[str, ...],
    cores: Mapping[int, Sequence[Sequence[int]]],
    jobs: str = "",
) -> tuple[File, ...]:
    """All files of a node. mountpaths: of its drives. cores: from cpus.cores_by_node. jobs: lines of jobs.env, which
    say where jobs get their credentials. Raises BadSetting, ValueError."""
    if not stack.proxies:
        return ()
    found = [File(path=f"{settings.CONF_FOLDER}/pool.env", text=_jobs(stack, node) + jobs, mode=0o644, owner="root")]
    role = daemon_role(stack, node)
    if role:
        found += _daemon(stack, node, role, mountpaths)
    own_proxy = stack.files and node.role == "gpu"
    if own_proxy:
        found += _daemon(stack, node, "proxy", ())
    if role == "target" and node.role == "gpu" and stack.reserved_vcpu:
        daemons = ("target", "proxy") if own_proxy else ("target",)
        found += _cores(cpus.reserved_cpus(cores, stack.reserved_vcpu), cores, daemons)
    return tuple(found)


def _daemon(stack: Stack, node: Node, role: str, mountpaths: tuple[str, ...]) -> list[File]:
    cluster, own = cluster_settings(stack), node_settings(node, role, mountpaths)
    environment = {
        **config.environment(cluster, own, node.region),
        "PLANNER_DAEMON_ID": daemon_id(node, role),
    }
    by_name = {"ais.json": config.cluster_config(cluster), "ais_local.json": config.local_config(own)}
    return [
        *(
            File(path=f"{own.conf_folder}/{name}", text=_json(data), mode=0o644, owner=USER)
            for name, data in by_name.items()
        ),
        File(path=f"{settings.CONF_FOLDER}/{role}.env", text=_assignments(environment), mode=0o644, owner="root"),
    ]


def _cores(reserved: Sequence[int], cores: Mapping[int, Sequence[Sequence[int]]], daemons: Sequence[str]) -> list[File]:
    """The cpuset of the daemons' units, and both CPU lists for the scheduler, which keeps training off the first."""
    ours, left = cpus.cpu_list(reserved), cpus.cpu_list(cpus.training_cpus(cores, reserved))
    lists = _assignments({"PLANNER_POOL_CPUS": ours, "PLANNER_TRAINING_CPUS": left})
    return [
        *(
            File(
                path=f"{DROP_INS}/{UNIT_OF[role]}.d/cpus.conf",
                text=f"[Service]\nAllowedCPUs={ours}\n",
                mode=0o644,
                owner="root",
            )
            for role in daemons
        ),
        File(path=f"{settings.CONF_FOLDER}/cpus.env", text=lists, mode=0o644, owner="root"),
    ]


def _jobs(stack: Stack, node: Node) -> str:
    """Environment of a training job that uses the pool; the AIStore SDK reads the names with AIS_."""
    cluster = cluster_settings(stack)
    secure = cluster.tls is not None
    found = {
        "AIS_ENDPOINT": config.url(stack.proxies[0], settings.PROXY_PORT, secure),
        "PLANNER_POOL": ",".join(config.url(address, settings.PROXY_PORT, secure) for address in stack.proxies),
        "PLANNER_POOL_BUCKET": node.data_bucket,
        "PLANNER_POOL_DATASET": stack.dataset_prefix,
        "PLANNER_POOL_CHECKPOINTS": stack.checkpoint_prefix,
        "PLANNER_POOL_CHECKPOINTS_KEPT": str(stack.checkpoints_kept),
        "PLANNER_POOL_TARGETS_ON": stack.targets_on,
    }
    if cluster.tls:
        found["AIS_CRT"] = cluster.tls.certificate
        found["AIS_CRT_KEY"] = cluster.tls.key
        found["AIS_CLIENT_CA"] = cluster.tls.authority
        found[FILE_VARIABLE] = f"{settings.TLS_FOLDER}/job.token"
    return _assignments(found)


def _assignments(values: Mapping[str, str]) -> str:
    """Lines that both systemd's EnvironmentFile and a shell read: double-quoted, special characters escaped."""
    safe = {ord(letter): f"\\{letter}" for letter in '\\"`$'}
    return "".join(f'{name}="{value.translate(safe)}"\n' for name, value in sorted(values.items()))


def _json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, indent=2) + "\n"
