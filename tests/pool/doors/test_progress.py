"""Every sample once an epoch: whoever stops where, and however many workers and ranks go on."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from fleet_pool.client.errors import Refused
from fleet_pool.doors.progress import DONE, Part, Progress
from hypothesis import given, settings
from hypothesis import strategies as st

KEYS = tuple(f"set/{number:02d}.tar" for number in range(13))
SAMPLES = {key: 1 + number % 5 for number, key in enumerate(KEYS)}


def begun(rank: int, world_size: int, states: list[dict]) -> Progress:
    progress = Progress(KEYS, seed=7, rank=rank, world_size=world_size)
    if states:
        progress.load(json.loads(json.dumps(states)))
    return progress


def read(progress: Progress, workers: int, limit: int) -> list[tuple[str, int]]:
    """At most so many samples, from the streams in turn, as a data loader takes batches of one."""
    streams = [samples_of(stream) for stream in progress.streams(workers)]
    active, found = list(range(workers)), []
    while active and len(found) < limit:
        stream = active.pop(0)
        for key, number, count in streams[stream]:
            progress.used[number] = count
            if count != DONE:
                found.append((key, count))
                active.append(stream)
                break
    return found


def samples_of(stream: tuple[Part, ...]):
    for part in stream:
        for count in range(part.skip + 1, SAMPLES[part.key] + 1):
            yield part.key, part.number, count
        yield part.key, part.number, DONE


LIVES = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 4), st.integers(0, 12)), max_size=5)


@given(lives=LIVES)
@settings(deadline=None, max_examples=300)
def test_every_sample_is_used_once_over_any_lives_of_any_size(lives):
    states, used = [], []
    for ranks, workers, limit in [*lives, (3, 2, 10**6)]:
        progresses = [begun(rank, ranks, states) for rank in range(ranks)]
        for progress in progresses:
            used += read(progress, workers, limit)
        states = [progress.state() for progress in progresses]
    whole = [(key, count) for key, samples in SAMPLES.items() for count in range(1, samples + 1)]
    assert Counter(used) == Counter(whole)


def test_another_seed_or_epoch_is_another_order_and_the_same_is_the_same():
    def shards(seed: int, epoch: int) -> list[str]:
        progress = Progress(KEYS, seed=seed, rank=0, world_size=2)
        progress.begin(epoch)
        return [part.key for part in progress.streams(1)[0]]

    assert shards(7, 0) == shards(7, 0)
    assert shards(7, 0) != shards(7, 1)
    assert shards(7, 0) != shards(8, 0)


def test_states_that_do_not_fit_are_refused_with_what_does_not():
    states = [begun(rank, 2, []).state() for rank in (0, 1)]
    for changed, said in (
        ([], "no states"),
        ([{**states[0], "format": 2}], "another version"),
        ([{**states[0], "seed": 8}], "other seed: 8, not 7"),
        ([states[0], {**states[1], "epoch": 1}], "epoch is 0 and 1"),
    ):
        with pytest.raises(Refused, match=said):
            Progress(KEYS, seed=7, rank=0, world_size=2).load(changed)
    with pytest.raises(Refused, match=r"of 3 resumes what 2 ranks saved.*those of \[0\]"):
        Progress(KEYS, seed=7, rank=0, world_size=3).load(states[:1])
    with pytest.raises(Refused, match="other shards"):
        Progress(KEYS[1:], seed=7, rank=0, world_size=2).load(states)
    with pytest.raises(Refused, match="14 with 13 shards"):
        Progress(KEYS, seed=7, rank=0, world_size=14)
