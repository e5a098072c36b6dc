"""The fence of a GPU node, by the kernel's packet filter in a network of its own: who reaches the daemons' ports."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from fleet_pool import settings

from infra.node.render import installed_files
from tests.infra.node.test_scripts import need
from tests.pool.node.nodes import CASES

PORTS = (settings.PROXY_PORT, settings.TARGET_PORT, settings.PROXY_INTRA_PORT, settings.TARGET_INTRA_PORT)
ASKED = f"""
import encodings.idna, json, os, socket, subprocess  # idna: others may not read where Python is
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
for _ in range(2):  # at every boot, and when somebody starts it again
    subprocess.run(["sh", "fence.sh"], check=True)
listening = [socket.create_server(("127.0.0.1", port)) for port in {PORTS}]
def reached(uid):
    found = []
    for port in {PORTS}:
        child = os.fork()
        if not child:
            os.setuid(uid)
            try:
                socket.create_connection(("127.0.0.1", port), 2)
            except OSError:
                os._exit(1)
            os._exit(0)
        if os.waitpid(child, 0)[1] == 0:
            found.append(port)
    return found
print(json.dumps({{uid: reached(uid) for uid in (0, 65534, 12345)}}))
"""


@pytest.mark.real
def test_only_the_daemons_user_reaches_the_ports_that_ask_for_no_token(tmp_path):
    need("nft", "nftables")
    if os.geteuid():
        pytest.skip("needs root")
    stack = next(case.stack for case in CASES if case.stack.tls and case.stack.targets_on == "gpu")
    script = installed_files(stack)["fence.sh"].replace("id -u planner", "echo 65534")  # there is no such user here
    (tmp_path / "fence.sh").write_text(script)
    words = ["unshare", "--net", sys.executable, "-c", ASKED]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    public = [settings.PROXY_PORT, settings.TARGET_PORT]
    assert json.loads(done.stdout) == {"65534": list(PORTS), "0": public, "12345": public}
