"""The pool's status as a table for a person and as plain data for a script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fleet_pool.operate.alerts import alerts
from fleet_pool.operate.buckets import Bucket
from fleet_pool.operate.nodes import Node
from fleet_pool.operate.probe import Probe
from fleet_pool.operate.status import Finding, Status
from fleet_pool.operate.table import columns, counted, listed, size

STATES = {"status": "up", "health": "up, status hangs", "silent": "SILENT"}


def as_text(found: Status) -> str:
    """For a person: daemons, buckets, then the problems."""
    targets = [node for node in found.nodes if node.member.role == "target"]
    total = sum(node.space.total for node in targets if node.space)
    used = sum(node.space.used for node in targets if node.space)
    active = [node for node in targets if not node.member.leaving]
    quiet = sum(node.heard == "silent" for node in active)
    silent = f", {quiet} of them SILENT" if quiet else ""
    head = f"{counted(len(active), 'active target')}{silent}, {counted(len(found.map.proxies), 'gateway')}"
    lines = [f"{head}, map {found.map.version}; {size(used)} of {size(total)} on the drives used\n\n"]
    rows = []
    probed = {probe.target: probe for probe in found.probes}
    for node in found.nodes:
        space, probe, served = node.space, probed.get(node.member.id), node.served
        rows.append(
            (
                node.member.id + (" (primary)" if node.member.id == found.map.primary else ""),
                node.member.role,
                STATES[node.heard] + (", drained" if node.member.leaving else ""),
                str(space.drives) if space else "",
                size(space.used) if space else "",
                size(space.total) if space else "",
                f"{space.fullest_percent:.0f} %" if space else "",
                _ms(probe.read_s, probe.read_wrong) if probe else "",
                _ms(probe.s3_s, probe.s3_wrong) if probe else "",
                str(served.errors) if served else "",
                ", ".join(alert.name for alert in alerts(node.flags)),
            )
        )
    head = ("daemon", "role", "state", "drives", "used", "of", "fullest", "MiB read", "S3", "errors", "alerts")
    lines.append(columns(head, rows, right=(3, 4, 5, 6, 7, 8, 9)))
    if found.buckets:
        lines.append("\n" + bucket_text(found.buckets))
    for alike in _by_problem(found.findings):
        first, places = alike[0], [each.where for each in alike]
        remedy = first.remedy if len(alike) == 1 else _for_any(first)
        lines.append(f"\n{first.severity}: {listed(places)}: {first.what}\n    {remedy}")
    return "".join(lines) + ("\n" if found.findings else "")


def _ms(seconds: float | None, wrong: str) -> str:
    return "FAILS" if wrong else "" if seconds is None else f"{seconds * 1000:.0f} ms"


def _by_problem(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Those that differ only in where they are, together: a third of 400 nodes is one problem to whoever reads it."""
    found: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in findings:
        found.setdefault((finding.severity, finding.what, _for_any(finding)), []).append(finding)
    return list(found.values())


def _for_any(finding: Finding) -> str:
    """Its remedy with ID for the daemon that it names."""
    return finding.remedy.replace(f" {finding.where}`", " ID`")


def bucket_text(known: Sequence[Bucket]) -> str:
    rows = [
        (
            bucket.name,
            "NOT IN S3" if bucket.local else bucket.kind,
            "yes" if bucket.evicts else "no",
            "" if bucket.local else "yes" if bucket.versioned else "no",
        )
        for bucket in known
    ]
    return columns(("bucket", "kind", "evicts", "versioned"), rows)


def as_data(found: Status) -> dict[str, Any]:
    """For a script. Sizes in bytes; null if unknown."""
    probed = {probe.target: probe for probe in found.probes}
    return {
        "schema_version": "1",
        "well": found.healthy,
        "map": {"uuid": found.map.uuid, "version": found.map.version, "primary": found.map.primary},
        "nodes": [_node_data(node, probed.get(node.member.id)) for node in found.nodes],
        "buckets": [bucket_data(bucket) for bucket in found.buckets],
        "damaged_copies": len(found.damaged),
        "findings": [vars(finding) for finding in found.findings],
    }


def _node_data(node: Node, probe: Probe | None) -> dict[str, Any]:
    space, served = node.space, node.served
    return {
        "id": node.member.id,
        "role": node.member.role,
        "url": node.member.url,
        "heard": node.heard,
        "leaving": node.member.leaving,
        "alerts": [alert.name for alert in alerts(node.flags)],
        "engine": node.version or None,
        "drives": space.drives if space else None,
        "used_bytes": space.used if space else None,
        "total_bytes": space.total if space else None,
        "fullest_percent": space.fullest_percent if space else None,
        "from_s3_bytes": space.from_s3 if space else None,
        "mib_read_s": probe.read_s if probe else None,
        "mib_read_wrong": (probe.read_wrong or None) if probe else None,
        "s3_s": probe.s3_s if probe else None,
        "s3_wrong": (probe.s3_wrong or None) if probe else None,
        "reads": served.reads if served else None,
        "read_mean_s": served.read_mean_s if served else None,
        "writes": served.writes if served else None,
        "errors": served.errors if served else None,
        "why": node.why or None,
    }


def bucket_data(bucket: Bucket) -> dict[str, Any]:
    return {
        "name": bucket.name,
        "in_s3": not bucket.local,
        "kind": bucket.kind,
        "evicts": bucket.evicts,
        "versioned_when_met": bucket.versioned,
    }
