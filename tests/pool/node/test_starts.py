"""Failed starts in a row, and a fleet that is never complete: when nodes stop their group."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from fleet_pool.launch.bucket import Listed
from fleet_pool.node import ready, starts
from fleet_pool.node.ready import Found
from fleet_pool.problems import Unreachable
from hypothesis import given
from hypothesis import strategies as st

from tests.pool.node.nodes import CASES

NODE = next(case.node for case in CASES if case.node.group)
CREATED = "2026-11-21T10:00:00.000000+00:00"
FOLDER = f"boot-logs/{NODE.group}/{CREATED}/"


class Bucket:
    """Keys alone."""

    def __init__(self) -> None:
        self.keys: list[str] = []

    def write_once(self, key: str, value: object) -> bool:
        self.keys.append(key)
        return True

    def list(self, prefix: str) -> Listed:
        return Listed(keys=tuple(key for key in self.keys if key.startswith(prefix)), folders=(), idle_s=None)


@pytest.fixture
def world(monkeypatch, tmp_path):
    """A group of four nodes; asked: what Auto Scaling is told. desired: of a canary."""
    found = SimpleNamespace(bucket=Bucket(), asked=[], size=4, desired=0, in_service=0)
    monkeypatch.setattr(starts, "bucket_of", lambda *_, **__: found.bucket)
    monkeypatch.setattr(starts, "NOTED", tmp_path / "noted")
    monkeypatch.setattr(starts, "WAS_FULL", tmp_path / "full")

    def run(words, **_):
        if words[2] == "describe-auto-scaling-groups":
            members = [{"LifecycleState": "InService"}] * found.in_service + [{"LifecycleState": "Pending:Wait"}]
            sizes = {"MaxSize": found.size, "DesiredCapacity": found.desired or found.size}
            group = {"CreatedTime": CREATED, **sizes, "Instances": members}
            return SimpleNamespace(stdout=json.dumps({"AutoScalingGroups": [group]}))
        found.asked.append(words[2:])
        return SimpleNamespace(stdout="")

    monkeypatch.setattr(starts.subprocess, "run", run)
    return found


@pytest.fixture
def a_minute_each(monkeypatch):
    """Every look at the clock is a minute after the last."""
    clock = iter(datetime(2026, 11, 21, 12, tzinfo=UTC) + timedelta(minutes=n) for n in range(99))
    monkeypatch.setattr(starts, "datetime", SimpleNamespace(now=lambda _: next(clock), strptime=datetime.strptime))


def start(world, kind: str, instance: str) -> None:
    starts.NOTED.unlink(missing_ok=True)
    starts.note(replace(NODE, instance=instance), {}, kind)


def test_an_image_that_never_gets_ready_ends_after_as_many_starts_as_there_are_nodes(world):
    for number in range(3):
        start(world, starts.FAILED, f"i-{number}")
    assert not world.asked
    start(world, starts.FAILED, "i-3")
    (told,) = world.asked
    assert told[0] == "suspend-processes"
    assert told[-2:] == ("--scaling-processes", "Launch")
    assert NODE.group in told


def test_a_start_that_succeeds_begins_the_count_again_and_a_start_counts_once(world, a_minute_each):
    for kind, instance in [
        ("failed", "i-0"),
        ("failed", "i-1"),
        ("failed", "i-2"),
        ("ready", "i-3"),
        ("failed", "i-4"),
    ]:
        start(world, kind, instance)
    starts.note(replace(NODE, instance="i-4"), {}, starts.FAILED)  # said before
    assert len(world.bucket.keys) == 5
    assert not world.asked


def test_a_small_group_has_three_tries(world):
    world.size = 1
    for number in range(starts.LEAST_FAILED):
        assert not world.asked
        start(world, starts.FAILED, f"i-{number}")
    assert world.asked


def test_a_canary_has_three_tries_however_large_the_fleet_and_the_next_image_as_many(world, a_minute_each):
    world.size, world.desired = 64, 1
    for number in range(2 * starts.LEAST_FAILED):
        assert len(world.asked) == number // starts.LEAST_FAILED
        start(world, starts.FAILED, f"i-{number}")
    assert len(world.asked) == 2


def test_the_wait_of_a_canary_for_the_others_begins_when_they_are_asked_for(world):
    world.desired = 1
    start(world, starts.READY, "i-0")
    assert [key.split(".")[-2] for key in world.bucket.keys] == [starts.CANARY]
    old = (datetime.now(UTC) - timedelta(hours=11.9)).strftime(starts.STAMP)
    world.bucket.keys[:] = [f"{FOLDER}{old}.canary.i-0"]
    world.in_service = 1
    limit = {starts.GIVE_UP: "12"}
    assert not starts.gives_up(NODE, limit)
    assert starts.gives_up(NODE, {starts.GIVE_UP: "11.8"}), "nobody has added the others"
    world.desired = 4
    assert not starts.gives_up(NODE, {starts.GIVE_UP: "0.01"})
    assert world.bucket.keys[-1].endswith(f".ready.{NODE.instance}")
    late = (datetime.now(UTC) - timedelta(hours=12.1)).strftime(starts.STAMP)
    world.bucket.keys[-1] = f"{FOLDER}{late}.ready.{NODE.instance}"
    assert starts.gives_up(NODE, limit)
    world.in_service, world.desired = 4, 4
    assert not starts.gives_up(NODE, limit)


@given(st.lists(st.sampled_from(["ready", "canary", "stopped", "failed"]), max_size=30))
def test_only_failures_after_the_last_success_count(kinds):
    names = [f"2026-11-21T12:00:{n:02}Z.{kind}.i-{n}" for n, kind in enumerate(kinds)]
    after = next((n for n, kind in enumerate(reversed(kinds)) if kind != "failed"), len(kinds))
    assert starts.failed_in_a_row([*reversed(names), starts.FULL]) == after


@pytest.mark.parametrize(
    ("hours_ago", "in_service", "ends"), [(11.9, 3, False), (12.1, 3, True), (12.1, 4, False), (None, 0, False)]
)
def test_nodes_wait_for_the_rest_of_their_fleet_for_so_long(world, hours_ago, in_service, ends):
    if hours_ago is not None:
        at = (datetime.now(UTC) - timedelta(hours=hours_ago)).strftime(starts.STAMP)
        world.bucket.keys.append(f"{FOLDER}{at}.ready.i-0")
    world.in_service = in_service
    assert starts.gives_up(NODE, {starts.GIVE_UP: "12"}) == ends
    assert bool(world.asked) == ends
    world.in_service = 1  # complete once, it waits for ever
    assert starts.gives_up(NODE, {starts.GIVE_UP: "12"}) == ends
    assert (f"{FOLDER}full" in world.bucket.keys) == (in_service == 4)


def test_without_a_limit_nobody_asks(world, monkeypatch):
    monkeypatch.setattr(starts, "group_of", lambda _: pytest.fail("asked"))
    assert not starts.gives_up(NODE, {})
    assert not starts.gives_up(replace(NODE, group=""), {starts.GIVE_UP: "12"})


def test_a_bucket_that_does_not_answer_changes_nothing(world, monkeypatch, capsys):
    def refuses(*_, **__):
        raise Unreachable("S3 does not answer")

    monkeypatch.setattr(starts, "bucket_of", refuses)
    start(world, starts.FAILED, "i-0")
    assert "this start is not recorded: S3 does not answer" in capsys.readouterr().out
    assert not world.asked


@pytest.mark.parametrize(
    ("found", "boot_s", "kind"),
    [
        (Found(name="efa", ready=True, said=""), 60.0, "ready"),
        (Found(name="efa", ready=False, said="", broken=True), 60.0, "failed"),
        (Found(name="efa", ready=False, said=""), 2900.0, None),
        (Found(name="efa", ready=False, said=""), 3100.0, "failed"),
    ],
)
def test_a_start_is_recorded_when_it_is_decided(monkeypatch, found, boot_s, kind):
    said = []
    monkeypatch.setattr(starts, "note", lambda node, environment, kind: said.append(kind))
    monkeypatch.setattr(ready, "since_boot_s", lambda: boot_s)
    ready.record_start(NODE, {}, [found])
    assert said == ([kind] if kind else [])
