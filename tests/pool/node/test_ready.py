"""What planner-ready says of a node: machines of a dictionary, one of which is right, and the others lack one thing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from fleet_pool import settings
from fleet_pool.node import ready
from fleet_pool.node.facts import Expected, daemon_id
from fleet_pool.node.ready import Check, Found, Machine, NotReady, checks, result_of, verdict, why_not

from tests.pool.node.nodes import CASES

P4D = Expected(accelerators=8, accelerator="nvidia", efa_devices=4, drives=8, mount="/fsx")
DRIVES = "".join(f"/dev/nvme{n}n1 {settings.DRIVE_MODEL}    \n" for n in range(1, 9))
TRACKING = """Reference ID    : A9FEA97B (169.254.169.123)
System time     : 0.000000123 seconds fast of NTP time
Leap status     : {}
"""
RIGHT = {
    "nvidia-smi": "NVIDIA A100-SXM4-40GB\n" * 8,
    "lsblk": f"/dev/nvme0n1 Amazon Elastic Block Store\n{DRIVES}",
    "chronyc": TRACKING.format("Normal"),
    "systemctl": "active\n",
    "mountpoint": "/fsx is a mountpoint\n",
    "ls": "checkpoints\ndataset\n",
    "df": "  Avail Mounted on\n107374182400 /\n2147483648 /scratch\n",
}
FOLDERS = {
    "/sys/class/infiniband": [f"rdmap{n}s0" for n in range(4)],
    ready.UNITS: ["planner-scratch.service", "planner-lustre.service", "planner-launch.service"],
}


class Fake(Machine):
    """said: by program; what is not there is not installed. An exception is raised."""

    def __init__(self, said: dict[str, str | Exception], folders: dict[str, list[str]]) -> None:
        super().__init__()
        self.said, self.folders = said, folders

    def run(self, *words: str) -> str:
        answer = self.said.get(words[0], NotReady(f"this image has no {words[0]}"))
        if isinstance(answer, Exception):
            raise answer
        return answer

    def entries(self, folder: str) -> list[str]:
        return self.folders.get(folder, [])


def looked(machine: Machine, expected: Expected = P4D, case: str = "lustre") -> dict[str, Found]:
    [one] = [each for each in CASES if each.name == case]
    stack = replace(one.stack, expected={one.role: expected})
    return {each.name: result_of(each, 0) for each in checks(machine, stack, one.node, {})}


def fake(said: dict[str, str | Exception] | None = None, **folders: list[str]) -> Fake:
    named = {"/dev": folders.get("dev", []), "/proc/driver/nvidia/gpus": folders.get("driver", [])}
    return Fake(
        {**RIGHT, **(said or {})},
        {**FOLDERS, **named, **({"/sys/class/infiniband": folders["efa"]} if "efa" in folders else {})},
    )


def test_a_node_that_has_everything_is_ready():
    found = looked(fake())
    assert verdict(list(found.values())) == "ready"
    assert {name: each.said for name, each in found.items()} == {
        "gpus": "8 of 8 GPUs (NVIDIA A100-SXM4-40GB)",
        "efa": "4 of 4 EFA devices in /sys/class/infiniband",
        "drives": '8 of 8 drives of model "Amazon EC2 NVMe Instance Storage"',
        "clock": "synchronised with A9FEA97B (169.254.169.123), 0.000000123 seconds fast of NTP time",
        "units": "active: planner-scratch planner-lustre",
        "mount": "/fsx answers, 2 entries",
        "space": "100 GiB free in /, 2 GiB free in /scratch",
    }
    assert str(found["gpus"]) == "ok   gpus   8 of 8 GPUs (NVIDIA A100-SXM4-40GB)"


@pytest.mark.parametrize(
    ("machine", "name", "said"),
    [
        (fake({"nvidia-smi": "NVIDIA A100\n" * 7}), "gpus", "7 of 8 GPUs (NVIDIA A100)"),
        (fake({"nvidia-smi": NotReady("`nvidia-smi` failed: couldn't communicate")}), "gpus", "couldn't communicate"),
        (fake({"nvidia-smi": NotReady("`nvidia-smi` did not answer within 45 s")}), "gpus", "did not answer"),
        (fake(efa=["rdmap0s0"]), "efa", "1 of 4 EFA devices"),
        (fake({"lsblk": DRIVES.replace("Instance Storage", "Elastic")}), "drives", "0 of 8 drives"),
        (fake({"chronyc": TRACKING.format("Not synchronised")}), "clock", "not synchronised (chronyc tracking)"),
        (fake({"chronyc": NotReady("`chronyc -n tracking` failed: 506 Cannot talk to daemon")}), "clock", "506"),
        (fake({"systemctl": "failed\n"}), "units", "planner-scratch is failed: journalctl --unit=planner-scratch"),
        (fake({"mountpoint": NotReady("exit 32")}), "mount", "/fsx is not mounted: journalctl --unit=planner-lustre"),
        (fake({"ls": NotReady("`ls /fsx` did not answer within 45 s")}), "mount", "`ls /fsx` did not answer"),
        (fake({"df": "Avail Mounted on\n1073741824 /\n"}), "space", "1.0 GiB free in /: at least 5 GiB are needed"),
    ],
)
def test_what_is_missing_is_named_and_the_rest_is_right(machine, name, said):
    found = looked(machine)
    assert [each.name for each in found.values() if not each.ready] == [name]
    assert said in found[name].said
    assert verdict(list(found.values())) == f"not ready: {name}: {found[name].said}"


def test_a_type_without_gpus_efa_and_drives_expects_none():
    nothing = Expected(accelerators=0, accelerator="nvidia", efa_devices=0, drives=0, mount="")
    machine = Fake({name: RIGHT[name] for name in ("chronyc", "systemctl", "df")}, {})
    found = looked(machine, nothing)
    assert all(each.ready for each in found.values())
    assert [name for name, each in found.items() if each.said == "none expected"] == ["gpus", "efa", "drives", "units"]


def test_without_nvidia_smi_the_driver_is_asked_and_without_chrony_systemd():
    other = {name: said for name, said in RIGHT.items() if name not in ("nvidia-smi", "chronyc")}
    machine = Fake(
        {**other, "timedatectl": "yes\n"}, {**FOLDERS, "/proc/driver/nvidia/gpus": [f"0000:{n}" for n in range(8)]}
    )
    assert looked(machine)["gpus"].said == "8 of 8 GPUs in /proc/driver/nvidia"
    assert looked(machine)["clock"].said == "synchronised (timedatectl)"
    assert not looked(Fake({**other, "timedatectl": "no\n"}, FOLDERS))["clock"].ready
    assert looked(Fake(other, FOLDERS))["gpus"].said == "0 of 8 GPUs in /proc/driver/nvidia"


def test_neuron_devices_are_counted_not_their_cores():
    trn1 = replace(P4D, accelerators=2, accelerator="neuron")
    assert looked(fake(dev=["neuron0", "neuron1", "neuron_pci", "null"]), trn1)["gpus"].said.startswith("2 of 2 Neuron")
    assert not looked(fake(dev=["neuron0"]), trn1)["gpus"].ready


@pytest.mark.parametrize(("own", "said"), [(True, "1 targets"), (False, "lists 1 targets, not this node's")])
def test_a_target_is_ready_once_the_pool_lists_it(monkeypatch, own, said):
    [case] = [each for each in CASES if each.name == "p5"]
    id = daemon_id(case.node, "target") if own else "t12345678"
    monkeypatch.setattr(ready.Client, "ask", lambda *_, **__: Answer(json.dumps({"tmap": {id: {}}}).encode()))
    environment = {"PLANNER_POOL": "http://10.0.0.1:51080"}
    check = Check(name="pool", limit_s=0, look=lambda: ready.pool(case.stack, case.node, environment))
    found = result_of(check)
    assert found.ready is own
    assert said in found.said


class Answer:
    def __init__(self, body: bytes) -> None:
        self.body = body


def test_a_pool_that_does_not_answer_is_named():
    [case] = [each for each in CASES if each.name == "client"]
    with pytest.raises(NotReady, match=r"pool\.env is missing"):
        ready.pool(case.stack, case.node, {})
    with pytest.raises(NotReady, match="the pool does not answer: "):
        ready.pool(case.stack, case.node, {"PLANNER_POOL": "http://127.0.0.1:1"})


def test_a_check_is_repeated_until_it_is_right():
    answers = iter([NotReady("not yet"), NotReady("not yet"), "now"])
    slept: list[float] = []

    def look() -> str:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert result_of(Check(name="efa", limit_s=60, look=look), sleep=slept.append).said == "now"
    assert slept == [ready.PAUSE_S] * 2


def test_a_command_that_hangs_fails_or_is_missing_is_named():
    machine = Machine(limit_s=0.2)
    with pytest.raises(NotReady, match=r"`sleep 9` did not answer within 0\.2 s"):
        machine.run("sleep", "9")
    with pytest.raises(NotReady, match=r"`sh -c echo no driver; exit 3` failed: no driver"):
        machine.run("sh", "-c", "echo no driver; exit 3")
    with pytest.raises(NotReady, match="this image has no planner-nothing"):
        machine.run("planner-nothing")
    assert machine.entries("/nowhere") == []


def test_the_launcher_reads_the_verdict_of_the_last_look(tmp_path: Path):
    record = tmp_path / "ready"
    assert why_not(record) == ""
    record.write_text("ready\nok   efa    none expected\n")
    assert why_not(record) == ""
    record.write_text("not ready: gpus: 7 of 8 GPUs\nFAIL gpus   7 of 8 GPUs\n")
    assert why_not(record) == "not ready: gpus: 7 of 8 GPUs"


def test_a_machine_that_is_no_node_is_reported(capsys):
    assert ready.main(["--wait-s=0"]) == 2
    assert "planner-ready: cannot read /opt/planner/stack.json" in capsys.readouterr().err
