"""Readings against limits: what is wrong with a node, and what each fault calls for. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from fleet_pool.compat import frozen
from fleet_pool.health.kernel_log import Event, action_of
from fleet_pool.health.limits import DCGM_SEVERITY, LIMITS, NVLINKS, XIDS, Action
from fleet_pool.health.readings import Failed, Gpu, Links

EFA_ERRORS = ("rdma_read_wr_err", "rdma_write_wr_err", "rx_drops", "unresponsive_remote_events")
EFA_ERRORS += ("impaired_remote_conn_events", "retrans_timeout_events")
EFA_RETRANSMITS = "retrans_pkts"
ACTIVE = "4: ACTIVE"
HOT = 0b10  # the bit of a drive's critical warning for temperature


@frozen
class Finding:
    """One fault. check: its row of the limits."""

    check: str
    action: Action
    said: str

    def __str__(self) -> str:
        return f"{self.action.name.lower():<7} {self.check}: {self.said}"


def found(check: str, said: str, action: Action | None = None) -> Finding:
    return Finding(check=check, action=LIMITS[check].action if action is None else action, said=said)


def unknown(check: str, why: object) -> Finding:
    """A check that could not be done, which says nothing about the node."""
    return Finding(check=check, action=Action.REPORT, said=f"not known: {why}")


def counted(check: str, number: int, expected: int, what: str) -> list[Finding]:
    """None at all is an image without the driver: on another instance it would be the same."""
    if number >= expected:
        return []
    return [found(check, f"{number} of {expected} {what}", None if number else Action.DRAIN)]


def of_gpus(gpus: Sequence[Gpu], expected: int) -> list[Finding]:
    wrong = counted("gpu-count", len(gpus), expected, "GPUs")
    for gpu in gpus:
        if gpu.remap_failed:
            wrong.append(found("row-remap-failed", f"GPU {gpu.bus}: a row of its memory could not be replaced"))
        if gpu.remap_pending:
            wrong.append(
                found("row-remap-pending", f"GPU {gpu.bus}: a row of its memory is replaced at the next reset")
            )
        if gpu.sram_exceeded:
            wrong.append(found("sram-threshold", f"GPU {gpu.bus}: too many errors of its SRAM"))
        if gpu.uncorrectable:
            wrong.append(found("ecc-uncorrectable", f"GPU {gpu.bus}: {gpu.uncorrectable} since the last reset"))
        if any(word in gpu.recovery for word in ("Reset", "Reboot")):
            wrong.append(found("recovery-action", f"GPU {gpu.bus}: the driver asks for {gpu.recovery}"))
        if gpu.fabric not in ("", "Completed"):
            wrong.append(found("fabric", f"GPU {gpu.bus}: NVSwitch fabric is {gpu.fabric}"))
        if gpu.slowdown:
            wrong.append(found("slowdown", f"GPU {gpu.bus}: {', '.join(gpu.slowdown)}"))
    return wrong


def of_nvlinks(links: Sequence[Links]) -> list[Finding]:
    """Boards without NVSwitch leave links unused on every GPU alike, so neighbours are the measure; where the type's
    number is known, that too."""
    most = max((each.active for each in links), default=0)
    wrong = []
    for each in links:
        known = next((number for name, number in NVLINKS.items() if name in each.gpu), 0)
        if each.active < max(most, known):
            wrong.append(found("nvlink", f"{each.gpu}: {each.active} of {max(most, known)} links active"))
    return wrong


def of_kernel(events: Iterable[Event]) -> list[Finding]:
    """One finding by code and device, however often it came."""
    times = Counter((event.kind, event.code, event.bus, action_of(event)) for event in events)
    wrong = []
    for (kind, code, bus, action), number in times.items():
        if action is Action.OK:
            continue
        meaning = XIDS[code].meaning if kind == "xid" and code in XIDS else ""
        often = f", {number} times" if number > 1 else ""
        wrong.append(found(kind, f"{kind} {code} on {bus}{f' ({meaning})' if meaning else ''}{often}", action))
    return wrong


def of_efa(states: Mapping[str, str], expected: int, rates: Mapping[str, float]) -> list[Finding]:
    """states: of port 1 by device, "" where it cannot be read. rates: increase a second by device/counter."""
    wrong = counted("efa-count", len(states), expected, "EFA devices")
    for device, state in states.items():
        if state not in ("", ACTIVE):
            wrong.append(found("efa-port", f"{device} is {state}"))
    for name, rate in rates.items():
        counter = name.rpartition("/")[2]
        check = "efa-errors" if counter in EFA_ERRORS else "efa-retransmits" if counter == EFA_RETRANSMITS else ""
        if check and rate > LIMITS[check].most:
            wrong.append(found(check, f"{name} grows by {rate:,.0f} a second"))
    return wrong


def of_drive(name: str, warning: int) -> list[Finding]:
    if not warning:
        return []
    return [
        found("drive-health", f"{name}: critical warning {warning:#04x}", Action.REPORT if warning == HOT else None)
    ]


def of_dcgm(failed: Sequence[Failed]) -> list[Finding]:
    """A persistence mode that is off fails level 1 on every well node of some images: DCGM gives it the severity of a
    setting, older versions only the words."""
    wrong = []
    for each in failed:
        by_severity = Action.DRAIN if each.severity is None else DCGM_SEVERITY.get(each.severity, Action.DRAIN)
        setting = each.severity is None and "ersistence mode" in each.said
        wrong.append(found("dcgm", f"{each.test}: {each.said[:300]}", Action.REPORT if setting else by_severity))
    return wrong


def of_clock(off_s: float) -> list[Finding]:
    return [found("clock", f"{off_s:.3f} s off")] if off_s > LIMITS["clock"].most else []
