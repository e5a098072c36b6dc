"""Every limit, with what a well node says and what a sick one says. False alarms are worse than none."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from fleet_pool.health import judge, readings
from fleet_pool.health.judge import Finding
from fleet_pool.health.kernel_log import Stream
from fleet_pool.health.limits import LIMITS, XIDS, Action
from fleet_pool.health.readings import Counters, Unreadable

from tests.pool.health import recordings as say
from tests.pool.health.recordings import gpu, smi

Found = list[Finding]


def gpus(text: str, expected: int = 8) -> Found:
    return judge.of_gpus(readings.gpus(text), expected)


def one(**wrong: str) -> Found:
    """A node of eight GPUs, one of which differs."""
    return gpus(smi(gpu(say.BUSES[0], **wrong), *map(gpu, say.BUSES[1:])))


def kernel(*texts: str) -> Found:
    return judge.of_kernel(Stream().new([say.record(number, text) for number, text in enumerate(texts)]))


def efa(after_s: float = 300, state: str = "4: ACTIVE", devices: int = 4, **more: int) -> Found:
    """more: how much each counter grew in that time."""
    names = [f"rdmap{number}s0" for number in range(devices)]
    then = Counters(at_s=1000, boot="b", values={f"{n}/{c}": v for n in names for c, v in say.EFA_WELL.items()})
    grown = {name: value + more.get(name.partition("/")[2], 0) for name, value in then.values.items()}
    now = Counters(at_s=1000 + after_s, boot="b", values=grown)
    return judge.of_efa(dict.fromkeys(names, state), 4, readings.rates(then, now))


def nvlinks(text: str) -> Found:
    return judge.of_nvlinks(readings.nvlinks(text))


def dcgm(*failures: tuple[str, int | None, str], version: int = 4) -> Found:
    return judge.of_dcgm(readings.dcgm(say.dcgm(*failures, version=version)))


def drive(**wrong: object) -> Found:
    return judge.of_drive("/dev/nvme1n1", readings.smart(json.dumps({**say.SMART, **wrong})))


def of_check(check: str, texts: tuple[str, ...]) -> Found:
    return [judge.found(check, text) for text in texts]


def memory(text: str) -> Found:
    return [judge.found("memory", "pages")] if readings.corrupted_kb(text) else []


def arrays(text: str) -> Found:
    return of_check("raid", readings.degraded_arrays(text))


def mounts(text: str) -> Found:
    return of_check("mount", readings.read_only(text, ("/", "/scratch", "/fsx")))


WELL: dict[str, tuple[Callable[[], Found], ...]] = {
    "gpu-count": (lambda: gpus(say.WELL_SMI), lambda: gpus(say.OLD_SMI, 1), lambda: gpus(smi(), 0)),
    "row-remap-failed": (one, lambda: one(failed="N/A")),
    "row-remap-pending": (one, lambda: one(pending="N/A")),
    "sram-threshold": (one, lambda: one(exceeded="N/A")),
    "ecc-uncorrectable": (one, lambda: one(uncorrectable="N/A")),
    "recovery-action": (one, lambda: one(recovery="N/A"), lambda: one(recovery="Drain P2P")),
    "fabric": (one, lambda: one(fabric="N/A")),
    "slowdown": (one, lambda: gpus(say.OLD_SMI, 1)),
    "nvlink": (lambda: nvlinks(say.WELL_LINKS), lambda: nvlinks(say.PCIE_LINKS), lambda: nvlinks("")),
    "xid": (lambda: kernel(*(say.xid(code) for code in (13, 31, 43, 45))), lambda: kernel("usb 1-1: new device")),
    "sxid": (lambda: kernel("nvidia-nvswitch2: SXid (PCI:0000:07:00.0): 20034, Severity 1 Engine instance 60"),),
    "efa-count": (efa,),
    "efa-port": (efa, lambda: efa(state="")),
    "efa-errors": (efa, lambda: efa(rx_drops=20_000, unresponsive_remote_events=3)),
    "efa-retransmits": (efa, lambda: efa(retrans_pkts=200_000)),
    "drive-count": (),  # by planner-ready's own check: tests/pool/node/test_ready.py, and test_look.py here
    "drive-health": (drive, lambda: drive(temperature=340, media_errors=2)),
    "raid": (lambda: arrays(say.WELL_MDSTAT), lambda: arrays("Personalities : \nunused devices: <none>\n")),
    "mount": (lambda: mounts(say.WELL_MOUNTS),),
    "memory": (lambda: memory(say.WELL_MEMINFO), lambda: memory("MemTotal: 1 kB")),
    "clock": (lambda: judge.of_clock(readings.clock_off_s(say.WELL_CLOCK)),),
    "dcgm": (dcgm, lambda: dcgm(version=3)),
}
SICK: dict[str, tuple[tuple[Callable[[], Found], Action], ...]] = {
    "gpu-count": (
        (lambda: gpus(smi(*map(gpu, say.BUSES[:7]))), Action.REPLACE),
        (lambda: gpus(smi()), Action.DRAIN),  # an image without the driver: another instance would be the same
    ),
    "row-remap-failed": ((lambda: one(failed="Yes"), Action.REPLACE),),
    "row-remap-pending": ((lambda: one(pending="Yes"), Action.RESTART),),
    "sram-threshold": ((lambda: one(exceeded="Yes"), Action.REPLACE),),
    "ecc-uncorrectable": ((lambda: one(uncorrectable="2"), Action.REPORT),),
    "recovery-action": (
        (lambda: one(recovery="Reset"), Action.RESTART),
        (lambda: one(recovery="Reboot"), Action.RESTART),
        (lambda: one(recovery="Drain and Reset"), Action.RESTART),
    ),
    "fabric": ((lambda: one(fabric="In Progress"), Action.RESTART),),
    "slowdown": (
        (lambda: one(slow="Active"), Action.REPORT),
        (lambda: gpus(smi(gpu(slow="Active", reasons="throttle")), 1), Action.REPORT),
    ),
    "nvlink": (
        (lambda: nvlinks(say.links([18] * 7 + [17])), Action.REPLACE),
        (lambda: nvlinks(say.links([12, 11], of=18, name="NVIDIA H100 PCIe")), Action.REPLACE),
        (lambda: nvlinks(say.links([0] * 8))[:1], Action.REPLACE),  # none on any GPU, where the type has 18
    ),
    "xid": (
        (lambda: kernel(say.xid(79, "pid='<unknown>', name=<unknown>, GPU has fallen off the bus.")), Action.REPLACE),
        (lambda: kernel("NVRM: Xid (0000:03:00): 48, An uncorrectable double bit error"), Action.REPLACE),
        (lambda: kernel(say.xid(94), say.xid(94), say.xid(13)), Action.RESTART),
        (lambda: kernel(say.xid(154, say.RECOVERY.format("0x1 (GPU Reset Required)"))), Action.RESTART),
        (lambda: kernel(say.xid(154, say.RECOVERY.format("0x2 (Node Reboot Required)"))), Action.RESTART),
        (lambda: kernel(say.xid(154, "GPU recovery action changed from 0x1 (GPU Reset) to 0x0 (None)")), Action.REPORT),
        (lambda: kernel(say.xid(9999)), Action.REPORT),
    ),
    "sxid": (
        (lambda: kernel(say.SXID.format(20034, "Fatal")), Action.RESTART),
        (lambda: kernel(say.SXID.format(12028, "Non-fatal")), Action.REPORT),
    ),
    "efa-count": ((lambda: efa(devices=3), Action.REPLACE), (lambda: efa(devices=0), Action.DRAIN)),
    "efa-port": ((lambda: efa(state="1: DOWN")[:1], Action.DRAIN),),
    "efa-errors": ((lambda: efa(rdma_read_wr_err=40_000)[:1], Action.REPORT),),
    "efa-retransmits": ((lambda: efa(retrans_pkts=400_000)[:1], Action.REPORT),),
    "drive-count": (),
    "drive-health": (
        (lambda: drive(critical_warning=0b1000), Action.REPLACE),
        (lambda: drive(critical_warning=0b0010), Action.REPORT),
        (lambda: drive(critical_warning={"value": 4, "reliability": 1}), Action.REPLACE),  # nvme-cli 2.11
    ),
    "raid": (
        (lambda: arrays(say.WELL_MDSTAT.replace("[2/2] [UU]", "[2/1] [U_]")), Action.REPLACE),
        (lambda: arrays(say.WELL_MDSTAT.replace("md0 : active", "md0 : inactive")), Action.REPLACE),
        (lambda: arrays(say.WELL_MDSTAT.replace("nvme4n1[1]", "nvme4n1[1](F)")), Action.REPLACE),
    ),
    "mount": ((lambda: mounts(say.WELL_MOUNTS.replace("/scratch xfs rw", "/scratch xfs ro")), Action.DRAIN),),
    "memory": ((lambda: memory(say.WELL_MEMINFO.replace(":     0 kB", ":     4 kB")), Action.REPLACE),),
    "clock": ((lambda: judge.of_clock(readings.clock_off_s(say.TRACKING.format("2.5", "Normal"))), Action.REPORT),),
    "dcgm": (
        (lambda: dcgm(("memory", 2, "memory test failed")), Action.REPLACE),
        (lambda: dcgm(("pcie", 6, "reset the GPU")), Action.RESTART),
        (lambda: dcgm(("pcie", 5, "setting"), ("pcie", 6, "reset"), ("pcie", 2, "isolate")), Action.REPLACE),
        (lambda: dcgm(("pcie", 4, "triage")), Action.DRAIN),
        (lambda: dcgm(("memory", None, "memory test failed"), version=3), Action.DRAIN),
        (lambda: dcgm(say.PERSISTENCE), Action.REPORT),
        (lambda: dcgm(say.PERSISTENCE, version=3), Action.REPORT),
    ),
}
BY_BANDWIDTH = {"pair", "all-reduce"}  # test_halving.py


def test_every_limit_has_a_well_and_a_sick_recording():
    assert set(WELL) == set(SICK) == set(LIMITS) - BY_BANDWIDTH
    bare = {check for check in WELL if not WELL[check] or not SICK[check]}
    assert bare == {"drive-count"}


@pytest.mark.parametrize(("check", "number"), [(c, n) for c, some in WELL.items() for n in range(len(some))])
def test_a_well_node_raises_no_alarm(check: str, number: int):
    assert WELL[check][number]() == []


@pytest.mark.parametrize(("check", "number"), [(c, n) for c, some in SICK.items() for n in range(len(some))])
def test_a_sick_node_is_found_and_nothing_else_is(check: str, number: int):
    look, action = SICK[check][number]
    assert [(each.check, each.action) for each in look()] == [(check, action)]


def test_a_finding_says_what_and_where():
    [xid] = kernel(say.xid(94), say.xid(94))
    assert str(xid) == "restart xid: xid 94 on 0000:53:00 (contained memory error), 2 times"
    assert str(one(pending="Yes")[0]).endswith(
        "GPU 00000000:53:00.0: a row of its memory is replaced at the next reset"
    )


def test_faults_of_programs_never_drain_and_aws_list_is_all_there():
    assert all(XIDS[code].action is Action.OK for code in (13, 31, 43, 45))
    replaced = {code for code, xid in XIDS.items() if xid.action is Action.REPLACE}
    ecs = {46, 48, 54, 62, 64, 74, 79, 95, 109, 110, 136, 140, 142, 143, 151, 155}
    eks = ecs | {63, 119, 120, 156, 158}
    assert ecs <= replaced
    assert eks <= {code for code, xid in XIDS.items() if xid.action >= Action.RESTART}


@pytest.mark.parametrize(
    "parse",
    [
        lambda: readings.gpus("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver"),
        lambda: readings.gpus("<?xml version='1.0'?><other/>"),
        lambda: readings.gpus(say.WELL_SMI[:900]),
        lambda: readings.gpus(""),
        lambda: readings.nvlinks("Unable to determine the device handle"),
        lambda: readings.dcgm("Error: unable to establish a connection to the specified host: localhost"),
        lambda: readings.dcgm('{"DCGM Diagnostic": {}}'),
        lambda: readings.dcgm("[]"),
        lambda: readings.smart("Permission denied"),
        lambda: readings.smart("[]"),
        lambda: readings.clock_off_s("506 Cannot talk to daemon"),
        lambda: readings.clock_off_s(say.TRACKING.format("9.0", "Not synchronised")),
    ],
)
def test_what_is_not_understood_is_no_fault(parse: Callable[[], object]):
    with pytest.raises(Unreadable):
        parse()


def test_a_counter_that_restarts_or_is_read_twice_has_no_rate():
    then = Counters(at_s=100, boot="b", values={"d/rx_drops": 10**9})
    assert readings.rates(None, then) == {}
    assert readings.rates(then, Counters(at_s=200, boot="c", values={"d/rx_drops": 2 * 10**9})) == {}
    assert readings.rates(then, Counters(at_s=200, boot="b", values={"d/rx_drops": 5, "d/new": 7})) == {}
    assert readings.rates(then, Counters(at_s=100.5, boot="b", values={"d/rx_drops": 2 * 10**9})) == {}
    assert readings.rates(then, Counters(at_s=200, boot="b", values={"d/rx_drops": 10**9 + 500})) == {"d/rx_drops": 5.0}
