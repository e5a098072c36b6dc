"""What planner-ready says of a node: machines of a dictionary, one of which is right, and the others lack one thing."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from fleet_pool import settings
from fleet_pool.health.limits import Action
from fleet_pool.health.records import OUT, Out, write
from fleet_pool.node import boot_log, devices, lifecycle, ready
from fleet_pool.node.facts import BadFacts, Expected, Node, daemon_id, expected_of
from fleet_pool.node.ready import Check, Found, Machine, NotReady, checks, result_of, verdict, why_not
from fleet_pool.problems import Unreachable

from infra.derived import expected_of as infra_expected
from tests.infra.specs import fleet_of, spec_of
from tests.pool.node.nodes import CASES

P4D = Expected(nvidia=8, efa=4, drives=8, mount="/fsx")
DRIVES = "".join(f"/dev/nvme{n}n1 {settings.DRIVE_MODEL}    \n" for n in range(1, 9))
TRACKING = """Reference ID    : A9FEA97B (169.254.169.123)
System time     : 0.000000123 seconds fast of NTP time
Leap status     : {}
"""
FABRIC = """
    Fabric
        State                             : {}
        Status                            : {}
"""
RIGHT = {
    "nvidia-smi": "NVIDIA A100-SXM4-40GB\n" * 8,
    "nvidia-smi -q": FABRIC.format("N/A", "N/A") * 8,
    "python3": "8\n",
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
        missing = NotReady(f"this image has no {words[0]}")
        answer = self.said.get(" ".join(words[:2]), self.said.get(words[0], missing))
        if isinstance(answer, Exception):
            raise answer
        return answer

    def entries(self, folder: str) -> list[str]:
        return self.folders.get(folder, [])

    def link(self, path: str) -> str:
        return "mlx5_core" if "/ibp" in path else "efa"


def looked(machine: Machine, expected: Expected = P4D, case: str = "lustre") -> dict[str, Found]:
    [one] = [each for each in CASES if each.name == case]
    environment = {"PLANNER_EXPECTED": str(expected)}
    return {each.name: result_of(each, 0) for each in checks(machine, one.stack, one.node, environment)}


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
        "gpus": "8 of 8 GPUs (NVIDIA A100-SXM4-40GB), 8 of 8 for CUDA",
        "efa": "4 of 4 EFA devices in /sys/class/infiniband",
        "drives": '8 of 8 drives of model "Amazon EC2 NVMe Instance Storage"',
        "clock": "synchronised with A9FEA97B (169.254.169.123), 0.000000123 seconds fast of NTP time",
        "units": "active: planner-scratch planner-lustre",
        "mount": "/fsx answers, 2 entries",
        "health": "no fault that planner-health acts on",
        "space": "100 GiB free in /, 2 GiB free in /scratch",
    }
    assert str(found["gpus"]) == "ok   gpus   8 of 8 GPUs (NVIDIA A100-SXM4-40GB), 8 of 8 for CUDA"


@pytest.mark.parametrize(
    ("machine", "name", "said"),
    [
        (fake({"nvidia-smi": "NVIDIA A100\n" * 7}), "gpus", "7 of 8 GPUs (NVIDIA A100)"),
        (fake({"nvidia-smi": NotReady("`nvidia-smi` failed: couldn't communicate")}), "gpus", "couldn't communicate"),
        (fake({"nvidia-smi": NotReady("`nvidia-smi` did not answer within 45 s")}), "gpus", "did not answer"),
        (fake(efa=["rdmap0s0"]), "efa", "1 of 4 EFA devices"),
        # two devices are missing, and two bridges stand in their place
        (fake(efa=["ibp115s0f0", "ibp116s0f0", "rdmap0s0", "rdmap1s0"]), "efa", "2 of 4 EFA devices"),
        (
            fake({"nvidia-smi -q": FABRIC.format("In Progress", "N/A") * 8}),
            "gpus",
            "NVLink of 8 of 8 GPUs is not set up",
        ),
        (
            fake({"nvidia-smi -q": FABRIC.format("Completed", "Insufficient Resources")}),
            "gpus",
            "Insufficient Resources",
        ),
        (fake({"python3": "error 802\n"}), "gpus", "fabric manager does not run"),
        (fake({"python3": "error 46\n"}), "gpus", "cuInit says 46"),
        (fake({"python3": "7\n"}), "gpus", "7 of 8 for CUDA"),
        (fake({"python3": NotReady("`python3 -c` did not answer within 45 s")}), "gpus", "did not answer"),
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
    nothing = Expected()
    machine = Fake({name: RIGHT[name] for name in ("chronyc", "systemctl", "df")}, {})
    found = looked(machine, nothing)
    assert all(each.ready for each in found.values())
    assert [name for name, each in found.items() if each.said == "none expected"] == ["gpus", "efa", "drives", "units"]


def test_without_nvidia_smi_the_driver_is_asked_and_without_chrony_systemd():
    other = {name: said for name, said in RIGHT.items() if name not in ("nvidia-smi", "chronyc")}
    machine = Fake(
        {**other, "timedatectl": "yes\n"}, {**FOLDERS, "/proc/driver/nvidia/gpus": [f"0000:{n}" for n in range(8)]}
    )
    assert looked(machine)["gpus"].said == "8 of 8 GPUs in /proc/driver/nvidia, 8 of 8 for CUDA"
    assert looked(machine)["clock"].said == "synchronised (timedatectl)"
    assert not looked(Fake({**other, "timedatectl": "no\n"}, FOLDERS))["clock"].ready
    assert looked(Fake(other, FOLDERS))["gpus"].said == "0 of 8 GPUs in /proc/driver/nvidia"


def test_nvlink_that_is_set_up_is_said_and_cuda_that_is_not_there_too():
    machine = fake({"nvidia-smi -q": FABRIC.format("Completed", "Success") * 8, "python3": "no libcuda.so.1\n"})
    found = looked(machine)["gpus"]
    assert found.ready
    assert found.said.endswith("), NVLink set up, CUDA not asked: no libcuda.so.1")


def test_the_question_to_cuda_is_a_program_that_python_runs():
    """Here there is no GPU: it says so, or that there is no library."""
    said = subprocess.run(
        [sys.executable, "-c", devices.CUDA], check=True, capture_output=True, text=True
    ).stdout.strip()
    assert said == "no libcuda.so.1" or said.startswith("error ") or said.isdigit()


def test_a_link_of_the_kernel_is_read_by_its_last_name(tmp_path):
    (tmp_path / "driver").symlink_to("../../bus/pci/drivers/efa")
    assert Machine().link(str(tmp_path / "driver")) == "efa"
    assert Machine().link(str(tmp_path / "none")) == ""


def test_neuron_devices_are_counted_not_their_cores():
    trn1 = replace(P4D, nvidia=0, neuron=2)
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


def test_a_node_that_planner_health_took_out_is_not_ready_and_joins_no_job(tmp_path, monkeypatch):
    [case] = [each for each in CASES if each.name == "p5"]
    assert ready.health(case.node, tmp_path) == "no fault that planner-health acts on"
    monkeypatch.setenv("PLANNER_INSTANCE", case.node.instance)
    assert why_not(tmp_path / "none", tmp_path) == ""
    out = Out(instance=case.node.instance, boot="b", at_s=1, action=Action.RESTART, check="xid", reason="xid: 94")
    for action, broken in ((Action.RESTART, False), (Action.REPLACE, True)):
        write(tmp_path / OUT, vars(replace(out, action=action)))
        found = result_of(Check(name="health", limit_s=0, look=lambda: ready.health(case.node, tmp_path)))
        assert (found.ready, found.broken) == (False, broken)
        assert found.said.startswith("xid: 94: journalctl")
        assert why_not(tmp_path / "none", tmp_path) == "health: xid: 94"
    monkeypatch.setenv("PLANNER_INSTANCE", "i-0fedcba9876543210")
    assert why_not(tmp_path / "none", tmp_path) == "", "an image that was made of a sick node"


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
    assert why_not(record) == "gpus: 7 of 8 GPUs"
    record.write_text("not ready: gpus: 7 of 8 GPUs; pool: silent\nFAIL gpus   7 of 8 GPUs\nFAIL pool   silent\n")
    assert why_not(record) == "gpus: 7 of 8 GPUs"
    record.write_text("not ready: pool: silent\nok   gpus   8 of 8\nFAIL pool   silent\n")
    assert why_not(record) == "", "jobs read from S3 while the pool is silent"


def test_a_machine_that_is_no_node_is_reported(capsys):
    assert ready.main(["--wait-s=0"]) == 2
    assert "planner-ready: cannot read /opt/planner/stack.json" in capsys.readouterr().err


@pytest.fixture
def outside(monkeypatch, tmp_path):
    """What is said outside a node: boot logs, and results to the group; whatever is an error is raised."""
    said: list[object] = []

    def complete(node: Node, hook: str, result: str) -> bool:
        said.append(f"{hook} {result}")
        if len(said) > 8:
            raise subprocess.CalledProcessError(254, ["aws"])
        return True

    monkeypatch.setattr(ready, "SHIPPED", tmp_path / "shipped")
    monkeypatch.setattr(ready, "IN_SERVICE", tmp_path / "in-service")
    monkeypatch.setattr(boot_log, "ship", lambda node, environment, lines: said.append(list(lines)))
    monkeypatch.setattr(lifecycle, "complete", complete)
    return said


def tell(found: dict[str, Found]) -> bool:
    every = list(found.values())
    return ready.tell(CASES[0].node, {}, every, [verdict(every), *map(str, every)])


def test_a_ready_node_is_counted_once_and_its_log_kept_when_the_verdict_changes(outside):
    late = looked(fake({"systemctl": "activating\n"}))
    assert tell(late)
    assert tell(late)
    assert [one[0] for one in outside] == [
        "not ready: units: planner-scratch is activating: journalctl --unit=planner-scratch"
    ]
    assert tell(looked(fake()))
    assert tell(looked(fake()))
    assert [one if isinstance(one, str) else one[0] for one in outside[1:]] == ["ready", "launch CONTINUE"]


def test_a_node_of_an_image_of_another_node_is_told_too(outside):
    ready.IN_SERVICE.write_text("i-0fedcba9876543210")
    assert tell(looked(fake()))
    assert outside[-1] == "launch CONTINUE"
    assert ready.IN_SERVICE.read_text() == CASES[0].node.instance


def test_a_group_that_does_not_wait_yet_is_told_again_until_its_hook_is_over(outside, monkeypatch):
    monkeypatch.setattr(lifecycle, "complete", lambda *_: False)
    monkeypatch.setattr(ready, "since_boot_s", lambda: 90.0)
    assert not tell(looked(fake()))
    assert not ready.IN_SERVICE.exists()
    monkeypatch.setattr(ready, "since_boot_s", lambda: 3700.0)
    assert tell(looked(fake()))
    assert ready.IN_SERVICE.exists()


def test_a_dead_mount_of_somebody_else_is_not_looked_at():
    asked = []

    class Asked(Fake):
        def run(self, *words: str) -> str:
            asked.append(words)
            return super().run(*words)

    assert looked(Asked(RIGHT, FOLDERS))["space"].ready
    assert [words[3:] for words in asked if words[0] == "df"] == [("/", "/scratch")]


@pytest.mark.parametrize(
    ("machine", "result"),
    [
        (fake(efa=["rdmap0s0"]), ["launch ABANDON"]),  # another instance may have all of them
        (fake(efa=[]), []),  # another instance of this image would have none either
        (fake({"nvidia-smi": NotReady("`nvidia-smi` failed: no driver")}), []),
        (fake({"chronyc": TRACKING.format("Not synchronised")}), []),  # may mend
    ],
)
def test_only_a_broken_instance_is_given_up_at_once(outside, machine, result):
    assert tell(looked(machine))
    assert [one for one in outside if isinstance(one, str)] == result
    assert not ready.IN_SERVICE.exists()


def test_a_group_or_a_bucket_that_does_not_answer_is_no_end(outside, monkeypatch, capsys):
    def refuses(*_: object) -> None:
        raise Unreachable("S3 does not answer")

    monkeypatch.setattr(boot_log, "ship", refuses)
    outside.extend([""] * 8)
    assert not tell(looked(fake())), "ready, but the group has to hear of it: once more"
    said = capsys.readouterr().out
    assert "the boot log is not in the bucket: S3 does not answer" in said
    assert "the Auto Scaling group was not told" in said
    assert not ready.IN_SERVICE.exists()
    outside.clear()
    assert tell(looked(fake()))


def test_the_boot_log_has_the_checks_the_journal_and_cloud_init(monkeypatch, tmp_path):
    written: dict[str, bytes] = {}

    class Bucket:
        def write(self, key: str, data: bytes) -> None:
            written[key] = data

    (tmp_path / "cloud-init").write_text("x" * boot_log.LAST_BYTES + "the end\n")
    monkeypatch.setattr(boot_log, "bucket_of", lambda *_, **__: Bucket())
    monkeypatch.setattr(boot_log, "CLOUD_INIT", tmp_path / "cloud-init")
    monkeypatch.setattr(boot_log, "JOURNAL", ("echo", "journal of"))
    boot_log.ship(CASES[0].node, {}, ["not ready: efa: 1 of 4", "FAIL efa    1 of 4"])
    [(key, data)] = written.items()
    assert key == f"boot-logs/{CASES[0].node.instance}/boot.log"
    text = data.decode()
    assert text.startswith("==> planner-ready <==\nnot ready: efa: 1 of 4\nFAIL efa    1 of 4\n")
    assert "journal of --identifier=planner-start" in text
    assert "journal of --unit=planner-*" in text
    assert text.rstrip().endswith("xthe end")
    assert len(text) < boot_log.LAST_BYTES + 1000
    monkeypatch.setattr(boot_log, "CLOUD_INIT", tmp_path / "none")
    monkeypatch.setattr(boot_log, "JOURNAL", ("planner-nothing",))
    boot_log.ship(CASES[0].node, {}, ["ready"])
    assert "No such file" in written[key].decode()


def test_what_is_expected_is_of_the_type_and_of_the_template_not_of_the_bundle():
    said = {case.name: case.environment.get("PLANNER_EXPECTED", "") for case in CASES}
    assert said == {
        "control": "",
        "p4d": "nvidia=8 efa=4 drives=8",
        "p5": "nvidia=8 efa=32 drives=8",
        "storage": "drives=8",
        "client": "nvidia=8 efa=32 drives=8",
        "no-pool": "nvidia=8 efa=32 drives=8",
        "lustre": "nvidia=8 efa=32 drives=8 mount=/fsx",
        "files": "nvidia=8 efa=32 drives=8 mount=/files",
    }
    assert all(str(expected_of(text)) == text for text in said.values())
    plain = replace(spec_of("s3-stream"), fleet=fleet_of("g6.xlarge", 2))
    assert str(infra_expected(plain)["gpu"]) == "nvidia=1 drives=1"
    trainium = replace(plain, fleet=replace(plain.fleet, instance_type="trn1.2xlarge"))
    assert str(infra_expected(trainium)["gpu"]) == "neuron=1 drives=1"
    for text in ("gpus=8", "nvidia=many", "nvidia"):
        with pytest.raises(BadFacts, match="PLANNER_EXPECTED is unknown"):
            expected_of(text)
