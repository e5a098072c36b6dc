"""Draining: out of the map, whoever else is changing it; what is gone already is no reason to fail."""

from __future__ import annotations

import pytest
from fleet_pool.api import Client
from fleet_pool.operate.drain import check_ids, drain, stop_unit, undrain
from fleet_pool.operate.members import parse_map
from fleet_pool.problems import PoolProblem, Refused, Unreachable, UsageProblem

from tests.pool.operate.answering import Asked, Say, answering, say_json
from tests.pool.operate.maps import smap

TARGETS = {f"t{number}node00": "http://10.0.0.1:1" for number in (1, 2, 3)}


class Pool:
    """A gateway that says busy `busy` times, takes changes, and shows them after `late` looks at the map."""

    def __init__(self, busy: int = 0, late: int = 0, gone: str = "", stuck: bool = False) -> None:
        self.busy, self.late, self.gone, self.stuck = busy, late, gone, stuck
        self.flags: dict[str, int] = {}
        self.changes: list[dict] = []

    def __call__(self, asked: Asked) -> Say:
        if asked.method == "GET":
            shown = {} if self.changes and self.late > 0 else self.flags
            self.late -= bool(self.changes)
            there = {id_: url for id_, url in TARGETS.items() if id_ != self.gone or not self.changes}
            return say_json(smap({"p1node00": "http://10.0.0.9:1"}, there, shown))
        if self.busy:
            self.busy -= 1
            message = 'cluster membership "start-maintenance" is currently busy, please try again'
            return say_json({"message": message, "status": 409}, 409)
        change = asked.json()
        self.changes.append(change)
        if self.gone in change["value"]["sids"]:
            return say_json({"message": f"node {self.gone} not present in Smap", "status": 404}, 404)
        if not self.stuck:
            for id_ in change["value"]["sids"]:
                self.flags[id_] = 4 if change["action"] == "start-maintenance" else 0
        return Say()


def drained(pool: Pool, *ids: str, patience_s: float = 30.0):
    pauses: list[float] = []
    with answering(pool) as server:
        found = drain(Client([server.url]), ids, patience_s=patience_s, settle_s=5, sleep=pauses.append)
    return found, pauses


def test_all_in_one_change_without_moving_data():
    pool = Pool()
    found, pauses = drained(pool, "t1node00", "t3node00")
    assert pool.changes == [
        {"action": "start-maintenance", "value": {"sids": ["t1node00", "t3node00"], "skip_rebalance": True}}
    ]
    assert (found.left, found.absent, found.active) == (("t1node00", "t3node00"), (), 1)
    assert pauses == [5]  # for what is under way


def test_busy_is_asked_again():
    found, _ = drained(Pool(busy=3), "t1node00")
    assert found.active == 2


def test_busy_to_the_end_is_refused():
    with pytest.raises(Refused, match="please try again"):
        drained(Pool(busy=1000), "t1node00", patience_s=3)


def test_the_map_is_waited_for():
    found, _ = drained(Pool(late=3), "t1node00")
    assert found.active == 2


def test_a_map_that_never_shows_it_ends_with_patience():
    with pytest.raises(Unreachable, match="the map still shows t1node00"):
        drained(Pool(stuck=True), "t1node00", patience_s=3)


def test_a_node_that_may_not_administer_asks_once_and_waits_for_the_map():
    """Its token changes nothing; whoever it asks does it meanwhile."""
    pool, asked = Pool(late=2), []

    def ask() -> None:
        asked.append(True)
        pool.changes.append({})  # by another one's hand
        pool.flags["t1node00"] = 4

    with answering(pool) as server:
        found = drain(Client([server.url]), ["t1node00"], settle_s=0, ask=ask)
    assert (found.left, found.active, len(asked), pool.changes) == (("t1node00",), 2, 1, [{}])
    with answering(Pool(stuck=True)) as server, pytest.raises(Unreachable, match="still shows t1node00"):
        drain(Client([server.url]), ["t1node00"], patience_s=2, ask=lambda: None)
    with answering(pool) as server:
        absent = drain(Client([server.url]), ["t9node00"], ask=lambda: pytest.fail("nothing to ask"))
    assert absent.absent == ("t9node00",)


def test_what_is_drained_already_is_left_alone():
    pool = Pool()
    pool.flags["t1node00"] = 4
    found, pauses = drained(pool, "t1node00")
    assert (pool.changes, pauses, found.active) == ([], [], 2)


def test_one_that_leaves_by_itself_meanwhile_does_not_keep_the_others():
    """The engine refuses the whole change for one id that it has not: asked again for those that it has."""
    pool = Pool(gone="t1node00")
    found, _ = drained(pool, "t1node00", "t2node00")
    assert [change["value"]["sids"] for change in pool.changes] == [["t1node00", "t2node00"], ["t2node00"]]
    assert found.active == 1


def test_back_again():
    pool = Pool()
    pool.flags["t1node00"] = 4
    with answering(pool) as server:
        undrain(Client([server.url]), ["t1node00"])
    assert pool.flags == {"t1node00": 0}


def test_an_unknown_id_or_the_primarys_is_reported():
    found = parse_map(smap({"p1node00": "http://a:1", "p2node00": "http://b:1"}, TARGETS))
    check_ids(found, ["t1node00", "p2node00"])
    with pytest.raises(UsageProblem, match=r"the pool has no daemon 't9node00'; it has t1node00, t2node00"):
        check_ids(found, ["t9node00"])
    with pytest.raises(UsageProblem, match="p1node00 is the primary proxy"):
        check_ids(found, ["p1node00"])


def test_a_unit_that_does_not_stop_is_reported(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PoolProblem, match="no systemctl"):
        stop_unit("pool.service")
    (tmp_path / "systemctl").write_text("#!/bin/sh\necho 'Unit pool.service not loaded.' >&2\nexit 5\n")
    (tmp_path / "systemctl").chmod(0o755)
    with pytest.raises(PoolProblem, match=r"cannot stop pool\.service: Unit pool\.service not loaded\."):
        stop_unit("pool.service")
