"""What a job saves in a folder, committed: each save appears whole in the bucket or not at all.

A save is a file or a folder with the number of its step as name; the job writes it under a name that begins with a dot
and renames it. It goes up in pieces, the shards of one COMMIT, so that memory holds a few of them however large it is.
"""

from __future__ import annotations

import shutil
import tarfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from fleet_pool.client.checkpoint import Checkpoints
from fleet_pool.client.commit import Shard
from fleet_pool.client.errors import AlreadyThere, StoreProblem
from fleet_pool.compat import frozen

PIECE_BYTES = 32 * 2**20  # one request: at 1.7 MB/s it is within the bucket's limit of 20 s
AT_ONCE = 4  # S3 gives one request 85 to 90 MB/s (S3 User Guide, "Performance design patterns")
FOLDER_NOTE = "folder"


@frozen
class Resumed:
    """What a try starts from. step: 0 for the beginning. path: the newest save, None without one."""

    step: int
    path: Path | None


def resume(checkpoints: Checkpoints, folder: Path) -> Resumed:
    """Writes the newest complete save into a folder. What later, unfinished steps left in the bucket is removed.

    Raises StoreProblem; Damaged if there are commits and none can be restored.
    """
    at_most = None
    while True:
        found = checkpoints.restore(ranks=(), at_most=at_most).commit
        if found is None:
            checkpoints.forget_after(None)
            return Resumed(step=0, path=None)
        path = folder / str(found.step)
        with path.open("wb") as file:
            for rank in range(found.world_size):
                piece = checkpoints.restore(ranks=(rank,), at_most=found.step)
                if piece.commit is None or piece.commit.step != found.step:
                    break  # a piece is damaged: an older step has all of its own
                file.write(piece.shards[rank])
            else:
                checkpoints.forget_after(found.step)
                return Resumed(step=found.step, path=_unpacked(path) if found.notes.get(FOLDER_NOTE) else path)
        at_most = found.step - 1


class Saver:
    """Commits saves as they appear, in a thread of its own, since the job goes on meanwhile. after: the step that it
    resumed from."""

    def __init__(
        self, checkpoints: Checkpoints, folder: Path, *, after: int, keep: int, say: Callable[[str], None]
    ) -> None:
        self._checkpoints, self._folder, self._keep, self._say = checkpoints, folder, keep, say
        self.committed = after
        self.committed_at = time.time()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def finish(self, limit_s: float) -> None:
        """Commits what is left, for so long at most."""
        self._over.set()
        self._thread.join(limit_s)

    def _watch(self) -> None:
        while True:
            last = self._over.is_set()
            for step in self._waiting():
                try:
                    self._commit(step)
                except (StoreProblem, OSError) as problem:
                    self._say(f"the save of step {step} is not in the bucket: {problem}")
            if last:
                return
            self._over.wait(0.2)

    def _waiting(self) -> list[int]:
        """The newest save only: older ones that wait for it would be removed right after it."""
        names = [path.name for path in self._folder.iterdir() if path.name.isdigit()]
        steps = sorted(int(name) for name in names if str(int(name)) == name)
        for step in steps[:-1]:
            _remove(self._folder / str(step))
        return [step for step in steps[-1:] if step > self.committed]

    def _commit(self, step: int) -> None:
        path = self._folder / str(step)
        notes = {FOLDER_NOTE: path.is_dir()}
        source = _packed(path) if path.is_dir() else path
        pieces = max(1, -(-source.stat().st_size // PIECE_BYTES))
        with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
            shards = list(pool.map(lambda rank: self._put(source, step, rank), range(pieces)))
        try:
            self._checkpoints.commit(step=step, shards=shards, notes=notes)
        except AlreadyThere:
            self._say(f"step {step} is committed already, by another try of this job")
        self.committed, self.committed_at = step, time.time()
        self._checkpoints.expire(keep=self._keep)
        _remove(source)
        _remove(path)

    def _put(self, source: Path, step: int, rank: int) -> Shard:
        with source.open("rb") as file:
            file.seek(rank * PIECE_BYTES)
            return self._checkpoints.put_shard(step=step, rank=rank, data=file.read(PIECE_BYTES))


def _packed(folder: Path) -> Path:
    made = folder.with_name(f".packed-{folder.name}")
    with tarfile.open(made, "w") as archive:
        archive.add(folder, arcname=".")
    return made


def _unpacked(archive: Path) -> Path:
    made = archive.with_name(f"{archive.name}-unpacked")
    with tarfile.open(archive) as packed:
        safe: Any = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # Python 3.12 and newer ask for it
        packed.extractall(made, **safe)
    archive.unlink()
    return made


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
