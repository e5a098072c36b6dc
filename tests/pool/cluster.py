"""A whole pool on one machine: control nodes with a proxy each, nodes with a target and drives, S3 below.

Every daemon starts with the files that a node of a stack writes for itself (pool/fleet_pool/node/files.py); only the
addresses, the folders and the drives are this machine's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from fleet_pool import settings
from fleet_pool.node import config
from fleet_pool.node.facts import Stack

from tests.pool.certificates import Authority, Tokens
from tests.pool.daemon import wait_until
from tests.pool.keeper import kept
from tests.pool.machine import remove_folder, remove_stale, scratch
from tests.pool.member import Member
from tests.pool.network import Host, Network
from tests.pool.raw_client import PoolClient, Unanswered
from tests.pool.s3 import BUCKET, S3Server

__all__ = ["BUCKET", "Cluster", "Member", "Shape", "standing"]

CLIENT_TIMEOUT_S = 8.0
FORMING_S = 120  # time for a pool to stand up on a machine that is busy with something else


@dataclass(frozen=True, kw_only=True)
class Shape:
    """How large a pool: sizes of drives in GiB (sparse files, 1 at least for XFS with room to work in)."""

    nodes: int = 3
    drives: int = 2
    drive_gib: float = 2.0
    proxies: int = settings.CONTROL_NODES
    mutual_tls: bool = False
    low_watermark_percent: int = settings.LOW_WATERMARK_PERCENT

    @property
    def watermarks(self) -> config.Watermarks:
        return config.watermarks(self.low_watermark_percent)


class Cluster:
    """Control nodes .1 to .9, nodes .11 and up, every replaced one a new address; S3 .253, this process .254."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.folder = scratch()
        self.network = Network()
        self.tls: config.Tls | None = None
        self.tokens: Tokens | None = None
        if shape.mutual_tls:
            # all nodes name their certificate by one path, which here is one file: it is for every address
            self.authority = Authority(self.folder / "tls", "pool")
            self.tls = self.authority.issue("node", [f"{self.network.subnet}.{n}" for n in range(1, 60)])
            self.tokens = Tokens(self.folder / "tls")
        self.formed_s = 0.0
        self.s3 = S3Server(self.network.add("s3", 253), self.folder / "s3")
        control = [self.network.add(f"c{n}", n) for n in range(1, shape.proxies + 1)]
        self.stack = Stack(
            name="here",
            layout="converged",
            proxies=tuple(host.address for host in control),
            targets_on="gpu",
            drives=shape.drives,
            reserved_vcpu=0,  # a cpuset is systemd's to hold; this machine's cores are everybody's
            tls=shape.mutual_tls,
            low_watermark_percent=shape.low_watermark_percent,
            dataset_prefix="dataset/",
            checkpoint_prefix="checkpoints/",
            checkpoints_kept=3,
        )
        self.proxies = [Member(self, "proxy", n, host) for n, host in enumerate(control, 1)]
        self._last = 10 + shape.nodes  # of an address, as far as given out
        self.nodes = [Member(self, "target", n, self.network.add(f"n{n}", 10 + n)) for n in range(1, shape.nodes + 1)]

    def another_host(self, member: Member) -> Host:
        """A host with an address that none had before, in place of a node's old one."""
        self.network.remove(member.host)
        self._last += 1
        return self.network.add(f"n{member.number}x{member.life}", self._last)

    @property
    def members(self) -> list[Member]:
        return [*self.proxies, *self.nodes]

    @property
    def addresses(self) -> list[str]:
        """Where clients ask: the public side of every proxy."""
        return [proxy.host.address for proxy in self.proxies]

    def start(self) -> None:
        """Every member is in and the bucket is in S3; the pool does not know it yet."""
        self.s3.start()
        for member in self.members:
            member.start()
        self.formed_s = self.wait_whole(FORMING_S)
        self.s3.client().create_bucket(Bucket=BUCKET)

    def mend(self) -> None:
        """Whatever was broken and left so: links, frozen or dead daemons, S3."""
        for host in self.network.hosts:
            self.network.mend(host)
        for member in self.members:
            member.daemon.thaw()
        if not self.s3.answers():
            self.s3.restore()
        for member in self.members:
            if not member.daemon.running:
                if member.role == "target":
                    member.replace()
                member.start()
        try:
            self.wait_whole(FORMING_S)
        except TimeoutError:
            self.restart_all()

    def restart_all(self) -> None:
        """The last remedy: every daemon anew, with what its drives and folders hold."""
        for member in self.members:
            member.kill()
        for member in self.members:
            member.start()
        self.wait_whole(FORMING_S)

    def agreed(self) -> bool:
        """Every running proxy follows one primary: none that was cut off follows itself any more."""
        told = {_primary_in(self.map_of(proxy)) for proxy in self.proxies if proxy.daemon.running}
        return len(told) == 1 and "" not in told

    @property
    def token(self) -> str:
        """An administrator's, "" where the pool asks for none."""
        return self.tokens.admin if self.tokens else ""

    def client(self, timeout_s: float = CLIENT_TIMEOUT_S, tls: config.Tls | None = None) -> PoolClient:
        return PoolClient(self.addresses, BUCKET, timeout_s=timeout_s, tls=tls or self.tls, token=self.token)

    def register(self, bucket: str = BUCKET, timeout_s: float = 60) -> None:
        """The pool learns of an S3 bucket, as an operator's command does it: by the native API, once."""
        self._until(lambda: self.client().register(bucket), f"bucket {bucket}", timeout_s)

    def _until(self, action: Any, what: str, timeout_s: float) -> None:
        def done() -> bool:
            try:
                action()
            except (Unanswered, OSError):
                return False
            return True

        wait_until(done, what, timeout_s, every_s=0.5)

    def map(self) -> dict[str, Any]:
        """The cluster map: of the primary that most running proxies follow, of these the one with more targets, then
        the newer. A proxy that was cut off may hold every target still, or count on for itself."""
        told = [found for proxy in self.proxies if proxy.daemon.running and (found := self.map_of(proxy))]
        followers = Counter(map(_primary_in, told))
        return max(
            told,
            key=lambda found: (followers[_primary_in(found)], len(found["tmap"] or {}), int(found["version"])),
            default={},
        )

    def targets_in(self) -> set[str] | None:
        """Ids of the targets in the map; None where nobody has one."""
        told = self.map()
        return set(told["tmap"] or {}) if told else None

    def map_of(self, proxy: Member) -> dict[str, Any]:
        """The map that one proxy holds; empty where it does not answer."""
        try:
            return PoolClient([proxy.host.address], BUCKET, timeout_s=3, tls=self.tls, token=self.token).map()
        except (Unanswered, OSError):
            return {}

    def primary(self) -> Member | None:
        told = _primary_in(self.map())
        return next((proxy for proxy in self.proxies if proxy.id == told), None)

    def whole(self) -> bool:
        """Every member that was started stands in the map of every proxy that was, nothing else does, all proxies
        follow one primary, and all are ready: a daemon whose primary goes before that waits for it, ends after a
        minute, and starts again."""
        targets = {node.id for node in self.nodes if node.daemon.wanted}
        proxies = {proxy.id for proxy in self.proxies if proxy.daemon.wanted}
        primaries = set()
        for proxy in self.proxies:
            if proxy.daemon.wanted:
                told = self.map_of(proxy)
                if set(told.get("tmap") or {}) != targets or set(told.get("pmap") or {}) != proxies:
                    return False
                primaries.add(_primary_in(told))
        return len(primaries) == 1 and all(self._ready(member) for member in self.members if member.daemon.wanted)

    def _ready(self, member: Member) -> bool:
        port = settings.PROXY_PORT if member.role == "proxy" else settings.TARGET_PORT
        client = PoolClient([], BUCKET, timeout_s=3, tls=self.tls, token=self.token)
        try:
            client.asked_of(member.host.address, port, "GET", "/v1/health?readiness=true")
        except (Unanswered, OSError):
            return False
        return True

    def wait_whole(self, timeout_s: float = 90) -> float:
        """Seconds until the map is as the machines are. Raises TimeoutError."""
        dead = [member for member in self.members if member.daemon.process and not member.daemon.running]
        try:
            return wait_until(self.whole, "a whole pool", timeout_s, every_s=0.3)
        except TimeoutError as error:
            told = {role: sorted(self.map().get(role) or {}) for role in ("pmap", "tmap")}
            tails = "\n".join(f"{member.name}: {member.daemon.tail(5)}" for member in self.members)
            raise TimeoutError(f"{error}; dead: {[m.name for m in dead]}; map: {told}\n{tails}") from None

    def close(self) -> None:
        for member in self.members:
            member.kill()
        self.s3.daemon.kill()
        self.network.close()
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(Member.close, self.members))
        remove_folder(self.folder)


def _primary_in(told: dict[str, Any]) -> str:
    return (told.get("proxy_si") or {}).get("daemon_id", "")


@contextmanager
def standing(shape: Shape, *, registered: bool = True) -> Iterator[Cluster]:
    """A pool that stands and knows its bucket, and is gone afterwards with everything that it stood on."""
    remove_stale()
    cluster = Cluster(shape)
    try:
        with kept(cluster):
            cluster.start()
            if registered:
                cluster.register()
            yield cluster
    finally:
        cluster.close()
