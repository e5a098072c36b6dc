"""Checkpoints that are either complete or absent, whenever a job is killed.

Every rank writes its shard under a new key; one rank then writes COMMIT, once, with size and checksum of every shard.
Restoring uses committed steps only, newest first, and verifies every byte that it returns.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from fleet_pool.client import commit as commits
from fleet_pool.client import ranges
from fleet_pool.client.commit import Commit, Shard, Skipped, step_of, step_prefix
from fleet_pool.client.damage import forget_copy
from fleet_pool.client.errors import Damaged, NotThere, OutOfRange, Refused
from fleet_pool.client.hashing import HashingPath
from fleet_pool.client.store import Store, checked, whole_file
from fleet_pool.client.together import Gather, newest_of_all
from fleet_pool.compat import frozen

Found = TypeVar("Found")


@frozen
class Restored:
    """commit: None if no step was ever committed, so that the run starts from the beginning. shards: the requested
    ones by rank. skipped: newer steps, newest first."""

    commit: Commit | None
    shards: Mapping[int, bytes]
    skipped: tuple[Skipped, ...]


@frozen
class RestoredFiles:
    """As Restored, with the shards in files."""

    commit: Commit | None
    files: Mapping[int, Path]
    skipped: tuple[Skipped, ...]


class Checkpoints:
    """The checkpoints of one run, below `prefix` of a store."""

    def __init__(self, store: Store, prefix: str) -> None:
        self._store, self._prefix = store, checked(prefix)

    def put_shard(self, *, step: int, rank: int, data: bytes | Path) -> Shard:
        """Writes the shard of one rank; returns its receipt, for the rank that commits, when the bytes are in S3.

        Each try uses a new key, so that the leftovers of a killed try are never mistaken for this one.
        """
        if isinstance(rank, bool) or rank < 0:
            raise Refused(f"a rank must be 0 or more, not {rank!r}")
        size, _ = whole_file(data)
        key = f"{step_prefix(self._prefix, step)}shard-{rank:06d}-{secrets.token_hex(8)}"
        if isinstance(data, bytes):
            self._store.write_unique(key, data)
            digest = hashlib.sha256(data).hexdigest()
        else:
            sent = HashingPath(data)
            self._store.write_unique(key, sent)
            digest = sent.sha256()
            if sent.state.count != size or data.stat().st_size != size:
                raise Refused(f"{data} changed while it was written as {key}: save to a new file")
        return Shard(step=step, rank=rank, key=key, size_bytes=size, sha256=digest)

    def commit(self, *, step: int, shards: Iterable[Shard], notes: Mapping[str, Any] | None = None) -> Commit:
        """Commits a step, by one rank after all have written. Raises Refused if a rank is missing or a shard is not in
        S3 (only on the nodes), AlreadyThere if the step is committed with other shards."""
        made = commits.commit_of(self._prefix, step, shards, notes or {})
        body = commits.to_bytes(made)
        missing = commits.missing(made, self._sizes(step_prefix(self._prefix, step)))
        if missing:
            raise Refused(f"step {step} is not committed; in {self._store.place} {missing}")
        self._store.write_once(self._commit_key(step), body)
        return made

    def save(self, *, step: int, shards: Iterable[bytes], notes: Mapping[str, Any] | None = None) -> Commit:
        """Writes the shards of all ranks from one process and commits them."""
        written = [self.put_shard(step=step, rank=rank, data=data) for rank, data in enumerate(shards)]
        return self.commit(step=step, shards=written, notes=notes)

    def restore(
        self, *, ranks: Iterable[int] | None = None, at_most: int | None = None, gather: Gather | None = None
    ) -> Restored:
        """The newest complete step, with the shards of `ranks` (default: all).

        gather: for ranks that each restore their own shard, and all call this. It gets a small value and returns those
        of all ranks, in one order, as torch.distributed.all_gather_object does. The first rank lists the bucket, and
        all get the newest step of which each can read its shard. Without it each rank lists, and they may differ.
        Raises Damaged if steps were committed and none can be restored, because a silent restart would lose the run.
        If S3 does not answer it raises Unavailable and never returns an older step.
        """
        wanted = None if ranks is None else tuple(ranks)

        def shards_of(found: Commit) -> dict[int, bytes]:
            return {rank: self._shard(found, rank) for rank in commits.ranks_of(found, wanted)}

        commit, shards, skipped = self._newest_of(gather, at_most, shards_of, lambda _: None)
        return Restored(commit=commit, shards=shards or {}, skipped=skipped)

    def restore_files(
        self,
        folder: Path,
        *,
        ranks: Iterable[int] | None = None,
        at_most: int | None = None,
        gather: Gather | None = None,
    ) -> RestoredFiles:
        """As `restore`, into a file of each shard in `folder`, in parallel ranges: memory for a few ranges only. A file
        appears when its bytes are verified; those of a step that is not restored are removed."""
        wanted = None if ranks is None else tuple(ranks)

        def into_files(found: Commit) -> dict[int, Path]:
            folder.mkdir(parents=True, exist_ok=True)
            files = {
                rank: folder / found.shards[rank].key.rpartition("/")[2] for rank in commits.ranks_of(found, wanted)
            }
            try:
                for rank, file in files.items():
                    self.fetch(found.shards[rank], file)
            except BaseException:
                remove(files)
                raise
            return files

        def remove(files: Mapping[int, Path]) -> None:
            for file in files.values():
                file.unlink(missing_ok=True)

        commit, files, skipped = self._newest_of(gather, at_most, into_files, remove)
        return RestoredFiles(commit=commit, files=files or {}, skipped=skipped)

    def newest(self, *, at_most: int | None = None) -> tuple[Commit | None, tuple[Skipped, ...]]:
        """The newest step whose COMMIT and shards are there with their sizes, and the newer ones that are skipped;
        reads no shard. One rank asks and tells the others, who `fetch`. Raises as `restore`."""
        commit, _, skipped = self._newest(at_most, lambda _: None)
        return commit, skipped

    def fetch(self, shard: Shard, into: Path | memoryview) -> None:
        """The verified bytes of a shard, in parallel ranges, into a new file or a buffer of its size. A damaged copy in
        the pool is read again from S3. Raises Damaged, NotThere; then a buffer's content is worthless."""
        for fresh in (False, True):
            try:
                ranges.fetch(self._store, shard.key, shard.size_bytes, into, sha256=shard.sha256, fresh=fresh)
                return
            except (Damaged, OutOfRange) as problem:
                why = str(problem)
            forget_copy(self._store, shard.key)
        raise Damaged(why)

    def _newest_of(
        self,
        gather: Gather | None,
        at_most: int | None,
        read: Callable[[Commit], Found],
        discard: Callable[[Found], None],
    ) -> tuple[Commit | None, Found | None, tuple[Skipped, ...]]:
        """Of this process alone, or of all that gather."""
        if gather is None:
            return self._newest(at_most, read)
        return newest_of_all(gather, lambda limit: self.newest(at_most=limit), self._commit_of, read, discard, at_most)

    def _newest(
        self, at_most: int | None, read: Callable[[Commit], Found]
    ) -> tuple[Commit | None, Found | None, tuple[Skipped, ...]]:
        """The newest complete step of which `read` succeeds, with its result."""
        skipped: list[Skipped] = []
        committed = False
        for step, sizes in sorted(self._steps().items(), reverse=True):
            if at_most is not None and step > at_most:
                continue
            if self._commit_key(step) not in sizes:
                skipped.append(Skipped(step=step, why="no COMMIT: its save did not finish"))
                continue
            committed = True
            try:
                found = self._whole(step, sizes)
                result = read(found)
            except (Damaged, NotThere) as problem:
                skipped.append(Skipped(step=step, why=str(problem)))
                continue
            return found, result, tuple(skipped)
        if committed:
            reasons = "; ".join(f"step {each.step}: {each.why}" for each in skipped)
            raise Damaged(f"{self._prefix} of {self._store.place}: no committed step can be restored: {reasons}")
        return None, None, tuple(skipped)

    def expire(self, *, keep: int) -> tuple[int, ...]:
        """Removes what is older than the `keep` newest complete steps; returns the removed steps. Removes nothing if
        fewer are complete. COMMIT goes first, so that a killed removal leaves no step that only looks complete."""
        if keep < 1:
            raise Refused(f"keep at least one step, not {keep}")
        steps = self._steps()
        kept: list[int] = []
        for step in sorted(steps, reverse=True):
            if len(kept) == keep:
                break
            try:
                self._whole(step, steps[step])
            except (Damaged, NotThere):
                continue
            kept.append(step)
        return self._remove({step: steps[step] for step in steps if len(kept) == keep and step < kept[-1]})

    def forget_after(self, step: int | None) -> tuple[int, ...]:
        """Removes every step newer than the one that the run resumes from (None: all); returns the removed steps. One
        rank calls it after all agreed, so that a damaged or unfinished step can be saved again: a COMMIT is never
        overwritten."""
        steps = self._steps()
        return self._remove({each: steps[each] for each in steps if step is None or each > step})

    def _remove(self, steps: Mapping[int, Mapping[str, int]]) -> tuple[int, ...]:
        for step, keys in steps.items():
            for key in sorted(keys, key=lambda key: (key != self._commit_key(step), key)):
                self._store.remove(key)
        return tuple(sorted(steps))

    def _commit_key(self, step: int) -> str:
        return step_prefix(self._prefix, step) + commits.NAME

    def _sizes(self, prefix: str) -> dict[str, int]:
        return {entry.key: entry.size_bytes for entry in self._store.entries(prefix)}

    def _steps(self) -> dict[int, dict[str, int]]:
        """By step: the sizes of its objects by key."""
        steps: dict[int, dict[str, int]] = {}
        for key, size in self._sizes(f"{self._prefix}/step-").items():
            step = step_of(self._prefix, key)
            if step is not None:
                steps.setdefault(step, {})[key] = size
        return steps

    def _whole(self, step: int, sizes: Mapping[str, int]) -> Commit:
        """The commit of a step whose shards all exist with the right size; reads no shard. Raises Damaged, NotThere."""
        found = self._commit_of(step)
        missing = commits.missing(found, sizes)
        if missing:
            raise Damaged(missing)
        return found

    def _commit_of(self, step: int) -> Commit:
        """Raises Damaged, NotThere."""
        return commits.from_bytes(self._prefix, step, self._store.read(self._commit_key(step), fresh=True))

    def _shard(self, commit: Commit, rank: int) -> bytes:
        """Verified bytes of a shard. A damaged copy in the pool is read again from S3. Raises Damaged, NotThere."""
        shard = commit.shards[rank]
        for fresh in (False, True):
            data = self._store.read(shard.key, fresh=fresh)
            if len(data) == shard.size_bytes and hashlib.sha256(data).hexdigest() == shard.sha256:
                return data
            forget_copy(self._store, shard.key)
        raise Damaged(
            f"{shard.key}: {len(data)} bytes, not the {shard.size_bytes} bytes committed, or another checksum"
        )
