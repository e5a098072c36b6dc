"""GPU nodes of layouts without a pool boot under a real systemd: FSx for Lustre and the drives are mounted, or say why.

There is no Lustre server here and no kernel module: stand-ins take the place of `modprobe` and of the helper that
`mount -t lustre` calls. What they are asked, and everything around them, is real.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from fleet_pool.launch.peers import PORT
from fleet_pool.node.facts import Expected, stack_of

from infra.artefacts import bundle
from infra.derived import bundle_of
from infra.userdata import text_of
from tests.infra.node.live import UNITS, LiveNode
from tests.infra.node.machine import Metadata
from tests.infra.node.stand import ARTEFACTS, DATA, JOB_ROLE, KNOWN, given, loop_drive
from tests.infra.node.test_live import booted, shown
from tests.infra.node.test_scripts import need
from tests.infra.specs import spec_of
from tests.pool.daemon import wait_until
from tests.pool.machine import remove_folder, remove_stale, scratch
from tests.pool.network import Network
from tests.pool.s3 import S3Server

SOURCE = "fs-0123456789abcdef0.fsx.us-east-1.amazonaws.com@tcp:/abcdwxyz"
SERVER = "/var/lib/lustre-server"  # what the stand-in mounts
# as on p6: the first is a bridge of its NVLink
BRIDGE = "/sys/class/infiniband/ibp115s0f0"
DEVICES = ("/sys/class/infiniband/rdmap0s0", "/sys/class/infiniband/rdmap1s0", "/sys/class/infiniband/rdmap2s0")
NOTED = '#!/bin/sh\necho "$(basename "$0") $*" >> /var/log/asked\n'
# as mount(8) calls it: source, folder, -o, options
MOUNTS = f"""{NOTED}
if [ -e /etc/server-is-late ]; then
  rm /etc/server-is-late
  echo "mount.lustre: $1: no such host" >&2
  exit 1
fi
mkdir -p {SERVER}
exec mount --bind {SERVER} "$2"
"""
FINDS = f"""#!/bin/sh
[ "$1" = /sys/class/infiniband ] || exec /usr/bin/find "$@"
printf '%s\\n' {" ".join((BRIDGE, *DEVICES))}
"""
LINKS = """#!/bin/sh
case "$1" in
  */infiniband/ibp*/device/driver) echo ../../bus/pci/drivers/mlx5_core ;;
  */infiniband/*/device/driver) echo ../../bus/pci/drivers/efa ;;
  *) exec /usr/bin/readlink "$@" ;;
esac
"""
# checks do not wait, and are repeated soon
SOON = "[Service]\nExecStart=\nExecStart=/usr/local/bin/planner-ready --record --wait-s=0\nRestartSec=2\n"
LSBLK = """#!/bin/sh
case "$*" in
  *MODEL*) printf '%s Amazon EC2 NVMe Instance Storage   \\n' {devices}
    echo '/dev/nvme9n1 Amazon Elastic Block Store' ;;
  *) exec /usr/bin/lsblk "$@" ;;
esac
"""


@contextmanager
def gpu_node(
    layout: str,
    drives: int,
    programs: dict[str, str],
    *,
    gpus: int = 0,
    notices: dict[str, str] | None = None,
    **more: str,
) -> Iterator[LiveNode]:
    """One GPU node of a layout, after its first boot. gpus: that it should have. notices: what AWS tells it, by the
    path below the instance metadata; may change. more: variables of its user data."""
    for program, package in (("systemd-nspawn", "systemd-container"), ("cloud-init", "cloud-init"), ("aws", "awscli")):
        need(program, package)
    remove_stale()
    folder, network = scratch(), Network()
    with ExitStack() as stack:
        stack.callback(remove_folder, folder)
        stack.callback(network.close)
        s3 = S3Server(network.add("s3", 253), folder / "s3")
        s3.start()
        stack.callback(s3.kill)
        host = network.add("g0", 11)
        told = {host.address: "i-0123456789abcdef0"}
        metadata = Metadata(f"{network.subnet}.254", told, "dev", ("key", "secret"), notices)
        stack.callback(metadata.close)
        facts = stack_of(json.loads(bundle_of(spec_of(layout)).texts["stack.json"]))
        expected = Expected(nvidia=gpus, drives=drives, mount="/fsx" if layout == "fsx-lustre" else "")
        made = bundle(facts)
        for bucket in (ARTEFACTS, DATA):
            s3.client().create_bucket(Bucket=bucket)
        for name, data in made.files.items():
            s3.client().put_object(Bucket=ARTEFACTS, Key=made.key(name), Body=data)
        devices = [loop_drive(folder / f"drive{number}") for number in range(drives)]
        own = {"PLANNER_ROLE": "gpu", "PLANNER_EXPECTED": str(expected), "PLANNER_JOBS": JOB_ROLE, **more}
        user_data = text_of(made, {**KNOWN, **own})
        node = LiveNode(host, folder / "node", given(s3, metadata), devices, user_data)
        stack.callback(node.close)
        node.write("/usr/local/bin/lsblk", LSBLK.format(devices=" ".join(devices)), 0o755)
        for path, text in programs.items():
            node.write(path, text, 0o755)
        node.start()
        booted(node)
        yield node


def lustre(**programs: str) -> dict[str, str]:
    named = {f"/usr/local/bin/{name}": text for name, text in programs.items()}
    return {
        **{f"/usr/local/bin/{name}": NOTED for name in ("modprobe", "modinfo")},
        "/usr/local/bin/lnetctl": f"{NOTED}[ \"$*\" != 'net show --net efa' ]\n",
        "/usr/local/bin/find": FINDS,
        "/usr/local/bin/readlink": LINKS,
        "/usr/sbin/mount.lustre": MOUNTS,
        **named,
    }


def asked(node: LiveNode, program: str) -> list[str]:
    log = node.run("cat", "/var/log/asked").splitlines()
    return [line.partition(" ")[2] for line in log if line.startswith(f"{program} ")]


def test_a_lustre_node_has_its_file_system_before_jobs_and_after_a_reboot(pool_machine: None) -> None:
    programs = {**lustre(), "/etc/server-is-late": ""}
    with gpu_node("fsx-lustre", 1, programs, PLANNER_LUSTRE=SOURCE, PLANNER_FABRIC="tcp") as node:
        assert shown(node, "planner-lustre.service", "ActiveState", "Result") == ["active", "success"]
        assert asked(node, "mount.lustre") == [f"{SOURCE} /fsx -o rw,relatime,flock"] * 2  # late, then there
        assert not asked(node, "lnetctl")
        node.run("sh", "-c", "echo 1 > /checkpoints/step && echo 2 > /dataset/shard && echo 3 > /scratch/x")
        assert node.run("cat", f"{SERVER}/checkpoints/step", f"{SERVER}/dataset/shard").split() == ["1", "2"]
        assert node.run("stat", "--format=%a", "/checkpoints", "/scratch").split() == ["1777", "1777"]
        assert "xfs" in node.run("findmnt", "--noheadings", "--output=FSTYPE", "/scratch")
        node.run("systemctl", "reboot")
        wait_until(lambda: not node.running, "the end of the node", 60)
        node.start()
        booted(node)
        assert node.run("cat", "/checkpoints/step", "/dataset/shard", "/scratch/x").split() == ["1", "2", "3"]


def test_over_efa_the_first_and_the_last_device_come_before_the_mount(pool_machine: None) -> None:
    with gpu_node("fsx-lustre", 0, lustre(), PLANNER_LUSTRE=SOURCE, PLANNER_FABRIC="efa") as node:
        assert shown(node, "planner-lustre.service", "ActiveState", "Result") == ["active", "success"]
        nets = [line for line in asked(node, "lnetctl") if line.startswith("net add --net efa")]
        assert nets == [f"net add --net efa --if {Path(d).name} --peer-credits 32" for d in (DEVICES[0], DEVICES[-1])]
        log = node.run("cat", "/var/log/asked")
        assert log.index("udsp add --src efa") < log.index("modprobe lustre") < log.index("mount.lustre")
        assert "folder of the root volume" in node.run("journalctl", "--unit=planner-scratch", "--output=cat")


def test_what_an_image_lacks_is_said_and_nothing_is_mounted(pool_machine: None) -> None:
    programs = lustre(modinfo=f'{NOTED}[ "$1" != kefalnd ]\n')
    with gpu_node("fsx-lustre", 0, programs, PLANNER_LUSTRE=SOURCE, PLANNER_FABRIC="efa") as node:
        journal = node.run("journalctl", "--unit=planner-lustre", "--output=cat")
        assert "the Lustre client of this image has no EFA driver (kefalnd)" in journal
        assert "this node has no /fsx" in journal
        assert shown(node, "planner-lustre.service", "ActiveState")[0] in ("activating", "failed")
        assert node.run("findmnt", "/fsx", check=False) == ""


def test_a_streaming_node_gives_its_drives_to_jobs(pool_machine: None) -> None:
    with gpu_node("s3-stream", 1, {}) as node:
        assert shown(node, "planner-scratch.service", "ActiveState", "Result") == ["active", "success"]
        assert "xfs" in node.run("findmnt", "--noheadings", "--output=FSTYPE", "/scratch")
        node.run("systemctl", "restart", "planner-scratch.service")  # once more changes nothing
        assert shown(node, "planner-scratch.service", "Result") == ["success"]
        assert node.run("sh", "-c", "ls /etc/systemd/system/planner-*").split() == [
            "/etc/systemd/system/planner-credentials.service",
            "/etc/systemd/system/planner-fence.service",
            "/etc/systemd/system/planner-gpu-use.service",
            "/etc/systemd/system/planner-gpu-use.timer",
            "/etc/systemd/system/planner-health-watch.service",
            "/etc/systemd/system/planner-health.service",
            "/etc/systemd/system/planner-launch.service",
            "/etc/systemd/system/planner-leaving.service",
            "/etc/systemd/system/planner-ready.service",
            "/etc/systemd/system/planner-scratch.service",
            "/etc/systemd/system/planner-watch.service",
            "/etc/systemd/system/planner-watch.timer",
        ]


def test_the_launcher_runs_as_a_user_of_its_own_once_the_node_has_its_files(pool_machine: None) -> None:
    with gpu_node("s3-stream", 1, {}) as node:
        wait_until(lambda: shown(node, "planner-launch.service", "ActiveState") == ["active"], "the agent", 30)
        assert shown(node, "planner-launch.service", "User", "LimitMEMLOCK") == ["planner-job", "infinity"]
        assert "not a scheduler" in " ".join(node.run("planner-launch", "--help").split())
        # it answers other nodes
        asked_for = ["curl", "-sSf", "--retry", "20", "--retry-connrefused", f"http://{node.host.address}:{PORT}/"]
        assert '"instance": "i-0123456789abcdef0"' in node.run(*asked_for)
        assert node.run("head", "--lines=1", "/run/planner/ready") == "ready\n"
        said = node.run("planner-ready", "--wait-s=0")
        assert "planner-ready: ok   drives 1 of 1 drives of model" in said
        assert "planner-ready: ok   units  active: planner-scratch planner-fence planner-credentials" in said
        assert said.endswith("planner-ready: ready\n")
        node.run("systemctl", "kill", "--signal=KILL", "planner-launch.service")
        wait_until(lambda: shown(node, "planner-launch.service", "NRestarts") != ["0"], "another agent", 30)


def test_a_node_that_aws_takes_away_tells_its_job_and_its_group(pool_machine: None) -> None:
    notices: dict[str, str] = {}
    with gpu_node("s3-stream", 1, {}, notices=notices, PLANNER_GROUP="planner-dev-fleet-group") as node:
        wait_until(lambda: shown(node, "planner-launch.service", "ActiveState") == ["active"], "the agent", 30)
        # its time has passed by this node's clock: the job is told all the same
        notices["spot/instance-action"] = json.dumps({"action": "terminate", "time": "2026-11-25T10:00:00Z"})
        wait_until(lambda: shown(node, "planner-launch.service", "ActiveState") == ["inactive"], "its end", 60)
        wait_until(lambda: shown(node, "planner-leaving.service", "ActiveState") == ["inactive"], "the rest", 60)
        assert shown(node, "planner-leaving.service", "Result") == ["success"]
        told_last = node.run("cat", "/var/log/auto-scaling").splitlines()[-1]
        assert "complete-lifecycle-action --lifecycle-hook-name drain" in told_last


def test_a_node_with_a_gpu_too_few_says_so_and_joins_no_job_until_it_is_there(pool_machine: None) -> None:
    programs = {
        "/usr/local/bin/nvidia-smi": "#!/bin/sh\nfor _ in $(cat /etc/gpus); do echo NVIDIA H100 80GB HBM3; done\n",
        "/etc/gpus": "1",
        f"{UNITS}/planner-ready.service.d/soon.conf": SOON,
    }
    with gpu_node("s3-stream", 0, programs, gpus=2, PLANNER_GROUP="planner-dev-fleet-group") as node:
        assert set(told(node)) == {"ABANDON"}
        wrong = "not ready: gpus: 1 of 2 GPUs (NVIDIA H100 80GB HBM3)"
        assert node.run("head", "--lines=1", "/run/planner/ready") == f"{wrong}\n"
        wait_until(lambda: wrong in node.run("journalctl", "--unit=planner-launch", "--output=cat"), "the reason", 30)
        assert shown(node, "planner-launch.service", "MainPID") == ["0"]
        log = boot_log(node)
        assert log.startswith(f"==> planner-ready <==\n{wrong}\nFAIL gpus   1 of 2 GPUs")
        assert "planner-start" in log
        assert "planner-scratch" in log
        node.run("sh", "-c", "echo 1 2 > /etc/gpus")
        wait_until(lambda: shown(node, "planner-launch.service", "ActiveState") == ["active"], "the agent", 60)
        assert node.run("head", "--lines=1", "/run/planner/ready") == "ready\n"
        assert told(node)[-1] == "CONTINUE"
        assert boot_log(node).startswith("==> planner-ready <==\nready\nok   gpus")
        before = told(node)
        node.run("systemctl", "restart", "planner-ready.service")  # as after a reboot
        assert told(node) == before


def test_a_node_that_fails_after_it_was_ready_is_told_to_cloudwatch(pool_machine: None) -> None:
    programs = {
        "/usr/local/bin/nvidia-smi": "#!/bin/sh\nfor _ in $(cat /etc/gpus); do echo NVIDIA H100 80GB HBM3; done\n",
        "/etc/gpus": "1 2",
        f"{UNITS}/planner-ready.service.d/soon.conf": SOON,
    }
    with gpu_node("s3-stream", 0, programs, gpus=2, PLANNER_GROUP="planner-dev-fleet-group") as node:
        wait_until(lambda: "CONTINUE" in told(node), "the group", 60)
        assert shown(node, "planner-watch.timer", "ActiveState") == ["active"]
        node.run("systemctl", "start", "planner-watch.service")
        assert node.run("sh", "-c", "cat /var/log/cloudwatch 2>/dev/null || true") == "", "all is right: nothing to pay"
        node.run("sh", "-c", "echo 1 > /etc/gpus")
        node.run("systemctl", "start", "planner-watch.service")
        words = node.run("cat", "/var/log/cloudwatch")
        assert words.startswith("cloudwatch put-metric-data --namespace Planner --metric-data ")
        [value] = json.loads(words.partition("--metric-data ")[2].partition(" --region ")[0])
        assert (value["MetricName"], value["Value"]) == ("NodeProblems", 1)
        wrong = "not ready: gpus: 1 of 2 GPUs (NVIDIA H100 80GB HBM3)"
        assert node.run("head", "--lines=1", "/run/planner/ready") == f"{wrong}\n"
        assert boot_log(node).startswith(f"==> planner-ready <==\n{wrong}")


def test_a_canary_is_recorded_as_one_and_gives_up_once_the_others_do_not_come(pool_machine: None) -> None:
    """By the node's own file of settings, systemd's units and real S3; the limit is eleven seconds."""
    programs = {
        "/usr/local/bin/nvidia-smi": "#!/bin/sh\nfor _ in 1 2; do echo NVIDIA H100 80GB HBM3; done\n",
        "/usr/local/bin/systemctl": '#!/bin/sh\n[ "$1" != poweroff ] || exec touch /run/off\n'
        'exec /usr/bin/systemctl "$@"\n',
        "/etc/auto-scaling-group": group_of(desired=1),
        f"{UNITS}/planner-ready.service.d/soon.conf": SOON,
    }
    settings = {"PLANNER_GROUP": "planner-dev-fleet-group", "PLANNER_GIVE_UP_H": "0.003"}
    with gpu_node("s3-stream", 0, programs, gpus=2, **settings) as node:
        wait_until(lambda: "CONTINUE" in told(node), "the group", 60)
        assert starts_of(node) == ["canary"]
        node.run("sh", "-c", f"echo {shlex.quote(group_of(desired=4))} > /etc/auto-scaling-group")
        node.run("systemctl", "start", "planner-watch.service")
        assert starts_of(node) == ["canary", "ready"], "the wait for the others begins now"
        assert told(node) == ["CONTINUE"]
        time.sleep(11)
        node.run("systemctl", "start", "planner-watch.service")
        last = node.run("cat", "/var/log/auto-scaling").splitlines()[-1]
        assert last.endswith("--scaling-processes Launch"), last
        node.run("ls", "/run/off")


def group_of(desired: int) -> str:
    """Four nodes at most; this one is in service."""
    sizes = {"MinSize": desired, "DesiredCapacity": desired, "MaxSize": 4}
    member = {"InstanceId": "i-0123456789abcdef0", "LifecycleState": "InService", "HealthStatus": "Healthy"}
    group = {"CreatedTime": "2026-11-21T10:00:00+00:00", **sizes, "Instances": [member]}
    return json.dumps({"AutoScalingGroups": [group]})


def starts_of(node: LiveNode) -> list[str]:
    """Kinds of the records of starts in the data bucket, in order."""
    listing = f"aws s3 ls --recursive s3://{DATA}/boot-logs/planner-dev-fleet-group/"
    said = node.run("sh", "-c", f"export $(systemctl show-environment); {listing}")
    return [line.split(".")[-2] for line in sorted(said.splitlines())]


def told(node: LiveNode) -> list[str]:
    """What the Auto Scaling group has heard, in order; looks at it are no answer."""
    every = node.run("cat", "/var/log/auto-scaling").splitlines()
    said = [line for line in every if not line.startswith("autoscaling describe-")]
    assert all(line.startswith("autoscaling complete-lifecycle-action --lifecycle-hook-name launch ") for line in said)
    return [re.sub(r".*--lifecycle-action-result (\w+) .*", r"\1", line) for line in said]


def boot_log(node: LiveNode) -> str:
    return node.run(
        "sh",
        "-c",
        f"export $(systemctl show-environment); aws s3 cp s3://{DATA}/boot-logs/i-0123456789abcdef0/boot.log -",
    )


@pytest.mark.skipif(shutil.which("mdadm") is not None, reason="mdadm is here: nothing is missing")
def test_drives_that_cannot_be_striped_are_said(pool_machine: None) -> None:
    with gpu_node("s3-stream", 2, {}) as node:
        said = node.run("journalctl", "--unit=planner-scratch", "--output=cat")
        assert "this image has no mdadm to stripe 2 drives; this node has no /scratch" in said
