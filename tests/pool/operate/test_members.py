"""The cluster map: the pool's own, whatever a control node that was cut off says of itself."""

from __future__ import annotations

import itertools

import pytest
from fleet_pool.api import Client
from fleet_pool.operate.drain import drain
from fleet_pool.operate.members import cluster_map, map_again, maps, parse_map
from fleet_pool.operate.status import Expected, status
from fleet_pool.problems import Refused, Unreachable

from tests.pool.operate.answering import Asked, Say, answering, nobody, say_json
from tests.pool.operate.maps import bmd, health, smap
from tests.pool.operate.maps import status as told

TARGETS = {"t1node00": "http://10.0.0.1:1", "t2node00": "http://10.0.0.2:1"}


def stray(version: int = 99) -> dict:
    """Of a proxy that was cut off: itself as primary, nobody else, and a number that it has counted up alone."""
    return {**smap({"p9node00": "http://10.0.0.9:1"}, {}), "version": str(version)}


def test_what_a_map_says():
    found = parse_map(
        smap({"p1node00": "http://a:1", "p2node00": "http://b:1"}, TARGETS, {"p2node00": 1, "t2node00": 4})
    )
    assert (found.uuid, found.version, found.primary) == ("cluster", 7, "p1node00")
    assert [(target.id, target.leaving) for target in found.targets] == [("t1node00", False), ("t2node00", True)]
    assert found.member("p2node00") == found.proxies[1]
    assert found.member("nobody") is None


def test_the_one_with_the_pool_in_it_counts_and_is_asked_first():
    with answering(lambda _: say_json(stray())) as alone, nobody() as gone:
        pool = smap({"p1node00": "http://10.0.0.1:1"}, TARGETS)
        with answering(lambda _: say_json(pool)) as server:
            client = Client([alone.url, gone, server.url])
            found, detached = maps(client)
            assert map_again(client) == found
    assert (found.primary, len(found.targets)) == ("p1node00", 2)
    assert [(one.url, one.map.primary) for one in detached] == [(alone.url, "p9node00")]
    assert client.proxies == (server.url, alone.url, gone)


def test_a_proxy_cut_off_so_briefly_that_it_still_has_every_target_is_not_the_pool():
    """Its map has one proxy more than the pool's: who elected another primary left the old one out."""
    old = {
        **smap({"p9node00": "http://a:1", "p1node00": "http://b:1", "p2node00": "http://c:1"}, TARGETS),
        "version": 7,
    }
    pool = {**smap({"p1node00": "http://b:1", "p2node00": "http://c:1"}, TARGETS), "version": 107}
    with answering(lambda _: say_json(old)) as alone:
        with answering(lambda _: say_json(pool)) as first, answering(lambda _: say_json(pool)) as second:
            for urls in itertools.permutations([alone.url, first.url, second.url]):
                client = Client(urls)
                found, detached = maps(client)
                assert (found.primary, [one.url for one in detached]) == ("p1node00", [alone.url])
                assert client.proxies[-1] == alone.url
        with answering(lambda _: say_json(pool)) as first:  # as many for one as for the other: the newer
            assert cluster_map(Client([alone.url, first.url])).primary == "p1node00"


def test_a_drain_is_not_taken_for_done_by_one_that_was_cut_off():
    """Asked first, it would say that the target is not in its map."""
    flags: dict[str, int] = {}

    def pool(asked: Asked) -> Say:
        if asked.method == "PUT":
            flags.update(dict.fromkeys(asked.json()["value"]["sids"], 4))
            return Say()
        return say_json(smap({"p1node00": "http://10.0.0.1:1"}, TARGETS, flags))

    with answering(lambda _: say_json(stray())) as alone, answering(pool) as server:
        done = drain(Client([alone.url, server.url]), ["t1node00"], settle_s=0)
    assert (flags, done.left, done.absent) == ({"t1node00": 4}, ("t1node00",), ())


def test_status_names_it():
    with answering(lambda _: say_json(stray())) as alone:
        urls: list[str] = []

        def pool(asked: Asked) -> Say:
            if asked.path == "/v1/health":
                return say_json(health())
            if asked.query["what"] == "bmd":
                return say_json(bmd())
            if asked.query["what"] == "smap":
                return say_json(smap({"p1node00": urls[0]}, {"t1node00": urls[0]}))
            return say_json(told())

        with answering(pool) as server:
            urls.append(server.url)
            found = status(Client([alone.url, server.url]), Expected(targets=1), limit_s=30, each_s=10)
    [finding] = found.findings
    assert (finding.severity, finding.where) == ("error", alone.url)
    assert finding.what == "follows p9node00 as primary, with 0 targets; the pool follows p1node00"


def test_a_hanging_proxy_does_not_delay_the_others_for_long(monkeypatch):
    monkeypatch.setattr("fleet_pool.operate.members.EACH_S", 3.0)
    with answering(lambda _: Say(silent=True)) as hung:
        pool = smap({"p1node00": "http://10.0.0.1:1"}, TARGETS)
        with answering(lambda _: say_json(pool)) as server:
            assert cluster_map(Client([hung.url, server.url], attempt_s=60)).primary == "p1node00"


def test_an_election_is_waited_for():
    turns = itertools.count()

    def electing(_: Asked) -> Say:
        busy = say_json({"message": "primary is being elected", "status": 503}, 503)
        return busy if next(turns) < 2 else say_json(smap({"p1node00": "http://10.0.0.1:1"}, TARGETS))

    with answering(electing) as server:
        assert cluster_map(Client([server.url])).primary == "p1node00"


def test_no_pool_or_another_server_is_reported():
    with nobody() as gone, pytest.raises(Unreachable, match="Connection refused"):
        cluster_map(Client([gone]), 0.3)
    with (
        answering(lambda _: Say(status=403, body=b"<Error>")) as server,
        pytest.raises(Refused, match="has no map: <Err"),
    ):
        cluster_map(Client([server.url]))
    with answering(lambda _: say_json({})) as server, pytest.raises(Refused, match="does not answer like a pool"):
        cluster_map(Client([server.url]))
