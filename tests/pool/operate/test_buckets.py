"""Buckets: S3's or refused, set once, named as S3 names them. And jobs on them, as far as a stand-in can say."""

from __future__ import annotations

import itertools
import json

import pytest
from fleet_pool.api import Client
from fleet_pool.operate.buckets import KINDS, buckets, checked_name, destroy_local, register
from fleet_pool.operate.jobs import RANGED_FROM_BYTES, Done, Job, Progress, evict, has_large, prefetch, wait
from fleet_pool.problems import Blocked, Refused, Unreachable, UsageProblem
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pool.operate.answering import Asked, Say, answering, say_json
from tests.pool.operate.maps import bmd, bucket


class Pool:
    """The buckets of a pool: `s3` exist below, `aws` and `ais` are known above."""

    def __init__(self, s3: tuple[str, ...] = ("train",), ais: tuple[str, ...] = (), *, evicts: bool = True) -> None:
        self.s3, self.evicts = s3, evicts
        self.aws: dict[str, dict] = {}
        self.ais = {name: bucket("ais", evicts=False) for name in ais}
        self.changes: list[tuple[str, dict]] = []
        self.refuses: Say | None = None

    def __call__(self, asked: Asked) -> Say:
        name = asked.path.rpartition("/")[2]
        if asked.path == "/v1/daemon":
            return say_json(bmd(self.aws, self.ais))
        if asked.method == "HEAD":
            if self.refuses or name not in self.s3:
                return self.refuses or Say(status=404, headers={"Hdr-Error": '{"message": "aws-error[NotFound]"}'})
            self.aws.setdefault(name, bucket(evicts=self.evicts))
            return Say(headers={"Ais-Bucket-Props": json.dumps(self.aws[name])})
        self.changes.append((asked.method, asked.json()))
        if asked.method == "PATCH":
            for section, values in asked.json()["value"].items():
                self.aws[name][section] |= values
        if asked.method == "DELETE":
            self.ais.pop(name)
        return Say()


class TestRegister:
    def test_it_is_asked_of_s3_through_the_native_api_and_set(self):
        pool = Pool(evicts=False)
        with answering(pool) as server:
            done = register(Client([server.url]), "train", "rewritten")
        assert done.changed == ("registered", "eviction on", "cached reads ask S3 for the version")
        assert (done.bucket.evicts, done.bucket.validates, done.bucket.local) == (True, True, False)
        assert not any(asked.path.startswith("/s3") for asked in server.asked)
        assert {asked.query["provider"] for asked in server.asked if asked.path != "/v1/daemon"} == {"aws"}

    @pytest.mark.parametrize("kind", KINDS)
    def test_the_same_again_changes_nothing(self, kind):
        pool = Pool()
        with answering(pool) as server:
            client = Client([server.url])
            register(client, "train", kind)
            before = len(pool.changes)
            assert register(client, "train", kind).changed == ()
        assert len(pool.changes) == before

    @settings(deadline=None, max_examples=20)
    @given(kinds=st.lists(st.sampled_from(list(KINDS)), min_size=1, max_size=5))
    def test_the_last_kind_holds(self, kinds):
        with answering(Pool()) as server:
            client = Client([server.url])
            for kind in kinds:
                found = register(client, "train", kind).bucket
            assert found.kind == kinds[-1]

    def test_one_of_the_pools_own_is_refused_and_says_what_to_do(self):
        pool = Pool(s3=("mine",), ais=("mine",))
        with answering(pool) as server, pytest.raises(Blocked) as caught:
            register(Client([server.url]), "mine", "dataset")
        told = str(caught.value)
        assert "ais://mine" in told
        assert "not in S3" in told
        assert "destroy-local mine --yes" in told
        assert (pool.changes, pool.aws) == ([], {})

    def test_a_bucket_that_s3_lacks_is_reported(self):
        with answering(Pool()) as server, pytest.raises(UsageProblem, match=r"S3 has no bucket 'other'.*aws-error"):
            register(Client([server.url]), "other", "dataset")

    def test_denied_access_is_reported(self):
        pool = Pool()
        pool.refuses = Say(status=403, headers={"Hdr-Error": '{"message": "AccessDenied"}'})
        with (
            answering(pool) as server,
            pytest.raises(UsageProblem, match=r"denies the pool access to 'train'.*instance"),
        ):
            register(Client([server.url]), "train", "dataset")

    def test_settings_that_do_not_stick_are_reported(self):
        pool = Pool(evicts=False)

        def forgets(asked: Asked) -> Say:
            return Say() if asked.method == "PATCH" else pool(asked)

        with answering(forgets) as server, pytest.raises(Blocked, match="does not report them"):
            register(Client([server.url]), "train", "dataset")

    def test_an_unknown_kind_is_reported(self):
        with pytest.raises(UsageProblem, match="dataset or rewritten"):
            register(Client(["http://127.0.0.1:1"]), "train", "mixed")


class TestNames:
    @pytest.mark.parametrize("name", ["train", "a.b-c", "0123", "a" * 63])
    def test_what_s3_takes(self, name):
        checked_name(name)

    @pytest.mark.parametrize("name", ["", "ab", "Train", "a_b", "-ab", "ab-", "a" * 64, "a b", "a..b", "a/b", "ä-bc"])
    def test_what_it_does_not(self, name):
        with pytest.raises(UsageProblem, match="is not an S3 bucket name"):
            checked_name(name)

    def test_a_url_says_which_part_is_the_name(self):
        with pytest.raises(UsageProblem, match="bucket name alone: train, not s3://train/"):
            checked_name("s3://train/")


class TestOwn:
    def test_the_engines_own_are_not_listed(self):
        with answering(Pool(ais=(".sys-inventory", "mine"))) as server:
            assert [found.name for found in buckets(Client([server.url]))] == ["mine"]

    def test_only_one_of_the_pools_own_is_ended(self):
        pool = Pool(ais=("mine",))
        with answering(pool) as server:
            client = Client([server.url])
            register(client, "train", "dataset")
            with pytest.raises(UsageProblem, match="no local bucket 'train'; nothing was deleted"):
                destroy_local(client, "train")
            destroy_local(client, "mine")
        assert pool.changes == [("DELETE", {"action": "destroy-bck"})]
        assert pool.ais == {}


def snap(objects: int, *, over: bool = True, err: str = "", aborted: bool = False) -> list[dict]:
    ends = "2026-11-21T20:00:00Z" if over else "0001-01-01T00:00:00Z"
    stats = {"loc-objs": str(objects), "loc-bytes": str(objects * 10)}
    return [{"stats": stats, "end-time": ends, "aborted": aborted, "err": err, "abort-err": ""}]


class TestJobs:
    def waited(
        self, *answers: Say, limit_s: float = 60.0, targets: tuple[str, ...] = (), attempt_s: float = 20.0
    ) -> tuple[list[Progress], Done]:
        turns = itertools.count()
        seen: list[Progress] = []
        with answering(lambda _: answers[min(next(turns), len(answers) - 1)]) as server:
            client = Client([server.url], attempt_s=attempt_s, patience_s=2 * attempt_s)
            found = wait(client, Job(id="job1", targets=targets), limit_s=limit_s, show=seen.append, poll_s=0.01)
        return seen, found

    def test_it_is_watched_until_all_have_ended(self):
        seen, found = self.waited(
            say_json({"t1": snap(3, over=False), "t2": snap(1, over=False)}),
            say_json({"t1": snap(5), "t2": snap(2, over=False)}),
            say_json({"t1": snap(5), "t2": snap(4)}),
        )
        assert [(one.objects, len(one.ended)) for one in seen] == [(4, 0), (7, 1), (9, 2)]
        assert (found.objects, found.bytes) == (9, 90)

    @pytest.mark.parametrize("wrong", [{"err": "aws-error[NoSuchKey: k]"}, {"aborted": True}])
    def test_a_failed_or_stopped_share_is_reported(self, wrong):
        with pytest.raises(Refused, match=r"job job1 is incomplete: t2: (aws-error|stopped)"):
            self.waited(say_json({"t1": snap(5), "t2": snap(0, **wrong)}))

    def test_a_target_that_does_not_know_it_yet_is_waited_for(self):
        _, found = self.waited(
            say_json({"message": "invalid xaction (job) UUID", "status": 400}, 400), say_json({"t1": snap(1)})
        )
        assert found.objects == 1

    def test_one_that_never_will_is_not(self, monkeypatch):
        monkeypatch.setattr("fleet_pool.operate.jobs.FORGOTTEN_S", 0.1)
        with pytest.raises(Unreachable, match=r"restarted while it ran.*run it again"):
            self.waited(say_json({"message": "invalid xaction (job) UUID", "status": 400}, 400))

    def test_a_share_lost_with_its_target_is_reported(self):
        """Seen with a real target that was killed: the others end well, and the job as a whole looks done."""
        with pytest.raises(
            Unreachable, match=r"job job1 is incomplete: t2 left before finishing its share; run it again"
        ):
            self.waited(
                say_json({"t1": snap(3, over=False), "t2": snap(1, over=False)}),
                say_json({"t1": snap(5)}),
                targets=("t1", "t2"),
            )

    def test_one_that_was_lost_before_it_was_ever_heard_is_missed_as_well(self):
        with pytest.raises(Unreachable, match="t2 left before finishing"):
            self.waited(say_json({"t1": snap(5)}), targets=("t1", "t2"))

    def test_one_that_came_later_is_not_waited_for(self):
        _, found = self.waited(say_json({"t1": snap(5), "t2": []}), targets=("t1",))
        assert found.objects == 5

    def test_a_question_that_is_held_up_is_asked_again(self):
        """A target that hangs holds it up until the map drops it."""
        hung = [Say(silent=True)] * 4
        _, found = self.waited(*hung, say_json({"t1": snap(5)}), targets=("t1",), attempt_s=1)
        assert found.objects == 5

    def test_silence_has_an_end(self, monkeypatch):
        monkeypatch.setattr("fleet_pool.operate.jobs.SILENT_S", 0.5)
        with pytest.raises(Unreachable, match="no longer answers about job job1"):
            self.waited(Say(silent=True), targets=("t1",), attempt_s=0.3)

    def test_time_is_up_and_it_says_who_is_waited_for(self):
        with pytest.raises(Unreachable, match=r"job job1 still runs on t1 after 0\.2 s"):
            self.waited(say_json({"t1": snap(1, over=False)}), limit_s=0.2)

    @pytest.mark.parametrize("start", [prefetch, evict])
    def test_an_unregistered_bucket_is_refused(self, start):
        """The engine would add it by itself, without our settings."""
        pool = Pool(ais=("mine",))
        with (
            answering(pool) as server,
            pytest.raises(UsageProblem, match=r"not registered.*pool register mine"),
        ):
            start(Client([server.url]), "mine", "a/")
        assert pool.changes == []

    @pytest.mark.parametrize(
        ("sizes", "large"), [([], False), ([10**6, RANGED_FROM_BYTES - 1], False), ([0, 2**30], True)]
    )
    def test_ranges_are_for_data_sets_with_large_objects(self, sizes, large):
        entries = [
            {"name": f"a/{n}", "size": str(size)} if size else {"name": f"a/{n}"} for n, size in enumerate(sizes)
        ]
        pool = Pool()

        def answer(asked):
            listing = asked.method == "GET" and b'"list"' in asked.body
            return say_json({"entries": entries or None}) if listing else pool(asked)

        with answering(answer) as server:
            client = Client([server.url])
            register(client, "train", "dataset")
            assert has_large(client, "train", "a/") is large

    @pytest.mark.parametrize("prefix", ["a{1..3}", "a%06d", "a@100", "a*"])
    def test_a_prefix_that_the_engine_would_take_for_a_series_is_refused(self, prefix):
        with answering(Pool()) as server:
            client = Client([server.url])
            register(client, "train", "dataset")
            with pytest.raises(UsageProblem, match="as patterns"):
                prefetch(client, "train", prefix)
