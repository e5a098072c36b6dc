"""`planner-pool.pyz node VERB`: what a node's systemd units run as root. All files are written from here."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

from fleet_pool import settings
from fleet_pool.api import Client, endpoints, tls_context
from fleet_pool.node import authority, certificates, cpus, drives, lifecycle, tokens
from fleet_pool.node.facts import USER, BadFacts, Node, Stack, daemon_id, daemon_role, node_of, read_stack
from fleet_pool.node.files import UNIT_OF, File, files
from fleet_pool.node.gauges import DriveSpace, NodeState, prometheus
from fleet_pool.node.rejoin import primary_of_others, restart_as_follower
from fleet_pool.node.requests import Asker, artefacts_of
from fleet_pool.problems import PoolProblem
from fleet_pool.tokens import operator_token

BUNDLE_FOLDER = "/opt/planner"
JOBS_FILE = f"{settings.CONF_FOLDER}/jobs.env"  # written by the start of a GPU node
METRICS = f"{settings.STATE_FOLDER}/metrics/planner.prom"
# errors that end a verb with a message instead of a traceback
REPORTED = (BadFacts, settings.BadSetting, drives.Refused, certificates.CannotSign, PoolProblem, OSError, ValueError)
VERBS = {
    "prepare": "find and mount the drives, write the daemon's files, reserve its cores",
    "certificate": "obtain or renew the node's certificate and tokens",
    "authority": "on a control node: sign certificates of other nodes, and drain those that leave",
    "metrics": "write the node's metrics for a textfile collector",
    "rejoin": "bring a control node back that was cut off and still acts as primary",
    "complete": "tell the Auto Scaling group that this node has left",
}


def main(words: Sequence[str], program: str = "planner-pool node") -> int:
    """Exit code: 0, 1 with the reason on standard error, 2 for wrong arguments."""
    parser = argparse.ArgumentParser(prog=program, description="Commands of a node's systemd units; see docs/pool.md.")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for verb, about in VERBS.items():
        verbs.add_parser(verb, help=about, description=about)
    given = parser.parse_args(words)
    try:
        stack, node = read_stack(Path(BUNDLE_FOLDER, "stack.json")), node_of(os.environ)
        {
            "prepare": prepare,
            "certificate": certificate,
            "authority": serve,
            "metrics": metrics,
            "rejoin": rejoin,
            "complete": complete,
        }[given.verb](stack, node)
    except REPORTED as error:
        print(f"{program} {given.verb}: {error}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"{program} {given.verb}: {' '.join(error.cmd)}: exit code {error.returncode}", file=sys.stderr)
        return 1
    return 0


def prepare(stack: Stack, node: Node) -> None:
    """Runs before the daemon starts, at every boot."""
    mountpaths: tuple[str, ...] = ()
    if daemon_role(stack, node) == "target":
        drives.release_image(drives.run_command, _write)
        found = drives.arrange(node.instance, drives.run_command, flushed=drives.FLUSHED.exists()).drives
        drives.FLUSHED.unlink(missing_ok=True)
        mountpaths = tuple(drive.folder for drive in found)
        print(f"{len(found)} of {stack.drives} drives, {sum(d.size_bytes for d in found) / 1e12:.2f} TB", flush=True)
        if not found:
            raise BadFacts(f"this instance has no drive of model {settings.DRIVE_MODEL!r}; a target needs at least one")
        for folder in mountpaths:
            shutil.chown(folder, USER, USER)
    jobs = Path(JOBS_FILE).read_text(encoding="utf-8") if Path(JOBS_FILE).exists() else ""
    for file in files(stack, node, mountpaths, cpus.cores_by_node(Path(cpus.SYSFS)), jobs):
        put(file)
    drives.run_command(("systemctl", "daemon-reload"))


def certificate(stack: Stack, node: Node) -> None:
    """Obtains or renews the certificate and the job's token, readable by the daemons and by jobs of their group; and on
    a control node the administrator's token, readable by root."""
    if not (stack.proxies and stack.tls):
        return
    folder = Path(settings.TLS_FOLDER)
    store = certificates.Store(bucket=node.artefacts_bucket, region=node.region)
    controls = node.role == "control"
    created = certificates.obtain(
        folder,
        store,
        stack=stack.name,
        name=node.instance,
        addresses=(node.address, "127.0.0.1"),
        asks=None if controls else lambda: Asker.of(node, os.environ),
        creates_authority=controls and node.number == 0,
    )
    shutil.chown(folder / "node.key", "root", USER)
    (folder / "node.key").chmod(0o640)
    for name in ("node.crt", "authority.crt"):
        (folder / name).chmod(0o644)
    folder.chmod(0o755)
    print(f"the certificate was {'created' if created else 'kept'}", flush=True)
    changed = tokens.obtain(
        folder,
        store,
        signs=controls and node.number == 0,
        administers=controls,
    )
    shutil.chown(folder / "job.token", "root", USER)
    (folder / "job.token").chmod(0o640)
    print(f"tokens: {' and '.join(changed) or 'none'} renewed", flush=True)


def serve(stack: Stack, node: Node) -> None:
    """Answers the requests of other nodes until it is stopped."""
    if node.role != "control":
        raise BadFacts("only control nodes sign and drain for others")

    def pool() -> Client:
        proxies = endpoints(os.environ.get("PLANNER_POOL", ""))
        return Client(proxies, tls=tls_context(os.environ), token=operator_token(os.environ))

    store = certificates.Store(bucket=node.artefacts_bucket, region=node.region)
    authority.Authority(stack, node, artefacts_of(node, os.environ), store, pool).forever()


def metrics(stack: Stack, node: Node) -> None:
    """Writes one reading in one step."""
    role = daemon_role(stack, node)
    space = []
    for folder in sorted(Path(settings.MOUNT_FOLDER).glob("*")) if role == "target" else ():
        stat = os.statvfs(folder)
        total = stat.f_frsize * stat.f_blocks if os.path.ismount(folder) else 0
        space.append(DriveSpace(folder=str(folder), total_bytes=total, free_bytes=stat.f_frsize * stat.f_bavail))
    active = (
        bool(role) and subprocess.run(["systemctl", "is-active", "--quiet", UNIT_OF[role]], check=False).returncode == 0
    )
    seen = NodeState(
        stack=stack.name,
        bundle=os.environ.get("PLANNER_BUNDLE", ""),
        role=node.role,
        drives_expected=stack.drives if role == "target" else 0,
        drives=tuple(space),
        certificate_ends_s=_certificate_ends_s() if stack.tls else None,
        daemon_active=active,
    )
    put(File(path=METRICS, text=prometheus(seen), mode=0o644, owner="root"))


def complete(stack: Stack, node: Node) -> None:
    """Tells the group that this node has left, for which it delays terminating the node."""
    lifecycle.complete(node, lifecycle.DRAIN, lifecycle.CONTINUE)


def rejoin(stack: Stack, node: Node) -> None:
    """One check of a control node, which takes seconds and prints nothing if all is well."""
    if daemon_role(stack, node) != "proxy":
        return
    primary = primary_of_others(stack, node, tls_context(os.environ), operator_token(os.environ))
    if primary:
        print(
            f"{daemon_id(node, 'proxy')} was cut off and acts as primary, the others follow {primary}: restarting it",
            flush=True,
        )
        restart_as_follower(Path(settings.STATE_FOLDER, "proxy"), UNIT_OF["proxy"], drives.run_command)


def put(file: File) -> None:
    """Writes a file in one step, so that a reader sees the old or the new one."""
    path = Path(file.path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if file.owner != "root":
        shutil.chown(path.parent, file.owner, file.owner)
    new = path.with_name(f".{path.name}.new")
    new.write_text(file.text, encoding="utf-8")
    new.chmod(file.mode)
    if file.owner != "root":
        shutil.chown(new, file.owner, file.owner)
    new.replace(path)


def _write(path: str, text: str) -> None:
    put(File(path=path, text=text, mode=0o644, owner="root"))


def _certificate_ends_s() -> float | None:
    path = Path(settings.TLS_FOLDER, "node.crt")
    if not path.exists():
        return None
    text = drives.run_command(("openssl", "x509", "-in", str(path), "-noout", "-enddate")).strip().partition("=")[2]
    ends = datetime.strptime(text, "%b %d %H:%M:%S %Y GMT").replace(tzinfo=timezone.utc)
    return (ends - datetime.now(timezone.utc)).total_seconds()
