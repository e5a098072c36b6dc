"""What a job saves in a folder, committed: each save appears whole in the bucket or not at all.

A save is a file or a folder with the number of its step as name; the job writes it under a name that begins with a dot
and renames it. It goes up in pieces, the shards of one COMMIT, so that memory holds a few of them however large it is.
"""

from __future__ import annotations

import re
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
_STEP = re.compile(r"0|[1-9][0-9]{0,11}")  # fleet_pool.steps.HIGHEST_STEP has twelve digits
LOOK_S, AGAIN_S = 0.2, 5.0  # between two looks; after a save that failed


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
        self._problem = ""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def finish(self, limit_s: float) -> bool:
        """Commits what is left, for so long at most: whether it is over."""
        self._over.set()
        self._thread.join(limit_s)
        return not self._thread.is_alive()

    @property
    def unsaved(self) -> str:
        """Why the newest save is not in the bucket, "" if it is."""
        return self._problem or ("the last save is not in the bucket yet" if self._thread.is_alive() else "")

    def _watch(self) -> None:
        last, tried = False, -1
        while not last:
            last, step = self._over.is_set(), None
            try:
                step = self._newest()
                if step is not None:
                    self._commit(step)
                self._problem = ""
            except Exception as problem:  # whatever it is, the saves after it get their chance
                what = "the folder of saves cannot be read" if step is None else f"save {step} is not in the bucket"
                self._problem = f"{what}: {problem}"
                if step != tried:
                    self._say(self._problem)
                tried = step
            if not last:
                self._over.wait(AGAIN_S if self._problem else LOOK_S)

    def _newest(self) -> int | None:
        """The newest save that is not committed; older ones that wait for it would be removed right after it."""
        if not self._folder.is_dir():
            return None
        steps = sorted(int(path.name) for path in self._folder.iterdir() if _STEP.fullmatch(path.name))
        for step in steps[:-1]:
            _remove(self._folder / str(step))
        return steps[-1] if steps and steps[-1] > self.committed else None

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
        try:
            self._checkpoints.expire(keep=self._keep)
        except StoreProblem as problem:  # the next save removes them
            self._say(f"older saves stay in the bucket for now: {problem}")
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
