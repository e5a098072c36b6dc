"""What the launcher makes of S3's answers; real S3 semantics are in test_torchrun."""

from __future__ import annotations

import pytest
from fleet_pool.http_request import Answer
from fleet_pool.launch import bucket as module
from fleet_pool.launch.bucket import Bucket
from fleet_pool.operate.s3 import Credentials, Place
from fleet_pool.problems import Refused, Unreachable

WHO = Credentials(key_id="AKIAIOSFODNN7EXAMPLE", secret="x", token="")
PAGE = """<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{}</ListBucketResult>"""
OBJECT = "<Contents><Key>{}</Key><LastModified>{}</LastModified></Contents>"


class S3:
    """Answers in turn: (status, body), or an exception. asked: method, URL and body of every request."""

    def __init__(self, *answers: tuple[int, str] | Exception) -> None:
        self.answers, self.asked, self.limits = list(answers), [], set()

    def send(self, method: str, url: str, *, limit_s: float, headers: dict[str, str], body: bytes = b"") -> Answer:
        self.asked.append((method, url, body))
        self.limits.add(limit_s)
        assert headers["authorization"].startswith("AWS4-HMAC-SHA256")
        found = self.answers.pop(0)
        if isinstance(found, Exception):
            raise found
        date = {"date": "Mon, 23 Nov 2026 12:00:00 GMT"}
        return Answer(url=url, status=found[0], headers=date, body=found[1].encode())


@pytest.fixture
def answering(monkeypatch):
    def answer(*answers: tuple[int, str] | Exception, patience_s: float = 5.0) -> tuple[Bucket, S3]:
        s3 = S3(*answers)
        monkeypatch.setattr(module, "send", s3.send)
        monkeypatch.setattr(module.time, "sleep", lambda seconds: None)
        return Bucket("data", Place(region="us-east-1", endpoint=""), lambda: WHO, patience_s=patience_s), s3

    return answer


def test_what_passes_is_tried_again(answering):
    bucket, s3 = answering((503, "SlowDown"), Unreachable("cut"), (200, "text"))
    assert bucket.read("launch/x") == b"text"
    assert len(s3.asked) == 3


def test_what_s3_refuses_for_good_is_not(answering):
    bucket, s3 = answering((403, "AccessDenied"))
    with pytest.raises(Refused, match="AccessDenied"):
        bucket.write("launch/x", b"")
    assert len(s3.asked) == 1


def test_it_gives_up_after_its_patience(answering):
    bucket, _ = answering(Unreachable("cut"), patience_s=0.0)
    with pytest.raises(Unreachable):
        bucket.read("launch/x")


def test_one_request_takes_no_longer_than_its_patience(answering):
    """A heartbeat that waits longer keeps a worker from seeing that its machine goes."""
    for patience_s, limit_s in ((5.0, 5.0), (60.0, 20.0)):
        bucket, s3 = answering((200, "text"), patience_s=patience_s)
        bucket.read("launch/x")
        assert s3.limits == {limit_s}


def test_the_second_to_write_a_record_is_told(answering):
    bucket, _ = answering((412, "PreconditionFailed"), (200, '{"other": 1}'))
    assert bucket.write_once("launch/x", {"ours": 1}) is False


def test_a_write_whose_answer_was_lost_is_still_ours(answering):
    ours = '{\n "ours": 1\n}\n'
    bucket, s3 = answering(Unreachable("cut"), (412, "PreconditionFailed"), (200, ours))
    assert bucket.write_once("launch/x", {"ours": 1}) is True
    assert s3.asked[0][2] == ours.encode()


def test_a_listing_of_several_pages_and_its_age_by_s3_s_own_clock(answering):
    first = OBJECT.format("launch/a", "2026-11-23T11:00:00.000Z") + (
        "<NextContinuationToken>a+/=</NextContinuationToken>"
    )
    second = OBJECT.format("launch/b", "2026-11-23T11:59:30.000Z") + (
        "<CommonPrefixes><Prefix>launch/000001/</Prefix></CommonPrefixes>"
    )
    bucket, s3 = answering((200, PAGE.format(first)), (200, PAGE.format(second)))
    found = bucket.list("launch/", delimiter="/")
    assert (found.keys, found.folders, found.idle_s) == (("launch/a", "launch/b"), ("launch/000001/",), 30.0)
    assert "continuation-token=a%2B%2F%3D&delimiter=%2F&list-type=2&prefix=launch%2F" in s3.asked[1][1]


def test_another_program_s_object_is_refused(answering):
    bucket, _ = answering((200, "not JSON"))
    with pytest.raises(Refused, match="is not JSON"):
        bucket.read_json("launch/x")
