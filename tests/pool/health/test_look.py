"""The checks on a machine whose programs are real processes: they say, fail, hang, or are not there."""

from __future__ import annotations

import time

import pytest
from fleet_pool.health import look
from fleet_pool.health.limits import Action
from fleet_pool.node.facts import Expected
from fleet_pool.node.machine import Machine, NotReady

from tests.pool.health import recordings as say
from tests.pool.health.node import HANGS, FakeNode


@pytest.mark.parametrize("level", [0, 2])
def test_a_well_node_has_no_finding(fake: FakeNode, level: int):
    seen = fake.looker(level).look()
    assert (seen.findings, seen.busy) == ((), False)
    assert ("dcgmi diag --run 2 --json" in fake.calls("dcgmi")) is (level == 2)
    assert "nvidia-smi -q -x" in seen.evidence
    assert "rdmap0s0/retrans_pkts 120" in seen.evidence["EFA counters"]


def test_a_node_without_gpus_efa_and_drives_is_well(fake: FakeNode):
    (fake.bin / "nvidia-smi").unlink()
    assert fake.looker(2, Expected()).look().findings == ()


@pytest.mark.parametrize("program", ["nvidia-smi", "chronyc", "lsblk", "nvme", "dcgmi"])
def test_a_program_that_hangs_is_left_behind_and_drains_nobody(fake: FakeNode, monkeypatch, program: str):
    monkeypatch.setattr(look, "DCGM_S", {2: 0.5})
    fake.script(program, HANGS)
    begun = time.monotonic()
    seen = fake.looker(2, limit_s=0.5).look()
    assert time.monotonic() - begun < 8
    assert seen.findings
    assert {each.action for each in seen.findings} == {Action.REPORT}
    assert any("did not answer within 0.5 s" in each.said for each in seen.findings)


def test_a_process_that_hangs_is_killed_with_its_children(fake: FakeNode):
    fake.script("slow", f"#!/bin/sh\nsleep 600 &\necho $! > {fake.folder}/child\nsleep 600\n")
    with pytest.raises(NotReady, match=r"`slow` did not answer within 0.3 s"):
        Machine(0.3).answer("slow")
    child = int((fake.folder / "child").read_text())
    until = time.monotonic() + 5
    while _runs(child) and time.monotonic() < until:
        time.sleep(0.05)
    assert not _runs(child)


def _runs(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("program", ["nvidia-smi", "chronyc", "lsblk", "dcgmi"])
def test_a_program_that_fails_or_is_missing_drains_nobody(fake: FakeNode, program: str):
    fake.program(program, {"": "something unexpected\n"}, code=3)
    failed = fake.looker(2).look().findings
    (fake.bin / program).unlink()
    missing = fake.looker(2).look().findings
    for seen in (failed, missing):
        assert {each.action for each in seen} == {Action.REPORT}, seen
        assert all(each.said.startswith("not known: ") for each in seen)


def test_the_drives_say_with_another_program_where_nvme_is_missing(fake: FakeNode):
    (fake.bin / "nvme").unlink()
    fake.program("smartctl", {"": '{"nvme_smart_health_information_log": {"critical_warning": 8}}'})
    assert [(each.check, each.action) for each in fake.looker(2).look().findings] == [
        ("drive-health", Action.REPLACE),
        ("drive-health", Action.REPLACE),
    ]


def test_a_missing_drive_and_a_missing_device_are_found(fake: FakeNode):
    fake.program("lsblk", {"": f"/dev/nvme1n1 {look.ready.settings.DRIVE_MODEL}\n"})
    found = fake.looker(0, Expected(nvidia=8, efa=5, drives=2)).look().findings
    assert {each.check: each.action for each in found} == {
        "drive-count": Action.REPLACE,
        "efa-count": Action.REPLACE,
    }


def test_errors_of_this_boot_count_until_a_person_has_cleared_them(fake: FakeNode, monkeypatch):
    monkeypatch.setattr(look, "boot_id", lambda: "b1")
    fake.kmsg.write_text(f"{say.record(7, say.xid(79))}\n{say.record(8, say.xid(13))}\n")
    assert [each.check for each in fake.looker().look().findings] == ["xid"]
    look.write(fake.state / look.CLEARED, {"boot": "b1", "sequence": look.last_record(fake.kmsg)})
    assert fake.looker().look().findings == ()
    monkeypatch.setattr(look, "boot_id", lambda: "b2")
    assert [each.check for each in fake.looker().look().findings] == ["xid"], "numbers start again at a boot"


def test_counters_are_compared_with_those_of_the_last_look(fake: FakeNode):
    assert fake.looker(up_s=1000).look().findings == ()
    name = "sys/class/infiniband/rdmap2s0/ports/1/hw_counters/retrans_pkts"
    fake.file(name, f"{say.EFA_WELL['retrans_pkts'] + 600_000}\n")  # 2,000 a second for five minutes
    [found] = fake.looker(up_s=1300).look().findings
    assert (found.check, found.said) == ("efa-retransmits", "rdmap2s0/retrans_pkts grows by 2,000 a second")
    assert fake.looker(up_s=1600).look().findings == (), "it grows no more"


def test_what_takes_a_while_after_a_boot_is_no_fault_until_it_has_had_that_while(fake: FakeNode):
    starting = say.smi(*(say.gpu(bus, fabric="In Progress", failed="Yes") for bus in say.BUSES[:2]))
    fake.program("nvidia-smi", {"-q": starting, "nvlink": say.links([0, 0])})
    early = {each.check: each.action for each in fake.looker(up_s=60).look().findings}
    late = {each.check: each.action for each in fake.looker(up_s=301).look().findings}
    assert {check for check, action in early.items() if action > Action.REPORT} == {"row-remap-failed"}
    assert {check for check, action in late.items() if action > Action.REPORT} == {
        "row-remap-failed",
        "gpu-count",
        "fabric",
        "nvlink",
    }


def test_a_busy_node_is_not_tested_by_dcgm(fake: FakeNode):
    fake.program("nvidia-smi", {"-q": say.smi(*(say.gpu(b, processes=say.COMPUTING) for b in say.BUSES)), "": ""})
    seen = fake.looker(3).look()
    assert seen.busy
    assert [str(each)[:30] for each in seen.findings] == ["report  dcgm: not known: a pro"]
    assert fake.calls("dcgmi") == []
