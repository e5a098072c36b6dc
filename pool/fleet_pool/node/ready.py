"""`planner-ready`: looks at this node before it takes work. One line for each check; exit code 1 if one fails."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from fleet_pool import settings
from fleet_pool.api import Client, endpoints, tls_context
from fleet_pool.compat import frozen
from fleet_pool.health.limits import Action
from fleet_pool.health.records import FOLDER, out_of
from fleet_pool.launch.here import BUNDLE_FOLDER, settings_of
from fleet_pool.node import boot_log, lifecycle, starts
from fleet_pool.node.devices import efa, gpus
from fleet_pool.node.facts import (
    BadFacts,
    Node,
    Stack,
    daemon_id,
    daemon_role,
    expected_of,
    node_of,
    read_stack,
)
from fleet_pool.node.machine import Broken, Machine, NotReady, counted
from fleet_pool.problems import PoolProblem
from fleet_pool.tokens import operator_token

READY = "ready"
RECORD = Path("/run/planner/ready")  # first line: READY, or what is wrong; then the lines of the checks
# what gives jobs their files and their keys, keeps them from the node's role, and serves the pool
LAYOUT_UNITS = (
    "planner-prepare",
    "planner-scratch",
    "planner-lustre",
    "planner-files",
    "planner-target",
    "planner-fence",
    "planner-credentials",
)
SHIPPED = Path("/run/planner/shipped")  # the verdict in the bucket
IN_SERVICE = Path(settings.CONF_FOLDER, "in-service")  # the group has counted this node
UNITS = "/etc/systemd/system"
PAUSE_S = 2.0
LAST_CHANCE_S = 600.0  # before the end of the hook: the slowest look takes half of it
LEAST_FREE_GIB = {"/": 5.0, "/scratch": 1.0}  # for logs and the images of containers; for anything at all


@frozen
class Check:
    """look: says what it found, or raises NotReady. limit_s: how long it may be wrong before that counts."""

    name: str
    limit_s: float
    look: Callable[[], str]


@frozen
class Found:
    name: str
    ready: bool
    said: str
    broken: bool = False

    def __str__(self) -> str:
        return f"{'ok  ' if self.ready else 'FAIL'} {self.name:<6} {self.said}"


def checks(machine: Machine, stack: Stack, node: Node, environment: Mapping[str, str]) -> tuple[Check, ...]:
    """Every check of a node of this role, in the order of their lines. Raises BadFacts."""
    expected = expected_of(environment.get("PLANNER_EXPECTED", ""))
    found = [
        Check(name="gpus", limit_s=120, look=lambda: gpus(machine, expected)),
        Check(name="efa", limit_s=60, look=lambda: efa(machine, expected.efa)),
        Check(name="drives", limit_s=60, look=lambda: drives(machine, expected.drives)),
        Check(name="clock", limit_s=180, look=lambda: clock(machine)),
        Check(name="units", limit_s=30, look=lambda: units(machine)),
    ]
    if expected.mount:
        found.append(Check(name="mount", limit_s=60, look=lambda: mount(machine, expected.mount)))
    if node.role == "gpu":
        found.append(Check(name="health", limit_s=0, look=lambda: health(node)))
    if stack.proxies and node.role != "control":  # the first control nodes wait for the first target themselves
        found.append(Check(name="pool", limit_s=300, look=lambda: pool(stack, node, environment)))
    return (*found, Check(name="space", limit_s=10, look=lambda: space(machine)))


def drives(machine: Machine, expected: int) -> str:
    if not expected:
        return "none expected"
    listed = machine.run("lsblk", "--nodeps", "--noheadings", "--paths", "--output", "NAME,MODEL").splitlines()
    ours = [line for line in listed if line.strip().endswith(settings.DRIVE_MODEL)]
    return counted(len(ours), expected, f'drives of model "{settings.DRIVE_MODEL}"')


def clock(machine: Machine) -> str:
    """By chrony; by systemd on an image without it."""
    try:
        said = machine.run("chronyc", "-n", "tracking")
    except NotReady as problem:
        if "has no chronyc" not in str(problem):
            raise
        if machine.run("timedatectl", "show", "--property=NTPSynchronized", "--value").strip() != "yes":
            raise NotReady("the clock is not synchronised (timedatectl)") from None
        return "synchronised (timedatectl)"
    told = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in said.splitlines())}
    if told.get("Leap status") in (None, "Not synchronised"):
        raise NotReady("the clock is not synchronised (chronyc tracking)")
    return f"synchronised with {told.get('Reference ID', 'its source')}, {told.get('System time', 'offset unknown')}"


def units(machine: Machine) -> str:
    """Those of LAYOUT_UNITS that this node has."""
    installed = [name for name in LAYOUT_UNITS if f"{name}.service" in machine.entries(UNITS)]
    for name in installed:
        said = machine.run("systemctl", "show", f"{name}.service", "--property=ActiveState", "--value").strip()
        if said != "active":
            raise NotReady(f"{name} is {said or 'unknown'}: journalctl --unit={name}")
    return f"active: {' '.join(installed)}" if installed else "none expected"


def mount(machine: Machine, folder: str) -> str:
    try:
        machine.run("mountpoint", folder)
    except NotReady:
        raise NotReady(
            f"{folder} is not mounted: journalctl --unit=planner-{'lustre' if folder == '/fsx' else 'files'}"
        ) from None
    return f"{folder} answers, {len(machine.run('ls', folder).split())} entries"


def pool(stack: Stack, node: Node, environment: Mapping[str, str]) -> str:
    """Whether the pool answers, and lists this node's own target where it has one."""
    proxies = environment.get("PLANNER_POOL", "")
    if not proxies:
        raise NotReady(f"{settings.CONF_FOLDER}/pool.env is missing: journalctl --unit=planner-prepare")
    try:
        client = Client(
            endpoints(proxies),
            tls=tls_context(environment),
            token=operator_token(environment),
            attempt_s=5,
            patience_s=5,
        )
        targets = json.loads(client.ask("GET", "/v1/daemon", query={"what": "smap"}).body)["tmap"]
    except (PoolProblem, ValueError, KeyError, TypeError) as problem:
        raise NotReady(f"the pool does not answer: {problem}") from None
    role = daemon_role(stack, node)
    if role and daemon_id(node, role) not in targets:
        raise NotReady(f"the pool lists {len(targets)} targets, not this node's: journalctl --unit=planner-target")
    if not targets:
        raise NotReady("the pool has no target")
    return f"{len(targets)} targets"


def health(node: Node, folder: Path = FOLDER) -> str:
    """What planner-health has found, at this start or later. A node that it replaces is broken for its group."""
    out = out_of(node.instance, folder)
    if out:
        raise (Broken if out.action is Action.REPLACE else NotReady)(
            f"{out.reason}: journalctl --unit='planner-health*'"
        )
    return "no fault that planner-health acts on"


def space(machine: Machine) -> str:
    """Of the two file systems that are ours: a mount of somebody else that is dead makes `df` of everything fail."""
    folders = ["/"]
    with suppress(NotReady):
        machine.run("mountpoint", "/scratch")
        folders.append("/scratch")
    listed = machine.run("df", "--block-size=1", "--output=avail,target", *folders).splitlines()[1:]
    free = {words[1]: int(words[0]) / 2**30 for words in (line.split(None, 1) for line in listed)}
    for folder, least in LEAST_FREE_GIB.items():
        if free.get(folder, least) < least:
            raise NotReady(f"{free[folder]:.1f} GiB free in {folder}: at least {least:g} GiB are needed")
    return ", ".join(f"{free[folder]:,.0f} GiB free in {folder}" for folder in LEAST_FREE_GIB if folder in free)


def result_of(check: Check, wait_s: float | None = None, sleep: Callable[[float], None] = time.sleep) -> Found:
    """Looks until it is right, or for as long as it may be wrong. wait_s: at most."""
    until = time.monotonic() + (check.limit_s if wait_s is None else min(wait_s, check.limit_s))
    while True:
        try:
            return Found(name=check.name, ready=True, said=check.look())
        except (NotReady, OSError) as problem:
            if time.monotonic() + PAUSE_S > until:
                return Found(name=check.name, ready=False, said=str(problem), broken=isinstance(problem, Broken))
        sleep(PAUSE_S)


def verdict(found: Sequence[Found]) -> str:
    """The first line of the record."""
    wrong = [f"{each.name}: {each.said}" for each in found if not each.ready]
    return f"not ready: {'; '.join(wrong)}" if wrong else READY


def why_not(record: Path = RECORD, folder: Path = FOLDER) -> str:
    """Why jobs shall not use this node: what its last look found wrong, and at once what planner-health did. "" if
    nothing, or if there was none yet. A pool that does not answer is no reason: jobs read from S3 then."""
    out = out_of(settings_of(os.environ).get("PLANNER_INSTANCE", ""), folder)
    if out:
        return f"health: {out.reason}"
    lines = record.read_text(encoding="utf-8").splitlines() if record.is_file() else []
    wrong = [line.split(None, 2)[1:] for line in lines[1:] if line.startswith("FAIL")]
    return "; ".join(f"{name}: {said}" for name, said in wrong if name != "pool")


def main(words: Sequence[str] | None = None) -> int:
    """Exit code: 0, 1 if a check fails, 2 for a machine that is no node of a stack."""
    parser = argparse.ArgumentParser(prog="planner-ready", description=__doc__)
    parser.add_argument("--wait-s", type=float, help="wait at most so long for each check (0: look once)")
    parser.add_argument(
        "--record", action="store_true", help=f"keep the result in {RECORD}, in the bucket, and tell the group"
    )
    given = parser.parse_args(words)
    try:
        stack = read_stack(Path(BUNDLE_FOLDER, "stack.json"))
        environment = settings_of(os.environ)
        node = node_of(environment)
        found = looked(stack, node, environment, given.wait_s)
    except (BadFacts, PoolProblem) as error:
        print(f"planner-ready: {error}", file=sys.stderr)
        return 2
    lines = told(found)
    for line in (*lines[1:], lines[0]):
        print(f"planner-ready: {line}", flush=True)
    right = lines[0] == READY
    if given.record:
        keep(lines)
        if not in_service(node):
            record_start(node, environment, found)
        right = tell(node, environment, found, lines) and right
    return 0 if right else 1


def looked(stack: Stack, node: Node, environment: Mapping[str, str], wait_s: float | None = None) -> tuple[Found, ...]:
    """Every check of this node, at the same time. wait_s: as of result_of. Raises BadFacts."""
    every = checks(Machine(), stack, node, environment)
    with ThreadPoolExecutor(max_workers=len(every)) as workers:
        return tuple(workers.map(lambda check: result_of(check, wait_s), every))


def told(found: Sequence[Found]) -> list[str]:
    """The lines of the record."""
    return [verdict(found), *map(str, found)]


def keep(lines: Sequence[str]) -> None:
    """Writes the record, whole or not at all."""
    RECORD.parent.mkdir(parents=True, exist_ok=True)
    new = RECORD.with_name(".ready.new")
    new.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    new.chmod(0o644)
    new.replace(RECORD)


def ship(node: Node, environment: Mapping[str, str], lines: Sequence[str]) -> None:
    """The boot log to the bucket, when the verdict is another one than there."""
    if lines[0] != (SHIPPED.read_text(encoding="utf-8") if SHIPPED.is_file() else ""):
        try:
            boot_log.ship(node, environment, lines)
            SHIPPED.write_text(lines[0], encoding="utf-8")
        except PoolProblem as problem:
            print(f"the boot log is not in the bucket: {problem}", flush=True)


def tell(node: Node, environment: Mapping[str, str], found: Sequence[Found], lines: Sequence[str]) -> bool:
    """Says outside this node what it found: the boot log in the bucket, and at its first start the Auto Scaling group,
    which counts it in service, or replaces it if it is broken. The group hears nothing of what may still mend: its hook
    ends with its timeout. False: the group was not told and has to be."""
    ship(node, environment, lines)
    ready, broken = lines[0] == READY, any(each.broken for each in found)
    if in_service(node) or not (ready or broken):
        return True
    try:
        awaited = lifecycle.complete(node, lifecycle.LAUNCH, lifecycle.CONTINUE if ready else lifecycle.ABANDON)
    except (OSError, subprocess.CalledProcessError) as problem:
        print(f"planner-ready: the Auto Scaling group was not told: {problem}", flush=True)
        return False
    if ready and not awaited and since_boot_s() < lifecycle.LAUNCH_S:
        print("planner-ready: the Auto Scaling group may not know its hook of this node yet: once more", flush=True)
        return False
    if ready:
        IN_SERVICE.write_text(node.instance, encoding="utf-8")
    return True


def record_start(node: Node, environment: Mapping[str, str], found: Sequence[Found]) -> None:
    """Once it is ready, or the group is about to give it up."""
    if all(each.ready for each in found):
        starts.note(node, environment, starts.READY)
    elif any(each.broken for each in found) or since_boot_s() > lifecycle.LAUNCH_S - LAST_CHANCE_S:
        starts.note(node, environment, starts.FAILED)


def in_service(node: Node) -> bool:
    """Whether its group has counted this node. An image that was made of another node has that one's mark."""
    return IN_SERVICE.is_file() and IN_SERVICE.read_text(encoding="utf-8") in (node.instance, "")


def since_boot_s() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)


if __name__ == "__main__":
    sys.exit(main())
