"""An account for the rehearsal: the stand-in cloud says which instances there are, and each is a node on this machine.

The group launches an instance for each that it lacks, which is Pending until its agent runs; as AWS does, it replaces
one that was ended while ReplaceUnhealthy is not suspended. Commands of Systems Manager run in the node's namespace.
"""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import Any, Protocol

from tests.engine.cloud.store import Cloud, Thing

GROUP = "aws:autoscaling/group:Group"
IMAGES = {"deeplearning": "ami-0000000000000000a", "ami-amazon-linux": "ami-0000000000000000c"}


class Machines(Protocol):
    """Where instances run: started, ended, and asked to run a command as root."""

    def start(self, instance: str) -> None: ...

    def end(self, instance: str) -> None: ...

    def run(self, instance: str, command: str) -> subprocess.CompletedProcess[str]: ...

    def address(self, instance: str) -> str: ...


class NoMachines:
    """Instances that never become ready."""

    def start(self, instance: str) -> None:
        pass

    def end(self, instance: str) -> None:
        pass


class Account:
    """Answers of the AWS CLI. asked: every question, in order. suspended: processes of the group."""

    def __init__(self, cloud: Cloud, machines: Machines | NoMachines) -> None:
        self.cloud, self.machines = cloud, machines
        self.asked: list[list[str]] = []
        self.suspended = {"AZRebalance", "ReplaceUnhealthy"}
        self.protected = True
        self.ends = ""
        self.broken = ""  # a verb that answers nonsense
        self._late = ""
        self._known: set[str] = set()  # instances whose agent Systems Manager has heard of
        self._states: dict[str, str] = {}
        self._commands: dict[tuple[str, str], Future[subprocess.CompletedProcess[str]]] = {}
        self._pool = ThreadPoolExecutor(8)
        self._lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"answer": self.answer})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._pool.shutdown(cancel_futures=True)

    def answer(self, words: list[str]) -> dict[str, Any]:
        """found, or error."""
        self.asked.append(words)
        if words[1] == self.broken:
            return {"found": None, "error": "An error occurred (Throttling)"}
        starts = [place for place, word in enumerate(words) if word.startswith("--")]
        options = {words[a]: " ".join(words[a + 1 : b]) for a, b in pairwise([*starts, len(words)])}
        act: Callable[[dict[str, str]], Any] = getattr(self, f"_{words[0]}_{words[1]}".replace("-", "_"))
        try:
            return {"found": act(options), "error": ""}
        except LookupError as error:
            return {"found": None, "error": str(error)}

    def _sts_get_caller_identity(self, _: dict[str, str]) -> Any:
        return {"Account": "111122223333"}

    def _ssm_get_parameter(self, given: dict[str, str]) -> Any:
        return {"Parameter": {"Value": next(ami for name, ami in IMAGES.items() if name in given["--name"])}}

    def _ec2_describe_instance_type_offerings(self, _: dict[str, str]) -> Any:
        return {"InstanceTypeOfferings": [{"Location": "use1-az6"}, {"Location": "use1-az4"}]}

    def _ec2_describe_instances(self, given: dict[str, str]) -> Any:
        if "--instance-ids" in given:  # where they are; this stand-in does not say when they were launched
            assert not isinstance(self.machines, NoMachines)
            ids = given["--instance-ids"].split()
            found = [{"InstanceId": id, "PrivateIpAddress": self.machines.address(id)} for id in ids]
            return {"Reservations": [{"Instances": found}]}
        asked = {each["Name"]: each["Values"][0] for each in json.loads(given["--filters"])}
        tags = {name.removeprefix("tag:"): value for name, value in asked.items() if name.startswith("tag:")}
        there = [thing for thing in self.cloud.standing() if thing["type"] == "aws:ec2/instance:Instance"]
        ids = [each["id"] for each in there if tags.items() <= each["inputs"]["tags"].items()]
        return {"Reservations": [{"Instances": [{"InstanceId": id}]} for id in ids]}

    def _autoscaling_describe_auto_scaling_groups(self, given: dict[str, str]) -> Any:
        group = self._group(given["--auto-scaling-group-names"])
        if group is None:
            return {"AutoScalingGroups": []}
        wanted = int(group["inputs"]["desiredCapacity"])
        with self._lock:
            there = {thing["id"] for thing in self._instances(group)}
            if len(there) < wanted and "ReplaceUnhealthy" not in self.suspended:
                self.cloud.update(GROUP, group["id"], group["inputs"])  # settles: launches what is missing
                there = {thing["id"] for thing in self._instances(group)}
            for instance in sorted(there - set(self._states)):
                self._states[instance] = "Pending"
                self._pool.submit(self._start, instance)
            for instance in set(self._states) - there:
                del self._states[instance]
            members = [{"InstanceId": id, "LifecycleState": state} for id, state in sorted(self._states.items())]
            suspended = [{"ProcessName": name} for name in sorted(self.suspended)]
        return {"AutoScalingGroups": [{"Instances": members, "SuspendedProcesses": suspended}]}

    def _start(self, instance: str) -> None:
        self.machines.start(instance)
        if not isinstance(self.machines, NoMachines):
            with self._lock:
                self._states[instance] = "InService"

    def _autoscaling_update_auto_scaling_group(self, _: dict[str, str]) -> None:
        self.protected = False

    def _autoscaling_set_instance_protection(self, given: dict[str, str]) -> None:
        for instance in given["--instance-ids"].split():
            if self._states.get(instance) != "InService":  # AWS's words
                raise LookupError(f"ValidationError: The instance {instance} is not in InService or EnteringStandby.")

    def _autoscaling_put_scheduled_update_group_action(self, given: dict[str, str]) -> None:
        self.ends = given["--start-time"]

    def _autoscaling_resume_processes(self, given: dict[str, str]) -> None:
        self.suspended.discard(given["--scaling-processes"])

    def _autoscaling_suspend_processes(self, given: dict[str, str]) -> None:
        self.suspended.add(given["--scaling-processes"])

    def _ec2_terminate_instances(self, given: dict[str, str]) -> None:
        instance = given["--instance-ids"]
        with self._lock, self.cloud.open(write=True) as state:
            for key in [key for key, thing in state["things"].items() if thing.get("node") == instance]:
                del state["things"][key]
        self.machines.end(instance)

    def _ssm_send_command(self, given: dict[str, str]) -> Any:
        assert not isinstance(self.machines, NoMachines)
        instances = given["--instance-ids"].split()
        if unknown := set(instances) - self._known:
            self._known |= unknown
            raise LookupError("An error occurred (InvalidInstanceId) when calling the SendCommand operation")
        [command] = json.loads(given["--parameters"])["commands"]
        id = f"command-{len(self._commands)}"
        for instance in instances:
            self._commands[id, instance] = self._pool.submit(self.machines.run, instance, command)
        self._late = id
        return {"Command": {"CommandId": id}}

    def _ssm_get_command_invocation(self, given: dict[str, str]) -> Any:
        id = given["--command-id"]
        if self._late == id:
            self._late = ""  # as AWS does: a new command is known a moment later
            raise LookupError("An error occurred (InvocationDoesNotExist) when calling GetCommandInvocation")
        future = self._commands[id, given["--instance-id"]]
        if not future.done():
            return {"Status": "InProgress", "StandardOutputContent": "", "StandardErrorContent": ""}
        done = future.result()
        status = "Failed" if done.returncode else "Success"
        return {"Status": status, "StandardOutputContent": done.stdout, "StandardErrorContent": done.stderr}

    def _group(self, name: str) -> Thing | None:
        groups = [thing for thing in self.cloud.standing() if thing["type"] == GROUP]
        return next((thing for thing in groups if thing["inputs"]["name"] == name), None)

    def _instances(self, group: Thing) -> list[Thing]:
        by = f"{GROUP} {group['id']}"
        return [t for t in self.cloud.standing() if t.get("by") == by and t["kind"] == "instance"]


class _Handler(BaseHTTPRequestHandler):
    answer: Callable[[list[str]], dict[str, Any]]

    def do_POST(self) -> None:
        words = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps(type(self).answer(words)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass
