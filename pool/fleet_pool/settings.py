"""The pool's settings, each with its reason and source. The planner and the nodes both read them here.

Source, unless a line names one: AIStore 5.0 (github.com/NVIDIA/aistore v1.5.0), cmn/config.go, and trials with it on
three nodes, 2026-11. Units are in the names.
"""

from __future__ import annotations

import math

AISTORE_VERSION = "v1.5.0"  # engine release 5.0
DAEMON = "aisnode"

# TCP. Public and intra-cluster listeners must differ, or 5.0 does not start; control and data share the second one.
PROXY_PORT = 51080
TARGET_PORT = 51081
PROXY_INTRA_PORT = 51082
TARGET_INTRA_PORT = 51083
FIRST_PORT, LAST_PORT = PROXY_PORT, TARGET_INTRA_PORT

# Percent of a drive. 15 % between the start of eviction and a refused write (507).
CLEANUP_WATERMARK_PERCENT = 65  # deleted objects and leftovers are removed above it
LOW_WATERMARK_PERCENT = 70  # eviction ends here: the share guaranteed to hot data
HIGH_WATERMARK_PERCENT = 80  # eviction begins
OUT_OF_SPACE_PERCENT = 95  # cold reads and writes answer 507
LOWEST_LOW_PERCENT, HIGHEST_LOW_PERCENT = 20, 80  # range that a plan may set; leaves 5 % headroom at its end

# Data read within the last hour is not evicted (the minimum of 5.0), so the rate of cold reads is limited.
DONT_EVICT_S = 3600
CAPACITY_UPDATE_S = 60  # how often a target checks its drives; minimum 10 s, default 10 min

# A false alarm only costs refetches from S3, so a dead target is dropped early. Once an interval the primary checks who
# was not heard from, and asks again after each RETRY_FACTOR x CONTROL_OPERATION_S (ais/kalive.go). That gives 4 to 14 s
# of errors; a factor of 2 gives 8 to 18 s (16.1 s was measured), the defaults give 24 to 33 s.
KEEPALIVE_INTERVAL_S = 5
KEEPALIVE_FACTOR = 2
KEEPALIVE_RETRIES = 2
KEEPALIVE_RETRY_FACTOR = 1

CONTROL_OPERATION_S = 2  # timeout.cplane_operation
MAX_KEEPALIVE_S = 4  # at least twice the one above
HOST_BUSY_S = 20
STARTUP_S = 30  # how long a primary waits for targets; the minimum of 5.0
# A first primary without a target gives up and is restarted. If it expects one it waits all of STARTUP_S, otherwise
# 6 s: a target that started 28 s later was in the map after 2.5 s instead of 16.6 s.
EXPECTED_TARGETS = 1
JOIN_STARTUP_S = 60  # at least twice the one above
SEND_FILE_S = 300
COLD_GET_CONFLICT_S = 5
OBJECT_METADATA_S = 7200

MIN_FREE_GIB = 2.0  # memory that the daemon leaves free on a node; minimum 0.1
CONTROL_NODES = 3  # electable proxies: with one lost, a majority still has the map

# Reserved for a target on a GPU node, by cpuset; a CPU quota would throttle in bursts (NVIDIA/aistore #316).
# Measured: 0.56 core-seconds per GB served, 0.78 with mutual TLS, so 8 vCPU saturate one 100 Gbit/s card.
RESERVED_VCPU_UP_TO_96 = 8
RESERVED_VCPU_ABOVE_96 = 12
RESERVED_MEMORY_GIB = 32  # MemoryHigh of the unit: buffers and page cache of one target; the daemon itself uses 0.1
CPU_WEIGHT = 1000  # ten times the systemd default, in case training runs on the reserved cores
OPEN_FILES = 262_144  # one handle per connection and per chunk

# One XFS per drive: a lost drive costs its share of a node's cache, and objects are spread by hash.
DRIVE_MODEL = "Amazon EC2 NVMe Instance Storage"  # EC2 User Guide, "SSD instance store volumes"
MOUNT_OPTIONS = ("noatime", "nodiratime", "logbufs=8", "logbsize=256k", "largeio", "inode64", "swalloc")  # AIStore docs
MOUNT_FOLDER = "/var/lib/planner/pool"  # one folder per drive below it, named by the drive's serial number

# Files over the pool: JuiceFS, with blocks below this prefix of the data bucket, and where jobs see them.
JUICEFS_VERSION = "1.4.2"
JUICEFS = "juicefs"
FILES_VOLUME = "files"
FILES_FOLDER = "/files"
# of the engine's S3 door, cmn/feat/feat.go: S3-Reverse-Proxy, S3-API-via-Root. Its code calls the first one deprecated
FILES_FEATURES = 1 << 13 | 1 << 3

# Folders on a node.
CONF_FOLDER = "/etc/planner"
STATE_FOLDER = "/var/lib/planner"
TLS_FOLDER = "/etc/planner/tls"

SHORTEST_DAEMON_ID = 8  # 5.0 panics on a shorter one

# Leaving: cached reads continue while the new map spreads; after that the node gets no requests.
DRAIN_SETTLE_S = 5
NOTICE_POLL_S = 5  # AWS recommends every 5 s; a notice comes two minutes ahead
NOTICE_S = 120


class BadSetting(ValueError):
    """A setting that the pool cannot have: the value, and what is allowed."""


def reserved_vcpu(vcpu: int) -> int:
    """vCPUs reserved for the target on a GPU node that has `vcpu`: 8 up to 96, 12 above, never more than half."""
    kept = RESERVED_VCPU_UP_TO_96 if vcpu <= 96 else RESERVED_VCPU_ABOVE_96
    return min(kept, max(1, vcpu // 2))


def low_watermark_percent(fraction: float) -> int:
    """The low watermark in whole percent, as the engine wants it. Raises BadSetting for a value out of range."""
    percent = fraction * 100
    if not math.isfinite(percent) or abs(percent - round(percent)) > 1e-6:
        raise BadSetting(f"the pool's low watermark must be a whole percent, such as 0.70; {percent:g} % is not")
    if not LOWEST_LOW_PERCENT <= round(percent) <= HIGHEST_LOW_PERCENT:
        raise BadSetting(
            f"the pool's low watermark must be between {LOWEST_LOW_PERCENT} and {HIGHEST_LOW_PERCENT} %, not "
            f"{percent:g} %: eviction begins 10 % above it, and drives refuse writes at {OUT_OF_SPACE_PERCENT} %"
        )
    return round(percent)


def daemon_id(role: str, node: str) -> str:
    """A daemon's id from its role and its node's name (an instance id): at least 8 letters and digits.

    A replaced instance gets a new id, so that drives of another node are refused. Raises BadSetting.
    """
    name = role[:1] + "".join(letter for letter in node if letter.isascii() and letter.isalnum())
    if role not in ("proxy", "target"):
        raise BadSetting(f"a daemon is a proxy or a target, not {role!r}")
    if len(name) < SHORTEST_DAEMON_ID:
        raise BadSetting(f"daemon id {name!r} is too short: the engine needs at least {SHORTEST_DAEMON_ID} characters")
    return name
