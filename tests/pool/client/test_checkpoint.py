"""A checkpoint is whole or not there: laws over kill points, damage, late ranks, and what expires."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from fleet_pool.client.checkpoint import Checkpoints, Restored
from fleet_pool.client.commit import Commit, Shard, commit_of, from_bytes, step_of, to_bytes
from fleet_pool.client.errors import AlreadyThere, Damaged, NotThere, Refused, Unavailable
from fleet_pool.client.folder import Folder
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pool.client.memory import Killed, Memory

PREFIX = "run-7/checkpoints"
KEEP = 2


def _bytes(life: int, step: int, rank: int) -> bytes:
    return f"life {life}, step {step}, rank {rank}".encode()


def _of(restored: Restored) -> int | None:
    return restored.commit.step if restored.commit else None


def _committed(store: Memory) -> list[int]:
    found = [step_of(PREFIX, key) for key in store.objects if key.endswith("/COMMIT")]
    return sorted(step for step in found if step is not None)


def _live(store: Memory, life: int, world_size: int) -> None:
    """One life of a job: go on from the newest step, and save three more."""
    checkpoints = Checkpoints(store, PREFIX)
    begun = _of(checkpoints.restore())
    checkpoints.forget_after(begun)
    for step in range((begun or 0) + 10, (begun or 0) + 40, 10):
        shards = [_bytes(life, step, rank) for rank in range(world_size)]
        checkpoints.save(step=step, shards=shards, notes={"life": life})
        checkpoints.expire(keep=KEEP)


LIVES = st.lists(st.tuples(st.integers(0, 30), st.booleans(), st.integers(1, 3)), min_size=1, max_size=5)


@given(lives=LIVES)
@settings(max_examples=300, deadline=None)
def test_killed_at_any_change_a_job_restores_the_newest_committed_step_and_nothing_of_another_life(lives):
    store, newest_before = Memory(), None
    for life, (changes, applied, world_size) in enumerate(lives):
        store.arm(changes, applied)
        with suppress(Killed):
            _live(store, life, world_size)
        store.arm(None, False)
        restored = Checkpoints(store, PREFIX).restore()
        committed = _committed(store)
        assert _of(restored) == (committed[-1] if committed else None)
        if restored.commit:
            whose, step = restored.commit.notes["life"], restored.commit.step
            ranks = range(restored.commit.world_size)
            assert restored.shards == {rank: _bytes(whose, step, rank) for rank in ranks}
            assert len(ranks) == lives[whose][2]
        assert newest_before is None or (committed and committed[-1] >= newest_before)
        newest_before = committed[-1] if committed else None


@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_every_kill_point_of_one_save_leaves_the_step_before_or_the_step_itself(data):
    """Four ranks whose writes come in any order, then COMMIT: before it the old step, from it on the new one."""
    order = data.draw(st.permutations(range(4)))
    for changes in range(6):
        for applied in (False, True):
            store = Memory()
            checkpoints = Checkpoints(store, PREFIX)
            checkpoints.save(step=1, shards=[_bytes(0, 1, rank) for rank in range(4)])
            store.arm(changes, applied)
            with suppress(Killed):
                shards = [checkpoints.put_shard(step=2, rank=rank, data=_bytes(0, 2, rank)) for rank in order]
                checkpoints.commit(step=2, shards=shards)
            store.arm(None, False)
            done = changes > 4 or (changes == 4 and applied)  # COMMIT is the fifth change
            restored = checkpoints.restore()
            step = 2 if done else 1
            assert _of(restored) == step
            assert restored.shards == {rank: _bytes(0, step, rank) for rank in range(4)}
            started = any(key.startswith(f"{PREFIX}/step-000000000002/") for key in store.objects)
            assert [each.step for each in restored.skipped] == ([2] if started and not done else [])


DAMAGE = st.sampled_from(["flip", "cut", "lose", "flip-commit", "cut-commit", "empty-commit", "none"])


@given(damages=st.lists(DAMAGE, min_size=1, max_size=4), where=st.integers(0, 10_000), bit=st.integers(0, 7))
@settings(max_examples=300, deadline=None)
def test_the_newest_step_without_damage_is_restored_and_every_other_is_named(damages, where, bit):
    store = Memory()
    checkpoints = Checkpoints(store, PREFIX)
    made = {step: checkpoints.save(step=step, shards=[b"a" * 50, b"b" * 70]) for step in range(len(damages))}
    for step, damage in enumerate(damages):
        shard = made[step].shards[where % 2].key
        key = f"{PREFIX}/step-{step:012d}/COMMIT" if damage.endswith("-commit") else shard
        held = bytearray(store.objects[key])
        if damage.startswith("flip"):
            held[where % len(held)] ^= 1 << bit
        elif damage.startswith("cut"):
            del held[where % len(held) :]
        elif damage == "empty-commit":
            held.clear()
        store.objects[key] = bytes(held)
        if damage == "lose":
            del store.objects[key]
    try:
        restored = checkpoints.restore()
    except Damaged as problem:
        found, skipped = None, {step for step in made if f"step {step}: " in str(problem)}
    else:
        found, skipped = _of(restored), {each.step for each in restored.skipped}
        assert restored.commit == made[found]
        assert restored.shards == {0: b"a" * 50, 1: b"b" * 70}
    assert skipped == {step for step in made if found is None or step > found}
    # a changed blank of COMMIT may still say the same; whatever else was damaged is never restored
    assert found is None or damages[found] in ("none", "flip-commit")
    assert all(damages[step] != "none" for step in skipped)


@given(damaged=st.lists(st.sets(st.integers(0, 2)), min_size=1, max_size=4))
@settings(max_examples=100, deadline=None)
def test_ranks_that_read_only_their_own_shards_agree_on_one_step(damaged):
    store = Memory()
    checkpoints = Checkpoints(store, PREFIX)
    for step in range(len(damaged) + 1):
        made = checkpoints.save(step=step, shards=[_bytes(0, step, rank) for rank in range(3)])
        for rank in damaged[step - 1] if step else ():
            store.objects[made.shards[rank].key] = b"x" * made.shards[rank].size_bytes
    at_most = None
    for _ in range(len(damaged) + 2):  # as the docstring of `restore` says
        got = [checkpoints.restore(ranks=(rank,), at_most=at_most) for rank in range(3)]
        agreed = min(_of(each) for each in got)
        if all(_of(each) == agreed for each in got):
            break
        at_most = agreed
    whole = [step for step in range(len(damaged) + 1) if not step or not damaged[step - 1]]
    assert agreed == max(whole)
    assert [each.shards for each in got] == [{rank: _bytes(0, agreed, rank)} for rank in range(3)]


@given(steps=st.lists(st.sampled_from(["whole", "uncommitted", "lost"]), max_size=6), keep=st.integers(1, 3))
@settings(max_examples=200, deadline=None)
def test_what_expires_is_older_than_the_kept_whole_steps_and_nothing_else(steps, keep):
    store = Memory()
    checkpoints = Checkpoints(store, PREFIX)
    store.objects["run-7/other"] = store.objects[f"{PREFIX}/notes"] = b"not of a step"
    for step, kind in enumerate(steps):
        shard = checkpoints.put_shard(step=step, rank=0, data=b"x")
        if kind != "uncommitted":
            checkpoints.commit(step=step, shards=[shard])
        if kind == "lost":
            del store.objects[shard.key]
    whole = [step for step, kind in enumerate(steps) if kind == "whole"]
    gone = [step for step in range(len(steps)) if len(whole) >= keep and step < whole[-keep]]
    assert checkpoints.expire(keep=keep) == tuple(gone)
    left = {step_of(PREFIX, key) for key in store.objects} - {None}
    assert left == set(range(len(steps))) - set(gone)
    assert {"run-7/other", f"{PREFIX}/notes"} <= set(store.objects)


def test_a_removal_that_is_killed_leaves_no_step_that_says_it_is_whole_and_is_not():
    for changes in range(9):
        store = Memory()
        checkpoints = Checkpoints(store, PREFIX)
        for step in range(4):
            checkpoints.save(step=step, shards=[b"a", b"b"])
        store.arm(changes, applied=True)
        with suppress(Killed):
            checkpoints.expire(keep=2)
        store.arm(None, False)
        for step in _committed(store):
            assert _of(checkpoints.restore(at_most=step)) == step


def test_a_late_rank_of_a_dead_life_changes_nothing():
    store = Memory()
    dead, alive = Checkpoints(store, PREFIX), Checkpoints(store, PREFIX)
    dead.put_shard(step=5, rank=0, data=b"dead 0")
    alive.save(step=5, shards=[b"alive 0", b"alive 1"])
    dead.put_shard(step=5, rank=1, data=b"dead 1")
    assert alive.restore().shards == {0: b"alive 0", 1: b"alive 1"}


def test_two_that_commit_one_step_do_not_write_over_each_other():
    store = Memory()
    first, second = Checkpoints(store, PREFIX), Checkpoints(store, PREFIX)
    made = first.save(step=5, shards=[b"first"])
    with pytest.raises(AlreadyThere):
        second.save(step=5, shards=[b"second"])
    assert second.restore().shards == {0: b"first"}
    assert first.commit(step=5, shards=made.shards) == made  # an answer that was lost: the same again is no harm


def test_a_damaged_step_can_be_saved_again_once_the_run_went_on_from_the_one_before():
    store = Memory()
    checkpoints = Checkpoints(store, PREFIX)
    checkpoints.save(step=1, shards=[b"one"])
    shard = checkpoints.save(step=2, shards=[b"two"]).shards[0]
    store.objects[shard.key] = b"TWO"
    restored = checkpoints.restore()
    assert _of(restored) == 1
    assert checkpoints.forget_after(1) == (2,)
    checkpoints.save(step=2, shards=[b"two again"])
    assert checkpoints.restore().shards == {0: b"two again"}


def test_a_damaged_copy_in_the_pool_is_passed_by():
    store = Memory()
    checkpoints = Checkpoints(store, PREFIX)
    checkpoints.save(step=1, shards=[b"old"])
    shard = checkpoints.save(step=2, shards=[b"new"]).shards[0]
    store.cached[shard.key] = b"nex"
    assert checkpoints.restore().shards == {0: b"new"}


def test_a_shard_that_only_the_nodes_hold_is_never_committed():
    """A bucket made through the pool's S3 door stands on the nodes' drives alone: COMMIT asks S3, which lacks it."""

    class NodesAlone(Memory):
        def write_unique(self, key, data):
            self.cached[key] = data

    checkpoints = Checkpoints(NodesAlone(), PREFIX)
    shard = checkpoints.put_shard(step=1, rank=0, data=b"x")
    with pytest.raises(Refused, match=r"not committed; in .* is missing"):
        checkpoints.commit(step=1, shards=[shard])


def test_an_s3_that_does_not_answer_never_gives_an_older_step():
    class Down(Memory):
        def read(self, key, **more):
            if "000002/" in key:
                raise Unavailable("503", status=503)
            return super().read(key, **more)

    store = Down()
    checkpoints = Checkpoints(store, PREFIX)
    checkpoints.save(step=1, shards=[b"one"])
    checkpoints.save(step=2, shards=[b"two"])
    with pytest.raises(Unavailable):
        checkpoints.restore()


def test_before_the_first_commit_there_is_nothing_to_restore_and_what_was_begun_is_named():
    store = Memory()
    checkpoints = Checkpoints(store, PREFIX)
    assert checkpoints.restore() == Restored(commit=None, shards={}, skipped=())
    checkpoints.put_shard(step=3, rank=0, data=b"x")
    restored = checkpoints.restore()
    assert restored.commit is None
    assert [(each.step, each.why) for each in restored.skipped] == [(3, "no COMMIT: its save did not finish")]


def test_a_shard_from_a_file_is_the_file(tmp_path):
    path = tmp_path / "shard"
    path.write_bytes(bytes(range(256)) * 100)
    store = Folder(tmp_path / "store")
    checkpoints = Checkpoints(store, "run")
    checkpoints.commit(step=1, shards=[checkpoints.put_shard(step=1, rank=0, data=path)])
    assert checkpoints.restore().shards == {0: path.read_bytes()}


NOTES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    notes=st.dictionaries(st.text(), NOTES, max_size=4), sizes=st.lists(st.integers(0, 2**45), min_size=1, max_size=4)
)
@settings(max_examples=150, deadline=None)
def test_a_record_comes_back_as_it_was(notes, sizes):
    shards = [
        Shard(step=9, rank=rank, key=f"{PREFIX}/step-000000000009/s{rank}", size_bytes=size, sha256=f"{rank:064x}")
        for rank, size in enumerate(sizes)
    ]
    made = commit_of(PREFIX, 9, reversed(shards), notes)
    assert from_bytes(PREFIX, 9, to_bytes(made)) == made


@pytest.mark.parametrize("notes", [{"loss": float("nan")}, {1: "a number for a key"}, {"pair": (1, 2)}, {"bytes": b""}])
def test_notes_that_would_not_come_back_are_refused_before_anything_is_committed(notes):
    store = Memory()
    with pytest.raises(Refused, match="notes"):
        Checkpoints(store, PREFIX).save(step=1, shards=[b"x"], notes=notes)
    assert _committed(store) == []


@pytest.mark.parametrize(
    ("ranks", "said"), [([0, 2], "every rank"), ([1], "every rank"), ([0, 0], "every rank"), ([], "none")]
)
def test_a_missing_or_doubled_rank_is_refused(ranks, said):
    checkpoints = Checkpoints(Memory(), PREFIX)
    shards = [checkpoints.put_shard(step=1, rank=rank, data=b"x") for rank in ranks]
    with pytest.raises(Refused, match=said):
        checkpoints.commit(step=1, shards=shards)


def test_a_shard_of_another_step_or_run_is_refused():
    store = Memory()
    other = Checkpoints(store, "run-8").put_shard(step=1, rank=0, data=b"x")
    earlier = Checkpoints(store, PREFIX).put_shard(step=1, rank=0, data=b"x")
    with pytest.raises(Refused, match="the shard of rank 0"):
        Checkpoints(store, PREFIX).commit(step=1, shards=[other])
    with pytest.raises(Refused, match="of step 1"):
        Checkpoints(store, PREFIX).commit(step=2, shards=[earlier])


def test_a_commit_of_another_run_or_format_is_not_taken():
    store = Memory()
    made = Checkpoints(store, "run-8").save(step=1, shards=[b"x"])
    with pytest.raises(Damaged, match="COMMIT is inconsistent"):
        from_bytes(PREFIX, 1, to_bytes(made))
    body = json.loads(to_bytes(made)) | {"format": 2}
    with pytest.raises(Damaged, match="newer version wrote it"):
        from_bytes("run-8", 1, json.dumps(body).encode())
    with pytest.raises(Damaged, match="says step 1"):
        from_bytes("run-8", 2, to_bytes(made))


def test_a_commit_in_which_one_letter_was_changed_is_damaged_even_where_it_still_reads_well():
    made = Checkpoints(Memory(), PREFIX).save(step=1, shards=[b"x"], notes={"position": [3, 17]})
    told = to_bytes(made).decode()
    for old, new in ((" 17\n", " 18\n"), ('"position"', '"positiom"'), ('"size_bytes": 1', '"size_bytes": 2')):
        assert told.count(old) == 1
        with pytest.raises(Damaged, match="its own checksum differs"):
            from_bytes(PREFIX, 1, told.replace(old, new).encode())


@pytest.mark.parametrize("step", [-1, 10**12, True])
def test_a_step_that_would_break_the_order_of_keys_is_refused(step):
    with pytest.raises(Refused, match="a step must be"):
        Checkpoints(Memory(), PREFIX).put_shard(step=step, rank=0, data=b"x")


def test_ranks_that_a_step_does_not_have_are_refused():
    store = Memory()
    checkpoints = Checkpoints(store, PREFIX)
    checkpoints.save(step=1, shards=[b"x"])
    with pytest.raises(Refused, match="ranks 0 to 0"):
        checkpoints.restore(ranks=[1])
    with pytest.raises(Refused, match="at least one step"):
        checkpoints.expire(keep=0)
    with pytest.raises(NotThere):
        store.read("nothing")
    assert isinstance(checkpoints.restore(ranks=[]).commit, Commit)
