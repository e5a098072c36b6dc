"""A node that boots on this machine: namespaces for its network and its files, loop devices for its drives.

Its user data are run as cloud-init runs them, the bundle comes from an S3 server, and units are started from their
own files: what is not there is systemd, udev, the instance's metadata and NVMe, which stand-ins take the place of.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import yaml
from fleet_pool import settings

from tests.pool.daemon import PLAIN, Daemon
from tests.pool.network import Host

OVERLAID = ("/etc", "/opt", "/var/lib", "/usr/local/bin")
LSBLK = """#!{python}
import json, subprocess, sys
if "--json" not in sys.argv:
    for device in {devices!r}:
        print(device, {model!r} + "   ")
    sys.exit()
told = json.loads(subprocess.run(["/usr/bin/lsblk", *sys.argv[1:], *{devices!r}], capture_output=True).stdout)
for device in told["blockdevices"]:
    device.update(type="disk", model={model!r}, serial="vol" + device["name"])
print(json.dumps(told))
"""
# the option, which every AWS CLI knows: an older one would not read the variable, and call AWS itself
AWS = """#!/bin/sh
# what Auto Scaling and CloudWatch are told is written down; a file of the test describes the group
[ "$1" != autoscaling ] || {{ echo "$*" >> /var/log/auto-scaling; [ "$2" != describe-auto-scaling-groups ] ||
  cat /etc/auto-scaling-group 2> /dev/null; exit 0; }}
[ "$1" != cloudwatch ] || {{ echo "$*" >> /var/log/cloudwatch; exit; }}
# EC2 is the stand's own, at the address of the instance metadata
[ "$1" != ec2 ] || {{ curl -sSf "$AWS_EC2_METADATA_SERVICE_ENDPOINT/ec2"; exit; }}
exec {real} --endpoint-url {endpoint} "$@"
"""
SYSTEMCTL = """#!/bin/sh
echo "$*" >> {log}
[ "$1" != is-active ] && [ "$1" != list-unit-files ]
"""


# of the role of nodes, and the keys of that of jobs
ROLE_ID = "AROAEXAMPLE"
ASSUMED = """<AssumeRoleResponse><AccessKeyId>{key}</AccessKeyId><SecretAccessKey>{secret}</SecretAccessKey>
<SessionToken>of-jobs</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></AssumeRoleResponse>"""


class Metadata:
    """What AWS tells every node, by the address that asks: IMDSv2, which refuses a question without a token; STS, of
    whom it is and the keys of the jobs' role; EC2, of all instances. keys: of S3. notices: what else there is, of every
    instance; may change."""

    def __init__(
        self,
        address: str,
        instances: Mapping[str, str],
        stack: str,
        keys: tuple[str, str],
        notices: dict[str, str] | None = None,
    ) -> None:
        told = dict(instances)
        described = [
            {
                "InstanceId": instance,
                "PrivateIpAddress": where,
                "State": {"Name": "running"},
                "Tags": [{"Key": "planner:stack", "Value": stack}],
            }
            for where, instance in told.items()
        ]
        self.notices = notices = {} if notices is None else notices

        class Handler(BaseHTTPRequestHandler):
            def do_PUT(self) -> None:
                self.answer(200, "the-token")

            def do_POST(self) -> None:
                asked = self.rfile.read(int(self.headers["Content-Length"])).decode()
                if "Action=GetCallerIdentity" in asked:
                    self.answer(200, f"<a><UserId>{ROLE_ID}:{told[self.client_address[0]]}</UserId></a>")
                else:
                    self.answer(200, ASSUMED.format(key=keys[0], secret=keys[1]))

            def do_GET(self) -> None:
                caller = self.client_address[0]
                if self.path == "/ec2":
                    self.answer(200, json.dumps({"Reservations": [{"Instances": described}]}))
                    return
                known = {"instance-id": told[caller], "local-ipv4": caller, "instance-type": "p5.48xlarge", **notices}
                name = self.path.removeprefix("/latest/meta-data/")
                if self.headers.get("X-aws-ec2-metadata-token") != "the-token":
                    self.answer(401, "")
                elif name in known:
                    self.answer(200, known[name])
                else:
                    self.answer(404, "")

            def answer(self, status: int, text: str) -> None:
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer((address, 0), Handler)
        self.endpoint = f"http://{address}:{self._server.server_address[1]}"
        self._thread = Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class BootedNode:
    """One node. environment: what its instance role and metadata would give. devices: its drives."""

    def __init__(self, host: Host, folder: Path, environment: Mapping[str, str], devices: list[str]) -> None:
        self.host, self.folder, self.devices = host, folder, devices
        programs = folder / "bin"
        programs.mkdir(parents=True)
        self.asked_of_systemd = folder / "systemctl.log"
        self._program("systemctl", SYSTEMCTL.format(log=self.asked_of_systemd))
        self._program("udevadm", "#!/bin/sh\n")
        self._program("aws", AWS.format(real=shutil.which("aws"), endpoint=environment["S3_ENDPOINT"]))
        self._program("lsblk", LSBLK.format(python=sys.executable, devices=devices, model=settings.DRIVE_MODEL))
        self.environment = {**PLAIN, **environment, "PATH": f"{programs}:{PLAIN['PATH']}"}
        self._holder = self._own_files()

    def _program(self, name: str, text: str) -> None:
        path = self.folder / "bin" / name
        path.write_text(text)
        path.chmod(0o755)

    def _own_files(self) -> Daemon:
        """A process in a mount namespace where /etc, /opt and /var/lib are this machine's, and writes are its own."""
        words = ["set -e"]
        for number, place in enumerate(OVERLAID):
            upper, work = self.folder / f"upper{number}", self.folder / f"work{number}"
            upper.mkdir()
            work.mkdir()
            words.append(f"mount -t overlay overlay -o lowerdir={place},upperdir={upper},workdir={work} {place}")
        words += ["mount -t tmpfs none /run", "echo ready", "exec sleep infinity"]
        command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", "\n".join(words)]
        holder = Daemon(self.host, command, self.folder / "holder.log", {})
        holder.start()
        return holder

    @property
    def ready(self) -> bool:
        return "ready" in self._holder.tail()

    @property
    def enter(self) -> list[str]:
        process = self._holder.process
        assert process is not None
        return ["nsenter", f"--target={process.pid}", "--mount", f"--net=/run/netns/{self.host.namespace}"]

    def run(self, *command: str, check: bool = True, text: str = "", more: Mapping[str, str] | None = None) -> str:
        """Output of a command on the node, as root."""
        done = subprocess.run(
            [*self.enter, *command],
            input=text,
            env={**self.environment, **(more or {})},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if check:
            assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def boot(self, user_data: str) -> str:
        """What cloud-init does with user data: files, then commands; their output."""
        told = yaml.safe_load(user_data)
        for file in told["write_files"]:
            self.run("sh", "-c", f"mkdir -p {Path(file['path']).parent}; cat > {file['path']}", text=file["content"])
            self.run("chmod", file["permissions"], file["path"])
        [(_, _, script)] = told["runcmd"]
        return self.run(script)

    def unit(self, name: str) -> tuple[list[str], dict[str, str], str]:
        """Command line, environment and user of a unit on the node."""
        text = self.run("cat", f"/etc/systemd/system/{name}").replace("\\\n", " ")
        found = {
            key: re.findall(rf"^{key}=(.*)$", text, flags=re.M) for key in ("EnvironmentFile", "ExecStart", "User")
        }
        environment: dict[str, str] = {}
        for path in found["EnvironmentFile"]:
            for line in self.run("cat", path).splitlines():
                key, _, value = line.partition("=")
                environment[key] = shlex.split(value)[0] if value else ""
        [line] = found["ExecStart"]
        command = [re.sub(r"\$\{(\w+)\}", lambda name: environment[name[1]], word) for word in shlex.split(line)]
        return command, environment, "".join(found["User"])

    def start_oneshot(self, name: str) -> str:
        command, environment, _ = self.unit(name)
        return self.run(*command, more=environment)

    def start_daemon(self, name: str, *beyond: str) -> Daemon:
        """beyond: arguments that only this machine needs."""
        command, environment, user = self.unit(name)
        rights = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--no-new-privs"] if user else []
        daemon = Daemon(
            self.host,
            [*self.enter, *rights, *command, *beyond],
            self.folder / f"{name}.log",
            {**self.environment, **environment},
        )
        daemon.start()
        return daemon

    def close(self) -> None:
        self._holder.kill()
