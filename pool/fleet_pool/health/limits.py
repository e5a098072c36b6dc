"""Every check with its limit, what follows, and who says so: one table. Pure.

A reading that cannot be taken or understood is never a reason to drain a node: it is reported (Meta's health checks of
clusters, facebookresearch/gcm, do the same: exit 0, 1, 2).
"""

from __future__ import annotations

from enum import IntEnum

from fleet_pool.compat import frozen


class Action(IntEnum):
    """What follows a finding; the highest of a node's findings counts."""

    OK = 0
    REPORT = 1  # a line in the log, and nothing else
    DRAIN = 2  # no new job; what runs may end
    RESTART = 3  # drain, then restart the node once
    REPLACE = 4  # drain, then another instance


@frozen
class Limit:
    """One check. when: the verbs that do it. limit: what is well, in words. most: its number, where it has one."""

    check: str
    when: str
    limit: str
    action: Action
    source: str
    most: float = 0.0


FAST, START, WATCH = "fast start deep", "start deep", "watch fast start deep"
HYPERPOD = "Amazon SageMaker HyperPod, health checks at start"
MEMORY = "NVIDIA, GPU memory error management"
SMI = "NVIDIA, nvidia-smi -q"
FABRIC = "NVIDIA, Fabric Manager user guide"
EFA = "AWS, eks-node-monitoring-agent, monitors/networking/efa: a warning there"
_ROWS: tuple[tuple[str, str, str, Action, str, float], ...] = (
    ("gpu-count", FAST, "as many as the type has", Action.REPLACE, HYPERPOD, 0),
    ("row-remap-failed", FAST, "No", Action.REPLACE, MEMORY, 0),
    ("row-remap-pending", FAST, "No", Action.RESTART, MEMORY, 0),
    ("sram-threshold", FAST, "not exceeded", Action.REPLACE, MEMORY, 0),
    ("ecc-uncorrectable", FAST, "0; a contained error is remapped: the rows above see it", Action.REPORT, MEMORY, 0),
    ("recovery-action", FAST, "no Reset, Reboot, Drain and Reset", Action.RESTART, SMI, 0),
    ("fabric", FAST, "Completed, or N/A: CUDA does not start before", Action.RESTART, FABRIC, 0),
    ("slowdown", FAST, "no thermal slowdown or power brake by hardware", Action.REPORT, SMI, 0),
    ("nvlink", FAST, "as many active links as the other GPUs, and as the type has", Action.REPLACE, HYPERPOD, 0),
    ("xid", WATCH, "none but those of programs, below", Action.REPLACE, "NVIDIA, Xid catalogue; AWS, below", 0),
    ("sxid", WATCH, "none that is Fatal: reset GPUs and switches", Action.RESTART, FABRIC, 0),
    ("efa-count", FAST, "as many as were asked for", Action.REPLACE, HYPERPOD, 0),
    ("efa-port", FAST, "4: ACTIVE", Action.DRAIN, "Linux, ABI sysfs-class-infiniband", 0),
    ("efa-errors", FAST, "100 a second", Action.REPORT, EFA, 100),
    ("efa-retransmits", FAST, "1,000 packets a second", Action.REPORT, EFA, 1000),
    ("drive-count", FAST, "as many as the type has", Action.REPLACE, HYPERPOD, 0),
    ("drive-health", START, "no critical warning; heat is reported", Action.REPLACE, "NVM Express, SMART log", 0),
    ("raid", FAST, "no member missing in /proc/mdstat", Action.REPLACE, "Linux, md(4)", 0),
    ("mount", FAST, "/, /scratch and the file system writable", Action.DRAIN, "Linux, mount: errors=remount-ro", 0),
    ("memory", FAST, "HardwareCorrupted 0 kB", Action.REPLACE, "Linux, /proc/meminfo", 0),
    ("clock", FAST, "1 s off at most", Action.REPORT, "ours, a guess; planner-ready holds a node without time", 1),
    ("dcgm", START, "no Fail; by its severity, below", Action.REPLACE, "NVIDIA, DCGM diagnostics, dcgm_errors.h", 0),
    ("pair", "pair", "half the median of all nodes", Action.DRAIN, "ours, a guess, after HyperPod", 0.5),
    ("all-reduce", "all-reduce", "0.8 of the median of earlier passes", Action.DRAIN, "ours, a guess", 0.8),
)
LIMITS = {
    check: Limit(check=check, when=when, limit=limit, action=action, source=source, most=most)
    for check, when, limit, action, source, most in _ROWS
}

# what takes a while after a boot, and is only reported for so long: drivers load, the fabric is set up
SETTLING, SETTLED_S = ("gpu-count", "fabric", "nvlink", "efa-count", "drive-count"), 300.0

# links by words in the GPU's name; others are compared with their neighbours alone. NVIDIA, A100 and H100 whitepapers
NVLINKS = {"A100-SXM": 12, "H100 80GB HBM3": 18, "H200": 18, "B200": 18}


@frozen
class Xid:
    action: Action
    meaning: str


def _xids(action: Action, table: str) -> dict[int, Xid]:
    rows = (line.split(None, 1) for line in table.strip().splitlines())
    return {int(code): Xid(action=action, meaning=meaning) for code, meaning in rows}


# AWS replaces for the first: ECS developer guide, "GPU auto repair"; aws/eks-node-monitoring-agent, WellKnownXidCodes
# (read 2026-11-27). NVIDIA's catalogue resets first for some of them; a rented node is replaced. The second mend with a
# reset. The third are of programs, and never drain
XIDS = {
    **_xids(
        Action.REPLACE,
        """
        46 GPU stopped processing
        48 uncorrectable memory error
        54 auxiliary power is not connected
        62 internal micro-controller halted
        64 a row could not be remapped
        74 NVLink error
        79 GPU has fallen off the bus
        95 uncontained memory error
        109 context switch timed out
        110 security fault
        136 link training failed
        140 unrecovered memory error
        142 on AWS's list
        143 GPU did not start
        151 on AWS's list
        155 on AWS's list
        156 on AWS's list
        158 on AWS's list
        """,
    ),
    **_xids(
        Action.RESTART,
        """
        63 a row is remapped at the next reset
        94 contained memory error
        119 GSP does not answer
        120 GSP error
        """,
    ),
    **_xids(
        Action.OK,
        """
        13 exception of the program
        31 memory page fault of the program
        43 the program stopped
        45 clean-up after the program
        """,
    ),
}
RECOVERY = 154  # the driver names what it needs: (None), (GPU Reset Required), (Node Reboot Required), ...
# dcgmErrorSeverity of a failed DCGM test (NVIDIA/DCGM, dcgm_errors.h); without one: Action.DRAIN
DCGM_SEVERITY = {1: Action.REPORT, 2: Action.REPLACE, 5: Action.REPORT, 6: Action.RESTART}
