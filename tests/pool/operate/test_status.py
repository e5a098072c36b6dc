"""Status: over in time whatever hangs, and each thing that is wrong is named with what to do about it."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from typing import Any

import pytest
from fleet_pool.api import Client
from fleet_pool.operate.alerts import ALERTS, alerts
from fleet_pool.operate.buckets import Bucket
from fleet_pool.operate.members import Member, cluster_map, parse_map
from fleet_pool.operate.nodes import Node, nodes, parse_status, silent
from fleet_pool.operate.probe import Probe, sick, slow_everywhere
from fleet_pool.operate.status import Expected, Status, judge, of_damage, status
from fleet_pool.operate.status_text import as_data, as_text
from fleet_pool.problems import Refused, Unreachable

from tests.pool.operate.answering import Asked, Say, answering, nobody, say_json
from tests.pool.operate.maps import WELL, bmd, bucket, health, smap
from tests.pool.operate.maps import status as told

URL = "http://10.0.0.4:51081"


def bit(name: str) -> int:
    return next(1 << alert.bit for alert in ALERTS if alert.name == name)


def heard(flags: int = WELL, primary: str = "p1node00", **space: int) -> Node:
    member = parse_map(smap({"p1node00": "http://10.0.0.1:51080"}, {"t1node00": URL})).targets[0]
    return parse_status(member, told(flags, primary, **space))


def judged(*said: Node, buckets: tuple[Bucket, ...] = (), targets: int | None = None, drives: int | None = None):
    found = parse_map(smap({"p1node00": "http://10.0.0.1:51080"}, {"t1node00": URL}))
    return judge(found, said, buckets, Expected(targets=targets, drives=drives))


class TestWhatIsWrong:
    def test_nothing(self):
        assert judged(heard(), targets=1, drives=8) == ()

    def test_a_target_is_missing(self):
        [finding] = judged(heard(), targets=3)
        assert (finding.severity, finding.what) == ("error", "2 targets missing: 1 of 3 active")

    def test_a_target_in_maintenance_does_not_count(self):
        found = parse_map(smap({"p1node00": URL}, {"t1node00": URL, "t2node00": URL}, {"t2node00": 4}))
        [finding] = judge(found, (), (), Expected(targets=2))
        assert finding.what == "1 target missing: 1 of 2 active"

    def test_no_target_at_all_is_an_error_unasked(self):
        found = parse_map(smap({"p1node00": URL}, {}))
        assert [finding.what for finding in judge(found, (), (), Expected())] == ["no target is active"]

    @pytest.mark.parametrize(
        "name", ["out-of-space", "disk-full", "disk-fault", "out-of-memory", "certificate-expired"]
    )
    def test_what_blocks_is_an_error(self, name):
        [finding] = judged(heard(WELL | bit(name)))
        assert (finding.severity, finding.where, finding.what) == ("error", "t1node00", name)
        assert finding.remedy

    @pytest.mark.parametrize("name", ["low-capacity", "maintenance", "keepalive-errors", "busy-cpu", "restarted"])
    def test_what_does_not_is_a_warning(self, name):
        [finding] = judged(heard(WELL | bit(name)))
        assert (finding.severity, finding.what) == ("warning", name)

    def test_a_drive_is_missing(self):
        [finding] = judged(heard(drives=7), drives=8)
        assert (finding.severity, finding.what) == ("error", "1 drive missing: 7 of 8 serve")

    def test_another_primary_is_an_error(self):
        [finding] = judged(heard(primary="p2node00"))
        assert finding.what == "follows p2node00 as primary; the pool follows p1node00"

    def test_a_silent_target_is_an_error_and_a_silent_gateway_a_warning(self):
        found = parse_map(smap({"p1node00": URL, "p2node00": URL}, {"t1node00": URL}))
        said = [silent(member, "Connection refused") for member in (*found.proxies, *found.targets)]
        wrong = judge(found, said[1:], (), Expected())
        assert [(finding.severity, finding.where) for finding in wrong] == [
            ("error", "t1node00"),
            ("warning", "p2node00"),
        ]

    def test_a_bucket_of_the_pools_own_is_an_error_and_one_that_does_not_evict_a_warning(self):
        local = Bucket(name="mine", provider="ais", evicts=False, validates=False, versioned=True)
        stuck = Bucket(name="train", provider="aws", evicts=False, validates=True, versioned=True)
        wrong = judged(heard(), buckets=(local, stuck))
        assert [finding.severity for finding in wrong] == ["error", "warning"]
        assert "not in S3" in wrong[0].what
        assert "register train --kind rewritten" in wrong[1].remedy

    def test_every_alert_has_a_bit_of_its_own_and_a_remedy(self):
        assert len({alert.bit for alert in ALERTS}) == len(ALERTS)
        assert all(alert.remedy for alert in ALERTS)
        assert alerts(WELL) == ()
        assert alerts(1 << 60) == ()  # of a later engine


class TestDamage:
    FOUND = parse_map(smap({"p1node00": "http://10.0.0.1:51080"}, {"t1node00": URL}))

    @pytest.mark.parametrize(
        ("addresses", "what", "remedy"),
        [
            (["10.0.0.4:51081"] * 3 + ["10.0.0.5:51081"], ", 3 of them on t1node00", "drain t1node00` and replace it"),
            (["10.0.0.5:51081"] * 4, ", 4 of them on a target that is gone (10.0.0.5:51081)", "looks for more"),
            ([""] * 4, "", "looks for more"),
        ],
    )
    def test_the_node_of_most_damaged_copies_is_named(self, addresses, what, remedy):
        finding = of_damage(self.FOUND, [(1, address) for address in addresses], "train")
        assert (finding.severity, finding.where) == ("warning", "pool")
        assert finding.what == f"4 cached objects of train found damaged in the last 7 days{what}"
        assert finding.remedy.endswith(remedy)


class TestInTime:
    def test_a_target_whose_status_hangs_is_asked_for_its_health(self):
        def hangs(asked: Asked) -> Say:
            return say_json(health(WELL | bit("disk-fault"))) if asked.path == "/v1/health" else Say(silent=True)

        with answering(hangs) as target:
            found = parse_map(smap({"p1node00": target.url}, {"t1node00": target.url}))
            [node] = nodes(Client([target.url]), found.targets, limit_s=40, each_s=2)
        assert (node.heard, node.space) == ("health", None)
        assert [alert.name for alert in alerts(node.flags)] == ["disk-fault"]
        findings = judge(found, [node], (), Expected())
        assert [(finding.severity, finding.what.split(":")[0]) for finding in findings] == [
            ("error", "disk-fault"),
            ("warning", "answers health checks but not status requests"),
        ]

    def test_forty_hanging_daemons_end_at_the_time_limit(self, monkeypatch: pytest.MonkeyPatch):
        """In the order of the map, those whose time never came with them."""
        monkeypatch.setattr("fleet_pool.operate.nodes.AT_ONCE", 64)
        with answering(lambda _: Say(silent=True)) as hung:
            targets = {f"t{number:03}node": hung.url for number in range(200)}
            found = parse_map(smap({"p1node00": hung.url}, targets))
            said = nodes(Client([hung.url]), found.targets, limit_s=1.5, each_s=1)
        assert [node.member.id for node in said] == sorted(targets)
        assert {node.heard for node in said} == {"silent"}
        assert "not asked: no time left" in {node.why for node in said}

    def test_one_that_is_gone_is_silent_without_a_second_question(self):
        with nobody() as gone:
            found = parse_map(smap({"p1node00": gone}, {"t1node00": gone}))
            [node] = nodes(Client([gone]), found.targets, limit_s=20, each_s=20)
        assert (node.heard, "Connection refused" in node.why) == ("silent", True)

    @pytest.mark.parametrize("said", [Say(body=b"{}"), Say(body=b"no json"), Say(status=500), say_json({"cluster": 1})])
    def test_an_answer_that_is_not_understood_is_silence_with_a_reason(self, said):
        with answering(lambda _: said) as server:
            found = parse_map(smap({"p1node00": server.url}, {"t1node00": server.url}))
            [node] = nodes(Client([server.url]), found.targets, limit_s=20, each_s=5)
        assert node.heard == "silent"
        assert node.why


def pool(stack: ExitStack, flags: int = WELL, hangs: bool = False) -> str:
    """One gateway and two targets in one server; its address."""
    urls: list[str] = []

    def answer(asked: Asked) -> Say:
        if asked.path == "/v1/health":
            return say_json(health(flags))
        if asked.path.startswith("/v1/objects/"):
            return say_json({"message": "NoSuchKey"}, 404)
        if asked.path.startswith("/v1/buckets/"):
            return say_json({"entries": None})
        if asked.query["what"] == "smap":
            return say_json(smap({"p1node00": urls[0]}, {"t1node00": urls[0], "t2node00": urls[0]}))
        if asked.query["what"] == "bmd":
            return say_json(bmd(aws={"train": bucket()}, ais={".sys-inventory": bucket("ais", evicts=False)}))
        return Say(silent=True) if hangs else say_json(told(flags))

    urls.append(stack.enter_context(answering(answer)).url)
    return urls[0]


def probe(number: int, read_s: float | None = 0.01, s3_s: float = 0.02, **wrong: str) -> Probe:
    return Probe(target=f"t{number}node00", read_s=read_s, s3_s=s3_s, **wrong)


class TestSick:
    @pytest.mark.parametrize(
        ("seen", "how"),
        [
            (probe(1, 4.2), "reads of 1 MiB take up to 4.2 s; 0.01 s on the others"),
            (probe(1, 5.0, read_wrong="no answer within 5 s"), "a read of 1 MiB failed: no answer within 5 s"),
            (probe(1, s3_s=5.0, s3_wrong="no answer"), "it has no way to S3: no answer"),
            (probe(1, s3_s=3.0), "its way to S3 is slow: 3.0 s; 0.02 s others"),
        ],
    )
    def test_the_one_that_differs_is_named(self, seen, how):
        assert sick([seen, probe(2), probe(3)]) == {"t1node00": how}

    def test_what_is_quick_enough_or_the_same_everywhere_is_no_sickness_of_one(self):
        assert sick([probe(1, 0.9), probe(2), probe(3)]) == {}
        assert sick([probe(n, 3.0) for n in range(4)]) == {}
        assert set(sick([probe(1, 8.0), probe(2, 8.2), probe(3)])) == {"t1node00", "t2node00"}, "two of three"
        assert slow_everywhere([probe(n, 3.0) for n in range(4)]) == "reads of 1 MiB take 3.0 s on most targets"
        assert slow_everywhere([probe(1, 3.0), probe(2), probe(3)]) == slow_everywhere([probe(1, None)]) == ""
        assert slow_everywhere([probe(1, 4.0), probe(2, 5.0), probe(3)]) == "reads of 1 MiB take 4.0 s on most targets"
        assert sick([probe(n, s3_s=5.0, s3_wrong="no answer") for n in range(4)]) == {}
        assert sick([probe(1, None), probe(2, None)]) == {}

    def test_the_remedy_drains_it_and_a_pool_without_s3_is_one_error(self):
        found = parse_map(smap({"p1node00": URL}, {f"t{n}node00": URL for n in range(3)}))
        [finding] = judge(found, (), (), Expected(), [probe(0, 4.0), probe(1), probe(2)])
        assert (finding.severity, finding.where) == ("error", "t0node00")
        assert finding.remedy.startswith("`planner pool drain t0node00`")
        seen = [probe(n, s3_wrong="no answer") for n in range(3)]
        assert [(each.severity, each.where) for each in judge(found, (), (), Expected(), seen)] == [("error", "pool")]


class TestWhole:
    def test_a_healthy_pool(self):
        with ExitStack() as stack:
            found = status(Client([pool(stack)]), Expected(targets=2, drives=8), limit_s=30, each_s=10)
        assert found.healthy
        assert found.findings == ()
        text = as_text(found)
        assert text.startswith("2 active targets, 1 gateway, map 7; 2 TB of 16 TB on the drives used\n")
        assert "train   dataset  yes     yes" in text
        assert ".sys-" not in text

    def test_every_status_request_hangs_and_there_is_still_an_answer(self):
        with ExitStack() as stack:
            url = pool(stack, hangs=True)
            found = status(Client([url]), Expected(), limit_s=30, each_s=2)
        assert {node.heard for node in found.nodes} == {"health"}
        assert found.healthy
        assert as_text(found).count("up, status hangs") == 3

    def test_a_drained_target_is_shown_and_does_not_count(self):
        found = parse_map(smap({"p1node00": URL}, {"t1node00": URL, "t2node00": URL}, {"t2node00": 4}))
        said = tuple(parse_status(target, told()) for target in found.targets)
        text = as_text(Status(map=found, nodes=said, buckets=(), findings=()))
        assert text.startswith("1 active target, 1 gateway, ")
        assert "t2node00  target  up, drained  " in text

    def test_the_same_problem_in_many_places_is_one_line(self):
        targets = {f"t{number:03}node": URL for number in range(400)}
        found = parse_map(smap({"p1node00": URL}, targets))
        said = tuple(parse_status(target, told(WELL | bit("low-cpu"))) for target in found.targets)
        wrong = judge(found, said, (), Expected())
        assert len(wrong) == 400
        text = as_text(Status(map=found, nodes=said, buckets=(), findings=wrong))
        assert text.count("warning: ") == 1
        assert "t000node, t001node, " in text
        assert " and 392 more: low-cpu\n" in text

    def test_silent_nodes_are_one_problem_with_one_remedy(self):
        found = parse_map(smap({"p1node00": URL}, {f"t{number:03}node": URL for number in range(130)}))
        said = tuple(silent(target, f"{target.url}: no answer within 2 s") for target in found.targets)
        text = as_text(Status(map=found, nodes=said, buckets=(), findings=judge(found, said, (), Expected())))
        assert text.count("error: ") == 1
        assert "`planner pool drain ID`" in text

    def test_plain_data_for_a_script(self):
        with ExitStack() as stack:
            found = status(Client([pool(stack, WELL | bit("out-of-space"))]), Expected(), limit_s=30, each_s=10)
        data = as_data(found)
        assert data["well"] is False
        assert {finding["what"] for finding in data["findings"]} == {"out-of-space"}
        assert data["nodes"][1]["total_bytes"] == 8_000_000_000_000
        assert data["buckets"] == [
            {"name": "train", "in_s3": True, "kind": "dataset", "evicts": True, "versioned_when_met": True}
        ]

    def test_no_gateway_is_an_error(self):
        with nobody() as gone, pytest.raises(Unreachable):
            status(Client([gone]), Expected(), limit_s=0.5, each_s=0.5)

    def test_another_server_is_reported(self):
        with answering(lambda _: say_json({"hello": 1})) as server, pytest.raises(Refused, match="like a pool"):
            cluster_map(Client([server.url]))

    def test_a_person_reads_what_to_do(self):
        found = parse_map(smap({"p1node00": URL}, {"t1node00": URL}))
        node = silent(found.targets[0], "Connection refused")
        wrong = judge(found, [node], (), Expected(targets=2))
        text = as_text(Status(map=found, nodes=(node,), buckets=(), findings=wrong))
        assert text.startswith("1 active target, 1 of them SILENT, 1 gateway, map 7; 0 B of 0 B on the drives used\n")
        assert "error: pool: 1 target missing: 1 of 2 active\n    find the instances" in text
        assert "error: t1node00: in the map but does not answer: Connection refused\n" in text


def test_a_third_of_400_daemons_that_hangs_is_asked_at_once():
    daemons = [Member(id=str(number), role="target", url="http://127.0.0.1:1", flags=0) for number in range(134)]
    together = threading.Barrier(len(daemons))

    class Hanging(Client):
        def once(self, *args: Any, limit_s: float | None = None, **more: Any) -> Any:
            together.wait(timeout=15)  # broken, which fails the test, if some are asked only after others
            raise Unreachable(f"no answer within {limit_s} s")

    said = nodes(Hanging(["http://127.0.0.1:1"]), daemons, limit_s=60, each_s=20)
    assert {node.heard for node in said} == {"silent"}
    assert not together.broken
