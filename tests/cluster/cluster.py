"""A real Slurm with the settings that a stack sends to AWS PCS: controller, database, and nodes with eight GPUs each.

Debian 12 has 22.05; AWS PCS runs 25.11. What AWS PCS sets itself stands in `OF_PCS`, and so does what this machine
needs; everything else is the stack's, and every setting has a release that is no newer than the one here.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from planner.stack.slurm_settings import (
    Setting,
    cluster_settings,
    gres,
    gres_records,
    group_settings,
    node_groups,
    queue_settings,
    queues_of,
)
from planner.stack.spec import ClusterSpec
from tests.pool.health.slurm import COMMON, Slurm, free_port

ROOT = Path(__file__).resolve().parents[2]
# as AWS PCS has it of a group without a least size: nodes are launched for a job, and go when they are idle
AS_JOBS_NEED = """ResumeProgram={folder}/launches
SuspendProgram={folder}/ends
SuspendTime={idle_s}
SuspendTimeout=5
ResumeTimeout=120
SuspendExcNodes={stay}
SlurmctldParameters=cloud_dns,idle_on_node_suspend
PrivateData=cloud
"""
# what AWS PCS does to instances: SuspendProgram ends one, ResumeProgram launches another. slurmd -b: a new boot
ENDS = 'for n in $(scontrol show hostnames "$1"); do kill -9 "$(cat {folder}/slurmd.$n.pid)"; done'
LAUNCHES = """for n in $(scontrol show hostnames "$1"); do
    {new}
    # Slurm waits for a boot after its request, and counts in whole seconds
    setsid bash -c "sleep 1.5; exec slurmd -D -b -N $n" < /dev/null > /dev/null 2>&1 & echo $n >> {folder}/launched
done"""
POWERS_DOWN = """SuspendProgram={folder}/ends
ResumeProgram={folder}/launches
SuspendTime=86400
SuspendTimeout=3
ResumeTimeout=120
"""
IDLE_S = 10  # AWS PCS: ScaleDownIdleTimeInSeconds, 600
PROGRAMS = ("slurmctld", "slurmd", "slurmdbd", "mariadbd", "mariadb-install-db", "munged", "sacctmgr", "sbatch")
# of AWS PCS's own, which nobody can set, and of this machine; a requeued job waits for the end of its credential
OF_PCS = (
    COMMON
    + """AuthInfo=socket={folder}/munge.socket,cred_expire=5
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SwitchType=switch/none
PriorityType=priority/multifactor
SchedulerType=sched/backfill
GresTypes=gpu
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={database_port}
AccountingStoragePass={folder}/munge.socket
"""
)
DATABASE = """AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
DbdHost={host}
DbdAddr=127.0.0.1
DbdPort={database_port}
SlurmUser=root
LogFile={folder}/slurmdbd.log
PidFile={folder}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={sql_port}
StorageUser=slurm
StorageLoc=slurm
"""
# the tests' own pace: what is sent stands first, the last of a name counts
PACE = "SchedulerParameters={sent},bf_interval=1,sched_interval=1,default_queue_depth=1000\nMinJobAge=600\nKillWait=5\n"
HEALTH_S = 5
CPUS = 96
ENDED = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "DEADLINE", "BOOT_FAIL")


def lacking() -> list[str]:
    return [program for program in PROGRAMS if not shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")]


class Cluster(Slurm):
    def __init__(self, folder: Path, names: Sequence[str], first_port: int, *, powers_down: bool = False) -> None:
        super().__init__(folder, 0)
        self.powers_down = powers_down
        self.first_port = first_port
        self.names = list(names)
        self._environment |= {"TZ": "UTC", "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"}

    @property
    def environment(self) -> dict[str, str]:
        """Of everything that is run, and of jobs."""
        return self._environment

    def until(self, what: str, *words: str) -> None:
        """Asks until somebody answers."""
        end = time.monotonic() + 60
        while subprocess.run(words, capture_output=True, env=self._environment, timeout=30, check=False).returncode:
            assert time.monotonic() < end, what
            time.sleep(0.2)

    def boot(self, *names: str) -> None:
        """The nodes' daemons."""
        for name in names:
            self.start("slurmd", "-D", "-N", name)

    def vanish(self, *names: str) -> None:
        """As spot nodes do with all that runs there, and as AWS PCS then tells Slurm."""
        for name in names:
            _end(self.folder, name)
        self.run("scontrol", "update", f"nodename={','.join(names)}", "state=down", "reason=instance is gone")

    def come_back(self, *names: str) -> None:
        self.boot(*names)
        self.run("scontrol", "update", f"nodename={','.join(names)}", "state=resume")
        self.wait("they are back", lambda: {self.states()[name] for name in names} == {"idle"})

    def stop(self) -> None:
        super().stop()
        for log in self.folder.glob("slurmd.*.log"):  # nodes that Slurm launched itself
            _end(self.folder, log.name[len("slurmd.") : -len(".log")])

    def sbatch(self, script: str, *words: str, name: str = "job") -> str:
        """The id of a job. script: its lines after the first. Its output goes to NAME.out, later starts below earlier
        ones."""
        path = self.folder / f"{name}.sh"
        path.write_text(f"#!/bin/bash\n{script}\n")
        out = (f"--output={self.folder}/{name}.out", "--open-mode=append", f"--job-name={name}")
        return self.run("sbatch", "--parsable", f"--chdir={self.folder}", *out, *words, str(path)).strip()

    def output(self, name: str = "job") -> str:
        path = self.folder / f"{name}.out"
        return path.read_text() if path.exists() else ""

    def state(self, job: str) -> str:
        """RUNNING, PENDING ...; of a job that has ended as long as the controller keeps it."""
        return self.run("squeue", "--noheader", "--states=all", f"--jobs={job}", "--format=%T").strip()

    def reason(self, job: str) -> str:
        return self.run("squeue", "--noheader", f"--jobs={job}", "--format=%r").strip()

    def of_job(self, job: str, field: str) -> str:
        shown = self.run("scontrol", "--oneliner", "show", "job", job)
        return next(word.partition("=")[2] for word in shown.split() if word.startswith(f"{field}="))

    def is_(self, job: str, *states: str) -> None:
        """Waits for it; one that has ended otherwise is said at once, with the end of its output."""

        def reached() -> bool:
            state = self.state(job)
            assert state in states or state not in ENDED, f"job {job}: {state}, not {states}: {self._last_words(job)}"
            return state in states

        self.wait(f"job {job} {states}", reached, 120)

    def _last_words(self, job: str) -> str:
        out = Path(self.of_job(job, "StdOut"))
        return out.read_text()[-500:] if out.is_file() else f"no {out}"


def _end(folder: Path, node: str) -> None:
    """All that runs on a node: its daemon and those of its jobs have its log open, the jobs know its name."""
    log, names = folder / f"slurmd.{node}.log", {f"SLURMD_NODENAME={node}", f"SLURM_CONF={folder}/slurm.conf"}
    daemons = [link.parts[2] for link in Path("/proc").glob("[0-9]*/fd/*") if _to(link) == log]
    jobs = [path.parts[2] for path in Path("/proc").glob("[0-9]*/environ") if names <= _variables(path)]
    for process in (*daemons, *jobs):
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(process), signal.SIGKILL)


def _to(link: Path) -> Path | None:
    with contextlib.suppress(OSError):
        return link.readlink()
    return None


def _variables(path: Path) -> set[str]:
    with contextlib.suppress(OSError):
        return set(path.read_bytes().decode(errors="replace").split("\0"))
    return set()


def sent(settings: Sequence[Setting]) -> str:
    """As lines of slurm.conf."""
    return "".join(f"{one.name}={one.value}\n" for one in settings)


def configuration(spec: ClusterSpec, folder: Path, ports: int, health: str) -> tuple[str, str, list[str]]:
    """slurm.conf, gres.conf, and the names of the nodes that are there without jobs. ports: the first of as
    many as are needed."""
    assert spec.scheduler is not None
    fill = {"folder": folder, "host": socket.gethostname(), "port": ports, "database_port": ports + 1}
    settings = cluster_settings(spec.scheduler)
    own = {one.name: one.value for one in settings}
    lines = [OF_PCS.format(**fill), sent(settings), PACE.format(sent=own["SchedulerParameters"])]
    # a path of the nodes, where the test may write nothing
    lines.append(f"HealthCheckProgram={health}\nHealthCheckInterval={HEALTH_S}\n")
    names: list[str] = []
    stay: list[str] = []
    records: list[str] = []
    port = ports + 3
    for group in node_groups(spec):
        found = [f"{group.name}-{count}" for count in range(1, group.most + 1)]
        values = " ".join(f"{one.name}={one.value}" for one in group_settings(spec, group))
        lines.append(
            f"NodeName={','.join(found)} NodeHostname={fill['host']} NodeAddr=127.0.0.1 "
            f"Port=[{port}-{port + group.most - 1}] CPUs={CPUS} {values}"
            f"{'' if group.least else ' State=CLOUD'}\n"
        )
        port += group.most
        names += found
        stay += found if group.least else []
        for record in gres_records(spec.by_type[group.of]):
            devices = {**record, "File": f"{folder}{record['File']}"}
            records.append(f"NodeName={','.join(found)} " + " ".join(f"{k}={v}" for k, v in devices.items()))
    for queue, groups in queues_of(spec).items():
        values = " ".join(f"{one.name}={one.value}" for one in queue_settings(queue, spec.scheduler))
        own = ",".join(f"{group.name}-[1-{group.most}]" for group in groups)
        lines.append(f"PartitionName={queue.name} Nodes={own} State=UP {values}\n")
    if stay != names:
        lines.append(AS_JOBS_NEED.format(folder=folder, idle_s=IDLE_S, stay=",".join(stay)))
    return "".join(lines), "\n".join(records) + "\n", stay


@contextmanager
def cluster(folder: Path, spec: ClusterSpec, health: str = "/bin/true", new: str = "") -> Iterator[Cluster]:
    """Nodes that are idle, and a database that is empty. health: the program in the place of the stack's. new: what a
    new instance does first, in bash, by node $n; then Slurm may power nodes down, as those of AWS PCS."""
    with _alone():
        found = _prepared(folder, spec, health, new)
        try:
            _started(found)
        except BaseException:
            found.stop()
            raise
    try:
        yield found
    finally:
        found.stop()


@contextmanager
def _alone() -> Iterator[None]:
    """No two clusters choose ports at a time: those chosen are free until the daemons take them."""
    with Path(tempfile.gettempdir(), "planner-tests-cluster.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _prepared(folder: Path, spec: ClusterSpec, health: str, new: str) -> Cluster:
    """With its files."""
    first = free_port(spec.most_nodes + 3)
    for name in ("state", "dev", "sql"):
        (folder / name).mkdir(parents=True)
    for number in range(spec.fleet.gpus):
        (folder / f"dev/nvidia{number}").touch()
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    text, records, names = configuration(spec, folder, first, health)
    found = Cluster(folder, names, first, powers_down=bool(new))
    path = f"#!/bin/bash\nexport SLURM_CONF={folder}/slurm.conf PATH={found.environment['PATH']}\n"
    for name, lines in (("ends", ENDS), ("launches", LAUNCHES)):
        (folder / name).write_text(path + lines.format(folder=folder, new=new or ":"))
        (folder / name).chmod(0o755)
    if new:
        text = text.replace(" CPUs=", " State=CLOUD CPUs=") + POWERS_DOWN.format(folder=folder)
    (folder / "slurm.conf").write_text(text)
    (folder / "gres.conf").write_text(records if gres(spec) else "")
    ports = {"folder": folder, "host": socket.gethostname(), "database_port": first + 1, "sql_port": first + 2}
    database = folder / "slurmdbd.conf"
    database.write_text(DATABASE.format(**ports))
    database.chmod(0o600)
    return found


def _started(found: Cluster) -> None:
    folder = found.folder
    munge = [f"--{name}-file={folder}/munge.{name}" for name in ("key", "log", "pid", "seed")]
    found.start("munged", "--foreground", "--force", f"--socket={folder}/munge.socket", *munge)
    _database(found, found.first_port + 2)
    found.wait_for_file(folder / "munge.socket")
    found.start("slurmdbd", "-D")
    found.until("the database", "sacctmgr", "-nP", "show", "cluster")
    found.run("sacctmgr", "-i", "add", "cluster", "trial")
    found.start("slurmctld", "-D")
    if found.powers_down:
        found.until("the controller", "scontrol", "update", "NodeName=ALL", "State=POWER_UP")
    else:
        found.boot(*found.names)
    found.wait("all nodes idle", lambda: {found.states().get(name) for name in found.names} == {"idle"})
    (folder / "launched").unlink(missing_ok=True)


def _database(found: Cluster, port: int) -> None:
    data = found.folder / "sql"
    done = subprocess.run(
        ["mariadb-install-db", "--no-defaults", f"--datadir={data}", "--skip-test-db", "--user=root"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found.start(
        *("mariadbd", "--no-defaults", f"--datadir={data}", f"--socket={found.folder}/sql.socket", "--user=root"),
        *(f"--port={port}", "--bind-address=127.0.0.1", "--skip-grant-tables", "--innodb-buffer-pool-size=32M"),
        *("--innodb-flush-log-at-trx-commit=0", "--innodb-doublewrite=0"),  # it need not outlive the machine
    )
    found.until("MariaDB", "mariadb", "--no-defaults", f"--socket={found.folder}/sql.socket", "-e", "select 1")
