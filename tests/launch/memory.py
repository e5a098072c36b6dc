"""The bucket in memory, and nodes on the loopback interface: the launcher without S3, root or namespaces."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from fleet_pool.launch import peers
from fleet_pool.launch.agent import Agent
from fleet_pool.launch.bucket import Listed
from fleet_pool.launch.environment import Fabric
from fleet_pool.launch.here import Here
from fleet_pool.launch.ranks import Member
from fleet_pool.launch.records import Run, run_prefix, to_json
from fleet_pool.node.facts import Node
from fleet_pool.problems import Unreachable


class Memory:
    """As Bucket. age_s: how old the newest object is said to be. down: whether nothing can be listed."""

    name = "data"

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.age_s = 0.0
        self.down = False
        self._lock = threading.Lock()

    def read(self, key: str) -> bytes | None:
        return self.objects.get(key)

    def read_json(self, key: str) -> Any:
        found = self.read(key)
        return None if found is None else json.loads(found)

    def write(self, key: str, data: bytes) -> None:
        self.objects[key] = data

    def write_once(self, key: str, value: Any) -> bool:
        data = json.dumps(value, sort_keys=True).encode()
        with self._lock:
            return self.objects.setdefault(key, data) == data

    def list(self, prefix: str, *, after: str = "", delimiter: str = "") -> Listed:
        if self.down:
            raise Unreachable("no S3")
        found = sorted(key for key in self.objects if key.startswith(prefix) and key > after)
        rest = [key[len(prefix) :] for key in found]
        folders = {
            prefix + each.partition(delimiter)[0] + delimiter for each in rest if delimiter and delimiter in each
        }
        keys = [key for key, each in zip(found, rest, strict=True) if not delimiter or delimiter not in each]
        return Listed(keys=tuple(keys), folders=tuple(sorted(folders)), idle_s=self.age_s if keys else None)


def run_of(*command: str, **others: Any) -> Run:
    given = {
        "number": 1,
        "command": command,
        "nodes": 3,
        "folder": "/",
        "environment": {},
        "checkpoints": "checkpoints/toy",
        "restarts": 1,
        "wait_s": 5.0,
        "node_s": 1.0,
        "hang_s": 0.0,
        "grace_s": 2.0,
        "resume_s": 3600.0,
        "launched_on": "i-1 0",
        **others,
    }
    return Run(**given)


class Fleet:
    """Nodes at 127.0.0.1 and up, each with an agent whose turns are taken one after the other."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            monkeypatch.setattr(peers, "PORT", free.getsockname()[1])
        self.bucket, self.folder = Memory(), folder
        self.agents: dict[int, Agent] = {}
        self.answering: dict[int, peers.Answering] = {}
        self.lives = 0
        self.sick: dict[int, str] = {}  # what a node's last look found wrong

    def add(self, number: int) -> Agent:
        self.lives += 1
        address, name = f"127.0.0.{number}", f"i-{number}"
        here = Here(
            node=Node(
                role="gpu",
                instance=name,
                address=address,
                number=-1,
                group="",
                region="us-east-1",
                artefacts_bucket="none",
                data_bucket="data",
            ),
            bucket=self.bucket,  # type: ignore[arg-type]
            fabric=Fabric(instance_type="g6.8xlarge", interface="lo", efa_devices=0),
            member=Member(instance=name, incarnation=str(self.lives), address=address, unknown="none here"),
            state=self.folder / name,
            pace_s=0.0,
        )
        here.state.mkdir(exist_ok=True)
        agent = self.agents[number] = Agent(here, dict(os.environ), lambda: self.sick.get(number, ""))
        self.answering[number] = peers.Answering(address, agent.status)
        return agent

    def lose(self, number: int) -> None:
        """The node is gone, and its command with it."""
        self.answering.pop(number).close()
        self.agents.pop(number).leave()

    def launch(self, run: Run) -> None:
        assert self.bucket.write_once(f"{run_prefix(run.number)}run.json", to_json(run))

    def take_turns(self, until: str, timeout_s: float = 20.0) -> Any:
        """Until an object is there; its content."""
        end = time.monotonic() + timeout_s
        while until not in self.bucket.objects:
            assert time.monotonic() < end, sorted(self.bucket.objects)
            for agent in list(self.agents.values()):
                agent.turn()
            time.sleep(0.02)
        return self.bucket.read_json(until) if until.endswith(".json") else self.bucket.read(until)

    def close(self) -> None:
        for number in list(self.agents):
            self.lose(number)
