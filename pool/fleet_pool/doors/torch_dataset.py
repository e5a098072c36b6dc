"""An IterableDataset over tar shards whose state says what was used, whichever workers of a DataLoader read ahead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from torch.utils.data import (  # pyright: ignore[reportMissingImports]
    DataLoader,
    IterableDataset,
    default_collate,
    get_worker_info,
)

from fleet_pool.client.errors import Refused
from fleet_pool.client.shards import Sample, read_ahead, unpack
from fleet_pool.client.store import Store
from fleet_pool.doors.progress import DONE, Part, Progress


class ShardDataset(IterableDataset):
    """The samples of a rank's shards, each once an epoch, in an order that follows from seed and epoch.

    `for batch in dataset.batches(32, workers=4)` reads what is left of the epoch; `state_dict()` then holds what the
    loop was given, not what workers have read ahead. Iterated directly, or by a DataLoader without workers, it gives
    samples, and its state is exact too; with workers of a plain DataLoader it is not. torchdata's StatefulDataLoader
    keeps the state of each worker itself.

    keys: of the shards, such as those of `store.entries(prefix)`. decode: what a sample becomes, in the worker.
    """

    def __init__(
        self,
        store: Store,
        keys: Sequence[str],
        *,
        seed: int,
        rank: int = 0,
        world_size: int = 1,
        decode: Callable[[Sample], Any] | None = None,
        ahead: int = 2,
    ) -> None:
        super().__init__()
        self._store, self._decode, self._ahead = store, decode, ahead
        self._progress = Progress(keys, seed=seed, rank=rank, world_size=world_size)

    @property
    def epoch(self) -> int:
        return self._progress.epoch

    def state_dict(self) -> dict[str, Any]:
        """JSON data, a few bytes a shard that was begun: fit for the notes of a COMMIT."""
        return self._progress.state()

    def load_state_dict(self, *states: Mapping[str, Any]) -> None:
        """One state of this rank, or those of all ranks when another number of ranks resumes. Raises Refused."""
        self._progress.load(states)

    def __iter__(self) -> Iterator[Any]:
        info = get_worker_info()
        workers, worker = (info.num_workers, info.id) if info else (1, 0)
        for number, count, sample in self._samples(self._progress.streams(workers)[worker]):
            self._progress.used[number] = count
            if sample is not None:
                yield self._decode(sample) if self._decode else sample
        if info is None:
            self._progress.begin(self._progress.epoch + 1)

    def batches(
        self,
        batch_size: int,
        *,
        workers: int = 0,
        collate: Callable[[list[Any]], Any] = default_collate,
        **options: Any,
    ) -> Iterator[Any]:
        """Batches of what is left of the epoch; at its end the next one begins. options: of the DataLoader, such as
        pin_memory. A worker's last batch may be smaller."""
        if batch_size < 1 or workers < 0:
            raise Refused(f"a batch has at least 1 sample and workers are 0 or more, not {batch_size} and {workers}")
        streams = max(1, workers)
        parts = self._progress.streams(streams)
        turned = parts[self._progress.turn :] + parts[: self._progress.turn]
        inner = _Batches(self, turned, self._progress.turn, batch_size, collate)
        for stream, used, batch in DataLoader(
            inner, batch_size=None, num_workers=workers, collate_fn=_unchanged, **options
        ):
            self._progress.used.update(used)
            if batch is not None:
                self._progress.turn = (stream + 1) % streams
                yield batch
        self._progress.begin(self._progress.epoch + 1)

    def _samples(self, parts: Sequence[Part]) -> Iterator[tuple[int, int, Sample | None]]:
        """(shard's number, samples used with this one, sample), and at a shard's end (number, DONE, None)."""
        skips = {part.key: part for part in parts}
        for key, data in read_ahead(self._store, [part.key for part in parts], ahead=self._ahead):
            part = skips[key]
            for count, sample in enumerate(unpack(data, key), 1):
                if count > part.skip:
                    yield part.number, count, sample
            yield part.number, DONE, None


class _Batches(IterableDataset):
    """Whole batches, made in the worker: (stream, counts with this batch, batch); the last of a stream has no batch."""

    def __init__(
        self,
        dataset: ShardDataset,
        streams: Sequence[Sequence[Part]],
        first: int,
        batch_size: int,
        collate: Callable[[list[Any]], Any],
    ) -> None:
        super().__init__()
        self._dataset, self._streams, self._first = dataset, streams, first
        self._batch_size, self._collate = batch_size, collate

    def __iter__(self) -> Iterator[tuple[int, dict[int, int], Any]]:
        info = get_worker_info()
        worker = info.id if info else 0
        stream = (worker + self._first) % len(self._streams)
        samples: list[Any] = []
        used: dict[int, int] = {}
        decode = self._dataset._decode
        for number, count, sample in self._dataset._samples(self._streams[worker]):
            used[number] = count
            if sample is not None:
                samples.append(decode(sample) if decode else sample)
            if len(samples) == self._batch_size:
                yield stream, used, self._collate(samples)
                samples, used = [], {}
        yield stream, used, self._collate(samples) if samples else None


def _unchanged(made: Any) -> Any:
    return made
