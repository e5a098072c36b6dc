"""Renders the files of a stack's bundle from templates/node. Reads nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING

from fleet_pool import settings
from fleet_pool.doors import credentials as door
from fleet_pool.health import command as health
from fleet_pool.node import boot_log, config, drives, gpu_use, job_credentials, leaving, ready, watch
from fleet_pool.node.certificates import RENEW_DAYS
from fleet_pool.node.facts import USER, Stack
from fleet_pool.node.rejoin import CHECK_S
from fleet_pool.operate.s3 import SHOWN_VARIABLE, URL_VARIABLE
from fleet_pool.problems import Code
from fleet_pool.slurm import HEALTH_PROGRAM, jobs
from fleet_pool.slurm import command as slurm

from infra.layouts import LAYOUTS
from infra.node.built import DAEMON_SHA256, JUICEFS_SHA256, POOL_FILE
from planner.templates import folder

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = folder("node")
FETCHES = ("aws", "curl", "python3")
MAKES_FILE_SYSTEMS = ("mkfs.xfs", "wipefs", "lsblk", "blkid", "udevadm")
LUSTRE_ROOT = "/fsx"  # as in AWS's own examples
MOUNT_TRIES, MOUNT_PAUSE_S = 60, 10  # ten minutes; the unit tries again after that
LAUNCH_FILE, LAUNCH_USER = "planner-launch.pyz", "planner-job"
LAUNCH_UNIT, READY_UNIT = "planner-launch.service", "planner-ready.service"
FENCE_UNIT = "planner-fence.service"
LEAVING_UNIT = "planner-leaving.service"  # of GPU nodes without a target, which have no planner-notice
# users of the node do not reach its role: the fence keeps them from it, and they get keys of their own
RIGHTS = (FENCE_UNIT, "planner-credentials.service")
HEALTH_UNITS = ("planner-health.service", "planner-health-watch.service")
GPU_UNITS = (LAUNCH_UNIT, *HEALTH_UNITS, "planner-gpu-use.service", "planner-gpu-use.timer")
GATEWAY_UNIT, GATEWAY_MODULE = "planner-gateway.service", "fleet_pool.doors.gateway"
WATCH_UNITS = ("planner-watch.service", "planner-watch.timer")
SLURM_UNITS = ("planner-slurm.service", "planner-slurm.timer")  # of the login node
SLURM_EVERY_S = 60
FILES_UNIT = "planner-files.service"
OF_CLIENTS = "gpu-client"  # role gpu, with PLANNER_CLIENT
BEFORE_JOBS = ("planner-prepare.service", "planner-scratch.service", "planner-lustre.service", FILES_UNIT, READY_UNIT)
SCRIPTS = {
    "planner-notice.service": "leave.sh",
    LEAVING_UNIT: "leave.sh",
    "planner-scratch.service": "scratch.sh",
    "planner-lustre.service": "lustre.sh",
    FILES_UNIT: "files.sh",
    FENCE_UNIT: "fence.sh",
}


@dataclass(frozen=True, kw_only=True)
class Role:
    """One role of nodes. units: that they run. daemon: if they fetch the engine. programs: needed in the image."""

    name: str
    units: tuple[str, ...]
    daemon: bool
    programs: tuple[str, ...]


def roles(stack: Stack, slurm_runs: bool = False) -> tuple[Role, ...]:
    """The roles of a stack: control, then storage or gpu with targets, in a pool; GPU nodes without targets give their
    drives to jobs. slurm_runs: whether Slurm starts jobs, and planner-launch does not; then there is a login node."""
    gpu_units = tuple(unit for unit in GPU_UNITS if not (slurm_runs and unit == LAUNCH_UNIT))
    login = (Role(name="login", units=SLURM_UNITS, daemon=False, programs=FETCHES),) if slurm_runs else ()
    scratch = ("planner-scratch.service",)
    if not stack.proxies:
        mounts = ("planner-lustre.service",) if "lustre" in LAYOUTS[stack.layout].components else ()
        return (
            Role(
                name="gpu",
                units=(*RIGHTS, *scratch, *mounts, READY_UNIT, *WATCH_UNITS, LEAVING_UNIT, *gpu_units),
                daemon=False,
                programs=(*FETCHES, *MAKES_FILE_SYSTEMS),
            ),
            *login,
        )
    own = ("planner-certificate.service", "planner-certificate.timer") if stack.tls else ()
    metrics = ("planner-metrics.service", "planner-metrics.timer")
    common = ("planner-prepare.service", READY_UNIT, *WATCH_UNITS, *own, *metrics)
    programs = (*FETCHES, *(("openssl",) if stack.tls else ()))
    target = ("planner-target.service", "planner-notice.service")
    proxy = ("planner-proxy.service", "planner-rejoin.service", "planner-rejoin.timer")
    authority = ("planner-authority.service",) if stack.tls else ()
    found = [Role(name="control", units=(*common, *proxy, *authority), daemon=True, programs=programs)]
    clients = (OF_CLIENTS,) if stack.targets_on == "gpu" and slurm_runs else ()  # of further instance types
    for name in ("storage", "gpu") if stack.targets_on == "storage" else ("gpu", *clients):
        serves, trains = name == stack.targets_on, name != "storage"
        found.append(
            Role(
                name=name,
                units=(
                    *(RIGHTS if trains else ()),
                    *common,
                    *(target if serves else (*scratch, LEAVING_UNIT)),
                    *(("planner-proxy.service", FILES_UNIT) if trains and stack.files else ()),
                    *((*gpu_units, GATEWAY_UNIT) if trains else ()),
                ),
                daemon=serves,
                programs=(*programs, *MAKES_FILE_SYSTEMS),
            )
        )
    return (*found, *login)


def installed_files(stack: Stack, slurm_runs: bool = False) -> dict[str, str]:
    """Units and their scripts that start.sh contains and installs, by name."""
    units = sorted({unit for role in roles(stack, slurm_runs) for unit in role.units})
    scripts = sorted({SCRIPTS[unit] for unit in units if unit in SCRIPTS})
    return {name: _text(name, stack) for name in (*scripts, *units)}


def bundle_files(stack: Stack, slurm_runs: bool = False) -> dict[str, str]:
    """The text files of the bundle, by name. slurm_runs: as in `roles`."""
    pooled = bool(stack.proxies)
    return {
        "start.sh": _rendered(
            "start.sh.j2",
            stack=stack.name,
            layout=stack.layout,
            pooled=pooled,
            roles=roles(stack, slurm_runs),
            user=USER,
            state=settings.STATE_FOLDER,
            launch_file=LAUNCH_FILE,
            launch_user=LAUNCH_USER,
            ready_module=ready.__name__,
            health_module=health.__name__,
            gateway_unit=GATEWAY_UNIT,
            url_variable=URL_VARIABLE,
            url=job_credentials.URL,
            shown_variable=SHOWN_VARIABLE,
            daemon_sha256=DAEMON_SHA256,
            daemon_version=settings.AISTORE_VERSION,
            files=stack.files,
            juicefs_sha256=JUICEFS_SHA256,
            juicefs_version=settings.JUICEFS_VERSION,
            installed=installed_files(stack, slurm_runs),
            slurm=slurm_runs,
            slurm_health=HEALTH_PROGRAM,
            slurm_module=slurm.__name__,
            jobs_module=jobs.__name__,
            record=ready.RECORD,
        ),
        "stack.json": json.dumps(asdict(stack), indent=2, sort_keys=True) + "\n",
    }


def user_data_text(settings_of_node: Mapping[str, str], sums: Sequence[tuple[str, str]]) -> str:
    """A node's cloud-config. settings_of_node: its PLANNER_* variables. sums: (name, sha256) of the files to fetch."""
    return _rendered(
        "user-data.yaml.j2", settings=sorted(settings_of_node.items()), sums=sums, boot_logs=boot_log.PREFIX
    )


def _text(name: str, stack: Stack) -> str:
    if name == LAUNCH_UNIT:
        return _rendered(f"{name}.j2", user=LAUNCH_USER, mounts=_before_jobs(stack), record=ready.RECORD)
    if (TEMPLATES / name).exists():
        return (TEMPLATES / name).read_text(encoding="utf-8")
    if name not in ("planner-target.service", "planner-proxy.service"):
        return _rendered(
            f"{name}.j2",
            root=LUSTRE_ROOT,
            folders=LAYOUTS[stack.layout].directories,
            tries=MOUNT_TRIES,
            pause_s=MOUNT_PAUSE_S,
            poll_s=settings.NOTICE_POLL_S,
            left_code=int(Code.AWS),
            flushed=drives.FLUSHED,
            renew_days=RENEW_DAYS,
            check_s=CHECK_S,
            launch_file=LAUNCH_FILE,
            gpu_use_module=gpu_use.__name__,
            gpu_use_min=gpu_use.EVERY_MIN,
            watch_file=POOL_FILE if stack.proxies else LAUNCH_FILE,  # a control node's watch operates the pool
            watch_module=watch.__name__,
            leaving_module=leaving.__name__,
            slurm_module=slurm.__name__,
            slurm_every_s=SLURM_EVERY_S,
            watch_min=watch.EVERY_MIN,
            launch_user=LAUNCH_USER,
            pool_file=POOL_FILE,
            files_root=settings.FILES_FOLDER,
            volume=settings.FILES_VOLUME,
            door_port=settings.PROXY_PORT,
            tls_folder=settings.TLS_FOLDER,
            door_module=door.__name__,
            credentials_module=job_credentials.__name__,
            gateway_module=GATEWAY_MODULE,
            tls=stack.tls,
            user=USER if stack.proxies else "",
            ports=(settings.PROXY_INTRA_PORT, settings.TARGET_INTRA_PORT) if stack.proxies and stack.tls else (),
        )
    role = name.removeprefix("planner-").removesuffix(".service")
    folder = f"{settings.STATE_FOLDER}/{role}"
    return _rendered(
        "planner-daemon.service.j2",
        role=role,
        daemon_version=settings.AISTORE_VERSION,
        tls=stack.tls,
        user=USER,
        arguments=config.command_line(role, folder, "${PLANNER_DAEMON_ID}"),
        writes=(folder, *((settings.MOUNT_FOLDER,) if role == "target" else ())),
        open_files=settings.OPEN_FILES,
        busy_s=settings.HOST_BUSY_S,
        beside_training=role == "target" and stack.targets_on == "gpu",
        cpu_weight=settings.CPU_WEIGHT,
        memory_gib=settings.RESERVED_MEMORY_GIB,
    )


def _before_jobs(stack: Stack) -> list[str]:
    """Units of a GPU node that come before jobs: they give them their files, and look at the node."""
    units = next(role.units for role in roles(stack) if role.name == "gpu")
    return [unit for unit in units if unit in BEFORE_JOBS]


def _rendered(name: str, **values: object) -> str:
    return _environment().get_template(name).render(**values)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=False,  # shell, units and YAML; values are validated when the spec is made
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
