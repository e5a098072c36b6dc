"""Cluster maps, statuses and buckets as the engine writes them, for servers that stand in for it."""

from __future__ import annotations

from typing import Any

WELL = 6  # node started, cluster started


def member(id_: str, role: str, url: str, flags: int = 0) -> dict[str, Any]:
    net = {"node_ip_addr": "127.0.0.1", "daemon_port": "1", "direct_url": url}
    return {
        "daemon_id": id_,
        "daemon_type": role,
        "flags": flags,
        "public_net": net,
        "intra_control_net": net,
        "intra_data_net": net,
    }


def smap(proxies: dict[str, str], targets: dict[str, str], flags: dict[str, int] | None = None) -> dict[str, Any]:
    """Ids with their URLs; the first proxy is primary."""
    flagged = flags or {}
    pmap = {id_: member(id_, "proxy", url, flagged.get(id_, 0)) for id_, url in proxies.items()}
    tmap = {id_: member(id_, "target", url, flagged.get(id_, 0)) for id_, url in targets.items()}
    primary = pmap[next(iter(proxies))]
    return {"uuid": "cluster", "version": "7", "proxy_si": primary, "pmap": pmap, "tmap": tmap}


def health(flags: int = WELL, primary: str = "p1node00") -> dict[str, Any]:
    return {"smap": {"Primary": {"id": primary}, "version": "7"}, "flags": flags}


def status(
    flags: int = WELL,
    primary: str = "p1node00",
    *,
    total: int = 8_000_000_000_000,
    used: int = 1_000_000_000_000,
    drives: int = 8,
    from_s3: int = 0,
) -> dict[str, Any]:
    """Of a target; sizes in bytes, and as strings where the engine writes them so."""
    return {
        "ais_version": "5.0.v1.5.0",
        "cluster": health(flags, primary),
        "tracker": {"aws.get.size": from_s3},
        "capacity": {
            "mountpaths": {f"/d{number}": {} for number in range(drives)},
            "total_used": str(used),
            "total_avail": str(total - used),
            "pct_max": round(100 * used / total),
        },
    }


def bucket(provider: str = "aws", *, evicts: bool = True, validates: bool = False) -> dict[str, Any]:
    return {
        "provider": provider,
        "lru": {"enabled": evicts},
        "versioning": {"enabled": True, "validate_warm_get": validates},
    }


def bmd(aws: dict[str, Any] | None = None, ais: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"uuid": "x", "version": "2", "providers": {"aws": {"@#": aws or {}}, "ais": {"@#": ais or {}}}}
