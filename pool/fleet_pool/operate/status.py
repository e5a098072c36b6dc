"""Health of the pool: its map, daemons and buckets, and every problem found with its remedy."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

from fleet_pool.api import Client
from fleet_pool.compat import frozen
from fleet_pool.operate.alerts import alerts
from fleet_pool.operate.buckets import Bucket, buckets
from fleet_pool.operate.digest import damaged_copies
from fleet_pool.operate.members import ClusterMap, DetachedProxy, maps
from fleet_pool.operate.nodes import Node, nodes
from fleet_pool.operate.probe import SLOW_S, Probe, probes, sick, slow_everywhere
from fleet_pool.operate.table import counted
from fleet_pool.problems import Refused, Unreachable

DAMAGED_DAYS = 7


@frozen
class Expected:
    """targets: that must be active. drives: that each target must have. None: not checked."""

    targets: int | None = None
    drives: int | None = None


@frozen
class Finding:
    """severity: "error" if something is lost or refused, else "warning". where: a daemon's id or "pool"."""

    severity: str
    where: str
    what: str
    remedy: str


@frozen
class Status:
    """damaged: copies that were found damaged lately: when, in seconds since 1970, and on which target's address."""

    map: ClusterMap
    nodes: tuple[Node, ...]
    buckets: tuple[Bucket, ...]
    findings: tuple[Finding, ...]
    probes: tuple[Probe, ...] = ()
    damaged: tuple[tuple[int, str], ...] = ()

    @property
    def healthy(self) -> bool:
        return not any(finding.severity == "error" for finding in self.findings)


def status(client: Client, expected: Expected, *, limit_s: float, each_s: float) -> Status:
    """Takes about `limit_s` seconds at most, whatever hangs. Raises Refused or Unreachable if no proxy has a map."""
    deadline = time.monotonic() + limit_s
    found, detached = maps(client, patience_s=limit_s / 2)
    said = nodes(client, (*found.proxies, *found.targets), limit_s=deadline - time.monotonic(), each_s=each_s)
    try:
        known: tuple[Bucket, ...] = buckets(client, patience_s=max(deadline - time.monotonic(), 1.0))
        why = ""
    except (Refused, Unreachable) as error:
        known, why = (), str(error)
    heard = {node.member.id for node in said if node.heard != "silent"}
    targets = [target for target in found.targets if not target.leaving and target.id in heard]
    in_s3 = [bucket.name for bucket in known if not bucket.local]
    left_s = deadline - time.monotonic()
    seen, unread = probes(client, targets, in_s3, limit_s=left_s, each_s=each_s) if in_s3 and targets else ((), "")
    findings = tuple(_of_detached(found, proxy) for proxy in detached) + judge(found, said, known, expected, seen)
    damaged: list[tuple[int, str]] = []
    for name in in_s3:
        some, uncounted = _damaged(client, name, max(deadline - time.monotonic(), 1.0))
        damaged += some
        if some:
            findings += (of_damage(found, some, name),)
        if uncounted:
            what = f"cannot count damaged copies in {name}: {uncounted}"
            findings += (_warning("pool", what, "run the command again"),)
    if unread:
        findings += (_warning("pool", f"no read of a target was tried: {unread}", "run the command again"),)
    if why:
        findings += (_warning("pool", f"cannot list its buckets: {why}", "run the command again"),)
    return Status(map=found, nodes=said, buckets=known, probes=seen, findings=findings, damaged=tuple(damaged))


def _damaged(client: Client, bucket: str, limit_s: float) -> tuple[tuple[tuple[int, str], ...], str]:
    """Copies that jobs and `verify` found damaged, and why they are not known."""
    try:
        return damaged_copies(client, bucket, DAMAGED_DAYS, limit_s), ""
    except (Refused, Unreachable) as problem:
        return (), str(problem)


def judge(
    found: ClusterMap,
    said: Sequence[Node],
    known: Sequence[Bucket],
    expected: Expected,
    seen: Sequence[Probe] = (),
) -> tuple[Finding, ...]:
    """All problems, errors first. Pure."""
    wrong: list[Finding] = []
    active = [target for target in found.targets if not target.leaving]
    if expected.targets is not None and len(active) < expected.targets:
        what = (
            f"{counted(expected.targets - len(active), 'target')} missing: {len(active)} of {expected.targets} active"
        )
        wrong.append(_error("pool", what, "find the instances that do not run, or whose daemon does not start"))
    elif not active:
        wrong.append(
            _error("pool", "no target is active", "the pool serves nothing until one starts; S3 has every object")
        )
    for node in said:
        wrong += _of_node(found, node, expected)
    for bucket in known:
        if bucket.local:
            what = f"bucket {bucket.name} is local to the pool: its data is not in S3 and is lost with the nodes"
            wrong.append(_error("pool", what, f"`planner pool register {bucket.name} --kind dataset` says what to do"))
        elif not bucket.evicts:
            what = f"bucket {bucket.name} has eviction off: it fills the drives until writes are refused"
            wrong.append(_warning("pool", what, f"`planner pool register {bucket.name} --kind {bucket.kind}`"))
    named = sick(seen)
    for id_, how in named.items():
        wrong.append(_error(id_, f"sick: {how}", f"`planner pool drain {id_}`, then look at its link and drives"))
    slow = [each for each in seen if each.target in named and each.read_s is not None and each.read_s > SLOW_S]
    if not slow and (how := slow_everywhere(seen)):
        remedy = (
            "run the command on another machine: if it is slow there too, look at the load and network of all nodes"
        )
        wrong.append(_warning("pool", how, remedy))
    if seen and all(each.s3_wrong for each in seen):
        what = f"no target has a way to S3: {seen[0].s3_wrong}"
        wrong.append(_error("pool", what, "cached data is still served; nothing else can be read or written"))
    return tuple(sorted(wrong, key=lambda finding: (finding.severity, finding.where)))


def _of_detached(found: ClusterMap, proxy: DetachedProxy) -> Finding:
    targets = counted(len(proxy.map.targets), "target")
    what = f"follows {proxy.map.primary} as primary, with {targets}; the pool follows {found.primary}"
    # a restart alone would load the map and the configuration in which it is primary again
    remedy = (
        "wait two minutes: an election may be running, or planner-rejoin brings the node back. If not, run on that "
        "node: systemctl stop planner-proxy; cd /var/lib/planner/proxy; rm -f .ais.smap .ais.conf; "
        "systemctl start planner-proxy"
    )
    return _error(proxy.url, what, remedy)


def of_damage(found: ClusterMap, damaged: Sequence[tuple[int, str]], bucket: str) -> Finding:
    """On which target most of them were: a drive that spoils one copy spoils more."""
    by_target = Counter(address for _, address in damaged if address)
    what = f"{counted(len(damaged), 'cached object')} of {bucket} found damaged in the last {DAMAGED_DAYS} days"
    remedy = f"jobs got S3's bytes instead. `planner pool verify {bucket} --prefix PREFIX` looks for more"
    for address, count in by_target.most_common(1):
        ids = [target.id for target in found.targets if target.url.endswith(f"//{address}")]
        of_target = ids[0] if ids else f"a target that is gone ({address})"
        what += f", {count} of them on {of_target}"
        if ids:
            remedy += f"; if they come from that node again, `planner pool drain {of_target}` and replace it"
    return _warning("pool", what, remedy)


def _why(node: Node) -> str:
    """Without its address, so that nodes with the same problem are shown together."""
    return node.why.replace(f"{node.member.url}: ", "")


def _of_node(found: ClusterMap, node: Node, expected: Expected) -> list[Finding]:
    wrong, id_ = [], node.member.id
    if node.heard == "silent":
        if not node.member.leaving:
            # the pool works without one proxy; without a target its share of the keys is not served
            severity = _error if node.member.role == "target" else _warning
            remedy = f"if it is gone, the map drops it in 15 s; if it stays in the map, `planner pool drain {id_}`"
            wrong.append(severity(id_, f"in the map but does not answer: {_why(node)}", remedy))
        return wrong
    if node.heard == "health":
        remedy = "it may still serve data; restart the daemon when convenient"
        wrong.append(_warning(id_, f"answers health checks but not status requests: {_why(node)}", remedy))
    for alert in alerts(node.flags):
        severity = _error if alert.blocking else _warning
        wrong.append(severity(id_, alert.name, alert.remedy))
    if node.primary and node.primary != found.primary:
        what = f"follows {node.primary} as primary; the pool follows {found.primary}"
        wrong.append(_error(id_, what, "wait 30 s for an election to end; after that, look for a network partition"))
    drives = node.space.drives if node.space else None
    if expected.drives is not None and drives is not None and drives < expected.drives:
        what = f"{counted(expected.drives - drives, 'drive')} missing: {drives} of {expected.drives} serve"
        wrong.append(_error(id_, what, "replace the node when convenient; its other drives still serve"))
    return wrong


def _error(where: str, what: str, remedy: str) -> Finding:
    return Finding(severity="error", where=where, what=what, remedy=remedy)


def _warning(where: str, what: str, remedy: str) -> Finding:
    return Finding(severity="warning", where=where, what=what, remedy=remedy)
