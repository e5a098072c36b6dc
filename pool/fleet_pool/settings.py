"""What the pool is set to, each with its reason and source: the one place that the planner and the nodes read.

Source where a line names none: AIStore 5.0 (github.com/NVIDIA/aistore v1.5.0), cmn/config.go, and trials with it on
three nodes, 2026-11. A watermark or a time is given in the unit of its name.
"""

from __future__ import annotations

import math

AISTORE_MODULE = "github.com/NVIDIA/aistore"
AISTORE_VERSION = "v1.5.0"  # engine release 5.0
DAEMON = "aisnode"

# TCP. Public and intra-cluster listeners must differ, or 5.0 does not start; control and data share the second one.
PROXY_PORT = 51080
TARGET_PORT = 51081
PROXY_INTRA_PORT = 51082
TARGET_INTRA_PORT = 51083
FIRST_PORT, LAST_PORT = PROXY_PORT, TARGET_INTRA_PORT

# Percent of a drive. 15 % between the start of eviction and a refused write (507).
CLEANUP_WATERMARK_PERCENT = 65  # deleted objects and leftovers go from here on
LOW_WATERMARK_PERCENT = 70  # eviction ends here: what is guaranteed to hot data
HIGH_WATERMARK_PERCENT = 80  # eviction begins
OUT_OF_SPACE_PERCENT = 95  # cold reads and writes answer 507
LOWEST_LOW_PERCENT, HIGHEST_LOW_PERCENT = 20, 80  # what a plan may ask of the low one: 5 % headroom at the far end

# What was read in the last hour is not evicted: 5.0 takes no less. So cold reads have a limit of their own.
DONT_EVICT_S = 3600
CAPACITY_UPDATE_S = 60  # how often a target looks at its drives; 10 s at least, 10 min by default

# A false alarm costs refetches from S3 only, so a dead target is dropped soon: the primary looks once an interval at
# who was not heard from for one, and asks again after each RETRY_FACTOR x CONTROL_OPERATION_S (ais/kalive.go). That is
# 4 to 14 s of errors; with a factor of 2 it is 8 to 18 s (16.1 s was seen), with the defaults 24 to 33 s.
KEEPALIVE_INTERVAL_S = 5
KEEPALIVE_FACTOR = 2
KEEPALIVE_RETRIES = 2
KEEPALIVE_RETRY_FACTOR = 1

CONTROL_OPERATION_S = 2  # timeout.cplane_operation
MAX_KEEPALIVE_S = 4  # twice the one above, at least
HOST_BUSY_S = 20
STARTUP_S = 30  # the shortest that 5.0 takes: how long a primary waits for targets
# A first primary without a target gives up and is started again. Told to expect one it waits all of STARTUP_S, untold
# 6 s of it: a target that came 28 s after it was in the map after 2.5 s, untold after 16.6 s.
EXPECTED_TARGETS = 1
JOIN_STARTUP_S = 60  # twice the one above, at least
SEND_FILE_S = 300
COLD_GET_CONFLICT_S = 5
OBJECT_METADATA_S = 7200

MIN_FREE_GIB = 2.0  # memory that the daemon leaves to the rest of a node; 0.1 at least
CONTROL_NODES = 3  # electable proxies: one may be lost, and the map still has a majority's memory

# Kept for a target on a GPU node, by cpuset: no quota, which throttles in bursts (NVIDIA/aistore #316).
# Measured: 0.56 core-seconds a GB served plain, 0.78 with mutual TLS, so 8 vCPU serve what one 100 Gbit/s card gives.
RESERVED_VCPU_UP_TO_96 = 8
RESERVED_VCPU_ABOVE_96 = 12
RESERVED_MEMORY_GIB = 32  # MemoryHigh of the unit: buffers and page cache of one target; a daemon itself has 0.1
CPU_WEIGHT = 1000  # ten times the default of systemd, should training wander onto the kept cores
OPEN_FILES = 262_144  # a handle a connection and a chunk

# Every drive an XFS of its own: a lost drive costs its share of a node's cache, and objects are spread by hash.
DRIVE_MODEL = "Amazon EC2 NVMe Instance Storage"  # EC2 User Guide, "SSD instance store volumes"
MOUNT_OPTIONS = ("noatime", "nodiratime", "logbufs=8", "logbsize=256k", "largeio", "inode64", "swalloc")  # AIStore docs
MOUNT_FOLDER = "/var/lib/planner/pool"  # a folder a drive below it, named by the drive's serial number

# Where things lie on a node.
CONF_FOLDER = "/etc/planner"
STATE_FOLDER = "/var/lib/planner"
TLS_FOLDER = "/etc/planner/tls"

SHORTEST_DAEMON_ID = 8  # 5.0 panics on a shorter one

# Leaving: cached reads go on while the map spreads, then nothing is asked of the node any more.
DRAIN_SETTLE_S = 5
NOTICE_POLL_S = 5  # AWS asks for every 5 s; a notice comes two minutes ahead
NOTICE_S = 120

S3_UPLOAD_PART_MIB = 128  # objects beyond it go up in parts of it; 5.0's default


class BadSetting(ValueError):
    """A setting that the pool cannot take: what was asked, and what it can be."""


def reserved_vcpu(vcpu: int) -> int:
    """vCPUs kept for the target on a GPU node that has `vcpu` of them: 8 up to 96, 12 above, never more than half."""
    kept = RESERVED_VCPU_UP_TO_96 if vcpu <= 96 else RESERVED_VCPU_ABOVE_96
    return min(kept, max(1, vcpu // 2))


def low_watermark_percent(fraction: float) -> int:
    """The low watermark as the engine takes it, whole percent. Raises BadSetting where it cannot be set."""
    percent = fraction * 100
    if not math.isfinite(percent) or abs(percent - round(percent)) > 1e-6:
        raise BadSetting(f"the pool's low watermark is a whole percent, not {percent:g} %: take 0.70 or the like")
    if not LOWEST_LOW_PERCENT <= round(percent) <= HIGHEST_LOW_PERCENT:
        raise BadSetting(
            f"the pool's low watermark lies between {LOWEST_LOW_PERCENT} and {HIGHEST_LOW_PERCENT} %, "
            f"not at {percent:g} %: eviction begins 10 % above it, and drives refuse writes at {OUT_OF_SPACE_PERCENT} %"
        )
    return round(percent)


def daemon_id(role: str, node: str) -> str:
    """A daemon's id from its role and what its node is called (an instance id): letters and digits, 8 at least.

    A replaced instance is a new id, so that drives of another node are refused. Raises BadSetting.
    """
    told = role[:1] + "".join(letter for letter in node if letter.isascii() and letter.isalnum())
    if role not in ("proxy", "target"):
        raise BadSetting(f"a daemon is a proxy or a target, not {role!r}")
    if len(told) < SHORTEST_DAEMON_ID:
        raise BadSetting(f"daemon id {told!r} is too short: the engine takes {SHORTEST_DAEMON_ID} characters or more")
    return told
