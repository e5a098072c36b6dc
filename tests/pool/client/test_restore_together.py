"""Ranks that restore together: one listing for the job, one step for all, whatever each of them finds."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from fleet_pool.client.checkpoint import Checkpoints, Restored, RestoredFiles
from fleet_pool.client.commit import Commit
from fleet_pool.client.errors import Damaged, NotThere, Refused, Unavailable
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pool.client.conftest import s3_of
from tests.pool.client.memory import Memory

RANKS, PREFIX = 5, "run-7"


class Counting(Memory):
    def __init__(self) -> None:
        super().__init__()
        self.listings = 0

    def entries(self, prefix):
        self.listings += 1
        return super().entries(prefix)


def together(act: Callable[[int, Callable[[Any], list[Any]]], Any], ranks: int = RANKS) -> list[Any]:
    """What `act(rank, gather)` returned or raised on each rank, as threads that gather at a barrier."""
    barrier, told, ended = threading.Barrier(ranks, timeout=20), [None] * ranks, [None] * ranks

    def run(rank: int) -> None:
        def gather(value: Any) -> list[Any]:
            told[rank] = value
            barrier.wait()
            seen = list(told)
            barrier.wait()
            return seen

        try:
            ended[rank] = act(rank, gather)
        except Exception as problem:
            ended[rank] = problem

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(ranks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return ended


def data_of(step: int, rank: int) -> bytes:
    return f"step {step}, rank {rank}".encode()


def saved(store: Any, steps: int) -> list[Commit]:
    checkpoints = Checkpoints(store, PREFIX)
    return [checkpoints.save(step=step, shards=[data_of(step, rank) for rank in range(RANKS)]) for step in range(steps)]


def restored(store: Any, ranks: int = RANKS) -> list[Any]:
    return together(lambda rank, gather: Checkpoints(store, PREFIX).restore(ranks=[rank], gather=gather), ranks)


@given(damaged=st.lists(st.dictionaries(st.integers(0, RANKS - 1), st.booleans()), max_size=3))
@settings(max_examples=40, deadline=None)
def test_all_get_the_newest_step_of_which_each_can_read_its_shard(damaged):
    """damaged: of the steps after the first, the ranks whose shard has other bytes, or is gone."""
    store = Counting()
    made = saved(store, len(damaged) + 1)
    for step, shards in enumerate(damaged, 1):
        for rank, gone in shards.items():
            key = made[step].shards[rank].key
            if gone:
                del store.objects[key]
            else:
                store.objects[key] = b"x" * len(store.objects[key])
    store.listings = 0
    expected = max(step for step in range(len(damaged) + 1) if not step or not damaged[step - 1])
    for rank, found in enumerate(restored(store)):
        assert isinstance(found, Restored), found
        assert found.commit == made[expected]
        assert found.shards == {rank: data_of(expected, rank)}
        assert [each.step for each in found.skipped] == list(range(len(damaged), expected, -1))
    assert store.listings <= 1 + len(damaged) - expected, "one, and one for each step back"


def test_a_new_run_starts_on_every_rank_with_one_listing():
    store = Counting()
    assert restored(store) == [Restored(commit=None, shards={}, skipped=())] * RANKS
    assert store.listings == 1


def test_where_every_step_is_damaged_every_rank_is_told():
    store = Memory()
    for commit in saved(store, 2):
        store.objects[commit.shards[3].key] = b"x" * 14
    for found in restored(store):
        assert isinstance(found, Damaged), found


@pytest.mark.parametrize("silent_rank", [0, 2])
def test_a_rank_that_s3_does_not_answer_never_lets_the_others_start_from_an_older_step(silent_rank):
    store = Memory()
    made = saved(store, 2)

    class Down(Memory):
        def read(self, key, **more):
            if key == made[1].shards[silent_rank].key:
                raise Unavailable("503", status=503)
            return super().read(key, **more)

    down = Down()
    down.objects = store.objects
    for found in restored(down):
        assert isinstance(found, Unavailable), found


def test_a_commit_that_is_gone_before_the_others_read_it_makes_all_step_back():
    class Once(Memory):
        def __init__(self) -> None:
            super().__init__()
            self.read_of: Counter[str] = Counter()
            self.lock = threading.Lock()

        def read(self, key, **more):
            with self.lock:
                self.read_of[key] += 1
                if key.endswith("000001/COMMIT") and self.read_of[key] > 1:
                    raise NotThere(key)
            return super().read(key, **more)

    store = Once()
    saved(store, 2)
    assert {found.commit.step for found in restored(store)} == {0}


def test_files_of_a_step_that_another_rank_could_not_read_are_removed(tmp_path):
    store = Memory()
    made = saved(store, 2)
    store.objects[made[1].shards[2].key] = b"x" * len(data_of(1, 2))

    def act(rank: int, gather: Any) -> RestoredFiles:
        return Checkpoints(store, PREFIX).restore_files(tmp_path / str(rank), ranks=[rank], gather=gather)

    for rank, found in enumerate(together(act)):
        assert found.commit.step == 0
        assert [path.read_bytes() for path in (tmp_path / str(rank)).iterdir()] == [data_of(0, rank)]


@pytest.mark.real
def test_s3_is_asked_for_one_listing_by_a_job_and_not_by_each_rank(cluster):
    """The requests that leave the client, counted on a real S3 server."""
    store, asked = s3_of(cluster), Counter()
    saved(store, 2)
    store._client.meta.events.register("before-send.s3", lambda event_name, **_: asked.update([event_name]))
    for rank, found in enumerate(restored(store)):
        assert found.shards == {rank: data_of(1, rank)}
    # COMMIT is read by every rank, and by the first one when it looks for the newest step
    assert asked == {"before-send.s3.ListObjectsV2": 1, "before-send.s3.GetObject": RANKS + RANKS}
    asked.clear()
    together(lambda rank, gather: Checkpoints(store, PREFIX).restore(ranks=[rank]))
    assert asked["before-send.s3.ListObjectsV2"] == RANKS, "without gathering each rank lists"


def test_a_rank_that_cannot_write_its_file_ends_the_restore_of_all(tmp_path):
    """Not a collective call in which the others wait for it."""
    store = Memory()
    saved(store, 2)
    (tmp_path / "2").write_text("a file where rank 2 wants its folder")

    def restore(rank: int, gather: Any) -> RestoredFiles:
        return Checkpoints(store, PREFIX).restore_files(tmp_path / str(rank), ranks=[rank], gather=gather)

    for rank, found in enumerate(together(restore)):
        assert isinstance(found, FileExistsError if rank == 2 else Refused), found
    assert not list(tmp_path.glob("*/*"))
