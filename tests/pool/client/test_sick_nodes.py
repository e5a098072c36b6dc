"""A late node is outrun by S3, left alone after a few late answers, and every process of the machine knows."""

from __future__ import annotations

import json
import os
import pickle
import threading
import time

import pytest
from fleet_pool.client import open_store
from fleet_pool.client.errors import Unavailable
from fleet_pool.client.fallback import FallbackStore
from fleet_pool.client.folder import Folder
from fleet_pool.client.hedge import ENOUGH, FIRST_DELAY_S, TOKENS, Lateness, race
from fleet_pool.client.pool import Pool
from fleet_pool.client.shared import NodeMemory, Rest
from fleet_pool.client.targets import Breaker, Targets

from tests.pool.client.faulty import LATE, TRICKLE, faulty_pool


class Clock:
    def __init__(self) -> None:
        self.now_s = 1_000_000.0

    def __call__(self) -> float:
        return self.now_s


class TestBreaker:
    def test_three_bad_answers_rest_a_node_and_the_next_rest_is_longer(self):
        clock = Clock()
        targets = Targets(NodeMemory(None), clock, Breaker(rest_s=5))
        assert [targets.slow("n", "late") for _ in range(3)] == [False, False, True]
        assert targets.resting("n")
        assert not targets.resting("other")
        clock.now_s += 5.1
        assert not targets.resting("n")
        assert targets.slow("n", "late"), "after a rest one bad answer is enough"
        clock.now_s += 9.9
        assert targets.resting("n")
        clock.now_s += 400
        assert [targets.slow("n", "late") for _ in range(3)] == [False, False, True], "long ago is forgotten"

    def test_a_node_that_is_well_again_is_not_left_alone_for_one_late_answer_in_a_hundred(self):
        clock = Clock()
        targets = Targets(NodeMemory(None), clock)
        for _ in range(3):
            targets.slow("n", "late")
        clock.now_s += 6
        for _ in range(50):
            for _ in range(100):
                targets.well("n")
            assert not targets.slow("n", "late")

    def test_a_clock_that_is_set_back_does_not_prolong_a_rest(self):
        clock = Clock()
        targets = Targets(NodeMemory(None), clock)
        for _ in range(3):
            targets.slow("n", "late")
        clock.now_s -= 3600
        assert not targets.resting("n")
        assert targets.slow("n", "late")
        assert targets.resting("n")

    def test_a_node_that_is_well_but_for_one_answer_in_five_does_not_rest(self):
        targets = Targets(NodeMemory(None), Clock())
        for _ in range(100):
            assert not targets.slow("n", "late")
            for _ in range(4):
                targets.well("n")


class TestMemory:
    def test_what_one_process_learned_the_others_know(self, tmp_path):
        one, other = (Targets(NodeMemory(tmp_path / "shared"), time.time) for _ in range(2))
        assert not other.resting("n")
        for _ in range(3):
            one.slow("n", "late")
        time.sleep(0.6)
        assert other.resting("n")

    def test_after_a_rest_one_late_answer_of_another_process_is_not_enough(self, tmp_path):
        clock = Clock()
        clock.now_s = time.time()
        one, other = (Targets(NodeMemory(tmp_path / "shared"), clock) for _ in range(2))
        for _ in range(3):
            one.slow("n", "late")
        clock.now_s += 6
        time.sleep(0.6)
        assert not other.slow("n", "late")
        assert one.slow("n", "late")

    def test_two_that_write_at_once_both_stay(self, tmp_path):
        rest = Rest(until_s=time.time() + 60, rest_s=5, why="late")
        memories = [NodeMemory(tmp_path) for _ in range(8)]
        threads = [threading.Thread(target=each.keep, args=(f"n{n}", rest)) for n, each in enumerate(memories)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert set(json.loads((tmp_path / "targets.json").read_text())) == {f"n{n}" for n in range(8)}

    @pytest.mark.parametrize("text", ["", "{", "[]", '{"n": 3}', '{"n": {"until_s": 1}}'])
    def test_a_broken_file_is_as_none(self, tmp_path, text):
        (tmp_path / "targets.json").write_text(text)
        assert NodeMemory(tmp_path).rests() == {}

    def test_a_folder_that_cannot_be_written_leaves_the_memory_to_the_process(self, tmp_path):
        (tmp_path / "file").write_text("")
        memory = NodeMemory(tmp_path / "file" / "below")
        memory.keep("n", Rest(until_s=time.time() + 60, rest_s=5, why="late"))
        assert set(memory.rests()) == {"n"}


class TestLateness:
    def test_late_is_beyond_the_usual_of_the_same_size(self):
        late = Lateness()
        assert late.delay_s(1000) == FIRST_DELAY_S
        for _ in range(ENOUGH):
            late.took(1000, 0.1)
            late.took(None, 2.0)
        assert late.delay_s(1000) == pytest.approx(0.15)
        assert late.delay_s(None) == pytest.approx(3.0)

    def test_one_read_in_ten_is_asked_twice_in_the_long_run(self):
        late, hedged = Lateness(), 0
        for _ in range(1000):
            late.delay_s(None)
            hedged += late.may_hedge()
        assert hedged == pytest.approx(100 + TOKENS, abs=2)


class TestRace:
    def test_the_second_is_asked_only_when_the_first_is_late(self):
        found = race(lambda: b"pool", lambda: b"s3", 5, lambda: True)
        assert (found.data, found.by_first, found.hedged) == (b"pool", True, False)
        found = race(lambda: time.sleep(2), lambda: b"s3", 0.05, lambda: True)
        assert (found.data, found.by_first, found.hedged) == (b"s3", False, True)

    def test_without_hedges_left_the_first_is_waited_for(self):
        found = race(lambda: time.sleep(0.2) or b"pool", lambda: b"s3", 0.05, lambda: False)
        assert (found.data, found.by_first, found.hedged) == (b"pool", True, False)

    def test_a_failure_of_one_leaves_the_other(self):
        def fail() -> bytes:
            raise Unavailable("no")

        found = race(fail, lambda: b"s3", 5, lambda: True)
        assert (found.data, found.hedged, str(found.problem)) == (None, False, "no")
        found = race(lambda: time.sleep(0.2) or b"pool", fail, 0.05, lambda: True)
        assert (found.data, found.by_first) == (b"pool", True)
        with pytest.raises(ZeroDivisionError):
            race(lambda: 1 / 0, lambda: b"s3", 5, lambda: True)


@pytest.mark.parametrize("fault", [LATE, TRICKLE])
def test_a_late_node_costs_a_few_delays_and_then_nothing_also_in_another_process(tmp_path, fault):
    data = os.urandom(2**20)
    s3 = Folder(tmp_path / "s3")
    with faulty_pool() as pool:
        for key in ("key", "other/key"):
            s3.write(key, data)
            pool.objects[key] = data
        pool.always = fault

        def job() -> FallbackStore:
            door = Pool("bucket", (pool.endpoint,))
            return FallbackStore(cache=door, truth=s3, memory=NodeMemory(tmp_path / "shared"))

        first, second = job(), job()
        began = time.monotonic()
        for _ in range(40):
            assert first.read("key") == data
        assert time.monotonic() - began < 6 * FIRST_DELAY_S
        assert first.counts.hedged == 3
        asked = len(pool.seen)
        assert second.read("key") == data
        assert second.counts.hedged == 0
        assert len(pool.seen) == asked
        pool.always = None
        assert first.read("other/key") == data
        assert first.counts.by_pool == 1


def test_a_body_below_the_floor_rate_is_given_up(monkeypatch):
    monkeypatch.setattr("fleet_pool.client.pool.BODY_GRACE_S", 0.2)
    with faulty_pool() as pool:
        pool.objects["key"], pool.always = os.urandom(2**20), TRICKLE
        with pytest.raises(Unavailable, match=r"of 1048576 bytes in 0 s from 127\.0\.0\.1") as caught:
            Pool("bucket", (pool.endpoint,)).read("key")
        assert caught.value.target


def test_a_store_that_goes_to_a_worker_learns_anew_and_knows_what_the_machine_knows(tmp_path, monkeypatch):
    monkeypatch.setenv("PLANNER_POOL_SHARED", str(tmp_path))
    store = pickle.loads(pickle.dumps(open_store("s3://bucket", pool=["http://127.0.0.1:9"])))
    assert store.counts.by_pool == 0
