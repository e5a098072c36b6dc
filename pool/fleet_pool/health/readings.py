"""What programs and files of a node say, as values. Pure.

Every function raises Unreadable for a text that it does not understand, and takes fields that are absent or N/A as
unknown: drivers rename and drop fields, and an unknown field is no fault.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence
from typing import Any

from fleet_pool.compat import frozen


class Unreadable(Exception):
    """A text that is not what it should be."""


@frozen
class Gpu:
    """Of `nvidia-smi -q -x`. Flags are None where the driver does not say. uncorrectable: memory errors since the last
    reset. recovery: what the driver asks for, "" for nothing. slowdown: reasons of the hardware. busy: whether a
    process computes on it."""

    bus: str
    name: str
    remap_failed: bool | None
    remap_pending: bool | None
    sram_exceeded: bool | None
    uncorrectable: int | None
    recovery: str
    fabric: str
    slowdown: tuple[str, ...]
    busy: bool


def gpus(text: str) -> tuple[Gpu, ...]:
    """GPUs that `nvidia-smi -q -x` lists. Raises Unreadable."""
    start = text.find("<?xml")
    try:
        root = ElementTree.fromstring(text[max(start, 0) :].strip())
    except ElementTree.ParseError as error:
        raise Unreadable(f"`nvidia-smi -q -x` wrote no XML: {error}") from None
    if root.tag != "nvidia_smi_log":
        raise Unreadable(f"`nvidia-smi -q -x` wrote <{root.tag}>, not <nvidia_smi_log>")
    return tuple(map(_gpu, root.iterfind("gpu")))


def _gpu(gpu: ElementTree.Element) -> Gpu:
    def said(path: str) -> str:
        text = (gpu.findtext(path) or "").strip()
        return "" if text in ("N/A", "[N/A]", "None") or text.startswith("Requested functionality") else text

    def flag(path: str) -> bool | None:
        return {"Yes": True, "No": False}.get(said(path))

    counts = [
        int(each.text or 0)
        for each in gpu.iterfind("ecc_errors/volatile/*")
        if "uncorrectable" in each.tag and (each.text or "").strip().isdigit()
    ]
    # "throttle" up to driver 535, "event" from then on
    reasons = [
        each for name in ("clocks_event_reasons", "clocks_throttle_reasons") for each in gpu.iterfind(f"{name}/*")
    ]
    slow = [each.tag for each in reasons if (each.text or "").strip() == "Active"]
    named = [tag for tag in slow if tag.endswith(("hw_thermal_slowdown", "hw_power_brake_slowdown"))]
    kinds = [(each.findtext("type") or "").strip() for each in gpu.iterfind("processes/process_info")]
    return Gpu(
        bus=gpu.get("id", "?"),
        name=said("product_name"),
        remap_failed=flag("remapped_rows/remapped_row_failure"),
        remap_pending=flag("remapped_rows/remapped_row_pending"),
        sram_exceeded=flag("ecc_errors/aggregate/sram_threshold_exceeded"),
        uncorrectable=sum(counts) if counts else None,
        recovery=said("gpu_recovery_action"),
        fabric=said("fabric/state"),
        slowdown=tuple(re.sub(".*reason_", "", tag) for tag in named),
        busy=any("C" in kind for kind in kinds),
    )


@frozen
class Links:
    """NVLinks of a GPU, of `nvidia-smi nvlink --status`."""

    gpu: str
    active: int
    inactive: int


def nvlinks(text: str) -> tuple[Links, ...]:
    """Empty for GPUs without NVLink. Raises Unreadable."""
    found: list[Links] = []
    for line in text.splitlines():
        head = re.match(r"GPU (\d+): (.*?)(?: \(UUID.*)?$", line.strip())
        link = re.match(r"Link \d+: (<inactive>|[\d.]+ GB/s)", line.strip())
        if head:
            found.append(Links(gpu=f"GPU {head[1]} {head[2]}", active=0, inactive=0))
        elif link and found:
            up = link[1] != "<inactive>" and float(link[1].split()[0]) > 0
            last = found[-1]
            found[-1] = Links(gpu=last.gpu, active=last.active + up, inactive=last.inactive + (not up))
    if not found and text.strip():
        raise Unreadable("`nvidia-smi nvlink --status` lists no GPU")
    return tuple(each for each in found if each.active or each.inactive)


@frozen
class Failed:
    """A test of DCGM that failed. severity: dcgmErrorSeverity of its gravest warning; None if DCGM does not say."""

    test: str
    severity: int | None
    said: str


def dcgm(text: str) -> tuple[Failed, ...]:
    """Tests that failed in the output of `dcgmi diag --json`, of version 3 or 4. Raises Unreadable."""
    start = text.find("{")
    try:
        data = json.JSONDecoder().raw_decode(text[max(start, 0) :])[0]
        top = data.get("DCGM Diagnostic") or data["DCGM GPU Diagnostic"]
        tests = [test for category in top["test_categories"] for test in category["tests"]]
        return tuple(_failed(test["name"], one) for test in tests for one in test["results"] if _fails(one))
    except (ValueError, KeyError, TypeError, AttributeError):
        last = (text.strip().splitlines() or ["nothing"])[-1]
        raise Unreadable(f"`dcgmi diag` wrote no result: {last[:200]}") from None


def _fails(result: Mapping[str, object]) -> bool:
    return str(result["status"]).lower() == "fail"


def _failed(test: str, result: Mapping[str, Any]) -> Failed:
    warnings: Any = result.get("warnings") or ()
    # a text in version 3, a list of objects in version 4
    listed = [warnings] if isinstance(warnings, str) else list(warnings) if isinstance(warnings, Sequence) else []
    texts = [str(one.get("warning", one)) if isinstance(one, dict) else str(one) for one in listed]
    known = [
        one["error_severity"] for one in listed if isinstance(one, dict) and isinstance(one.get("error_severity"), int)
    ]
    # 2 (isolate) is the gravest, then 6 (reset); the others are no order
    severity = next((grave for grave in (2, 6) if grave in known), known[0] if known else None)
    who = result.get("entity_id", result.get("gpu_ids", "?"))
    return Failed(test=test, severity=severity, said=f"GPU {who}: {'; '.join(texts) or 'no reason given'}")


def smart(text: str) -> int:
    """Critical warning bits of a drive, from `smartctl --json --all` or `nvme smart-log --output-format=json`. Raises
    Unreadable."""
    try:
        data = json.loads(text)
        log = data.get("nvme_smart_health_information_log", data)
        value = log["critical_warning"]
        return int(value["value"] if isinstance(value, dict) else value)  # nvme-cli 2.11 nests it
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Unreadable("no SMART log in the drive's answer") from None


def degraded_arrays(mdstat: str) -> tuple[str, ...]:
    """Arrays of /proc/mdstat that lack a member, are inactive or broken."""
    found, name = [], ""
    for line in mdstat.splitlines():
        head = re.match(r"(md\S+) : (\w+)", line)
        if head:
            name = head[1]
            if head[2] != "active" or "(F)" in line:
                found.append(f"{name} {head[2]}{', a member failed' if '(F)' in line else ''}")
        members = re.search(r"\[(\d+)/(\d+)\]", line)
        if members and name and int(members[2]) < int(members[1]):
            found.append(f"{name} has {members[2]} of {members[1]} members")
    return tuple(dict.fromkeys(found))


def read_only(mounts: str, folders: Sequence[str]) -> tuple[str, ...]:
    """Which of the folders are mounted read-only, from /proc/mounts; the last mount of a folder counts."""
    options = {words[1]: words[3].split(",") for words in map(str.split, mounts.splitlines()) if len(words) > 3}
    return tuple(folder for folder in folders if "ro" in options.get(folder, ()))


def corrupted_kb(meminfo: str) -> int:
    """0 too for a kernel that does not count it."""
    found = re.search(r"^HardwareCorrupted:\s+(\d+) kB", meminfo, re.MULTILINE)
    return int(found[1]) if found else 0


def clock_off_s(tracking: str) -> float:
    """Distance of the system clock from true time, from `chronyc -n tracking`. Raises Unreadable, also for a clock that
    is not synchronised, whose distance nobody knows."""
    found = re.search(r"^System time\s*: ([\d.]+) seconds (?:slow|fast)", tracking, re.MULTILINE)
    if not found or "Not synchronised" in tracking:
        raise Unreadable("chrony does not know how far the clock is off")
    return float(found[1])


@frozen
class Counters:
    """Counters of all EFA devices at a time (seconds of this boot)."""

    at_s: float
    boot: str
    values: Mapping[str, int]  # "device/counter"


def rates(before: Counters | None, now: Counters) -> dict[str, float]:
    """Increase a second by counter; none across a boot, a counter that went back, or less than a second."""
    if before is None or before.boot != now.boot or now.at_s - before.at_s < 1:
        return {}
    gone_s = now.at_s - before.at_s
    both = {name: (before.values[name], value) for name, value in now.values.items() if name in before.values}
    return {name: (value - old) / gone_s for name, (old, value) in both.items() if value >= old}
