"""A node's metrics as Prometheus text, for the textfile collector of a node exporter.

The daemons export their own metrics at /metrics of their public ports. These are the ones that no daemon has: missing
drives, filling file systems, the end of the certificate, the bundle that the node started with.
"""

from __future__ import annotations

from collections.abc import Sequence

from fleet_pool.compat import frozen


@frozen
class DriveSpace:
    """One drive's file system. total_bytes: 0 if it is not mounted."""

    folder: str
    total_bytes: int
    free_bytes: int


@frozen
class NodeState:
    """drives_expected: of the instance type. certificate_ends_s: seconds until the certificate ends, None if the pool
    has none. daemon_active: whether the daemon's unit runs."""

    stack: str
    bundle: str
    role: str
    drives_expected: int
    drives: tuple[DriveSpace, ...]
    certificate_ends_s: float | None
    daemon_active: bool


def prometheus(seen: NodeState) -> str:
    """The text in exposition format 0.0.4, with the help of every gauge."""
    mounted = [drive for drive in seen.drives if drive.total_bytes]
    lines = [
        *_gauge(
            "planner_pool_node_info",
            "The bundle that this node started with.",
            [(f'stack="{_text(seen.stack)}",role="{_text(seen.role)}",bundle="{_text(seen.bundle)}"', 1)],
        ),
        *_gauge("planner_pool_daemon_active", "Whether the pool's daemon runs.", [("", int(seen.daemon_active))]),
        *_gauge("planner_pool_drives_expected", "Drives of the instance type.", [("", seen.drives_expected)]),
        *_gauge("planner_pool_drives_mounted", "Drives that are in the pool.", [("", len(mounted))]),
        *_gauge(
            "planner_pool_drive_size_bytes",
            "Size of a drive's file system.",
            [(f'folder="{_text(drive.folder)}"', drive.total_bytes) for drive in mounted],
        ),
        *_gauge(
            "planner_pool_drive_used_ratio",
            "Used part of a drive's file system, 0 to 1.",
            [
                (f'folder="{_text(drive.folder)}"', round(1 - drive.free_bytes / drive.total_bytes, 6))
                for drive in mounted
            ],
        ),
    ]
    if seen.certificate_ends_s is not None:
        about = "Seconds until the node's certificate ends."
        lines += _gauge("planner_pool_certificate_ends_seconds", about, [("", round(seen.certificate_ends_s))])
    return "\n".join(lines) + "\n"


def _gauge(name: str, about: str, samples: Sequence[tuple[str, float]]) -> list[str]:
    rows = [f"{name}{{{labels}}} {value}" if labels else f"{name} {value}" for labels, value in samples]
    return [f"# HELP {name} {about}", f"# TYPE {name} gauge", *rows] if rows else []


def _text(value: str) -> str:
    """A label value, escaped."""
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
