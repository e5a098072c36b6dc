"""Saves of a job: committed whole, restored on another machine, whatever is left of a try that was killed."""

from __future__ import annotations

import json
import shutil
import time

import pytest
from fleet_pool.client.checkpoint import Checkpoints
from fleet_pool.client.errors import Damaged
from fleet_pool.client.folder import Folder
from fleet_pool.worker import saves
from fleet_pool.worker.joblist import parsed
from fleet_pool.worker.saves import Saver, resume

from infra.buckets import OLD_VERSION_DAYS
from planner.worker_pool import bill


@pytest.fixture
def store(tmp_path):
    return Folder(tmp_path / "bucket")


@pytest.fixture
def folders(tmp_path):
    made = [tmp_path / name for name in ("saves", "next")]
    for path in made:
        path.mkdir()
    return made


def saved(checkpoints: Checkpoints, folder, *, after: int = 0, keep: int = 2) -> Saver:
    """Commits what is in the folder."""
    saver = Saver(checkpoints, folder, after=after, keep=keep, say=print)
    saver.finish(30)
    return saver


def test_a_file_in_pieces(store, folders, monkeypatch):
    monkeypatch.setattr(saves, "PIECE_BYTES", 1000)
    data = bytes(range(256)) * 20
    (folders[0] / "40").write_bytes(data)
    assert saved(Checkpoints(store, "ck/0"), folders[0]).committed == 40
    assert not list(folders[0].iterdir())
    found = resume(Checkpoints(store, "ck/0"), folders[1])
    assert (found.step, found.path.read_bytes()) == (40, data)


def test_a_folder(store, folders):
    (folders[0] / "7" / "unet").mkdir(parents=True)
    (folders[0] / "7" / "unet" / "weights").write_text("w")
    saved(Checkpoints(store, "ck/0"), folders[0])
    found = resume(Checkpoints(store, "ck/0"), folders[1])
    assert (found.step, (found.path / "unet" / "weights").read_text()) == (7, "w")


def test_an_empty_save_is_one(store, folders):
    (folders[0] / "1").write_bytes(b"")
    saved(Checkpoints(store, "ck/0"), folders[0])
    assert resume(Checkpoints(store, "ck/0"), folders[1]).path.read_bytes() == b""


def test_what_is_not_renamed_yet_is_not_taken(store, folders):
    for name in (".40", "40.tmp", "040", "-1", "final"):
        (folders[0] / name).write_text("half")
    assert saved(Checkpoints(store, "ck/0"), folders[0]).committed == 0
    assert resume(Checkpoints(store, "ck/0"), folders[1]).step == 0


def test_nothing_in_the_folder_ends_the_saver(store, folders):
    """A name that only looks like a number, a folder that is gone, a save that cannot be read: the next one is kept."""
    said: list[str] = []
    saver = Saver(Checkpoints(store, "ck/0"), folders[0], after=0, keep=2, say=said.append)
    (folders[0] / "²").write_text("not a step")
    (folders[0] / "10").symlink_to("/does/not/exist")
    while not saver.unsaved.startswith("save 10 is not in the bucket"):
        time.sleep(0.01)
    shutil.rmtree(folders[0])
    time.sleep(0.3)
    folders[0].mkdir()
    (folders[0] / ".part").write_text("twenty")
    (folders[0] / ".part").rename(folders[0] / "20")
    assert saver.finish(30)
    assert (saver.committed, saver.unsaved) == (20, "")
    assert [text.partition(":")[0] for text in said] == ["save 10 is not in the bucket"]


def test_a_save_that_is_not_in_the_bucket_is_said_to_the_end(store, folders):
    (folders[0] / "10").symlink_to("/does/not/exist")
    assert "save 10 is not in the bucket" in saved(Checkpoints(store, "ck/0"), folders[0]).unsaved


def test_without_a_commit_it_is_as_if_it_were_not_there(store, folders):
    checkpoints = Checkpoints(store, "ck/0")
    checkpoints.save(step=10, shards=[b"ten"])
    checkpoints.put_shard(step=20, rank=0, data=b"of a try that was killed")
    found = resume(checkpoints, folders[0])
    assert (found.step, found.path.read_bytes()) == (10, b"ten")
    (folders[1] / "20").write_bytes(b"twenty")
    assert saved(checkpoints, folders[1], after=10).committed == 20
    assert checkpoints.restore().shards[0] == b"twenty"


def test_a_damaged_piece_leads_to_the_step_before(store, folders):
    checkpoints = Checkpoints(store, "ck/0")
    checkpoints.save(step=10, shards=[b"ten", b"more"])
    bad = checkpoints.save(step=20, shards=[b"twenty", b"more"]).shards[1]
    store.write(bad.key, b"rot!")
    found = resume(checkpoints, folders[0])
    assert (found.step, found.path.read_bytes()) == (10, b"tenmore")


def test_with_nothing_left_to_restore_a_job_does_not_silently_begin_again(store, folders):
    checkpoints = Checkpoints(store, "ck/0")
    store.write(checkpoints.save(step=10, shards=[b"ten"]).shards[0].key, b"rot")
    with pytest.raises(Damaged):
        resume(checkpoints, folders[0])


def test_only_the_newest_are_kept(store, folders):
    checkpoints = Checkpoints(store, "ck/0")
    saver = Saver(checkpoints, folders[0], after=0, keep=2, say=print)
    for step in (10, 20, 30, 40):
        (folders[0] / ".part").write_text(str(step))
        (folders[0] / ".part").rename(folders[0] / str(step))
        while saver.committed < step:
            time.sleep(0.01)
    saver.finish(30)
    assert {entry.key.split("/")[2] for entry in store.entries("ck/0/")} == {"step-000000000030", "step-000000000040"}


class Counted(Folder):
    """Counts requests as S3 bills them."""

    puts = gets = 0

    def read(self, key, **how):
        self.gets += 1
        return super().read(key, **how)

    def write_unique(self, key, data):
        self.puts += 1
        super().write_unique(key, data)

    def write_once(self, key, data):
        self.puts += 1
        super().write_once(key, data)

    def entries(self, prefix):
        self.puts += 1  # a listing costs as much
        return super().entries(prefix)


def test_a_save_takes_the_requests_that_a_plan_bills(tmp_path, folders, monkeypatch):
    monkeypatch.setattr(saves, "PIECE_BYTES", 4)
    store = Counted(tmp_path / "bucket")
    for step in (10, 20, 30):
        store.puts = store.gets = 0
        (folders[0] / str(step)).write_bytes(b"ten bytes.")
        saved(Checkpoints(store, "ck/0"), folders[0], after=step - 10, keep=bill.SAVES_KEPT)
    assert (store.puts, store.gets) == (3 + bill.PUTS_PER_SAVE, bill.GETS_PER_SAVE)


def test_what_a_plan_bills_of_saves_is_what_the_worker_and_the_stack_do():
    text = json.dumps({"name": "a", "command": ["x"], "jobs": 1})
    assert bill.PIECE_BYTES == saves.PIECE_BYTES
    assert parsed(text, "list").keep == bill.SAVES_KEPT
    assert bill.OLD_VERSION_DAYS == OLD_VERSION_DAYS
