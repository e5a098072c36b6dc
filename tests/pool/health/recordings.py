"""What programs say on well nodes and on sick ones.

No recording is of a machine of ours: none here has a GPU. All are written for these tests, in the format and with the
values that public documents and reports show:

- `nvidia-smi -q -x`: element names of nvsmi_device_v12.dtd as in the full outputs that public repositories keep of
  drivers 535 (clocks_throttle_reasons), 550 and 575 (clocks_event_reasons, gpu_recovery_action).
- `nvidia-smi nvlink --status`: stas00/ml-engineering, compute/accelerator/nvidia/debug.md (H100 SXM, 18 links of
  26.562 GB/s). H100 PCIe leaves six of its links unused, which is well: public outputs of that board.
- `dcgmi diag --json`: DCGM 4 as NVIDIA documents it. The well node that fails `software` because of its persistence
  mode is what two public monitors of fleets report of well nodes (severity 5, a setting).
- Xid lines: NVIDIA, Xid errors; modal.com/docs/guide/gpu-health; Xid 154 as drivers 570 and later write it.
- SXid lines: NVIDIA, Fabric Manager user guide, appendix D.
- EFA counters: names of the Linux driver, drivers/infiniband/hw/efa/efa_verbs.c.
- chronyc, mdstat, meminfo, mounts: manual pages of chrony, md(4), proc(5).
- nccl-tests: its README.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

BUSES = tuple(f"00000000:{bus}:00.0" for bus in ("53", "64", "75", "86", "97", "A8", "B9", "CA"))


def gpu(
    bus: str = BUSES[0],
    *,
    name: str = "NVIDIA H100 80GB HBM3",
    pending: str = "No",
    failed: str = "No",
    exceeded: str = "No",
    uncorrectable: str = "0",
    recovery: str = "None",
    fabric: str = "Completed",
    slow: str = "Not Active",
    processes: str = "",
    reasons: str = "event",
) -> str:
    """One GPU. reasons: what this driver calls reasons for lower clocks."""
    return f"""
  <gpu id="{bus}">
    <product_name>{name}</product_name>
    <fabric><state>{fabric}</state><status>Success</status></fabric>
    <gpu_recovery_action>{recovery}</gpu_recovery_action>
    <ecc_mode><current_ecc>Enabled</current_ecc></ecc_mode>
    <ecc_errors>
      <volatile>
        <sram_correctable>3</sram_correctable>
        <sram_uncorrectable_parity>0</sram_uncorrectable_parity>
        <sram_uncorrectable_secded>0</sram_uncorrectable_secded>
        <dram_correctable>12</dram_correctable>
        <dram_uncorrectable>{uncorrectable}</dram_uncorrectable>
      </volatile>
      <aggregate>
        <dram_uncorrectable>7</dram_uncorrectable>
        <sram_threshold_exceeded>{exceeded}</sram_threshold_exceeded>
      </aggregate>
    </ecc_errors>
    <remapped_rows>
      <remapped_row_corr>1</remapped_row_corr>
      <remapped_row_unc>1</remapped_row_unc>
      <remapped_row_pending>{pending}</remapped_row_pending>
      <remapped_row_failure>{failed}</remapped_row_failure>
    </remapped_rows>
    <clocks_{reasons}_reasons>
      <clocks_{reasons}_reason_gpu_idle>Active</clocks_{reasons}_reason_gpu_idle>
      <clocks_{reasons}_reason_sw_power_cap>Active</clocks_{reasons}_reason_sw_power_cap>
      <clocks_{reasons}_reason_hw_thermal_slowdown>{slow}</clocks_{reasons}_reason_hw_thermal_slowdown>
    </clocks_{reasons}_reasons>
    <processes>{processes}</processes>
  </gpu>"""


COMPUTING = "<process_info><pid>4242</pid><type>C</type><process_name>python</process_name></process_info>"


def smi(*gpus: str) -> str:
    head = '<?xml version="1.0" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">\n'
    return f"{head}<nvidia_smi_log>\n  <attached_gpus>{len(gpus)}</attached_gpus>{''.join(gpus)}\n</nvidia_smi_log>\n"


WELL_SMI = smi(*map(gpu, BUSES))
# an older driver on a board without NVSwitch: fields that it lacks say N/A
OLD_SMI = smi(gpu(name="NVIDIA A10G", fabric="N/A", exceeded="N/A", pending="N/A", failed="N/A", reasons="throttle"))


def links(active: Sequence[int], of: int = 18, name: str = "NVIDIA H100 80GB HBM3") -> str:
    """active: links that are up, by GPU."""
    lines = []
    for number, up in enumerate(active):
        lines.append(f"GPU {number}: {name} (UUID: GPU-00000000-0000-0000-0000-00000000000{number})")
        lines += [f"\t Link {link}: {'26.562 GB/s' if link < up else '<inactive>'}" for link in range(of)]
    return "\n".join(lines) + "\n"


WELL_LINKS = links([18] * 8)
PCIE_LINKS = links([12] * 2, of=18, name="NVIDIA H100 PCIe")


def dcgm(*failures: tuple[str, int | None, str], version: int = 4) -> str:
    """failures: test, severity, words. Version 3 has no severity."""
    names = dict.fromkeys(("software", "memory", "pcie", *(name for name, *_ in failures)))
    tests = []
    for name in names:
        wrong = [(severity, said) for test, severity, said in failures if test == name]
        results: list[dict[str, object]] = [
            {"entity_group": "GPU", "entity_id": number, "status": "Pass"} for number in range(8)
        ]
        if wrong:
            objects = [{"warning": said, "error_id": 29, "error_severity": severity} for severity, said in wrong]
            warnings: object = objects if version == 4 else "; ".join(said for _, said in wrong)
            results[0] = {"entity_group": "GPU", "entity_id": 0, "status": "Fail", "warnings": warnings}
        tests.append({"name": name, "results": results})
    top = "DCGM Diagnostic" if version == 4 else "DCGM GPU Diagnostic"
    return json.dumps({top: {"test_categories": [{"category": "Deployment", "tests": tests}]}}, indent=1)


PERSISTENCE = ("software", 5, "Persistence Mode: Persistence mode for GPU 0 is disabled.")


def record(sequence: int, text: str) -> str:
    return f"4,{sequence},{sequence * 1000},-;{text}"


def xid(code: int, more: str = "pid=4242, name=python, something happened", bus: str = "0000:53:00") -> str:
    return f"NVRM: Xid (PCI:{bus}): {code}, {more}"


RECOVERY = "GPU recovery action changed from 0x0 (None) to {}"
SXID = "nvidia-nvswitch0: SXid (PCI:0000:05:00.0): {}, {}, Link 48 LTSSM Fault Up"
TRACKING = """Reference ID    : A9FEA97B (169.254.169.123)
Stratum         : 4
System time     : {} seconds slow of NTP time
Leap status     : {}
"""
WELL_CLOCK = TRACKING.format("0.000001234", "Normal")
WELL_MDSTAT = """Personalities : [raid0] [raid1]
md0 : active raid0 nvme1n1[0] nvme2n1[1]
      7501212672 blocks super 1.2 512k chunks

md1 : active raid1 nvme3n1[0] nvme4n1[1]
      937625600 blocks super 1.2 [2/2] [UU]
      [==>..................]  resync = 12.6% (1/8) finish=1.0min

unused devices: <none>
"""
WELL_MEMINFO = "MemTotal:       2112543488 kB\nHardwareCorrupted:     0 kB\n"
WELL_MOUNTS = """/dev/root / ext4 rw,relatime,discard 0 0
tmpfs /sys/fs/cgroup tmpfs ro,nosuid,nodev,noexec 0 0
/dev/loop0 /snap/core20/1 squashfs ro,nodev,relatime 0 0
/dev/md0 /scratch xfs rw,noatime 0 0
"""
SMART = {"critical_warning": 0, "temperature": 311, "avail_spare": 100, "media_errors": 0}
NCCL = """# nThread 1 nGpus 1 minBytes 1073741824 maxBytes 1073741824 step: 1048576(bytes)
#       size         count      type   redop    root     time   algbw   busbw #wrong
  1073741824     268435456     float     sum      -1    49507   21.69   41.57      0
# Out of bounds values : {} OK
# Avg bus bandwidth    : {}
#
"""
EFA_WELL = {
    "tx_bytes": 10**12,
    "rx_drops": 5,
    "rdma_read_wr_err": 0,
    "retrans_pkts": 120,
    "unresponsive_remote_events": 2,
}
