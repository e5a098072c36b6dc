"""Shards: what is packed comes back, damage is seen, and the order of a rank is found again."""

from __future__ import annotations

import io
import tarfile
import time
from collections import Counter

import pytest
from fleet_pool.client.errors import Damaged, NotThere, Refused
from fleet_pool.client.shards import Sample, order, pack, read_ahead, unpack
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pool.client.memory import Memory

NAMES = st.text(st.characters(categories=["Ll", "Nd"]), min_size=1, max_size=12)
FILES = st.dictionaries(st.sampled_from(["jpg", "json", "cls", "x.npy"]), st.binary(max_size=600), min_size=1)
PINNED = ("001", "005", "004", "002", "007", "000", "003", "006")
SAMPLES = st.lists(
    st.builds(lambda name, files: Sample(name=name, files=files), NAMES, FILES), unique_by=lambda s: s.name
)


@given(SAMPLES)
@settings(max_examples=150, deadline=None)
def test_what_is_packed_comes_back_and_the_same_samples_are_the_same_bytes(samples):
    shard = pack(samples)
    assert list(unpack(shard, "shard")) == samples
    assert pack(unpack(shard, "shard")) == shard


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_shard_that_was_cut_is_damaged_or_has_lost_only_its_padding(data):
    samples = [Sample(name=str(number), files={"bin": bytes([number]) * 700}) for number in range(4)]
    shard = pack(samples)
    cut = shard[: data.draw(st.integers(1, len(shard) - 1))]
    whole = 4 * (512 + 1024)
    try:
        read = list(unpack(cut, "shard"))
    except Damaged:
        assert len(cut) < whole
    else:  # a tar that ends between two files looks whole: the length of the answer tells, before it comes this far
        assert read == samples[: len(read)]
        assert len(cut) >= whole or len(cut) % 1536 in range(0, 512)


def test_a_tar_of_others_is_read_as_webdataset_reads_it():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
        folder = tarfile.TarInfo("train")
        folder.type = tarfile.DIRTYPE
        tar.addfile(folder)
        for name, data in (("train/a.jpg", b"1"), ("train/a.seg.png", b"2"), ("train/b.jpg", b"3")):
            member = tarfile.TarInfo(name)
            member.size, member.mtime, member.uname = len(data), 1, "someone"
            tar.addfile(member, io.BytesIO(data))
    assert list(unpack(out.getvalue(), "shard")) == [
        Sample(name="train/a", files={"jpg": b"1", "seg.png": b"2"}),
        Sample(name="train/b", files={"jpg": b"3"}),
    ]


@pytest.mark.parametrize("data", [b"", b"not a tar", b"x" * 2000, bytes(100)])
def test_what_is_no_tar_is_damaged(data):
    with pytest.raises(Damaged, match="shards/7"):
        list(unpack(data, "shards/7"))


@pytest.mark.parametrize(("name", "files"), [("", {"a": b""}), ("a.b", {"a": b""}), ("a", {}), ("a", {"": b""})])
def test_names_that_would_not_be_read_back_are_refused(name, files):
    with pytest.raises(Refused, match="sample"):
        pack([Sample(name=name, files=files)])


def test_two_samples_of_one_name_are_refused():
    with pytest.raises(Refused, match="unique name"):
        pack([Sample(name="a", files={"x": b""}), Sample(name="a", files={"y": b""})])


@given(st.integers(1, 40), st.integers(1, 8), st.integers(0, 5), st.integers(0, 5))
def test_the_ranks_share_all_shards_out_and_each_finds_its_order_again(count, world_size, seed, epoch):
    keys = [f"{number:03d}" for number in range(count)]
    if count < world_size:
        with pytest.raises(Refused, match="every rank"):
            order(keys, seed=seed, epoch=epoch, rank=0, world_size=world_size)
        return
    parts = [order(keys, seed=seed, epoch=epoch, rank=rank, world_size=world_size) for rank in range(world_size)]
    assert Counter(key for part in parts for key in part) == Counter(keys)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    again = order(keys[::-1], seed=seed, epoch=epoch, rank=0, world_size=world_size)
    assert again == parts[0]


def test_epochs_and_seeds_have_orders_of_their_own():
    keys = [f"{number:03d}" for number in range(50)]
    orders = {order(keys, seed=seed, epoch=epoch) for seed in range(5) for epoch in range(5)}
    assert len(orders) == 25
    # written down: a resumed job of another version must not read in another order
    assert order(keys[:8], seed=1, epoch=0) == PINNED


def test_shards_come_in_their_order_whoever_is_first_and_no_more_are_held_than_asked_for():
    class Uneven(Memory):
        running = most = begun = 0

        def read(self, key, **more):
            self.begun += 1
            self.running += 1
            self.most = max(self.most, self.running)
            time.sleep(0.02 if int(key) % 3 == 0 else 0)
            self.running -= 1
            return super().read(key, **more)

    store = Uneven()
    store.objects = {str(number): bytes([number]) for number in range(20)}
    keys = [str(number) for number in (5, 3, 9, 0, 1, 2, 12, 11, 19)]
    shards = read_ahead(store, keys, ahead=3)
    first = next(shards)
    time.sleep(0.2)
    assert store.begun <= 4  # the one that is out, and three that wait
    assert [first, *shards] == [(key, bytes([int(key)])) for key in keys]
    assert store.most <= 3


def test_a_shard_that_cannot_be_read_is_an_error_at_its_place():
    store = Memory()
    store.objects = {"a": b"1", "c": b"3"}
    shards = read_ahead(store, ["a", "b", "c"])
    assert next(shards) == ("a", b"1")
    with pytest.raises(NotThere):
        next(shards)
    with pytest.raises(Refused, match="ahead must be at least 1"):
        next(read_ahead(store, ["a"], ahead=0))
