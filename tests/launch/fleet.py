"""GPU nodes of a fleet on this machine: namespaces with the launcher's agent in them, and S3 beside them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from infra.node.render import LAUNCH_FILE
from infra.node.zipped import launch_file
from tests.pool.daemon import PLAIN, Daemon, wait_until
from tests.pool.machine import remove_folder, remove_stale, scratch
from tests.pool.network import Host, Network
from tests.pool.s3 import BUCKET, REGION, S3Server

ROOT = Path(__file__).resolve().parents[2]
PACE_S = "0.5"
# an `aws` that knows the place of each instance in the network: odd ones hang below another switch than even ones
AWS = """#!{python}
import json, sys
instance = sys.argv[sys.argv.index("--instance-ids") + 1]
side = int(instance[-1], 16) % 2
layers = ["nn-0", f"nn-{{side}}", f"nn-{{side}}9"]
print(json.dumps({{"Instances": [{{"InstanceId": instance, "NetworkNodes": layers}}]}}))
"""


class Node:
    """One node: its agent, as its unit would start it."""

    def __init__(self, fleet: Fleet, number: int, host: Host) -> None:
        self.instance, self.host, self.folder = f"i-{number:04d}", host, fleet.folder / f"node{number}"
        self.environment = {
            **fleet.s3.environment,
            "AWS_ENDPOINT_URL_S3": fleet.s3.endpoint,
            "PATH": f"{fleet.folder}/bin:{PLAIN['PATH']}",
            "PYTHONPATH": str(ROOT / "pool"),  # for the job, which uses the client
            "PYTHONUNBUFFERED": "1",
            "OMP_NUM_THREADS": "1",
            "PLANNER_ROLE": "gpu",
            "PLANNER_INSTANCE": self.instance,
            "PLANNER_ADDRESS": host.address,
            "PLANNER_REGION": REGION,
            "PLANNER_BUCKET": "none-here",
            "PLANNER_DATA": BUCKET,
            "PLANNER_LAUNCH_PACE_S": PACE_S,
            "STATE_DIRECTORY": str(self.folder),
        }
        # what the bundle has, and nothing else of this checkout
        self.program = [sys.executable, "-I", str(fleet.folder / LAUNCH_FILE)]
        self.agent = Daemon(host, [*self.program, "agent"], self.folder / "agent.log", self.environment)

    def launch(self, *words: str, **more: Any) -> subprocess.Popen[str]:
        """`planner-launch` on this node."""
        return subprocess.Popen(
            [*self.host.enter, *self.program, *words],
            env={**PLAIN, **self.environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            **more,
        )


class Fleet:
    """Nodes .1 and up; S3 is .253."""

    def __init__(self) -> None:
        self.folder = scratch()
        self.network = Network()
        self.s3 = S3Server(self.network.add("s3", 253), self.folder / "s3")
        self.nodes: dict[int, Node] = {}

    @classmethod
    @contextmanager
    def standing(cls) -> Iterator[Fleet]:
        remove_stale()
        fleet = cls()
        try:
            (fleet.folder / "bin").mkdir()
            (fleet.folder / "bin" / "aws").write_text(AWS.format(python=sys.executable))
            (fleet.folder / "bin" / "aws").chmod(0o755)
            (fleet.folder / LAUNCH_FILE).write_bytes(launch_file())
            fleet.s3.start()
            fleet.s3.client().create_bucket(Bucket=BUCKET)
            yield fleet
        finally:
            for node in fleet.nodes.values():
                node.agent.kill()
            fleet.s3.kill()
            fleet.network.close()
            remove_folder(fleet.folder)

    def add(self, number: int) -> Node:
        """A new node with its agent started."""
        node = Node(self, number, self.network.add(f"n{number}", number))
        self.nodes[number] = node
        node.agent.start()
        return node

    def lose(self, number: int) -> None:
        """The node is gone with everything on it."""
        node = self.nodes.pop(number)
        self.network.remove(node.host)
        node.agent.kill()

    def object(self, key: str) -> bytes:
        return self.s3.client().get_object(Bucket=BUCKET, Key=key)["Body"].read()

    def keys(self, prefix: str) -> list[str]:
        pages = self.s3.client().get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=prefix)
        return [each["Key"] for page in pages for each in page.get("Contents", ())]

    def record(self, key: str) -> Any:
        return json.loads(self.object(key))

    def output(self, run: int, attempt: int, rank: int, file: str) -> str:
        """A file of a node's output, put together from its pieces."""
        keys = self.keys(f"launch-logs/{run:06d}/{attempt:04d}/node-{rank:04d}/")
        return b"".join(self.object(key) for key in sorted(keys) if f"/{file}." in key).decode()

    def committed(self, name: str) -> list[int]:
        """Steps with a COMMIT."""
        keys = self.keys(f"checkpoints/{name}/")
        return [int(key.split("/")[-2].partition("-")[2]) for key in keys if key.endswith("/COMMIT")]

    def wait_commit(self, name: str, step: int, timeout_s: float) -> None:
        wait_until(lambda: max(self.committed(name), default=-1) >= step, f"COMMIT of step {step}", timeout_s)

    def notes(self, name: str, step: int) -> Any:
        """What the job wrote into the COMMIT of a step."""
        return self.record(f"checkpoints/{name}/step-{step:012d}/COMMIT")["notes"]
