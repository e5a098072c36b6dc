"""A control node and a target under a real systemd: their units start, restrict, restart, drain, and come up again.

In the order of a node's life: every step takes the nodes as the one before it has left them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from fleet_pool import settings
from fleet_pool.node import cpus
from fleet_pool.node.drives import IMAGE_SERVICE

from infra.node.render import installed_files, roles
from tests.infra.node.live import UNITS, LiveNode
from tests.infra.node.stand import DATA, Stand, standing
from tests.infra.node.test_scripts import need
from tests.pool.daemon import wait_until

PROGRAMS = {
    "systemd-nspawn": "systemd-container",
    "cloud-init": "cloud-init",
    "aws": "awscli",
    "curl": "curl",
    "openssl": "openssl",
    "useradd": "passwd",
}
ROLE = {"control": "control", "target": "gpu"}
STAYS = ("prepare", "proxy", "target", "notice", "authority", "credentials", "fence")
KEY = "checkpoints/step-1"
# as a Deep Learning image has it, without what it does to drives
GATHERS = """[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -c 'echo gathered >> /var/lib/gathered'
"""


# the last step of the watch, as if it had found this control node cut off; it keeps its map, which no other one has
COMES_BACK = """[Service]
Environment=PYTHONPATH=/opt/planner/planner-pool.pyz
ExecStart=
ExecStart=/usr/bin/python3 -c "from pathlib import Path; \\
  from fleet_pool.node.drives import run_command; from fleet_pool.node.rejoin import restart_as_follower; \\
  restart_as_follower(Path('/nowhere'), 'planner-proxy.service', run_command)"
"""


@dataclass
class Live:
    stand: Stand
    control: LiveNode
    target: LiveNode

    def reads(self) -> bool:
        return self.stand.curl(self.control, self.stand.object_url(KEY)) == self.stand.in_s3(KEY)


@pytest.fixture(scope="module")
def live(pool_machine: None) -> Iterator[Live]:
    for program, package in PROGRAMS.items():
        need(program, package)
    cores = [core for node in cpus.cores_by_node(Path(cpus.SYSFS)).values() for core in node]
    with standing(reserved_vcpu=1 if len(cores) > 1 else 0) as stand:
        nodes: dict[str, LiveNode] = {}
        try:
            for name, host in stand.hosts.items():
                there = stand.folder / name
                nodes[name] = LiveNode(host, there, stand.told, stand.drives_of(name), stand.user_data(name))
            takes_loop_devices(nodes["target"], stand)
            nodes["target"].write_unit(IMAGE_SERVICE, GATHERS)
            for node in nodes.values():
                node.start()
            for node in nodes.values():
                booted(node)
            yield Live(stand=stand, **nodes)
        finally:
            for node in nodes.values():
                node.close()


def takes_loop_devices(node: LiveNode, stand: Stand) -> None:
    """Drives of this machine are loop devices, which the engine takes only when it is told so."""
    unit = "planner-target.service"
    [line] = [line for line in installed_files(stand.stack)[unit].splitlines() if line.startswith("ExecStart=")]
    node.write(f"{UNITS}/{unit}.d/loop.conf", f"[Service]\nExecStart=\n{line} -loopback\n")


def booted(node: LiveNode) -> None:
    """Waits for it; skipped by name where this machine lets no container boot, failed with NEED_POOL=1."""
    wait_until(lambda: node.up or not node.running, f"the start of {node.host.namespace}", 90, every_s=0.5)
    if not node.running:
        told = f"no container with systemd can boot on this machine: {node.said}"
        if os.environ.get("NEED_POOL"):
            pytest.fail(told)
        pytest.skip(told)


def shown(node: LiveNode, unit: str, *names: str) -> list[str]:
    """Properties of a unit, as systemd has them."""
    told = node.run("systemctl", "show", unit, *(f"--property={name}" for name in names))
    found = dict(line.split("=", 1) for line in told.splitlines())
    return [found[name] for name in names]


def failed(node: LiveNode) -> str:
    return node.run("systemctl", "list-units", "--failed", "--plain", "--no-legend")


def main_pid(node: LiveNode, unit: str) -> str:
    [pid] = shown(node, unit, "MainPID")
    return pid


def every_unit_of_a_role_is_up_after_the_first_boot(live: Live) -> None:
    for name, node in (("control", live.control), ("target", live.target)):
        [role] = [role for role in roles(live.stand.stack) if role.name == ROLE[name]]
        for unit in role.units:
            stays = unit.endswith(".timer") or unit.removesuffix(".service").partition("-")[2] in STAYS
            if stays:  # a first primary without a target ends and is started again
                wait_until(lambda node=node, unit=unit: shown(node, unit, "ActiveState") == ["active"], unit, 60)
            elif unit.endswith("certificate.service"):
                assert shown(node, unit, "ActiveState", "Result") == ["inactive", "success"]
        assert failed(node) == "", node.run("journalctl", "--boot", "--unit=planner-fence", "--output=cat")


def the_image_s_own_service_leaves_the_drives_alone(live: Live) -> None:
    assert shown(live.target, IMAGE_SERVICE, "ActiveState", "Result") == ["inactive", "success"]
    assert live.target.run("cat", "/var/lib/gathered") == "gathered\n"  # before this node was the pool's


def what_the_pool_acknowledges_is_in_s3(live: Live) -> None:
    wait_until(lambda: live.stand.stands(live.target), "the pool", 60)
    written = live.stand.put(live.target, KEY)
    assert live.stand.in_s3(KEY) == written
    assert live.stand.curl(live.control, live.stand.object_url(KEY)) == written


def the_daemon_has_the_limits_and_the_cores_of_its_unit(live: Live) -> None:
    node, unit = live.target, "planner-target.service"
    weight, memory, files, kept = shown(node, unit, "CPUWeight", "MemoryHigh", "LimitNOFILE", "AllowedCPUs")
    assert int(weight) == settings.CPU_WEIGHT
    assert int(memory) == settings.RESERVED_MEMORY_GIB * 2**30
    assert int(files) == settings.OPEN_FILES
    if live.stand.stack.reserved_vcpu:  # a drop-in that `prepare` writes before the daemon starts
        assert f'PLANNER_POOL_CPUS="{kept}"' in node.run("cat", "/etc/planner/cpus.env")
        if "cpuset" in node.run("cat", "/sys/fs/cgroup/cgroup.controllers"):
            status = node.run("cat", f"/proc/{main_pid(node, unit)}/status")
            assert f"Cpus_allowed_list:\t{kept}\n" in status


def the_daemon_is_held_in_its_sandbox(live: Live) -> None:
    node = live.target
    pid = main_pid(node, "planner-target.service")
    assert "NoNewPrivs:\t1\n" in node.run("cat", f"/proc/{pid}/status")
    inside = ("nsenter", f"--target={pid}", "--mount", "--root", "--wd", "touch")
    for place in ("/etc/planner", "/opt/planner", "/var/lib/planner", "/usr"):
        assert "Read-only file system" in node.run(*inside, f"{place}/tried", check=False), place
    [drive, _] = node.run("sh", "-c", f"ls -d {settings.MOUNT_FOLDER}/*").split()
    for place in (drive, f"{settings.STATE_FOLDER}/target"):
        assert node.run(*inside, f"{place}/tried") == ""
        node.run("rm", f"{place}/tried")


def timers_come_up_when_they_say(live: Live) -> None:
    """systemd puts a timer off by up to a minute where its unit does not say otherwise."""
    for node, unit in ((live.control, "planner-rejoin.timer"), (live.target, "planner-metrics.timer")):
        near, left = shown(node, unit, "AccuracyUSec", "NextElapseUSecMonotonic")
        assert near == "1s"
        assert left not in ("", "0", "infinity")
    [next_day] = shown(live.target, "planner-certificate.timer", "NextElapseUSecRealtime")
    assert next_day != ""
    live.target.run("systemctl", "start", "planner-metrics.service", "planner-certificate.service")
    assert "planner_pool_daemon_active 1\n" in live.target.run("cat", "/var/lib/planner/metrics/planner.prom")
    live.control.run("systemctl", "start", "planner-rejoin.service")


def a_daemon_that_dies_is_started_again_even_where_its_certificate_cannot_be_looked_at(live: Live) -> None:
    breaks = "printf '#!/bin/sh\\nexit 1\\n' > /usr/local/bin/openssl; chmod +x /usr/local/bin/openssl"
    live.target.run("sh", "-c", breaks)
    told = ((live.target, "planner-target.service", "KILL"), (live.control, "planner-proxy.service", "TERM"))
    before = [main_pid(node, unit) for node, unit, _ in told]
    for (node, _, signal), pid in zip(told, before, strict=True):
        node.run("kill", f"-{signal}", pid)
    for (node, unit, _), pid in zip(told, before, strict=True):
        wait_until(lambda node=node, unit=unit, pid=pid: main_pid(node, unit) not in ("0", pid), unit, 30)
    assert "planner-certificate.service" in failed(live.target)
    live.target.run("rm", "/usr/local/bin/openssl")
    # the timer of the gauges, which tell the certificate's end, may have come in between
    live.target.run("systemctl", "start", "planner-certificate.service", "planner-metrics.service")
    wait_until(live.reads, "the object", 60)
    assert failed(live.target) == failed(live.control) == ""


def jobs_get_the_keys_of_their_own_role(live: Live) -> None:
    """As the user of jobs, with what a login shell gives."""
    job = ("setpriv", "--reuid=planner-job", "--regid=planner-job", "--init-groups", "--no-new-privs", "sh", "-c")
    asks = "curl -sS --max-time 10 {} $AWS_CONTAINER_CREDENTIALS_FULL_URI"
    shows = asks.format('-H "Authorization: $AWS_CONTAINER_AUTHORIZATION_TOKEN"')

    def keys() -> str:
        return live.target.run(*job, f". /etc/profile.d/planner.sh; {shows}", check=False)

    wait_until(lambda: '"Token": "of-jobs"' in keys(), f"the keys: {keys()}", 30)
    assert "Unauthorized" in live.target.run(*job, f". /etc/profile.d/planner.sh; {asks.format('')}")
    [rights] = shown(live.target, "planner-credentials.service", "CapabilityBoundingSet")
    assert rights == "cap_net_bind_service"


def the_gateway_is_off_and_says_what_it_lacks(live: Live) -> None:
    node, unit = live.target, "planner-gateway.service"
    assert shown(node, unit, "UnitFileState", "ActiveState") == ["disabled", "inactive"]
    node.run("sh", "-c", "echo PLANNER_PYTHON=/opt/nothing/python > /etc/planner/gateway.env")
    node.run("systemctl", "start", unit)
    wait_until(lambda: "No such file" in node.run("journalctl", f"--unit={unit}", "--output=cat"), "its words", 30)
    # this test's own Python has what it needs; only root may read it
    place = f"/run/systemd/system/{unit}.d"
    node.run("sh", "-c", f"echo PLANNER_PYTHON={sys.executable} > /etc/planner/gateway.env; mkdir -p {place}")
    node.run("sh", "-c", f"cat > {place}/root.conf", text="[Service]\nUser=root\n")
    node.run("systemctl", "daemon-reload")
    node.run("systemctl", "restart", unit)
    url = f"http://127.0.0.1:8333/{DATA}/{KEY}"
    wait_until(lambda: node.run("curl", "-s", url, check=False) == live.stand.in_s3(KEY), "the object", 60)
    node.run("systemctl", "stop", unit)
    node.run("rm", "-r", place)
    node.run("systemctl", "daemon-reload")
    node.run("systemctl", "reset-failed", unit, check=False)


def the_watch_s_own_unit_can_start_its_daemon_anew(live: Live) -> None:
    """It is ordered after the daemon that it stops and starts: systemd must not let the two wait for each other."""
    node, place = live.control, "/run/systemd/system/planner-rejoin.service.d"
    # `start` joins a run that the timer has begun, and that one was read without the drop-in
    node.run("systemctl", "stop", "planner-rejoin.timer", "planner-rejoin.service")
    node.run("sh", "-c", f"mkdir -p {place}; cat > {place}/now.conf", text=COMES_BACK)
    node.run("systemctl", "daemon-reload")
    before = main_pid(node, "planner-proxy.service")
    node.run("systemctl", "start", "planner-rejoin.service", timeout_s=60)
    assert main_pid(node, "planner-proxy.service") not in ("0", before)
    node.run("rm", "-r", place)
    node.run("systemctl", "daemon-reload")
    node.run("systemctl", "start", "planner-rejoin.timer")
    wait_until(live.reads, "the object", 60)


def a_daemon_that_is_stopped_has_not_failed(live: Live) -> None:
    for node, unit in ((live.target, "planner-target.service"), (live.control, "planner-proxy.service")):
        node.run("systemctl", "stop", unit)
        assert shown(node, unit, "ActiveState", "Result") == ["inactive", "success"]
        assert failed(node) == "", node.run("journalctl", "--boot", "--unit=planner-fence", "--output=cat")
    for node, unit in ((live.control, "planner-proxy.service"), (live.target, "planner-target.service")):
        node.run("systemctl", "start", unit)
    wait_until(live.reads, "the object", 60)


def a_node_comes_up_again_after_a_reboot_with_what_was_on_its_drives(live: Live) -> None:
    node, unit = live.target, "planner-target.service"
    kept = shown(node, unit, "AllowedCPUs")
    node.run("systemctl", "reboot")
    wait_until(lambda: not node.running, "the end of the node", 60)
    node.start()
    booted(node)
    assert failed(node) == "", node.run("journalctl", "--boot", "--unit=planner-fence", "--output=cat")
    assert shown(node, unit, "AllowedCPUs") == kept  # the drop-in was gone with /run: `prepare` wrote it in time
    assert node.run("cat", "/var/lib/gathered") == "gathered\n"
    assert "mkfs" not in node.run("journalctl", "--unit=planner-prepare", "--output=cat")
    wait_until(live.reads, "the object", 60)


def a_notice_drains_the_node_once_whatever_a_step_of_it_says(live: Live) -> None:
    """Told again every few seconds, a job would begin its last checkpoint anew until the node is gone."""
    node, unit = live.target, "planner-target.service"
    script = "#!/bin/sh\necho $POOL_NOTICE_KIND: $(systemctl is-active planner-target) >> /etc/planner/told\nexit 1\n"
    node.run("sh", "-c", "cat > /etc/planner/leave.d/job; chmod +x /etc/planner/leave.d/job", text=script)
    live.stand.notice()
    ended = ["failed", "exit-code", "0"]
    wait_until(
        lambda: shown(node, "planner-notice.service", "ActiveState", "Result", "NRestarts") == ended, "the drain", 100
    )
    assert node.run("cat", "/etc/planner/told") == "spot: active\n"
    told = node.run("journalctl", "--unit=planner-notice", "--output=cat")
    assert "drain: done\n" in told
    assert "notify AWS: done\n" in told
    assert shown(node, unit, "ActiveState", "Result") == ["inactive", "success"]
    assert not live.stand.stands(live.control)


def a_node_goes_down_at_once_when_it_is_told_to(live: Live) -> None:
    live.control.run("systemctl", "poweroff")
    assert wait_until(lambda: not live.control.running, "the end of the node", 60) < 40


LIFE = (
    every_unit_of_a_role_is_up_after_the_first_boot,
    the_image_s_own_service_leaves_the_drives_alone,
    what_the_pool_acknowledges_is_in_s3,
    the_daemon_has_the_limits_and_the_cores_of_its_unit,
    the_daemon_is_held_in_its_sandbox,
    timers_come_up_when_they_say,
    jobs_get_the_keys_of_their_own_role,
    the_gateway_is_off_and_says_what_it_lacks,
    a_daemon_that_dies_is_started_again_even_where_its_certificate_cannot_be_looked_at,
    the_watch_s_own_unit_can_start_its_daemon_anew,
    a_daemon_that_is_stopped_has_not_failed,
    a_node_comes_up_again_after_a_reboot_with_what_was_on_its_drives,
    a_notice_drains_the_node_once_whatever_a_step_of_it_says,
    a_node_goes_down_at_once_when_it_is_told_to,
)


def test_the_life_of_a_control_node_and_a_target(live):
    """One test, since each step takes the nodes as the one before it has left them, and workers share tests out."""
    for step in LIFE:
        print(step.__name__, flush=True)
        step(live)
