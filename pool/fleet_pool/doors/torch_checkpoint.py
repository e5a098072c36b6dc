"""Checkpoints of PyTorch jobs in the pool: saved by all ranks, in the background if asked, restored on any number.

    saved = TorchCheckpoints(store, "checkpoints/run-7", staging="/scratch")
    begun = saved.resume(state)               # None: the run starts from the beginning
    saved.save_async(step, state)             # returns when the state is copied to the CPU's memory
    saved.close()                             # waits for the save that is under way

`state` is what torch.distributed.checkpoint takes, such as {"app": a Stateful} or the state dicts of
torch.distributed.checkpoint.state_dict. Every method is called by all ranks.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

import torch.distributed as dist  # pyright: ignore[reportMissingImports]
import torch.distributed.checkpoint as dcp  # pyright: ignore[reportMissingImports]
from torch.distributed.checkpoint.api import CheckpointException  # pyright: ignore[reportMissingImports]

from fleet_pool.client import Checkpoints, Store
from fleet_pool.client.commit import Commit
from fleet_pool.client.errors import Damaged, NotThere, Refused, StoreProblem
from fleet_pool.doors.torch_storage import PoolReader, PoolWriter, metadata_of


class TorchCheckpoints:
    """The checkpoints of one run. staging: an existing folder on the node's own drive, for a rank's shard while it is
    sent. Saving and asking have process groups of their own, so that they meet neither the training's calls nor each
    other's."""

    def __init__(self, store: Store, prefix: str, *, staging: str | Path) -> None:
        self._store, self._staging = store, Path(staging)
        self.checkpoints = Checkpoints(store, prefix)
        together = dist.is_available() and dist.is_initialized()
        self._group, self._asking = (dist.new_group(backend="gloo") if together else None for _ in range(2))
        self._rank = dist.get_rank() if together else 0
        self._saving: Future[Any] | None = None
        self._closed = False

    def save(
        self, step: int, state: dict[str, Any], *, notes: Mapping[str, Any] | None = None, own: Any = None
    ) -> None:
        """Returns when the step is committed. Kept in COMMIT, both JSON data: notes of rank 0, and `own` of every rank
        as notes["ranks"]. Raises what failed on any rank."""
        self.wait()
        with _problems():
            dcp.save(state, storage_writer=self._writer(step, notes, own), process_group=self._group)

    def save_async(
        self, step: int, state: dict[str, Any], *, notes: Mapping[str, Any] | None = None, own: Any = None
    ) -> Future[Any]:
        """As `save`, but returns when the state is copied to the CPU's memory; the step exists once the future is done.
        Waits for a save that is under way, and raises what failed in it."""
        self.wait()
        with _problems():
            saving = dcp.async_save(state, storage_writer=self._writer(step, notes, own), process_group=self._group)
        self._saving = saving
        return saving

    def wait(self) -> None:
        """Until the save that is under way is committed. Raises what failed in it."""
        saving, self._saving = self._saving, None
        if saving is not None:
            with _problems():
                saving.result()

    def close(self) -> None:
        """Waits as `wait` does, then ends the two process groups. Groups that live until Python ends can abort it.
        Nothing can be saved or loaded afterwards."""
        try:
            self.wait()
        finally:
            self._closed = True
            groups, self._group, self._asking = (self._group, self._asking), None, None
            for group in groups:
                if group is not None and dist.is_initialized():
                    dist.destroy_process_group(group)

    def load(self, state: dict[str, Any], *, at_most: int | None = None) -> Commit | None:
        """Fills the state from the newest step that can be read whole, on any number of ranks; None if no step was
        ever committed. One rank lists the bucket. Raises Damaged if steps were committed and none can be restored, and
        Unavailable if S3 does not answer; then the state's content is worthless."""
        failed = ""  # only the words: the error's frames would keep the process group alive
        while True:
            commit, metadata = self._told(partial(self._newest, at_most))
            if commit is None and not failed:
                return None
            if commit is None:
                raise Damaged(f"no committed step can be restored; the last tried: {failed}") from None
            try:
                with _problems():
                    reader = PoolReader(self._store, commit, metadata)
                    dcp.load(state, storage_reader=reader, process_group=self._group)
                return commit
            except (Damaged, NotThere) as problem:
                warnings.warn(f"step {commit.step} is not restored: {problem}", stacklevel=2)
                failed, at_most = str(problem), commit.step - 1

    def resume(self, state: dict[str, Any]) -> Commit | None:
        """As `load`, and removes every newer step, so that the run can save it again: a COMMIT is never overwritten."""
        commit = self.load(state)
        self._told(lambda: self.checkpoints.forget_after(commit.step if commit else None))
        return commit

    def expire(self, *, keep: int) -> tuple[int, ...]:
        """Removes what is older than the `keep` newest complete steps, by one rank; returns the removed steps."""
        return self._told(lambda: self.checkpoints.expire(keep=keep))

    def _newest(self, at_most: int | None) -> tuple[Commit | None, Any]:
        """The newest step whose metadata can be read, and these; rank 0 alone reads them."""
        failed: Exception | None = None
        while True:
            commit, _ = self.checkpoints.newest(at_most=at_most)
            if commit is None:
                if failed is not None:
                    raise failed
                return None, None
            try:
                return commit, metadata_of(self.checkpoints, commit)
            except (Damaged, NotThere) as problem:
                failed, at_most = problem, commit.step - 1

    def _writer(self, step: int, notes: Mapping[str, Any] | None, own: Any) -> PoolWriter:
        self._open()
        ranks = [own]
        if self._asking is not None:
            ranks = [None] * dist.get_world_size()
            dist.all_gather_object(ranks, own, group=self._asking)
        kept = {**(notes or {}), **({"ranks": ranks} if any(each is not None for each in ranks) else {})}
        return PoolWriter(self.checkpoints, step, staging=self._staging, rank=self._rank, notes=kept)

    def _told(self, ask: Callable[[], Any]) -> Any:
        """What rank 0 finds, on every rank; its error too, since the others would wait for it."""
        self._open()
        if self._asking is None:
            return ask()
        answer: list[Any] = [None, None]
        own: Exception | None = None
        if self._rank == 0:
            try:
                answer[0] = ask()
            except StoreProblem as problem:
                answer[1] = problem
            except Exception as problem:
                own, answer[1] = problem, Refused(f"rank 0 failed: {type(problem).__name__}: {problem}")
        dist.broadcast_object_list(answer, src=0, group=self._asking)
        if own is not None:
            raise own
        if answer[1] is not None:
            raise answer[1]
        return answer[0]

    def _open(self) -> None:
        if self._closed:
            raise Refused("these checkpoints are closed: nothing can be saved or loaded after close()")


class _problems:
    """torch wraps the errors of all ranks in one of its own, which `except Exception` lets pass: raises ours, if there
    is one, else another, such as a full drive's; the lowest rank's."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, _: Any) -> None:
        if isinstance(error, CheckpointException):
            failed = [(rank, problem) for rank, (problem, _trace) in sorted(error.failures.items())]
            for rank, problem in failed:
                if isinstance(problem, StoreProblem):
                    problem.args = (f"rank {rank}: {problem}",)
                    raise problem from error
            for _, problem in failed:
                if isinstance(problem, Exception):
                    raise problem from error
