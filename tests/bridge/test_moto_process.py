"""A call that comes twice is made once."""

from __future__ import annotations

from typing import Any

from werkzeug.test import Client

from tests.bridge.moto_process import Once


def counting(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    counting.calls += 1  # type: ignore[attr-defined]
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [str(counting.calls).encode()]  # type: ignore[attr-defined]


def test_a_call_that_comes_again_gets_the_first_answer():
    counting.calls = 0  # type: ignore[attr-defined]
    client = Client(Once(counting))
    call, other = {"amz-sdk-invocation-id": "a"}, {"amz-sdk-invocation-id": "b"}
    assert [client.post(headers=headers).text for headers in (call, call, other, call)] == ["1", "1", "2", "1"]
    assert [client.post().text for _ in range(2)] == ["3", "4"]  # calls without an id are each their own
