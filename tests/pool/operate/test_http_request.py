"""One request: its limit holds whatever the other side does, and what goes wrong is said in words."""

from __future__ import annotations

import socket

import pytest
from fleet_pool.http_request import send
from fleet_pool.problems import Refused, Unreachable

from tests.pool.operate.answering import Say, answering, nobody, say_json

LIMIT_S = 0.6


@pytest.mark.parametrize(
    "said",
    [Say(silent=True), Say(body=b"x" * 600, drip_s=0.05)],
    ids=["never answers", "drips: each byte comes in time, all of them do not"],
)
def test_the_limit_holds(said):
    """Without it the one hangs up after half a minute, in other words, and the other's answer is whole by then."""
    with answering(lambda _: said) as server, pytest.raises(Unreachable, match=r"no answer within 0\.6 s"):
        send("GET", server.url, limit_s=LIMIT_S)


def test_a_listener_that_never_accepts_is_given_up():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        with pytest.raises(Unreachable, match="no answer within"):
            send("GET", f"http://127.0.0.1:{listener.getsockname()[1]}", limit_s=LIMIT_S)


def test_a_refused_connection_is_reported_at_once():
    with nobody() as url, pytest.raises(Unreachable, match="Connection refused"):
        send("GET", url, limit_s=30)


def test_a_body_that_ends_early_is_no_answer():
    with (
        answering(lambda _: Say(body=b"0123456789", short=4)) as server,
        pytest.raises(Unreachable, match="ended after 6 bytes"),
    ):
        send("GET", server.url, limit_s=30)


def test_plain_http_to_a_tls_server_is_reported():
    with answering(lambda _: Say()) as server, pytest.raises(Unreachable, match="TLS failed"):
        send("GET", server.url.replace("http:", "https:"), limit_s=30)


@pytest.mark.parametrize("url", ["10.0.0.4:51080", "ftp://10.0.0.4", "http://", "http:///v1"])
def test_an_invalid_url_is_reported(url):
    with pytest.raises(Unreachable, match="is not a URL"):
        send("GET", url, limit_s=1)


def test_what_is_asked_arrives_as_it_was():
    with answering(lambda _: Say(status=204, headers={"X-Told": "yes"})) as server:
        answer = send("PUT", f"{server}/a%20b?c=d%26", limit_s=30, body=b"some", headers={"X-Asked": "this"})
    [asked] = server.asked
    assert (asked.method, asked.path, asked.query, asked.body) == ("PUT", "/a%20b", {"c": "d&"}, b"some")
    assert asked.headers["x-asked"] == "this"
    assert (answer.status, answer.headers["x-told"]) == (204, "yes")


@pytest.mark.parametrize("method", ["PUT", "POST", "DELETE"])
def test_an_empty_body_says_that_it_is_empty(method):
    with answering(lambda _: Say()) as server:
        send(method, server.url, limit_s=30)
    assert server.asked[0].headers["content-length"] == "0"


def test_an_answer_without_json_names_its_server():
    with answering(lambda _: Say(body=b"<html>hello")) as server:
        answer = send("GET", server.url, limit_s=30)
    with pytest.raises(Refused, match=r"is not a pool: its answer is not JSON: '<html>hello'"):
        answer.json()
    with answering(lambda _: say_json({"a": 1})) as server:
        assert send("GET", server.url, limit_s=30).json() == {"a": 1}
