"""Every verb on real daemons over a real S3 server: what it promises is looked up by a second way, S3 or the map."""

from __future__ import annotations

import json
import os
import threading
import time
import uuid
from collections.abc import Iterator

import pytest
from fleet_pool.api import Client
from fleet_pool.client import open_store
from fleet_pool.operate.members import cluster_map
from fleet_pool.problems import Code
from fleet_pool.settings import PROXY_PORT

from tests.pool.client.conftest import endpoints
from tests.pool.cluster import BUCKET, FORMING_S, Cluster, Shape, standing
from tests.pool.daemon import wait_until
from tests.pool.operate.answering import answering
from tests.pool.operate.conftest import set_environment
from tests.pool.operate.test_notice import SPOT, instance
from tests.pool.raw_client import Unanswered
from tests.pool.s3 import REGION


def cached(cluster: Cluster, bucket: str, prefix: str) -> set[str]:
    """Keys under a prefix of which a target says that it has them, asked one by one without bringing any in."""
    found = set()
    for entry in cluster.s3.client().list_objects_v2(Bucket=bucket, Prefix=prefix).get("Contents", ()):
        client = cluster.client()
        try:
            # presence=2: is in the pool; an object that S3 alone has is not found
            client._asked("HEAD", f"/v1/objects/{bucket}/{entry['Key']}?provider=aws&presence=2")
            found.add(entry["Key"])
        except Unanswered as error:
            if error.status != 404:
                raise
    return found


@pytest.fixture
def fresh(real: Cluster) -> Iterator[str]:
    """A bucket of S3 that the pool has never heard of."""
    name = f"new-{uuid.uuid4().hex[:12]}"
    s3 = real.s3.client()
    s3.create_bucket(Bucket=name)
    s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
    return name


class TestBuckets:
    def test_registered_once_and_again(self, real, fresh, command):
        first = command("register", fresh, "--kind", "dataset")
        assert (first.code, first.out) == (Code.OK, f"{fresh}: registered\n")
        assert command("register", fresh, "--kind", "dataset").out == f"{fresh}: already registered\n"
        other = command("register", fresh, "--kind", "rewritten")
        assert other.out == f"{fresh}: cached reads ask S3 for the version\n"
        [found] = [b for b in json.loads(command("buckets", "--json").out)["buckets"] if b["name"] == fresh]
        assert found == {"name": fresh, "in_s3": True, "kind": "rewritten", "evicts": True, "versioned_when_met": True}

    def test_rewritten_reads_what_s3_has_now_and_dataset_what_was_cached(self, real, fresh, command):
        """The two kinds told apart by their bytes."""
        client, s3 = real.client(), real.s3.client()
        client.bucket = fresh
        command("register", fresh, "--kind", "dataset")
        s3.put_object(Bucket=fresh, Key="k", Body=b"first")
        assert client.get("k") == b"first"
        s3.put_object(Bucket=fresh, Key="k", Body=b"second")
        assert client.get("k") == b"first"
        command("register", fresh, "--kind", "rewritten")
        assert client.get("k") == b"second"

    def test_a_bucket_made_through_the_s3_door_is_refused_and_can_be_ended(self, real, command):
        name = f"own-{uuid.uuid4().hex[:12]}"
        client = real.client()
        client._asked("PUT", f"/s3/{name}")
        # it takes writes, acknowledges them, and S3 has nothing of it
        client._asked("PUT", f"/v1/objects/{name}/k?provider=ais", b"acknowledged")
        assert name not in {bucket["Name"] for bucket in real.s3.client().list_buckets()["Buckets"]}
        refused = command("register", name, "--kind", "dataset")
        assert (refused.code, refused.out) == (Code.BLOCKER, "")
        assert f"ais://{name}" in refused.err
        real.s3.client().create_bucket(Bucket=name)  # nor when S3 has one of that name by now
        assert command("register", name, "--kind", "dataset").code == Code.BLOCKER
        assert command("buckets").code == Code.BLOCKER
        assert command("status").code == Code.BLOCKER
        assert command("destroy-local", name).code == Code.USAGE
        assert command("destroy-local", name, "--yes").code == Code.OK
        assert command("register", name, "--kind", "dataset").code == Code.OK

    def test_a_bucket_that_s3_lacks_is_reported(self, real, command):
        said = command("register", "nowhere-to-be-found", "--kind", "dataset")
        assert said.code == Code.USAGE
        assert "S3 has no bucket 'nowhere-to-be-found'" in said.err

    def test_s3_is_down(self, real, fresh, command):
        real.s3.kill()
        said = command("register", fresh, "--kind", "dataset")
        assert said.code in (Code.AWS, Code.USAGE)
        assert fresh in said.err
        real.s3.restore()
        assert command("register", fresh, "--kind", "dataset").code == Code.OK


class TestPrefetchAndEvict:
    def test_what_lies_under_a_prefix_and_nothing_else(self, real, fresh, command):
        s3 = real.s3.client()
        for number in range(24):
            s3.put_object(Bucket=fresh, Key=f"{'a' if number % 2 else 'b'}/{number:03}", Body=bytes(50_000))
        command("register", fresh, "--kind", "dataset")
        fetched = command("prefetch", fresh, "--prefix", "a/")
        assert fetched.code == Code.OK
        assert fetched.out.startswith("fetched 12 objects, 600 kB, in ")
        assert len(cached(real, fresh, "a/")) == 12
        assert cached(real, fresh, "b/") == set()
        again = command("prefetch", fresh, "--prefix", "a/")
        assert again.out.startswith("fetched 0 objects")
        assert "nothing to fetch" in again.err
        assert command("evict", fresh, "--prefix", "a/00").out.startswith("evicted 5 objects, 250 kB")
        assert {key for key in cached(real, fresh, "a/") if key.startswith("a/00")} == set()
        assert len(cached(real, fresh, "a/")) == 7
        assert command("evict", fresh, "--all").code == Code.OK
        assert cached(real, fresh, "") == set()
        assert s3.list_objects_v2(Bucket=fresh)["KeyCount"] == 24  # S3 keeps all of it

    def test_a_large_object_in_ranges_is_the_same_bytes_and_heals_when_one_is_lost(self, real, fresh, command):
        mib, key = 2**20, "large/0"
        body = os.urandom(40 * mib + 5)
        real.s3.client().put_object(Bucket=fresh, Key=key, Body=body)
        real.s3.client().put_object(Bucket=fresh, Key="large/small", Body=b"small")
        command("register", fresh, "--kind", "dataset")
        said = command("prefetch", fresh, "--prefix", "large/", "--ranges-from-gb", "0.03")
        assert said.out.startswith("fetched 2 objects, 41.9 MB, in "), said.err
        assert cached(real, fresh, "large/") == {key, "large/small"}
        mounts = [drive.mount for node in real.nodes for drive in node.drives]
        ranges = [path for mount in mounts for path in mount.rglob("*") if path.is_file() and path.stat().st_size > mib]
        ours = [path for path in ranges if fresh in str(path)]
        assert sorted(path.stat().st_size for path in ours) == [8 * mib + 5, 16 * mib, 16 * mib]
        proxies = [f"http://{address}:{PROXY_PORT}" for address in real.addresses]
        store = open_store(f"s3://{fresh}", pool=proxies, region=REGION, s3_endpoint_url=real.s3.endpoint)
        at = 16 * mib - 3
        assert (store.read(key), store.read(key, start=at, length=7)) == (body, body[at : at + 7])
        assert store.counts.by_s3 == 0
        next(path for path in ours if path.stat().st_size < 16 * mib).unlink()
        assert (store.read(key), store.read(key, start=at, length=7)) == (body, body[at : at + 7])

    def test_without_waiting(self, real, fresh, command):
        command("register", fresh, "--kind", "dataset")
        said = command("prefetch", fresh, "--all", "--no-wait")
        assert said.code == Code.OK
        assert len(said.out.strip()) > 4


class TestStatus:
    def test_a_whole_pool_is_well(self, real, command):
        said = command("status", "--targets", "3", "--drives", "2")
        assert (said.code, said.err) == (Code.OK, ""), said.out
        assert said.out.startswith("3 active targets, 2 gateways, ")
        told = json.loads(command("status", "--json").out)
        assert [node["heard"] for node in told["nodes"]] == ["status"] * 5

    def test_a_drive_that_is_gone_is_named(self, real, command):
        told = json.loads(command("status", "--drives", "3", "--json").out)
        missing = [finding for finding in told["findings"] if "drive missing" in finding["what"]]
        assert {finding["where"] for finding in missing} == {node.id for node in real.nodes}

    def test_a_target_that_hangs_is_silent_and_status_is_not(self, real, command):
        """Frozen, so that connections to it open and nothing comes: asked before the map drops it."""
        frozen = real.nodes[0]
        frozen.daemon.freeze()
        said = command("status", "--targets", "3", "--each-s", "1", "--timeout-s", "10")
        assert said.code == Code.BLOCKER
        assert (
            f"error: {frozen.id}: in the map but does not answer: " in said.out
            or "1 target missing: 2 of 3" in said.out
        )

    def test_a_target_that_is_dead_is_missing_once_the_map_drops_it(self, real, command):
        dead = real.nodes[1].id
        real.nodes[1].kill()
        wait_until(lambda: dead not in (real.targets_in() or {dead}), "the map without it", FORMING_S)
        said = command("status", "--targets", "3")
        assert said.code == Code.BLOCKER
        assert "error: pool: 1 target missing: 2 of 3 active" in said.out

    def test_a_gateway_is_dead_and_the_other_answers(self, real, command, monkeypatch):
        wait_until(lambda: real.primary() is not None, "a primary", FORMING_S)
        primary = real.primary()
        dead = next(proxy for proxy in real.proxies if proxy is not primary)
        dead.kill()
        monkeypatch.setenv("AIS_ENDPOINT", ",".join((dead.host.address, *real.addresses)))
        said = command("status", "--json", "--targets", "3")
        told = json.loads(said.out)
        assert said.code == Code.OK  # one gateway less is a warning, or already forgotten
        assert {node["heard"] for node in told["nodes"] if node["id"] == dead.id} <= {"silent"}
        assert {node["heard"] for node in told["nodes"] if node["role"] == "target"} == {"status"}


class TestCapacity:
    def test_drives_and_watermark_of_the_running_pool(self, real, command):
        told = json.loads(command("capacity", "--json").out)
        assert told["low_watermark_percent"] == real.shape.watermarks.low
        assert told["raw_bytes"] == pytest.approx(3 * 2 * real.shape.drive_gib * 2**30, rel=0.1)
        assert told["hot_bytes"] == pytest.approx(0.7 * told["raw_bytes"], rel=1e-6)
        assert told["fill_limit_gb_per_s"] == pytest.approx(told["hot_bytes"] / 3600 / 1e9, rel=1e-6)
        assert command("capacity", "--hot-tb", "1").code == Code.GATE

    def test_what_comes_from_s3_is_measured(self, real, fresh, command):
        s3 = real.s3.client()
        for number in range(40):
            s3.put_object(Bucket=fresh, Key=f"{number}", Body=bytes(1_000_000))
        command("register", fresh, "--kind", "dataset")
        # what a target says of its counters is ten seconds old at most: the look spans that, and the reads before it
        reader = threading.Timer(1, lambda: [self._read(real, fresh, number) for number in range(40)])
        reader.start()
        told = json.loads(command("capacity", "--watch-s", "15", "--json").out)
        reader.join()
        assert sum(share["from_s3_gb_per_s"] for share in told["targets"]) * 15 == pytest.approx(0.04, rel=0.5)

    @staticmethod
    def _read(real: Cluster, bucket: str, number: int) -> None:
        client = real.client(timeout_s=30)
        client.bucket = bucket
        client.get(f"{number}")


class TestCanary:
    def test_every_target_writes_to_s3_and_it_comes_out_at_every_gateway(self, real, command):
        command("register", BUCKET, "--kind", "dataset")
        told = json.loads(command("canary", BUCKET, "--json").out)
        assert told["well"]
        targets, gateways = {node.id for node in real.nodes}, {proxy.id for proxy in real.proxies}
        assert {step["where"] for step in told["steps"] if step["what"] == "PUT"} == targets
        assert {step["where"] for step in told["steps"] if step["what"] == "GET"} == targets | gateways
        assert len(told["steps"]) == 4 * len(targets) + len(gateways)
        assert not any(step["wrong"] for step in told["steps"])
        assert "Contents" not in real.s3.client().list_objects_v2(Bucket=BUCKET, Prefix=".planner-canary/")

    def test_a_gateway_that_hangs_hides_no_target(self, real, command):
        command("register", BUCKET, "--kind", "dataset")
        first = cluster_map(Client(endpoints(real))).proxies[0].id
        hung = next(proxy for proxy in real.proxies if proxy.id == first)
        hung.daemon.freeze()
        try:
            told = json.loads(command("canary", BUCKET, "--json").out)
        finally:
            hung.daemon.thaw()
        wrong = {(step["what"], step["where"]) for step in told["steps"] if step["wrong"]}
        assert wrong == {("GET", first)}

    def test_without_s3_it_falls(self, real, command):
        command("register", BUCKET, "--kind", "dataset")
        real.s3.kill()
        said = command("canary", BUCKET, "--each-s", "20")
        assert said.code == Code.BLOCKER
        assert said.out.splitlines()[1].startswith("PUT ")
        assert not said.out.splitlines()[1].endswith("ok")
        real.s3.restore()

    def test_a_wrong_key_is_three(self, real, command, monkeypatch):
        command("register", BUCKET, "--kind", "dataset")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another-secret")
        assert command("canary", BUCKET).code == Code.CREDENTIALS


class Load:
    """Reads and writes all the time until it is stopped; errors with their words."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster, self.errors, self.done = cluster, [], 0
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(number,)) for number in range(3)]

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        wait_until(lambda: self.done > 20, "a load that runs", 60)
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _run(self, who: int) -> None:
        client = self.cluster.client(timeout_s=60)
        turn = 0
        while not self._over.is_set():
            key, turn = f"load-{who}-{turn}-{uuid.uuid4().hex}", turn + 1
            try:
                client.put(key, key.encode() * 500)
                if client.get(key) != key.encode() * 500:
                    self.errors.append(f"{key}: other bytes")
            except Exception as error:
                self.errors.append(f"{type(error).__name__}: {error}")
            self.done += 1


class TestDrain:
    def test_no_client_sees_an_error(self, real, command):
        """Drained and stopped under load, then drained back in: not one read or write fails."""
        node = real.nodes[0]
        with Load(real) as load:
            said = command("drain", node.id)
            assert (said.code, said.out) == (Code.OK, f"{node.id}: drained; 2 active targets left\n")
            before = load.done
            wait_until(lambda: load.done > before + 20, "reads and writes without it", 60)
            assert command("undrain", node.id).code == Code.OK
            before = load.done
            wait_until(lambda: load.done > before + 20, "reads and writes with it", 60)
        assert load.errors == []

    def test_two_at_once_by_two_callers(self, real, command):
        """The pool takes one change of membership at a time: whoever is told busy asks again."""
        from fleet_pool.api import Client, endpoints
        from fleet_pool.operate.drain import drain

        ids = [node.id for node in real.nodes[:2]]
        proxies = endpoints(",".join(real.addresses))
        callers = [threading.Thread(target=drain, args=(Client(proxies), [id_]), kwargs={"settle_s": 0}) for id_ in ids]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join(60)
        told = json.loads(command("status", "--json").out)
        assert {node["id"] for node in told["nodes"] if node["leaving"]} == set(ids)
        assert command("undrain", *ids).code == Code.OK

    def test_a_notice_drains_the_node(self, real, command, monkeypatch, tmp_path):
        """From the instance's metadata to the map, with the job told before and AWS after."""
        node, paths = real.nodes[2], {}
        log = tmp_path / "told"
        with answering(instance(paths)) as metadata:
            monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", metadata.url)
            soon = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 120))
            timer = threading.Timer(
                1, paths.update, ({SPOT: json.dumps({"action": "terminate", "time": soon}).encode()},)
            )
            timer.start()
            said = command(
                "notice", node.id, "--poll-s", "0.2", "--before", f"touch {log}", "--after", f"cp {log} {log}2"
            )
        assert said.code == Code.OK, said.err
        assert "notice: spot, this instance will terminate at " in said.err
        assert log.with_name("told2").exists()
        told = json.loads(command("status", "--json").out)
        assert [node["leaving"] for node in told["nodes"] if node["id"] == real.nodes[2].id] == [True]
        assert command("undrain", node.id).code == Code.OK


def test_with_mutual_tls(pool_machine, command, monkeypatch):
    """Nobody without a certificate is let in; with one, all of it works."""
    with standing(Shape(nodes=1, drives=1, proxies=1, mutual_tls=True)) as cluster:
        assert cluster.tls is not None
        set_environment(cluster, monkeypatch, "https")
        monkeypatch.setenv("AIS_CLIENT_CA", cluster.tls.authority)
        refused = command("status", "--timeout-s", "3")
        assert refused.code == Code.AWS
        assert "TLS failed" in refused.err
        monkeypatch.setenv("AIS_CRT", cluster.tls.certificate)
        monkeypatch.setenv("AIS_CRT_KEY", cluster.tls.key)
        no_token = command("status", "--timeout-s", "3")
        assert no_token.code == Code.AWS
        assert "token" in no_token.err
        for kind in ("job", "admin"):  # both look; one administers
            monkeypatch.setenv("AIS_AUTHN_TOKEN_FILE", str(cluster.folder / "tls" / f"{kind}.token"))
            assert command("status", "--targets", "1").code == Code.OK
            registered = command("register", BUCKET, "--kind", "rewritten")
            assert (registered.code == Code.OK) is (kind == "admin"), registered.err
        assert command("status", "--targets", "1").code == Code.OK
        assert command("register", BUCKET, "--kind", "dataset").code == Code.OK
        assert command("canary", BUCKET).code == Code.OK
        monkeypatch.delenv("AIS_CLIENT_CA")
        untrusted = command("status", "--timeout-s", "3")
        assert untrusted.code == Code.AWS
        assert "certificate is not trusted" in untrusted.err
