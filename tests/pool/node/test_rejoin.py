"""A control node that was cut off: when it gives way to the others, and what it does then."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from fleet_pool import settings
from fleet_pool.api import Client
from fleet_pool.node import command, config, rejoin
from fleet_pool.node.rejoin import (
    Observation,
    confirmed_primary,
    majority_primary,
    observations,
    observe,
    restart_as_follower,
)
from fleet_pool.operate.members import ClusterMap, parse_map
from hypothesis import given
from hypothesis import strategies as st

from tests.pool.node.nodes import CASES
from tests.pool.operate.answering import Say, answering, nobody, say_json
from tests.pool.operate.maps import smap

CONTROL = next(case for case in CASES if case.role == "control")
TARGETS = {"t1node00": "http://10.0.0.9:1"}
OWN = "p0control"


def a_map(primary: str, targets: int) -> ClusterMap:
    return parse_map(smap({primary: "http://10.0.0.1:1"}, dict(list(TARGETS.items())[:targets])))


ALONE, WHOLE, OTHER = a_map(OWN, 0), a_map("p1control", 1), a_map("p2control", 1)


@pytest.mark.parametrize(
    ("own", "others", "primary"),
    [
        (ALONE, (WHOLE, WHOLE), "p1control"),
        (ALONE, (WHOLE,), ""),  # one of three is no majority: who is cut off, they or we?
        (ALONE, (WHOLE, OTHER), ""),  # an election is under way
        (ALONE, (WHOLE, a_map("p1control", 0)), ""),  # nobody has a target: a pool that comes up
        (ALONE, (), ""),
        (a_map(OWN, 1), (WHOLE, WHOLE), "p1control"),  # cut off too briefly for its targets to leave its map
        (WHOLE, (WHOLE, WHOLE), ""),  # it follows, as it should
        (None, (WHOLE, WHOLE), ""),  # it does not run, or hangs: systemd's
    ],
)
def test_it_gives_way_to_a_majority_that_serves(own, others, primary):
    assert majority_primary(Observation(own=own, others=others), OWN, 3) == primary


MAPS = st.builds(a_map, st.sampled_from([OWN, "p1control", "p2control", "p3control"]), st.integers(0, 1))


@given(own=MAPS, others=st.lists(MAPS, max_size=4), proxies=st.integers(1, 5))
def test_never_without_a_majority(own, others, proxies):
    primary = majority_primary(Observation(own=own, others=tuple(others)), OWN, proxies)
    if primary:
        assert own.primary == OWN != primary
        assert sum(told.primary == primary and bool(told.targets) for told in others) > proxies / 2


@pytest.mark.parametrize(
    ("said", "primary", "taken"),
    [
        ([(WHOLE, WHOLE)] * 3, "p1control", 3),
        ([(WHOLE, WHOLE), (WHOLE,), (WHOLE, WHOLE)], "", 2),  # it passed: nobody observations a third time
        ([(WHOLE, WHOLE), (OTHER, OTHER), (OTHER, OTHER)], "", 2),  # another one was elected meanwhile
        ([(), (WHOLE, WHOLE), (WHOLE, WHOLE)], "", 1),
    ],
)
def test_only_what_all_looks_say_is_certain(said, primary, taken):
    pauses: list[float] = []
    seen = iter(said)
    found = confirmed_primary(observations(lambda: Observation(own=ALONE, others=next(seen)), pauses.append), OWN, 3)
    assert found == primary
    assert pauses == [rejoin.PAUSE_S] * (taken - 1)


def test_an_election_is_over_before_the_last_look():
    assert (rejoin.OBSERVATIONS - 1) * rejoin.PAUSE_S >= 20


class TestComingBack:
    def test_the_daemon_stops_what_it_saved_is_put_aside_the_daemon_starts(self, tmp_path):
        saved, kept = [tmp_path / ".ais.smap", tmp_path / ".ais.conf"], tmp_path / ".ais.bmd"
        for path in saved:
            path.write_text(path.name)
        kept.write_bytes(b"buckets")
        calls: list[tuple[tuple[str, ...], list[bool]]] = []
        restart_as_follower(
            tmp_path, "planner-proxy.service", lambda words: calls.append((words, [path.exists() for path in saved]))
        )
        assert calls == [
            (("systemctl", "stop", "planner-proxy.service"), [True, True]),
            (("systemctl", "start", "planner-proxy.service"), [False, False]),
        ]
        assert [path.with_name(f"{path.name}.alone").read_text() for path in saved] == [".ais.smap", ".ais.conf"]
        assert kept.read_bytes() == b"buckets"

    def test_where_nothing_is_saved_it_starts_all_the_same(self, tmp_path):
        calls: list[tuple[str, ...]] = []
        restart_as_follower(tmp_path, "unit", calls.append)
        assert [words[1] for words in calls] == ["stop", "start"]

    @pytest.mark.parametrize("name", rejoin.SAVED_STATE)
    def test_where_a_file_cannot_be_moved_the_daemon_is_not_left_stopped(self, tmp_path, name):
        (tmp_path / name).write_bytes(b"")
        (tmp_path / f"{name}.alone").mkdir()
        calls: list[tuple[str, ...]] = []
        with pytest.raises(OSError, match=r"\.alone"):
            restart_as_follower(tmp_path, "unit", calls.append)
        assert [words[1] for words in calls] == ["stop", "start"]


def test_maps_come_by_the_proxies_own_addresses():
    told = [smap({OWN: "http://a:1"}, {}), smap({"p1control": "http://b:1"}, TARGETS)]
    with ExitStack() as stack:
        own, other = (stack.enter_context(answering(lambda _, each=each: say_json(each))) for each in told)
        strange = stack.enter_context(answering(lambda _: Say(body=b"no json")))
        gone = stack.enter_context(nobody())
        seen = observe(Client([own.url, other.url, strange.url, gone]), own.url)
    assert seen.own is not None
    assert (seen.own.primary, seen.own.targets) == (OWN, ())
    assert [(told.primary, len(told.targets)) for told in seen.others] == [("p1control", 1)]


class TestVerb:
    @pytest.fixture
    def systemctl(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """What systemd was asked, a line each."""
        log, program = tmp_path / "asked", tmp_path / "systemctl"
        program.write_text(f'#!/bin/sh\necho "$*" >> {log}\n')
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        return log

    @pytest.fixture
    def state(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
        """The state folder with a saved map; the three proxies are servers here, the pause is none."""
        folder = tmp_path / "state" / "proxy"
        folder.mkdir(parents=True)
        (folder / rejoin.SAVED_STATE[0]).write_bytes(b"alone")
        monkeypatch.setattr(settings, "STATE_FOLDER", str(folder.parent))
        monkeypatch.setattr(rejoin, "PAUSE_S", 0.0)
        maps = [smap({CONTROL_ID: "http://a:1"}, {}), *[smap({"p1control": "http://b:1"}, TARGETS)] * 2]
        with ExitStack() as stack:
            servers = [stack.enter_context(answering(lambda _, told=told: say_json(told))) for told in maps]
            urls = dict(zip(CONTROL.stack.proxies, (server.url for server in servers), strict=True))
            monkeypatch.setattr(config, "url", lambda address, port, tls: urls[address])
            yield folder

    def test_a_detached_proxy_rejoins(self, systemctl, state, capsys):
        command.rejoin(CONTROL.stack, STRAY)
        assert systemctl.read_text() == "stop planner-proxy.service\nstart planner-proxy.service\n"
        assert not (state / rejoin.SAVED_STATE[0]).exists()
        said = capsys.readouterr().out.splitlines()[0]
        assert said == f"{CONTROL_ID} was cut off and acts as primary, the others follow p1control: restarting it"

    def test_one_that_follows_is_left_alone_without_a_word(self, systemctl, state, capsys):
        command.rejoin(CONTROL.stack, replace(STRAY, address=CONTROL.stack.proxies[1], number=1))
        assert not systemctl.exists()
        assert (state / rejoin.SAVED_STATE[0]).exists()
        assert capsys.readouterr().out == ""

    def test_other_nodes_have_nothing_to_do_with_it(self, systemctl, state):
        command.rejoin(CONTROL.stack, replace(STRAY, role="gpu"))
        assert not systemctl.exists()


STRAY = replace(CONTROL.node, number=0, address=CONTROL.stack.proxies[0])
CONTROL_ID = settings.daemon_id("proxy", "control0")


def test_the_unit_looks_often_and_its_own_end_is_later_than_its_looks():
    """Three observations, each as long as its slowest proxy, and the restart of a daemon that takes 30 s to stop."""
    assert (rejoin.OBSERVATIONS - 1) * rejoin.PAUSE_S + rejoin.OBSERVATIONS * 3 + 30 < 120
