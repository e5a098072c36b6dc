"""A GPU node with files over the pool boots under a real systemd: pool, proxy of its own, database and mount are real.

The one stand-in is the answer of AWS Secrets Manager.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from fleet_pool import settings

from infra.node.render import LAUNCH_USER
from tests.infra.node.live import LiveNode
from tests.infra.node.stand import standing
from tests.infra.node.test_live import PROGRAMS, Live, booted, shown, takes_loop_devices
from tests.infra.node.test_scripts import need
from tests.pool.certificates import Authority
from tests.pool.daemon import wait_until
from tests.pool.fixtures import needed
from tests.pool.posix.mounts import PASSWORD, PORT, Database, missing

UNIT, ROOT = "planner-files.service", settings.FILES_FOLDER
AUTHORITY = "/etc/planner/rds.pem"
SECRET = """#!/bin/sh
if [ "$1" = secretsmanager ]; then
  echo '{told}'
  exit
fi
"""


@pytest.fixture(scope="module")
def live(pool_machine: None) -> Iterator[Live]:
    for program, package in PROGRAMS.items():
        need(program, package)
    needed("files over a pool", missing())
    with standing(reserved_vcpu=0, files=True) as stand, ExitStack() as stack:
        address = f"{stand.network.subnet}.254"
        authority = Authority(stand.folder / "authority", "rds")
        database = Database(address, authority.issue("database", [address]))
        stack.callback(database.close)
        url = f"{database.create('files').replace(f':{PASSWORD}', '').partition('?')[0]}?sslmode=verify-full"
        more = {"control": {}, "target": {"PLANNER_FILES": f"{url}&max_open_conns=8", "PLANNER_FILES_SECRET": "arn:x"}}
        assert f":{PORT}/files?" in url
        nodes = {}
        for name, host in stand.hosts.items():
            user_data = stand.user_data(name, **more[name])
            nodes[name] = LiveNode(host, stand.folder / name, stand.told, stand.drives_of(name), user_data)
            stack.callback(nodes[name].close)
        target = nodes["target"]
        takes_loop_devices(target, stand)
        target.write(AUTHORITY, authority.certificate.read_text())
        aws = (target.folder / "files/usr/local/bin/aws").read_text().partition("\n")[2]
        told = json.dumps({"username": "postgres", "password": PASSWORD})
        target.write("/usr/local/bin/aws", SECRET.format(told=told) + aws, 0o755)
        for node in nodes.values():
            node.start()
        booted(nodes["control"])
        yield Live(stand=stand, **nodes)


def _mounted(node: LiveNode) -> None:
    def active() -> bool:
        try:
            return shown(node, UNIT, "ActiveState") == ["active"]
        except (AssertionError, KeyError, ValueError):
            return False  # it boots

    try:
        wait_until(active, f"{UNIT} of {node.host.namespace}", 150, every_s=1)
    except TimeoutError as late:
        units = ("planner-files", "planner-proxy", "planner-target")
        words = [f"--unit={unit}" for unit in units]
        raise AssertionError(f"{late}: {node.run('journalctl', '--no-pager', '-n', '60', *words)}") from None


def test_files_are_there_before_jobs_and_their_node_is_no_control_node(live: Live) -> None:
    _mounted(live.target)
    assert "fuse.juicefs" in live.target.run("findmnt", "--noheadings", "--output=FSTYPE", ROOT)
    job = f"mkdir -p {ROOT}/home/ann && head -c 5000000 /dev/urandom > {ROOT}/home/ann/data && sync"
    live.target.run("runuser", "-u", LAUNCH_USER, "--", "sh", "-c", job)
    sums = live.target.run("sha256sum", f"{ROOT}/home/ann/data")
    assert "planner-files.service" in shown(live.target, "planner-launch.service", "After")[0].split()
    looked = live.target.run("planner-ready", "--wait-s=0", check=False)
    assert f"{ROOT} answers" in looked or "mount" not in looked

    def flags() -> list[int]:
        told = json.loads(live.stand.curl(live.control, live.stand.url("daemon?what=smap")))["pmap"]
        return sorted(int(one.get("flags") or 0) & 1 for one in told.values())

    wait_until(lambda: flags() == [0, 1], "a proxy that is kept out of elections", 60, every_s=1)

    live.target.run("systemctl", "reboot")
    wait_until(lambda: not live.target.running, "the end of the node", 90)
    live.target.start()
    _mounted(live.target)
    assert live.target.run("sha256sum", f"{ROOT}/home/ann/data") == sums

    live.target.run("sh", "-c", f"head -c 3000000 /dev/zero > {ROOT}/home/ann/last")
    live.target.run("systemctl", "stop", UNIT, timeout_s=150)
    assert live.target.run("findmnt", ROOT, check=False) == ""
    live.target.run("systemctl", "start", UNIT, timeout_s=150)
    assert live.target.run("stat", "--format=%s", f"{ROOT}/home/ann/last").strip() == "3000000"
    quota = live.target.run("planner-files", "quota", "set", "META", "--path", "/home/ann", "--capacity", "1")
    assert PASSWORD not in quota
