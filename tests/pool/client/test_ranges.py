"""Large objects in parallel ranges: the same bytes, verified, with little memory; and files that are read once."""

from __future__ import annotations

import hashlib
import tracemalloc

import pytest
from fleet_pool.client import Checkpoints
from fleet_pool.client.errors import Damaged, Refused
from fleet_pool.client.folder import Folder
from fleet_pool.client.hashing import HashingPath
from fleet_pool.client.ranges import fetch, pieces, range_bytes
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pool.client.memory import Memory

MIB = 2**20


class Rereading(Memory):
    """S3 behind a pool that keeps damaged copies, ranges included."""

    def read(self, key, *, start=0, length=None, fresh=False):
        if fresh or key not in self.cached:
            return super().read(key, start=start, length=length, fresh=True)
        return self.cached[key][start : None if length is None else start + length]


@pytest.mark.parametrize("size", [0, 1, MIB, MIB + 1, 5 * MIB + 3])
def test_file_and_buffer_have_the_bytes_of_the_object(tmp_path, size):
    store, data = Memory(), bytes(i % 251 for i in range(size % 1000)) + bytes(size - size % 1000)
    store.write("key", data)
    buffer = bytearray(size)
    fetch(store, "key", size, memoryview(buffer))
    fetch(store, "key", size, tmp_path / "file", sha256=hashlib.sha256(data).hexdigest())
    assert buffer == data == (tmp_path / "file").read_bytes()


def test_a_wrong_size_or_checksum_is_said_and_leaves_no_file(tmp_path):
    store = Memory()
    store.write("key", b"abc")
    with pytest.raises(Refused, match="3 bytes, the buffer 2"):
        fetch(store, "key", 3, memoryview(bytearray(2)))
    with pytest.raises(Damaged, match="3 of 4 bytes"):
        fetch(store, "key", 4, tmp_path / "file")
    with pytest.raises(Damaged, match="another checksum"):
        fetch(store, "key", 3, tmp_path / "file", sha256="0" * 64)
    assert list(tmp_path.iterdir()) == []


def numbered_mibs(path, count):
    with path.open("wb") as file:
        for number in range(count):
            file.write(bytes([number]) * MIB)


def test_a_restore_into_files_needs_a_tenth_of_the_memory(tmp_path):
    size = 160 * MIB
    store = Folder(tmp_path / "store")
    numbered_mibs(tmp_path / "shard", 160)
    checkpoints = Checkpoints(store, "run")
    receipt = checkpoints.put_shard(step=1, rank=0, data=tmp_path / "shard")
    checkpoints.commit(step=1, shards=[receipt])
    tracemalloc.start()
    try:
        restored = checkpoints.restore_files(tmp_path / "restored")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert restored.commit is not None
    assert restored.files[0].stat().st_size == size
    assert peak <= 0.1 * size
    with restored.files[0].open("rb") as file:
        assert all(file.read(MIB) == bytes([number]) * MIB for number in range(160))


def test_a_damaged_copy_in_the_pool_is_passed_by_and_damage_in_s3_means_the_step_before(tmp_path):
    store = Rereading()
    checkpoints = Checkpoints(store, "run")
    for step in (1, 2):
        checkpoints.save(step=step, shards=[b"one", b"two"])
    newest, _ = checkpoints.newest()
    assert newest is not None
    assert newest.step == 2
    store.cached[newest.shards[1].key] = b"tWo"
    files = checkpoints.restore_files(tmp_path / "a").files
    assert [files[rank].read_bytes() for rank in (0, 1)] == [b"one", b"two"]
    store.objects[newest.shards[1].key] = b"tWo"
    restored = checkpoints.restore_files(tmp_path / "b")
    assert restored.commit is not None
    assert restored.commit.step == 1
    assert [skipped.step for skipped in restored.skipped] == [2]
    assert sorted((tmp_path / "b").iterdir()) == sorted(restored.files.values())  # none of step 2


def test_a_shard_in_a_buffer_is_verified():
    store = Memory()
    checkpoints = Checkpoints(store, "run")
    shard = checkpoints.put_shard(step=1, rank=0, data=b"abc")
    buffer = bytearray(3)
    checkpoints.fetch(shard, memoryview(buffer))
    assert buffer == b"abc"
    store.objects[shard.key] = b"abd"
    with pytest.raises(Damaged, match="another checksum"):
        checkpoints.fetch(shard, memoryview(buffer))


def test_ranges_grow_with_the_object_up_to_what_s3_recommends():
    assert range_bytes(10 * MIB) == MIB
    assert range_bytes(512 * MIB) == 8 * MIB
    assert range_bytes(10**12) == 16 * MIB


@settings(deadline=None)  # a busy machine is no fault
@given(begin=st.integers(0, 10**10), size=st.integers(1, 10**10))
def test_ranges_end_at_whole_mibs_so_that_none_is_checked_twice(begin, size):
    class Asked(Memory):
        def read(self, key, *, start=0, length=None, fresh=False):
            asked.append((start, length))
            return Bytes(length)

    class Bytes(bytes):  # as many as were asked for, in no memory
        def __new__(cls, count):
            return super().__new__(cls)

        def __init__(self, count):
            self.count = count

        def __len__(self):
            return self.count

    asked = []
    found = list(pieces(Asked(), "key", size, begin=begin, at_once=1))
    ends = [start + length for start, length in asked]
    assert [start for start, _ in asked] == [begin, *ends[:-1]]
    assert ends[-1] == begin + size
    assert all(end % MIB == 0 for end in ends[:-1])
    assert [begin + offset for offset, _ in found] == [start for start, _ in asked]


class Counting(HashingPath):
    """Counts the bytes that anybody reads from the file."""

    def open(self, mode="r", *more, **named):
        opened, path = super().open(mode, *more, **named), self

        class Watched(type(opened)):
            def read(self, size=-1, /):
                data = super().read(size)
                vars(path)["bytes_read"] = vars(path).get("bytes_read", 0) + len(data)
                return data

        opened.__class__ = Watched
        return opened


@given(reads=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=6), data=st.binary(max_size=40))
@settings(deadline=None, max_examples=200)
def test_whatever_tries_read_the_checksum_is_that_of_the_file(tmp_path_factory, reads, data):
    path = tmp_path_factory.mktemp("hashing") / "file"
    path.write_bytes(data)
    sent = HashingPath(path)
    for start, count in reads:
        with sent.open("rb") as file:
            file.seek(start)
            file.read(count)
    assert sent.sha256() == hashlib.sha256(data).hexdigest()
    assert sent.state.count == len(data)


def test_a_file_that_is_put_is_read_once(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"x" * MIB)
    sent = Counting(path)
    Folder(tmp_path / "store").write("key", sent)
    assert sent.sha256() == hashlib.sha256(b"x" * MIB).hexdigest()
    assert vars(sent)["bytes_read"] == MIB


def test_a_file_that_grows_while_it_is_put_is_refused(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"before")

    class Growing(Memory):
        def write(self, key, data):
            super().write(key, data)
            path.write_bytes(b"before and after")

    with pytest.raises(Refused, match="changed while it was written"):
        Checkpoints(Growing(), "run").put_shard(step=1, rank=0, data=path)
