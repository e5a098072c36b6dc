"""GPUs and EFA devices of a node: all of them there, and fit for work."""

from __future__ import annotations

import re

from fleet_pool.node.facts import Expected
from fleet_pool.node.machine import Machine, NotReady, counted

INFINIBAND = "/sys/class/infiniband"
# CUDA Driver API, cuInit and CUresult. In a process of its own: a driver that hangs or crashes takes nothing with it
CUDA = """\
import ctypes, sys
try:
    cuda = ctypes.CDLL("libcuda.so.1")
except OSError:
    print("no libcuda.so.1")
    sys.exit()
code, count = cuda.cuInit(0), ctypes.c_int()
code = code or cuda.cuDeviceGetCount(ctypes.byref(count))
print(f"error {code}" if code else count.value)
"""
MEANS = {
    "100": "CUDA sees no device",
    "802": "system not yet initialized: NVIDIA's fabric manager does not run (systemctl status nvidia-fabricmanager)",
    "803": "driver and CUDA library are of different versions",
    "999": "unknown error of the driver (dmesg)",
}
_FABRIC = re.compile(r"^ +Fabric\n +State +: (?P<state>.+)\n +Status +: (?P<status>.+)$", re.MULTILINE)


def efa_devices(machine: Machine, folder: str = INFINIBAND) -> list[str]:
    """The devices whose driver is efa. p6 instances show bridges of their NVLink beside them, with another driver
    (aws/sagemaker-hyperpod-cli pull request 282: 8 rdmap* and 2 ibp* on p6-b200)."""
    return [name for name in machine.entries(folder) if machine.link(f"{folder}/{name}/device/driver") == "efa"]


def efa(machine: Machine, expected: int) -> str:
    if not expected:
        return "none expected"
    return counted(len(efa_devices(machine)), expected, f"EFA devices in {INFINIBAND}")


def gpus(machine: Machine, expected: Expected) -> str:
    if expected.neuron:
        devices = [name for name in machine.entries("/dev") if name[:6] == "neuron" and name[6:].isdigit()]
        return counted(len(devices), expected.neuron, "Neuron devices in /dev")
    if not expected.nvidia:
        return "none expected"
    try:
        names = machine.run("nvidia-smi", "--query-gpu=name", "--format=csv,noheader").split("\n")
    except NotReady as problem:
        if "has no nvidia-smi" not in str(problem):
            raise
        names = machine.entries("/proc/driver/nvidia/gpus")
        return f"{counted(len(names), expected.nvidia, 'GPUs in /proc/driver/nvidia')}{_cuda(machine, expected)}"
    found = counted(len([name for name in names if name.strip()]), expected.nvidia, f"GPUs ({names[0].strip()})")
    return f"{found}{_fabric(machine)}{_cuda(machine, expected)}"


def _fabric(machine: Machine) -> str:
    """NVLink between the GPUs, which the fabric manager sets up. Types without an NVSwitch of that kind say N/A.

    NVIDIA Fabric Manager User Guide, "GPU fabric state": a GPU that is not registered works alone, without its peers.
    """
    found = [(one["state"].strip(), one["status"].strip()) for one in _FABRIC.finditer(machine.run("nvidia-smi", "-q"))]
    known = [(state, status) for state, status in found if state != "N/A"]
    wrong = [(state, status) for state, status in known if (state, status) != ("Completed", "Success")]
    if wrong:
        state, status = wrong[0]
        raise NotReady(
            f"NVLink of {len(wrong)} of {len(found)} GPUs is not set up (Fabric: {state}, {status}): "
            "systemctl status nvidia-fabricmanager"
        )
    return ", NVLink set up" if known else ""


def _cuda(machine: Machine, expected: Expected) -> str:
    """Whether a program can begin. What has no CUDA library is not asked."""
    said = machine.run("python3", "-c", CUDA).strip()
    if said == "no libcuda.so.1":
        return f", CUDA not asked: {said}"
    if said.startswith("error "):
        code = said.partition(" ")[2]
        raise NotReady(f"CUDA does not start: cuInit says {code}, {MEANS.get(code, 'see CUresult')}")
    return f", {counted(int(said), expected.nvidia, 'for CUDA')}"
