"""PyTorch Distributed Checkpoint's storage interfaces over the COMMIT protocol: one shard a rank, and one of metadata.

A rank writes its items into a file on the node's own drive and puts that in the store; the coordinator puts the
metadata as the last shard and commits. Until then the step does not exist for readers.
"""

from __future__ import annotations

import io
import pickle
import zlib
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future as Reading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch  # pyright: ignore[reportMissingImports]
from torch.distributed.checkpoint.metadata import Metadata  # pyright: ignore[reportMissingImports]
from torch.distributed.checkpoint.planner import (  # pyright: ignore[reportMissingImports]
    LoadItemType,
    LoadPlan,
    LoadPlanner,
    SavePlan,
    SavePlanner,
    WriteItemType,
)
from torch.distributed.checkpoint.storage import (  # pyright: ignore[reportMissingImports]
    StorageReader,
    StorageWriter,
    WriteResult,
)
from torch.futures import Future  # pyright: ignore[reportMissingImports]

from fleet_pool.client.checkpoint import Checkpoints
from fleet_pool.client.commit import Commit, Shard
from fleet_pool.client.damage import forget_copy
from fleet_pool.client.errors import Damaged, OutOfRange
from fleet_pool.client.ranges import pieces
from fleet_pool.client.store import Store
from fleet_pool.compat import frozen
from fleet_pool.doors.staged import staged_file

AT_ONCE = 4  # items that a rank reads at the same time


@frozen
class Place:
    """Where an item is. crc32: of its bytes, so that one read in a range is verified too."""

    shard: int
    offset: int
    size_bytes: int
    crc32: int


@frozen
class _Written:
    """What a rank tells the coordinator of an item."""

    receipt: Shard | None
    place: Place


class PoolWriter(StorageWriter):
    """Saves one step. staging: a folder on the node's own drive. rank: of this process, in the keys only."""

    def __init__(
        self, checkpoints: Checkpoints, step: int, *, staging: Path, rank: int, notes: Mapping[str, Any]
    ) -> None:
        super().__init__()
        self._checkpoints, self._step, self._staging, self._rank, self._notes = checkpoints, step, staging, rank, notes
        self.commit: Commit | None = None

    def reset(self, checkpoint_id: Any = None) -> None:
        pass

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: Any) -> bool:
        return False  # torch chooses a storage by path; this one is given

    def set_up_storage_writer(self, is_coordinator: bool) -> None:
        pass

    def prepare_local_plan(self, plan: SavePlan) -> SavePlan:
        return plan

    def prepare_global_plan(self, plans: list[SavePlan]) -> list[SavePlan]:
        return plans

    def write_data(self, plan: SavePlan, planner: SavePlanner) -> Future:
        done: Future = Future()
        file, path = staged_file(self._staging)
        with file:
            stream = _Summed(file)
            places = []
            for item in plan.items:
                begin = stream.begin()
                data = planner.resolve_data(item)
                if item.type == WriteItemType.BYTE_IO:
                    stream.write(data.getbuffer())
                else:
                    torch.save(_alone(data), stream)
                size = stream.position - begin
                places.append(Place(shard=0, offset=begin, size_bytes=size, crc32=stream.crc32))
            file.flush()
            receipt = self._checkpoints.put_shard(step=self._step, rank=self._rank, data=path) if places else None
        done.set_result(
            [
                WriteResult(
                    index=item.index,
                    size_in_bytes=place.size_bytes,
                    storage_data=_Written(receipt=receipt, place=place),
                )
                for item, place in zip(plan.items, places)
            ]
        )
        return done

    def finish(self, metadata: Metadata, results: list[list[WriteResult]]) -> None:
        """Ranks that had nothing to write, such as replicas, have no shard: COMMIT counts the others from 0."""
        receipts = [rank[0].storage_data.receipt for rank in results if rank]
        shards = [replace(receipt, rank=number) for number, receipt in enumerate(receipts)]
        number_of = {shard.key: shard.rank for shard in shards}
        metadata.storage_data = {
            result.index: replace(result.storage_data.place, shard=number_of[result.storage_data.receipt.key])
            for rank in results
            for result in rank
        }
        described = self._checkpoints.put_shard(step=self._step, rank=len(shards), data=pickle.dumps(metadata))
        self.commit = self._checkpoints.commit(step=self._step, shards=[*shards, described], notes=self._notes)


def metadata_of(checkpoints: Checkpoints, commit: Commit) -> Metadata:
    """The metadata of a step, verified. Raises Damaged if it was not saved by PoolWriter, NotThere."""
    shard = commit.shards[-1]
    data = bytearray(shard.size_bytes)
    checkpoints.fetch(shard, memoryview(data))
    try:
        found = pickle.loads(data)
    except Exception as error:  # whatever a pickle of something else raises
        raise Damaged(f"{shard.key} is no metadata of a PyTorch checkpoint: {error}") from None
    if not isinstance(found, Metadata):
        raise Damaged(f"{shard.key} is no metadata of a PyTorch checkpoint")
    return found


class PoolReader(StorageReader):
    """Restores one committed step, on any number of ranks: each reads the items that its plan asks for.

    Raises Damaged or NotThere if an item cannot be read whole from the pool or from S3.
    """

    def __init__(self, store: Store, commit: Commit, metadata: Metadata) -> None:
        super().__init__()
        self._store, self._commit, self._metadata = store, commit, metadata
        self._places: Mapping[Any, Place] = metadata.storage_data

    def reset(self, checkpoint_id: Any = None) -> None:
        pass

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: Any) -> bool:
        return False

    def read_metadata(self) -> Metadata:
        return self._metadata

    def set_up_storage_reader(self, metadata: Metadata, is_coordinator: bool) -> None:
        pass

    def prepare_local_plan(self, plan: LoadPlan) -> LoadPlan:
        return plan

    def prepare_global_plan(self, plans: list[LoadPlan]) -> list[LoadPlan]:
        return plans

    def read_data(self, plan: LoadPlan, planner: LoadPlanner) -> Future:
        asked: dict[Place, list[Any]] = {}
        for item in plan.items:  # several slices of one item are read once
            asked.setdefault(self._places[item.storage_index], []).append(item)
        for place, data in self._items(sorted(asked, key=lambda place: (place.shard, place.offset))):
            for item in asked[place]:
                if item.type == LoadItemType.BYTE_IO:
                    planner.load_bytes(item, io.BytesIO(data))
                    continue
                tensor = torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
                for dimension, (start, length) in enumerate(zip(item.storage_offsets, item.lengths)):
                    tensor = tensor.narrow(dimension, start, length)
                target = planner.resolve_tensor(item).detach()
                if target.size() != tensor.size():
                    raise Damaged(f"{item.storage_index}: {tuple(tensor.size())}, not {tuple(target.size())}")
                target.copy_(tensor)
                planner.commit_tensor(item, target)
        done: Future = Future()
        done.set_result(None)
        return done

    def _items(self, places: Iterable[Place]) -> Iterator[tuple[Place, bytearray]]:
        """In order, the next ones under way meanwhile."""
        waiting: deque[tuple[Place, Reading[bytearray]]] = deque()
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="item") as threads:
            try:
                for place in places:
                    waiting.append((place, threads.submit(self._item, place)))
                    if len(waiting) >= AT_ONCE:
                        first, reading = waiting.popleft()
                        yield first, reading.result()
                while waiting:
                    first, reading = waiting.popleft()
                    yield first, reading.result()
            finally:
                threads.shutdown(wait=False, cancel_futures=True)

    def _item(self, place: Place) -> bytearray:
        """Verified; a damaged copy in the pool is read again from S3."""
        key = self._commit.shards[place.shard].key
        for fresh in (False, True):
            data = bytearray(place.size_bytes)
            try:
                for start, piece in pieces(self._store, key, place.size_bytes, begin=place.offset, fresh=fresh):
                    data[start : start + len(piece)] = piece
            except (Damaged, OutOfRange):
                forget_copy(self._store, key)
                continue
            if zlib.crc32(data) == place.crc32:
                return data
            forget_copy(self._store, key)
        raise Damaged(f"{key}: the {place.size_bytes} bytes from {place.offset} have another checksum than saved")


class _Summed:
    """A file with the CRC-32 of what was written since `begin`."""

    def __init__(self, file: Any) -> None:
        self._file, self.crc32, self.position = file, 0, 0

    def begin(self) -> int:
        self.crc32 = 0
        return self.position

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        self.crc32 = zlib.crc32(view, self.crc32)
        self._file.write(view)
        self.position += len(view)
        return len(view)

    def flush(self) -> None:
        self._file.flush()


def _alone(tensor: Any) -> Any:
    """The tensor on the CPU with no more storage than its own elements, which torch.save would write too."""
    tensor = tensor.detach().cpu()
    used = tensor.numel() * tensor.element_size()
    return tensor if tensor.untyped_storage().size() == used else tensor.clone()
