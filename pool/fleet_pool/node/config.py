"""The two configuration files of a daemon as plain data: one for the cluster, one for the node. Pure.

The cluster's file is the same on every node; the primary's copy is the one that counts. A section that is left out
gets the engine's defaults; one that is present must be complete. docs/pool.md gives the reasons in a table.
"""

from __future__ import annotations

from typing import Any

from fleet_pool import settings
from fleet_pool.compat import frozen


@frozen
class Tls:
    """Paths on the node: its certificate, its key, and the authority that both sides are verified with."""

    certificate: str
    key: str
    authority: str


@frozen
class Watermarks:
    """Percent of a drive, in order: cleanup <= low <= high <= out of space."""

    cleanup: int
    low: int
    high: int
    out_of_space: int


@frozen
class ClusterSettings:
    """What all daemons of a pool agree on.

    proxies: addresses of the electable proxies; the first is primary of a new pool, the next two are asked for the
    primary afterwards. min_free_gib: memory that a daemon leaves free on its node. to_journal: log to stderr instead
    of files. s3_door: whether programs reach the pool as S3.
    """

    proxies: tuple[str, ...]
    tls: Tls | None
    watermarks: Watermarks
    min_free_gib: float
    to_journal: bool
    s3_door: bool = False


@frozen
class NodeSettings:
    """One daemon. role: "proxy" or "target". address: for other daemons. public_addresses: for clients, one for each
    network card. mountpaths: of a target's drives, one file system each; none for a proxy."""

    role: str
    address: str
    public_addresses: tuple[str, ...]
    conf_folder: str
    log_folder: str
    mountpaths: tuple[str, ...]


def watermarks(low_percent: int) -> Watermarks:
    """The four watermarks for a low one of `low_percent`, with the standard distances."""
    moved = low_percent - settings.LOW_WATERMARK_PERCENT
    return Watermarks(
        cleanup=settings.CLEANUP_WATERMARK_PERCENT + moved,
        low=low_percent,
        high=settings.HIGH_WATERMARK_PERCENT + moved,
        out_of_space=settings.OUT_OF_SPACE_PERCENT,
    )


def url(address: str, port: int, tls: bool) -> str:
    return f"{'https' if tls else 'http'}://{address}:{port}"


def proxy_url(cluster: ClusterSettings, number: int) -> str:
    """Of an electable proxy, as the other daemons call it."""
    return url(cluster.proxies[number], settings.PROXY_INTRA_PORT, cluster.tls is not None)


def cluster_config(cluster: ClusterSettings) -> dict[str, Any]:
    """The cluster's file, ais.json. Raises BadSetting."""
    marks = cluster.watermarks
    if not cluster.proxies:
        raise settings.BadSetting("a pool needs at least one electable proxy: no address was given")
    if not 0 < marks.cleanup <= marks.low <= marks.high <= marks.out_of_space <= 100:
        raise settings.BadSetting(f"watermarks must rise in the order cleanup, low, high, out of space: {marks}")
    if cluster.min_free_gib < 0.1:
        raise settings.BadSetting(f"a daemon must leave at least 0.1 GiB of memory free, not {cluster.min_free_gib:g}")
    primary = proxy_url(cluster, 0)
    alive = {"interval": _s(settings.KEEPALIVE_INTERVAL_S), "name": "heartbeat", "factor": settings.KEEPALIVE_FACTOR}
    return {
        "backend": {"aws": {}},  # all buckets are in S3; credentials come from the instance's role
        "log": {
            "level": "3",
            "max_size": "10mb",
            "max_total": "256mb",
            "flush_time": "10s",
            "stats_time": "60s",
            "to_stderr": cluster.to_journal,
        },
        "proxy": {
            "primary_url": primary,
            # other proxies to ask; a daemon skips itself, so each of three has two others
            "original_url": proxy_url(cluster, 2) if len(cluster.proxies) > 2 else primary,
            "discovery_url": proxy_url(cluster, 1) if len(cluster.proxies) > 1 else "",
            "non_electable": False,  # 5.0 ignores it: a gateway is joined as non-electable instead
        },
        "timeout": {
            "cplane_operation": _s(settings.CONTROL_OPERATION_S),
            "max_keepalive": _s(settings.MAX_KEEPALIVE_S),
            "cold_get_conflict": _s(settings.COLD_GET_CONFLICT_S),
            "max_host_busy": _s(settings.HOST_BUSY_S),
            "startup_time": _s(settings.STARTUP_S),
            "join_startup_time": _s(settings.JOIN_STARTUP_S),
            "send_file_time": _s(settings.SEND_FILE_S),
            "ec_streams_time": "10m",
            "object_md": _s(settings.OBJECT_METADATA_S),
        },
        "keepalivetracker": {
            "proxy": alive,
            "target": dict(alive),
            "num_retries": settings.KEEPALIVE_RETRIES,
            "retry_factor": settings.KEEPALIVE_RETRY_FACTOR,
        },
        "space": {
            "cleanupwm": marks.cleanup,
            "lowwm": marks.low,
            "highwm": marks.high,
            "out_of_space": marks.out_of_space,
            "batch_size": 32_768,
            "dont_cleanup_time": "120m",
        },
        "lru": {  # off if the section is absent
            "dont_evict_time": _s(settings.DONT_EVICT_S),
            "capacity_upd_time": _s(settings.CAPACITY_UPDATE_S),
            "batch_size": 32_768,
            "enabled": True,
        },
        "rebalance": {  # S3 has every object: a lost node's share is fetched again, nothing moves between nodes
            "dest_retry_time": "2m",
            "compression": "never",
            "bundle_multiplier": 2,
            "enabled": False,
        },
        "resilver": {"enabled": True},
        "checksum": {
            "type": "xxhash2",
            # the engine takes the ETag for the object's MD5, which it is not under KMS: every cold read would fail
            # (AIStore v1.5.0, ais/backend/aws.go; Amazon S3 API reference, "Object", ETag)
            "validate_cold_get": False,
            "validate_warm_get": False,
            "validate_obj_move": False,
            "enable_read_range": False,
        },
        "memsys": {
            "min_free": f"{round(cluster.min_free_gib * 1024)}mib",
            "default_buf": "32kb",
            "to_gc": "2gb",
            "hk_time": "90s",
            "min_pct_total": 0,
            "min_pct_free": 0,
        },
        # keys are written once; a bucket of kind "rewritten" sets validate_warm_get for itself
        "versioning": {"enabled": True, "validate_warm_get": False},
        "net": {"l4": {"proto": "tcp", "sndrcv_buf_size": 131_072}, "http": _http(cluster.tls)},
        "auth": _AUTH if cluster.tls else {},
        **({"features": str(settings.FILES_FEATURES)} if cluster.s3_door else {}),
    }


def local_config(node: NodeSettings) -> dict[str, Any]:
    """The node's own file, ais_local.json. Raises BadSetting."""
    if node.role not in ("proxy", "target"):
        raise settings.BadSetting(f"a daemon is a proxy or a target, not {node.role!r}")
    if (node.role == "target") != bool(node.mountpaths):
        wrong = "needs at least one drive" if node.role == "target" else "has no drives"
        raise settings.BadSetting(f"a {node.role} {wrong}; got {len(node.mountpaths)}")
    intra = settings.PROXY_INTRA_PORT if node.role == "proxy" else settings.TARGET_INTRA_PORT
    return {
        "confdir": node.conf_folder,
        "log_dir": node.log_folder,
        "host_net": {
            "hostname": ",".join(node.public_addresses),
            "hostname_intra_control": node.address,
            "hostname_intra_data": node.address,
            "port": str(settings.PROXY_PORT if node.role == "proxy" else settings.TARGET_PORT),
            "port_intra_control": str(intra),
            "port_intra_data": str(intra),
        },
        "fspaths": dict.fromkeys(node.mountpaths, ""),
        "test_fspaths": {"root": "", "count": 0, "instance": 0},
    }


def environment(cluster: ClusterSettings, node: NodeSettings, region: str) -> dict[str, str]:
    """Environment variables of a daemon: Region, TLS files, and for the first proxy that it is primary of a new pool
    (it still joins an existing one)."""
    found = {"AWS_REGION": region, "AIS_USE_HTTPS": "true" if cluster.tls else "false"}
    if node.role == "proxy" and node.address == cluster.proxies[0]:
        found["AIS_PRIMARY_EP"] = proxy_url(cluster, 0)
    if cluster.tls:
        found["AIS_CRT"] = cluster.tls.certificate
        found["AIS_CRT_KEY"] = cluster.tls.key
        found["AIS_CLIENT_CA"] = cluster.tls.authority
    return found


def arguments(node: NodeSettings, node_name: str) -> tuple[str, ...]:
    """The daemon's arguments; its two files are in its configuration folder."""
    return command_line(node.role, node.conf_folder, settings.daemon_id(node.role, node_name))


def command_line(role: str, conf_folder: str, daemon_id: str) -> tuple[str, ...]:
    """The same for a given id, or for a reference to a variable that has it."""
    return (
        f"-config={conf_folder}/ais.json",
        f"-local_config={conf_folder}/ais_local.json",
        f"-role={role}",
        f"-daemon_id={daemon_id}",
        *((f"-ntargets={settings.EXPECTED_TARGETS}",) if role == "proxy" else ()),
    )


# proxies ask clients for a token; the key to check it with is in the daemon's environment: node/tokens.py. What daemons
# say to each other 5.0 does not sign
_AUTH = {"client_auth_required": True, "signature": {"method": "RS256", "key": ""}}


def _http(tls: Tls | None) -> dict[str, Any]:
    return {
        "use_https": tls is not None,
        "server_crt": tls.certificate if tls else "",
        "server_key": tls.key if tls else "",
        "domain_tls": "",
        "client_ca_tls": tls.authority if tls else "",
        "client_auth_tls": 4 if tls else 0,  # clients must present a certificate of the authority
        "idle_conn_time": "6s",
        "idle_conns_per_host": 32,
        "idle_conns": 256,
        "write_buffer_size": 65_536,
        "read_buffer_size": 65_536,
        "chunked_transfer": True,
        "skip_verify": False,
    }


def _s(seconds: int) -> str:
    """A duration in the engine's format."""
    return f"{seconds}s"
