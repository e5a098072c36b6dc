"""The pool first, S3 at once where the pool cannot, and again until patience ends; over real sockets on loopback."""

from __future__ import annotations

import logging
import os
import pickle
import re
import signal
import socket
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from fleet_pool.client.address import open_store
from fleet_pool.client.errors import AlreadyThere, Corrupt, NotThere, OutOfRange, Refused, Unavailable
from fleet_pool.client.fallback import Counts, FallbackStore
from fleet_pool.client.folder import Folder
from fleet_pool.client.locks import ProcessLock
from fleet_pool.client.patience import Patience, waits_s
from fleet_pool.client.pool import Pool
from hypothesis import given
from hypothesis import strategies as st

from tests.pool.client.faulty import ALONE, ANOTHER_SUM, CUT, HANG_UP, LOST_WORK, NO_REDIRECT, FaultyPool, faulty_pool
from tests.pool.client.memory import Memory

DATA = bytes(range(256)) * 64


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now_s, self.slept_s = 0.0, []

    def now(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.slept_s.append(seconds)
        self.now_s += seconds


class Both:
    """A pool that can fail, S3 (a folder) with `key` in it, and the store over the two."""

    def __init__(self, pool: FaultyPool, folder: Path) -> None:
        self.pool, self.s3, self.time = pool, Folder(folder), Time()
        self.s3.write("key", DATA)
        pool.objects["key"] = DATA
        self.door = Pool("bucket", (pool.endpoint,), connect_timeout_s=5, read_timeout_s=20)
        times = {"now": self.time.now, "sleep": self.time.sleep, "clock": self.time.now}
        self.store = FallbackStore(cache=self.door, truth=self.s3, **times)
        self.alone = FallbackStore(cache=self.door, truth=None, now=self.time.now, sleep=self.time.sleep)


@pytest.fixture
def both(tmp_path: Path) -> Iterator[Both]:
    with faulty_pool() as pool:
        yield Both(pool, tmp_path)


def test_what_the_pool_has_comes_from_the_pool(both):
    assert both.store.read("key") == DATA
    assert both.store.counts == Counts(by_pool=1, by_s3=0, failed_tries=0)
    assert both.pool.seen == [("GET", "key", {"provider": ["aws"]})]


@pytest.mark.parametrize("fault", [503, 507, 500, 429, 403, 404, HANG_UP, CUT, ANOTHER_SUM])
def test_what_the_pool_cannot_give_is_read_from_s3_in_the_same_moment(both, fault, caplog):
    both.pool.faults.append(fault)
    with caplog.at_level(logging.WARNING, logger="fleet_pool.client"):
        assert both.store.read("key") == DATA
    damaged = int(fault == ANOTHER_SUM)
    assert both.store.counts == Counts(by_pool=0, by_s3=1, failed_tries=1, damaged=damaged)
    assert ("key" in both.pool.objects) == (not damaged)  # dropped on sight
    assert both.time.slept_s == []
    assert len(caplog.messages) == (0 if fault == 404 else 1 + damaged)


@pytest.mark.parametrize("fault", [503, 507, 500, HANG_UP, NO_REDIRECT])
def test_what_the_pool_did_not_acknowledge_is_written_to_s3_itself(both, fault):
    both.pool.always = fault
    both.store.write_unique("new", DATA)
    assert both.s3.read("new") == DATA
    assert both.store.counts.by_s3 == 1


def test_a_key_that_may_be_written_again_goes_to_s3_alone_and_out_of_the_pool(both):
    both.store.write("key", b"newer")
    assert both.s3.read("key") == b"newer"
    assert "key" not in both.pool.objects
    assert [method for method, _, _ in both.pool.seen] == ["DELETE"]
    both.store.remove("key")
    assert both.s3.entries("") == ()


def test_a_copy_that_the_pool_could_not_drop_is_not_read_and_is_dropped_later(both, caplog):
    both.pool.always = HANG_UP
    with caplog.at_level(logging.WARNING, logger="fleet_pool.client"):
        both.store.write("key", b"newer")
    assert "the pool may serve an older key to other jobs" in caplog.text
    both.pool.always = None
    assert both.pool.objects["key"] == DATA
    assert both.store.read("key") == b"newer"
    both.store.write("another", b"1")
    assert "key" not in both.pool.objects


def test_without_s3_an_object_is_not_replaced(both):
    with pytest.raises(Refused, match="cannot replace them safely; open the store with access to S3"):
        both.alone.write("key", b"newer")
    both.alone.write("key", DATA)
    both.alone.write("new", b"1")
    assert both.pool.objects == {"key": DATA, "new": b"1"}


def test_a_written_body_goes_to_the_target_alone(both, tmp_path):
    """The SDK itself sends it to the proxy as well, which hangs up in the middle of a large one."""
    path = tmp_path / "file"
    path.write_bytes(DATA)
    both.store.write_unique("bytes", DATA)
    both.store.write_unique("file", path)
    both.store.write_unique("nothing", b"")
    (tmp_path / "empty").write_bytes(b"")
    both.store.write_unique("empty", tmp_path / "empty")
    assert both.pool.proxied_bytes == 0
    held = [both.pool.objects[key] for key in ("bytes", "file", "nothing", "empty")]
    assert held == [DATA, DATA, b"", b""]
    assert both.store.counts == Counts(by_pool=4, by_s3=0, failed_tries=0)


def test_a_large_body_takes_its_time_whatever_the_time_for_connecting(both, tmp_path):
    """Python gives the whole of a body of bytes no more than one send may take."""
    both.pool.pause_a_piece_s = 0.25
    data = bytes(2**25)
    (tmp_path / "file").write_bytes(data)
    hasty = Pool("bucket", (both.pool.endpoint,), connect_timeout_s=1.5)
    hasty.write_unique("bytes", data)
    hasty.write_unique("file", tmp_path / "file")
    assert both.pool.objects["bytes"] == both.pool.objects["file"] == data


def test_the_answer_to_a_large_write_may_come_late_since_s3_must_have_it_first(both, monkeypatch):
    both.pool.pause_before_answer_s = 2.0
    hasty = Pool("bucket", (both.pool.endpoint,), read_timeout_s=0.5)
    with pytest.raises(Unavailable, match="timed out"):
        hasty.write_unique("small", b"x")
    monkeypatch.setattr("fleet_pool.client.pool.SLOWEST_UPLOAD_BYTES_PER_S", 1000)
    hasty.write_unique("large", bytes(20_000))


def test_without_s3_the_pool_is_asked_again_until_it_answers(both):
    both.pool.faults.extend([503, HANG_UP, 507, CUT, 500])
    assert both.alone.read("key") == DATA
    assert len(both.time.slept_s) == 5
    assert both.alone.counts == Counts(by_pool=1, by_s3=0, failed_tries=5)


def test_patience_lasts_two_minutes_at_least_and_then_says_who_failed_and_how(both):
    both.pool.always = 503
    with pytest.raises(
        Unavailable, match=r"could not read key within 1\d\d s and \d+ tries: .*503 .*told to"
    ) as caught:
        both.alone.read("key")
    assert caught.value.status == 503
    assert 120 <= both.time.now_s <= Patience().total_s


def test_both_down_both_are_named(both, tmp_path):
    both.pool.always = HANG_UP
    both.s3 = Folder(tmp_path / "other")

    class Down(Folder):
        def read(self, key, **more):
            raise Unavailable("S3 is down", status=503)

    store = FallbackStore(cache=both.door, truth=Down(tmp_path), now=both.time.now, sleep=both.time.sleep)
    with pytest.raises(Unavailable, match=r"through the pool.*; S3 is down"):
        store.read("key")


def test_a_pool_that_gives_no_answer_is_left_alone_for_a_while_and_asked_again(both, caplog):
    both.pool.always = HANG_UP
    for _ in range(10):
        assert both.store.read("key") == DATA
    asked = len(both.pool.seen)
    assert asked == Patience().tries_before_rest
    both.pool.always = None
    both.time.now_s += Patience().rest_s + 1
    both.store.read("key")
    assert both.store.counts.by_pool == 1
    failure, alone, back = caplog.messages  # each said once, not ten times
    assert failure.endswith("; falling back to S3")
    assert "is left alone for a while, S3 serves its share" in alone
    assert back == f"{both.door.place} answers again"


def test_one_dead_target_among_many_does_not_keep_the_reader_from_the_pool(both):
    both.pool.objects["other/key"] = DATA
    for _ in range(10):
        both.pool.always = HANG_UP
        both.store.read("key")
        both.store.read("key")
        both.pool.always = None
        both.store.read("other/key")  # another target's: it answers
    assert both.store.counts == Counts(by_pool=10, by_s3=20, failed_tries=20)
    assert [key for _, key, _ in both.pool.seen].count("key") == 3  # then it was left alone


def test_a_full_pool_is_not_left_alone_it_still_serves_what_it_has(both):
    both.pool.faults.extend([507] * 5)
    for _ in range(6):
        both.store.read("key")
    assert both.store.counts == Counts(by_pool=1, by_s3=5, failed_tries=5)


def test_s3_has_the_last_word_on_what_is_there(both):
    both.s3.write("late", b"the pool has not heard of it")
    assert both.store.read("late") == b"the pool has not heard of it"
    with pytest.raises(NotThere):
        both.store.read("nowhere")
    assert both.time.slept_s == []


def test_fresh_reads_listings_and_single_writes_ask_s3_itself(both):
    both.pool.objects["key"] = b"a stale copy"
    assert both.store.read("key") == b"a stale copy"
    assert both.store.read("key", fresh=True) == DATA
    assert [entry.key for entry in both.store.entries("")] == ["key"]
    both.store.write_once("once", b"1")
    both.store.write_once("once", b"1")
    with pytest.raises(AlreadyThere):
        both.store.write_once("once", b"2")
    assert "once" not in both.pool.objects


def test_without_s3_a_fresh_read_asks_the_pool_to_look_there(both):
    both.alone.read("key", fresh=True)
    assert both.pool.seen[-1] == ("GET", "key", {"provider": ["aws"], "latest-ver": ["true"]})


@pytest.mark.parametrize("drops", [True, False])
def test_without_s3_a_damaged_copy_is_not_a_damaged_object(drops):
    class Pool(Memory):
        def read(self, key: str, **how: Any) -> bytes:
            if key in self.cached:
                raise Corrupt(f"{key} is cut short")
            return super().read(key, **how)

        def forget(self, key: str) -> None:
            if not drops:
                raise Refused("the engine cannot read it either")
            self.cached.pop(key, None)

    pool = Pool()
    pool.objects["a"], pool.cached["a"] = b"whole", b"who"
    store = FallbackStore(cache=pool, truth=None)
    if drops:
        assert store.read("a") == b"whole"
    else:
        with pytest.raises(Unavailable, match="cannot drop its copy"):  # and a restore does not step back
            store.read("a")
    assert store.counts.damaged == 1


def test_a_forked_worker_finds_a_lock_free_that_its_parent_held():
    lock = ProcessLock()
    with lock:
        child = os.fork()
        if child == 0:
            signal.alarm(5)
            with lock:
                os._exit(0)
        assert os.waitpid(child, 0)[1] == 0


def test_without_s3_a_single_write_looks_first(both):
    both.alone.write_once("once", b"1")
    both.alone.write_once("once", b"1")
    with pytest.raises(AlreadyThere):
        both.alone.write_once("once", b"2")
    assert both.pool.objects["once"] == b"1"


def test_a_single_write_whose_answer_was_lost_succeeds_the_second_time(tmp_path):
    class LostAnswer(Folder):
        lost = 0

        def write_once(self, key, data):
            super().write_once(key, data)
            self.lost += 1
            if self.lost == 1:
                raise Unavailable("the answer never came")

    time = Time()
    FallbackStore(cache=None, truth=LostAnswer(tmp_path), now=time.now, sleep=time.sleep).write_once("once", b"1")
    assert Folder(tmp_path).read("once") == b"1"


@pytest.mark.parametrize("fault", [None, "range-ignored"])
@pytest.mark.parametrize(("start", "length"), [(0, 1), (5, 100), (len(DATA) - 3, None), (len(DATA) - 3, 10), (0, None)])
def test_ranges_are_the_same_through_either_door(both, fault, start, length):
    both.pool.always = fault
    expected = DATA[start : None if length is None else start + length]
    assert both.store.read("key", start=start, length=length) == expected
    assert both.s3.read("key", start=start, length=length) == expected
    assert both.store.counts.by_pool == 1


@pytest.mark.parametrize(("start", "length"), [(len(DATA), None), (-1, None), (0, 0), (len(DATA) + 5, 3)])
def test_a_range_behind_the_end_is_an_error_not_nothing(both, start, length):
    for store in (both.store, both.alone, both.s3):
        with pytest.raises(OutOfRange):
            store.read("key", start=start, length=length)


def test_a_definite_no_is_not_asked_again(both):
    both.pool.always = 403
    with pytest.raises(Refused, match="403"):
        both.alone.read("key")
    assert both.time.slept_s == []


def test_removing_drops_the_copy_of_the_pool_and_what_is_not_there_is_no_error(both):
    both.store.remove("key")
    both.store.remove("key")
    assert "key" not in both.pool.objects


def test_a_pool_that_does_not_know_the_bucket_leaves_the_removal_to_s3(both):
    both.pool.faults.append(404)
    both.store.remove("key")
    assert both.s3.entries("") == ()


class NoCredentials(Folder):
    def read(self, key, **more):
        raise Refused("no credentials")

    def write(self, key, data):
        raise Refused("no credentials")

    write_unique = write


def test_a_job_that_s3_does_not_let_in_waits_for_the_pool(both, tmp_path, caplog):
    """A lost node must not end a job that has S3 behind the pool in name only; the log says that it has not."""
    store = FallbackStore(cache=both.door, truth=NoCredentials(tmp_path), now=both.time.now, sleep=both.time.sleep)
    both.pool.faults.extend([503, HANG_UP, 503])
    assert store.read("key") == DATA
    assert [message for message in caplog.messages if message == "no credentials"] == ["no credentials"]
    both.pool.faults.append(HANG_UP)
    store.write_unique("new", b"1")
    assert both.pool.objects["new"] == b"1"
    assert store.read("key", fresh=True) == DATA
    both.pool.faults.append(403)
    slept = len(both.time.slept_s)
    with pytest.raises(Refused, match="no credentials"):
        store.read("key")
    assert len(both.time.slept_s) == slept


def test_a_proxy_that_is_gone_is_passed_over(both):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens here
        dead = f"http://127.0.0.1:{taken.getsockname()[1]}"
        proxies = [dead, dead, both.pool.endpoint]
        for first in range(3):  # wherever a job begins
            door = Pool("bucket", tuple(proxies[first:] + proxies[:first]))
            store = FallbackStore(cache=door, truth=None, now=both.time.now, sleep=both.time.sleep)
            assert store.read("key") == DATA
            failed = store.counts.failed_tries
            assert failed <= 2
            assert store.read("key") == DATA
            assert store.counts.failed_tries == failed


def test_a_proxy_that_was_cut_off_and_knows_no_target_is_passed_over(both):
    with faulty_pool() as stray:
        stray.always = ALONE
        proxies = [stray.endpoint, both.pool.endpoint]
        for first in range(2):  # wherever a job begins
            door = Pool("bucket", tuple(proxies[first:] + proxies[:first]))
            store = FallbackStore(cache=door, truth=None, now=both.time.now, sleep=both.time.sleep)
            assert store.read("key") == DATA
            assert store.counts.failed_tries <= 1


def test_a_write_that_the_engine_cleaned_away_is_made_again(both):
    both.pool.faults.append(LOST_WORK)
    both.alone.write_unique("other", DATA)
    assert both.pool.objects["other"] == DATA
    assert both.alone.counts.failed_tries == 1


def test_variables_of_the_environment_do_not_lead_the_pools_traffic_away(both, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    assert Pool("bucket", (both.pool.endpoint,)).read("key") == DATA


def test_a_store_crosses_to_a_worker_process_without_its_connections(both):
    store = FallbackStore(cache=both.door, truth=both.s3)
    store.read("key")
    other = pickle.loads(pickle.dumps(store))
    assert other.read("key") == DATA
    assert other.counts.by_pool == 1


def test_a_forked_worker_has_connections_and_counts_of_its_own(both):
    both.store.read("key")
    child = os.fork()
    if not child:
        fine = both.store.read("key") == DATA and both.store.counts.by_pool == 1
        os._exit(0 if fine else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert both.store.counts.by_pool == 1


@given(st.floats(0, 0.999), st.integers(1, 40))
def test_waits_double_to_the_longest_and_stay_between_half_and_all_of_it(chance, number):
    patience = Patience()
    wait = list(islice(waits_s(patience, lambda: chance), number))[-1]
    whole = min(patience.first_wait_s * 2 ** (number - 1), patience.longest_wait_s)
    assert whole / 2 <= wait <= whole


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("ais://bucket", "lost with the nodes"),
        ("gs://bucket", "s3://"),
        ("s3://", "s3://BUCKET"),
        ("s3://bucket/run", "prefix in the keys"),
    ],
)
def test_an_address_that_is_none_is_refused(address, said):
    with pytest.raises(Refused, match=said):
        open_store(address)


def test_an_address_is_a_folder_s3_or_s3_through_the_pool(tmp_path):
    assert isinstance(open_store(str(tmp_path)), Folder)
    assert open_store("s3://data", environment={}).place == "s3://data"
    through = open_store("s3://data", environment={"AIS_ENDPOINT": "http://10.0.0.1:51080"})
    assert through.place == "s3://data through the pool at http://10.0.0.1:51080 or s3://data"
    on_a_node = {"AIS_ENDPOINT": "http://10.0.0.9:51080", "PLANNER_POOL": "http://10.0.0.1:51080,http://10.0.0.2:51080"}
    assert re.search(r"10\.0\.0\.[12]:", open_store("s3://data", environment=on_a_node).place)
    with pytest.raises(Refused, match="no pool and no S3"):
        open_store("s3://data", direct=False, environment={})
    with pytest.raises(Refused, match="http://"):
        open_store("s3://data", pool=["10.0.0.1:51080"])


@pytest.mark.parametrize("key", ["", "/a", "a/", "a//b", "a/../b", "./a", "a\nb", "k" * 1025])
def test_a_key_that_could_name_another_object_is_refused_by_every_store(both, key):
    for store in (both.store, both.s3, both.door):
        with pytest.raises(Refused, match="key"):
            store.read(key)
        with pytest.raises(Refused, match="key"):
            store.write(key, b"")
