"""Is the pool well? The map, every daemon's own word, the buckets; and what is wrong with them, with what to do."""

from __future__ import annotations

import time
from collections.abc import Sequence

from fleet_pool.api import Client
from fleet_pool.compat import frozen
from fleet_pool.operate.alerts import alerts
from fleet_pool.operate.buckets import Bucket, buckets
from fleet_pool.operate.members import ClusterMap, DetachedProxy, maps
from fleet_pool.operate.nodes import Node, nodes
from fleet_pool.operate.table import counted
from fleet_pool.problems import Refused, Unreachable


@frozen
class Expected:
    """What the pool is held against: targets that must be there, drives each must have; None is not asked."""

    targets: int | None = None
    drives: int | None = None


@frozen
class Finding:
    """severity: "error" for what is lost or refused, "warning" for what is worth a look. where: an id, or the pool."""

    severity: str
    where: str
    what: str
    remedy: str


@frozen
class Status:
    map: ClusterMap
    nodes: tuple[Node, ...]
    buckets: tuple[Bucket, ...]
    findings: tuple[Finding, ...]

    @property
    def well(self) -> bool:
        return not any(finding.severity == "error" for finding in self.findings)


def status(client: Client, wanted: Expected, *, limit_s: float, each_s: float) -> Status:
    """Over within about `limit_s`, whatever hangs. Raises Refused or Unreachable where no proxy gives the map."""
    deadline = time.monotonic() + limit_s
    found, detached = maps(client, patience_s=limit_s / 2)
    said = nodes(client, (*found.proxies, *found.targets), limit_s=deadline - time.monotonic(), each_s=each_s)
    try:
        known: tuple[Bucket, ...] = buckets(client, patience_s=max(deadline - time.monotonic(), 1.0))
        why = ""
    except (Refused, Unreachable) as error:
        known, why = (), str(error)
    findings = tuple(_of_detached(found, proxy) for proxy in detached) + judge(found, said, known, wanted)
    if why:
        findings += (_warning("pool", f"its buckets are not known: {why}", "ask again"),)
    return Status(map=found, nodes=said, buckets=known, findings=findings)


def judge(found: ClusterMap, said: Sequence[Node], known: Sequence[Bucket], wanted: Expected) -> tuple[Finding, ...]:
    """Everything that is wrong, errors first. Pure."""
    wrong: list[Finding] = []
    active = [target for target in found.targets if not target.leaving]
    if wanted.targets is not None and len(active) < wanted.targets:
        what = (
            f"{counted(wanted.targets - len(active), 'target')} missing: {len(active)} of {wanted.targets} are active"
        )
        wrong.append(_error("pool", what, "see which instances do not run, or whose daemon does not start"))
    elif not active:
        wrong.append(_error("pool", "no target is active", "nothing is served from the pool; S3 has every object"))
    for node in said:
        wrong += _of_node(found, node, wanted)
    for bucket in known:
        if bucket.local:
            what = f"bucket {bucket.name} is the pool's alone: what is in it is not in S3"
            wrong.append(_error("pool", what, f"`planner pool register {bucket.name} --kind dataset` says what to do"))
        elif not bucket.evicts:
            what = f"bucket {bucket.name} does not evict: it fills the drives until writes are refused"
            wrong.append(_warning("pool", what, f"`planner pool register {bucket.name} --kind {bucket.kind}`"))
    return tuple(sorted(wrong, key=lambda finding: (finding.severity, finding.where)))


def _of_detached(found: ClusterMap, proxy: DetachedProxy) -> Finding:
    targets = counted(len(proxy.map.targets), "target")
    what = f"follows {proxy.map.primary} as primary, with {targets}; the pool follows {found.primary}"
    # a restart alone brings back the map in which it is alone, and the configuration that names it primary
    remedy = (
        "it was cut off, or an election is under way; planner-rejoin on its node brings it back within two minutes. "
        "If it stays so, there: systemctl stop planner-proxy, cd /var/lib/planner/proxy, rm -f .ais.smap .ais.conf, "
        "systemctl start planner-proxy"
    )
    return _error(proxy.url, what, remedy)


def _of_node(found: ClusterMap, node: Node, wanted: Expected) -> list[Finding]:
    wrong, id_ = [], node.member.id
    if node.heard == "silent":
        if not node.member.leaving:
            # a pool of three proxies goes on without one; a target's share of the keys is not served
            severity = _error if node.member.role == "target" else _warning
            wrong.append(
                severity(id_, f"in the map, and silent: {node.why}", "if it is gone, the map drops it in 15 s")
            )
        return wrong
    if node.heard == "health":
        remedy = "its data path may be fine; restart the daemon when it suits"
        wrong.append(_warning(id_, f"its status hangs, its health answers: {node.why}", remedy))
    for alert in alerts(node.flags):
        severity = _error if alert.blocking else _warning
        wrong.append(severity(id_, alert.name, alert.remedy))
    if node.primary and node.primary != found.primary:
        what = f"follows {node.primary} as primary, the others {found.primary}"
        wrong.append(_error(id_, what, "an election under way ends in half a minute; else the network is cut in two"))
    drives = node.space.drives if node.space else None
    if wanted.drives is not None and drives is not None and drives < wanted.drives:
        what = f"{counted(wanted.drives - drives, 'drive')} missing: {drives} of {wanted.drives} serve"
        wrong.append(_error(id_, what, "replace the node when it suits; its other drives go on"))
    return wrong


def _error(where: str, what: str, remedy: str) -> Finding:
    return Finding(severity="error", where=where, what=what, remedy=remedy)


def _warning(where: str, what: str, remedy: str) -> Finding:
    return Finding(severity="warning", where=where, what=what, remedy=remedy)
