"""Instances of the rehearsal on this machine: a member of a local pool each, with the launcher's agent beside it."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import threading
from pathlib import Path

from fleet_pool.node.facts import Node
from fleet_pool.node.files import files

from infra.node.built import POOL_FILE
from infra.node.render import LAUNCH_FILE
from infra.node.zipped import launch_file, pool_file
from tests.launch.fleet import AWS as TOPOLOGY
from tests.launch.fleet import PACE_S
from tests.pool.cluster import Cluster
from tests.pool.daemon import PLAIN, Daemon
from tests.pool.member import Member, assignments
from tests.pool.network import Host
from tests.pool.s3 import REGION

# root's commands see /etc/planner and /opt/planner as on a node; nobody else on this machine does
OVERLAID = """set -e
for place in etc opt; do
  mkdir -p {own}/upper/$place {own}/work/$place
  mount -t overlay overlay -o lowerdir=/$place,upperdir={own}/upper/$place,workdir={own}/work/$place /$place
done
exec sh -c {command}
"""
READY = "#!/bin/sh\necho 'planner-ready: ready (a stand-in: tests/infra/node boots nodes that look at themselves)'\n"
ENTRY = '#!/bin/sh\n[ "$1" = s3 ] && exec {aws} --endpoint-url {s3} "$@"\nexec {topology} "$@"\n'


class Nodes:
    """Members of the cluster by instance id, in the order in which instances come."""

    def __init__(self, cluster: Cluster, bucket: str) -> None:
        self.cluster, self.bucket, self.folder = cluster, bucket, cluster.folder / "nodes"
        self._free, self._lock = list(cluster.nodes), threading.Lock()
        facts = Node(
            role="gpu",
            instance="i-0123456789abcdef0",  # of whichever: its pool.env is that of every node
            address="10.0.0.9",
            number=-1,
            group="",
            region=REGION,
            artefacts_bucket="none-here",
            data_bucket=bucket,
        )
        [self.pool_env] = [
            one.text for one in files(cluster.stack, facts, ("/none",), {}) if one.path.endswith("pool.env")
        ]
        self._members: dict[str, Member] = {}
        self.agents: dict[str, Daemon] = {}
        self.programs = self.folder / "bin"
        self.programs.mkdir(parents=True)
        (self.folder / LAUNCH_FILE).write_bytes(launch_file())
        self._program("topology", TOPOLOGY.format(python=sys.executable))
        entry = ENTRY.format(aws=shutil.which("aws"), s3=cluster.s3.endpoint, topology=self.programs / "topology")
        self._program("aws", entry)
        self._program("planner-ready", READY)
        launch = shlex.join([sys.executable, "-I", str(self.folder / LAUNCH_FILE)])
        self._program("planner-launch", f'#!/bin/sh\nexec {launch} "$@"\n')

    def _program(self, name: str, text: str) -> None:
        (self.programs / name).write_text(text)
        (self.programs / name).chmod(0o755)

    def start(self, instance: str) -> None:
        with self._lock:
            member = self._free.pop(0)
            if not member.daemon.running:
                member.replace()
                member.start()
            self._members[instance] = member
            agent = Daemon(member.host, ["planner-launch", "agent"], self._own(instance) / "log", self._told(instance))
            self.agents[instance] = agent
            agent.command[0] = str(self.programs / "planner-launch")
            agent.start()

    def end(self, instance: str) -> None:
        """As a terminated instance: everything on it at once, and its place in the network."""
        with self._lock:
            member = self._members.pop(instance)
            self.agents.pop(instance).kill()
            subprocess.run(["ip", "link", "set", member.host.link, "down"], check=True)
            member.kill()
            self._free.append(member)

    def run(self, instance: str, command: str) -> subprocess.CompletedProcess[str]:
        own = self._own(instance)
        planner = own / "upper" / "etc" / "planner"
        planner.mkdir(parents=True, exist_ok=True)
        (planner / "pool.env").write_text(self.pool_env)
        bundle = own / "upper" / "opt" / "planner"
        bundle.mkdir(parents=True, exist_ok=True)
        (bundle / POOL_FILE).write_bytes(pool_file())
        script = OVERLAID.format(own=own, command=shlex.quote(command))
        words = [*self._host(instance).enter, "unshare", "--mount", "sh", "-c", script]
        environment = {**PLAIN, **self._told(instance)}
        return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=600, check=False)

    def address(self, instance: str) -> str:
        return self._host(instance).address

    def close(self) -> None:
        for agent in self.agents.values():
            agent.kill()

    def _own(self, instance: str) -> Path:
        found = self.folder / instance
        found.mkdir(exist_ok=True)
        return found

    def _host(self, instance: str) -> Host:
        """A node's, or that of a control node."""
        member = self._members.get(instance)
        return (member or self.cluster.proxies[0]).host

    def _told(self, instance: str) -> dict[str, str]:
        """What node.env and the instance's role give."""
        address = self._host(instance).address
        return {
            **self.cluster.s3.environment,
            "AWS_ENDPOINT_URL_S3": self.cluster.s3.endpoint,
            "PATH": f"{self.programs}:{PLAIN['PATH']}",
            "PYTHONUNBUFFERED": "1",
            "HOME": str(self._own(instance)),
            "TMPDIR": str(self._own(instance)),
            "PLANNER_ROLE": "gpu",
            "PLANNER_INSTANCE": instance,
            "PLANNER_ADDRESS": address,
            "PLANNER_REGION": REGION,
            "PLANNER_BUCKET": "none-here",
            "PLANNER_DATA": self.bucket,
            **assignments(self.pool_env),
            "PLANNER_LAUNCH_PACE_S": PACE_S,
            "STATE_DIRECTORY": str(self._own(instance) / "state"),
        }
