"""The fence of a GPU node, by the kernel's packet filter in a network of its own: who reaches the instance metadata and
the daemons' ports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fleet_pool import settings

from infra.node.render import installed_files
from tests.infra.node.test_scripts import need
from tests.pool.node.nodes import CASES

PORTS = (settings.PROXY_PORT, settings.TARGET_PORT, settings.PROXY_INTRA_PORT, settings.TARGET_INTRA_PORT)
METADATA = ("169.254.169.254", "fd00:ec2::254")
ROOT, DAEMON, JOB, NOBODY = "0", "4321", "12345", "65534"
# a container is another network namespace behind this one, and so is what stands for the instance metadata there
ASKED = f"""
import encodings.idna, json, os, socket, subprocess, sys, time  # idna: others may not read where Python is
def run(*words):
    subprocess.run(words, check=True)
def apart():
    child = os.fork()
    if not child:
        os.unshare(0x40000000) if hasattr(os, "unshare") else __import__("ctypes").CDLL(None).unshare(0x40000000)
        time.sleep(60)
        os._exit(0)
    time.sleep(0.5)
    return child
def within(child, *words):
    run("nsenter", f"--target={{child}}", "--net", *words)
run("ip", "link", "set", "lo", "up")
for _ in range(2):  # at every boot, and when somebody starts it again
    run("sh", "fence.sh")
container, beyond = apart(), apart()
for number, child in ((1, container), (2, beyond)):
    run("ip", "link", "add", f"veth{{number}}", "type", "veth", "peer", "name", "eth0", "netns", str(child))
    run("ip", "address", "add", f"10.9.{{number}}.1/24", "dev", f"veth{{number}}")
    run("ip", "link", "set", f"veth{{number}}", "up")
    within(child, "ip", "address", "add", f"10.9.{{number}}.2/24", "dev", "eth0")
    within(child, "ip", "link", "set", "eth0", "up")
    within(child, "ip", "link", "set", "lo", "up")
    within(child, "ip", "route", "add", "default", "via", f"10.9.{{number}}.1")
open("/proc/sys/net/ipv4/ip_forward", "w").write("1")
within(beyond, "ip", "address", "add", "{METADATA[0]}/32", "dev", "lo")
listen = "import socket, time; s = [socket.create_server(('0.0.0.0', p)) for p in (80, 8080, {PORTS[2]})]"
listen += "; time.sleep(60)"
served = subprocess.Popen(["nsenter", f"--target={{beyond}}", "--net", sys.executable, "-c", listen])
time.sleep(1.5)
def outcome(action):
    child = os.fork()
    if not child:
        try:
            action()
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0
def from_container(address, port):
    code = f"import socket; socket.create_connection(('{{address}}', {{port}}), 2)"
    words = ["nsenter", f"--target={{container}}", "--net", sys.executable, "-c", code]
    return subprocess.run(words, stderr=subprocess.DEVNULL).returncode == 0
run("ip", "route", "add", "{METADATA[0]}/32", "via", "10.9.2.2")
behind = [port for port in (80, 8080) if from_container("{METADATA[0]}", port)]
behind += [port for port in (8080, {PORTS[2]}) if from_container("10.9.2.2", port)]
run("ip", "route", "del", "{METADATA[0]}/32")
for address in ("{METADATA[0]}/32", "{METADATA[1]}/128"):
    run("ip", "address", "add", address, "dev", "lo", *(["nodad"] if ":" in address else []))
doors = [("127.0.0.1", port) for port in {PORTS}] + [(address, 80) for address in {METADATA}]
listening = [
    socket.create_server(door, family=socket.AF_INET6 if ":" in door[0] else socket.AF_INET) for door in doors
]
def reached(uid):
    def asks(door):
        os.setuid(uid)
        socket.create_connection(door, 2)
    return [door[0 if door[1] == 80 else 1] for door in doors if outcome(lambda: asks(door))]
found = {{uid: reached(uid) for uid in ({ROOT}, {DAEMON}, {JOB}, {NOBODY})}}
print(json.dumps({{**found, "container": behind}}))
for child in (container, beyond):
    os.kill(child, 9)
served.kill()
"""


def reached(stack_name: str, tmp_path: Path) -> dict[str, list[object]]:
    """What each user reaches, and what a container does."""
    need("nft", "nftables")
    if os.geteuid():
        pytest.skip("needs root")
    stack = next(case.stack for case in CASES if case.name == stack_name)
    script = installed_files(stack)["fence.sh"].replace("id -u planner", f"echo {DAEMON}")  # there is no such user here
    (tmp_path / "fence.sh").write_text(script)
    words = ["unshare", "--net", sys.executable, "-c", ASKED]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.real
def test_jobs_reach_neither_the_metadata_nor_the_ports_that_ask_for_no_token(tmp_path):
    public = [settings.PROXY_PORT, settings.TARGET_PORT]
    assert reached("p5", tmp_path) == {
        ROOT: [*public, *METADATA],
        DAEMON: [*PORTS, *METADATA],
        JOB: public,
        NOBODY: public,
        "container": [8080],
    }


@pytest.mark.real
def test_without_a_pool_there_are_the_metadata_alone(tmp_path):
    assert reached("no-pool", tmp_path) == {
        ROOT: [*PORTS, *METADATA],
        DAEMON: list(PORTS),
        JOB: list(PORTS),
        NOBODY: list(PORTS),
        "container": [8080, settings.PROXY_INTRA_PORT],
    }
