"""The native API's client: the next proxy when one is gone, patience with what passes, none with what does not."""

from __future__ import annotations

import itertools
import ssl

import pytest
from fleet_pool import settings
from fleet_pool.api import Client, endpoints, tls_context
from fleet_pool.problems import Refused, Unreachable, UsageProblem
from hypothesis import given
from hypothesis import strategies as st

from tests.pool.operate.answering import Asked, Say, answering, nobody, say_json


def refusal(status: int, message: str) -> Say:
    return say_json({"message": message, "status": status}, status)


class TestProxies:
    def test_the_next_one_is_asked_when_one_is_gone_and_first_the_next_time(self):
        with nobody() as gone, answering(lambda _: say_json("here")) as server:
            client = Client([gone, server.url], patience_s=20)
            assert client.ask("GET", "/v1/x").json() == "here"
            assert client.proxies == (server.url, gone)

    def test_one_that_hangs_costs_its_attempt_and_no_more(self):
        with answering(lambda _: Say(silent=True)) as hung, answering(lambda _: say_json(1)) as server:
            client = Client([hung.url, server.url], attempt_s=0.5, patience_s=20)
            assert client.ask("GET", "/v1/x").json() == 1

    def test_one_that_breaks_off_is_tried_again(self):
        turns = itertools.count()
        broken = Say(body=b"0123456789", short=4)
        with answering(lambda _: broken if next(turns) < 2 else say_json("there again")) as server:
            assert Client([server.url], patience_s=30).ask("GET", "/v1/x").json() == "there again"
        assert len(server.asked) == 3

    def test_patience_ends(self):
        with nobody() as gone, pytest.raises(Unreachable, match="Connection refused"):
            Client([gone], patience_s=0.8).ask("GET", "/v1/x")


class TestPatience:
    @pytest.mark.parametrize("status", [409, 429, 502, 503, 504])
    def test_what_passes_is_asked_again(self, status):
        turns = itertools.count()
        busy = refusal(status, 'cluster membership "start-maintenance" is currently busy, please try again')
        with answering(lambda _: busy if next(turns) < 3 else say_json("done")) as server:
            assert Client([server.url], patience_s=30).ask("PUT", "/v1/cluster").json() == "done"
        assert len(server.asked) == 4

    @pytest.mark.parametrize("status", [400, 401, 403, 404, 500, 501, 507])
    def test_a_final_error_is_reported_at_once_with_the_pools_message(self, status):
        with answering(lambda _: refusal(status, "no, and that is that")) as server:
            with pytest.raises(Refused, match="the pool refused PUT /v1/cluster: no, and that is that") as caught:
                Client([server.url], patience_s=30).ask("PUT", "/v1/cluster")
            assert caught.value.status == status
        assert len(server.asked) == 1

    def test_busy_to_the_end_is_refused_with_the_last_words(self):
        with (
            answering(lambda _: refusal(409, "busy, please try again")) as server,
            pytest.raises(Refused, match="busy, please try again"),
        ):
            Client([server.url], patience_s=3).ask("PUT", "/v1/cluster")

    def test_a_head_has_its_words_in_a_header(self):
        told = Say(status=404, headers={"Hdr-Error": '{"message": "no such bucket", "status": 404}'})
        with answering(lambda _: told) as server, pytest.raises(Refused, match="no such bucket"):
            Client([server.url]).ask("HEAD", "/v1/buckets/b")


class TestRedirects:
    @pytest.mark.parametrize("status", [301, 307, 308])
    def test_a_redirected_request_is_complete(self, status):
        with answering(lambda _: say_json("from the other")) as other:

            def first(asked: Asked) -> Say:
                return Say(status=status, headers={"Location": f"{other}{asked.path}?pid=p1"})

            with answering(first) as server:
                answer = Client([server.url]).act("/v1/cluster", "do-it", {"a": 1})
        assert answer.json() == "from the other"
        [asked] = other.asked
        assert (asked.method, asked.query, asked.json()) == (
            "PUT",
            {"pid": "p1"},
            {"action": "do-it", "value": {"a": 1}},
        )

    def test_a_redirect_loop_ends(self):
        with answering(
            lambda asked: Say(status=307, headers={"Location": f"http://{asked.headers['host']}/"})
        ) as server:
            with pytest.raises(Unreachable, match="too many redirects"):
                Client([server.url], patience_s=3).ask("GET", "/")
            assert len(server.asked) < 50

    def test_an_object_goes_to_its_target_once_and_the_proxy_sees_none_of_it(self):
        with answering(lambda _: Say()) as target:
            where = {"Location": f"{target}/v1/objects/b/k?provider=aws&pid=p1"}
            with answering(lambda _: Say(status=307, headers=where)) as proxy:
                Client([proxy.url]).put(proxy.url, "b", "k", b"bytes", 10)
        assert [asked.body for asked in proxy.asked] == [b""]
        assert [asked.body for asked in target.asked] == [b"bytes"]

    def test_an_object_that_is_refused_says_so(self):
        with (
            answering(lambda _: refusal(507, "out of space")) as target,
            answering(lambda _: Say(status=307, headers={"Location": target.url})) as proxy,
            pytest.raises(Refused, match="out of space"),
        ):
            Client([proxy.url]).put(proxy.url, "b", "k", b"bytes", 10)
        with answering(lambda _: refusal(404, "no bucket")) as proxy, pytest.raises(Refused, match="no bucket"):
            Client([proxy.url]).put(proxy.url, "b", "k", b"bytes", 10)

    @given(key=st.text(min_size=1, max_size=30).filter(lambda key: key.isprintable()))
    def test_any_key_arrives_as_it_is(self, key):
        from urllib.parse import unquote

        from fleet_pool.api import object_path

        path = object_path("b", key)
        assert path.isascii()
        assert "?" not in path
        assert "#" not in path
        assert unquote(path) == f"/v1/objects/b/{key}"


class TestEndpoints:
    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("10.0.0.4", (f"http://10.0.0.4:{settings.PROXY_PORT}",)),
            ("https://10.0.0.4:8080/, 10.0.0.5:81", ("https://10.0.0.4:8080", "http://10.0.0.5:81")),
            ("http://a:1,http://a:1,,", ("http://a:1",)),
            ("http://[fd00::4]", (f"http://[fd00::4]:{settings.PROXY_PORT}",)),
            ("http://[fd00::4]:99", ("http://[fd00::4]:99",)),
        ],
    )
    def test_a_list_of_proxies(self, text, found):
        assert endpoints(text) == found

    @pytest.mark.parametrize(
        "text", ["ftp://a", "http://", "http://a/v1", "http://u:p@a", "a:b", "a:0", "a:70000", "a:"]
    )
    def test_an_invalid_proxy_is_reported(self, text):
        with pytest.raises(UsageProblem, match="write http://"):
            endpoints(text)

    @pytest.mark.parametrize("text", ["", " , "])
    def test_no_proxy_is_reported(self, text):
        with pytest.raises(UsageProblem, match="no pool given"):
            endpoints(text)


class TestCertificates:
    def test_none_is_none(self):
        assert tls_context({}) is None
        assert tls_context({"AIS_CRT": "", "AIS_CRT_KEY": "", "AIS_CLIENT_CA": ""}) is None

    def test_a_certificate_without_its_key_is_reported(self):
        with pytest.raises(UsageProblem, match="set both AIS_CRT and AIS_CRT_KEY"):
            tls_context({"AIS_CRT": "a.crt"})

    def test_a_missing_or_invalid_certificate_is_reported(self, tmp_path):
        with pytest.raises(UsageProblem, match="cannot load the certificates"):
            tls_context({"AIS_CLIENT_CA": str(tmp_path / "none.crt")})
        wrong = tmp_path / "wrong.crt"
        wrong.write_text("not a certificate")
        with pytest.raises(UsageProblem, match="cannot load the certificates"):
            tls_context({"AIS_CLIENT_CA": str(wrong)})

    def test_names_and_authorities_are_checked(self):
        context = tls_context({"AIS_CLIENT_CA": ssl.get_default_verify_paths().cafile or ""})
        if context is None:
            pytest.skip("no authorities on this machine")
        assert context.verify_mode == ssl.CERT_REQUIRED
        assert context.check_hostname
