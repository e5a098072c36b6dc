"""The keys of the jobs' role: from STS (moto's), on loopback, to botocore, the AWS CLI and our own client of S3."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from threading import Thread

import boto3
import pytest
from fleet_pool.node import job_credentials
from fleet_pool.node.job_credentials import LASTS_S, PATH, RENEW_BEFORE, Keys, Server
from fleet_pool.operate.imds import Metadata
from fleet_pool.operate.s3 import SHOWN_VARIABLE, URL_VARIABLE, Credentials, credentials
from fleet_pool.operate.sts import Assumed, Sts
from fleet_pool.problems import NoCredentials, Refused, Unreachable

from tests.infra.node.test_scripts import need
from tests.pool.daemon import wait_until
from tests.pool.operate.answering import Say, answering

ROLE = "arn:aws:iam::123456789012:role/planner-dev-fleet-job-role"
NODE = Credentials(key_id="AKIANODE", secret="s", token="")
BEGIN = datetime(2026, 11, 25, tzinfo=UTC)


@pytest.fixture(scope="module")
def moto() -> Iterator[str]:
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


def sts(endpoint: str, who: Credentials = NODE) -> Sts:
    return Sts({"AWS_ENDPOINT_URL_STS": endpoint}, "us-east-1", who)


@contextmanager
def serving(keys: Keys, shown: str = "0123abcd") -> Iterator[str]:
    with Server(keys, shown, 0) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}{PATH}"
        finally:
            server.shutdown()
            thread.join()


def asked(url: str, shown: str) -> tuple[int, dict[str, str]]:
    request = urllib.request.Request(url, headers={"Authorization": shown} if shown else {})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_the_role_that_sts_says_it_is(moto):
    """The second route is boto3's: it sees the session of the keys that ours fetched."""
    found = sts(moto).assume(ROLE, "i-0123456789abcdef0", LASTS_S)
    assert timedelta(minutes=59) < found.ends - datetime.now(UTC) <= timedelta(hours=1)
    who = found.who
    client = boto3.client(
        "sts",
        region_name="us-east-1",
        endpoint_url=moto,
        aws_access_key_id=who.key_id,
        aws_secret_access_key=who.secret,
        aws_session_token=who.token,
    )
    told = client.get_caller_identity()
    assert told["Arn"].endswith("assumed-role/planner-dev-fleet-job-role/i-0123456789abcdef0")
    # moto makes up another role id at each call
    assert re.fullmatch(r"AROA[A-Z0-9]+:i-0123456789abcdef0", sts(moto, who).user_id())
    assert re.fullmatch(r"AROA[A-Z0-9]+:i-0123456789abcdef0", told["UserId"])


def test_what_sts_refuses_and_what_is_no_sts_are_told_apart():
    denied = b"<ErrorResponse><Error><Message>not authorized to assume</Message></Error></ErrorResponse>"
    with (
        answering(lambda _: Say(status=403, body=denied)) as server,
        pytest.raises(NoCredentials, match="not authorized"),
    ):
        sts(server.url).assume(ROLE, "i-1", LASTS_S)
    with answering(lambda _: Say(status=500, body=b"<a/>")) as server, pytest.raises(Refused, match="HTTP 500"):
        sts(server.url).user_id()
    with answering(lambda _: Say(body=b"hello")) as server, pytest.raises(Refused, match="not STS"):
        sts(server.url).user_id()
    with answering(lambda _: Say(body=b"<a/>")) as server, pytest.raises(Refused, match="has no UserId"):
        sts(server.url).user_id()
    with pytest.raises(Unreachable):
        sts("http://127.0.0.1:9").user_id()


def test_botocore_the_aws_cli_and_our_client_take_the_keys(moto):
    keys = Keys(lambda: sts(moto).assume(ROLE, "i-0123456789abcdef0", LASTS_S))
    assert keys.renew()
    newest = keys.valid()
    assert newest is not None
    with serving(keys) as url:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        environment = {**clean, URL_VARIABLE: url, SHOWN_VARIABLE: "0123abcd", "AWS_EC2_METADATA_DISABLED": "true"}
        # as a job has it: in its environment and nowhere else
        script = (
            "import boto3; k = boto3.Session().get_credentials().get_frozen_credentials(); print(k.access_key, k.token)"
        )
        seen = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
        ).stdout
        assert seen.split() == [newest.who.key_id, newest.who.token]
        words = [need("aws", "awscli"), "sts", "get-caller-identity", "--endpoint-url", moto, "--region", "us-east-1"]
        said = json.loads(subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout)
        assert said["Arn"].endswith("assumed-role/planner-dev-fleet-job-role/i-0123456789abcdef0")
        assert credentials(environment, Metadata("http://127.0.0.1:9")) == newest.who
        with pytest.raises(NoCredentials, match="show AWS_CONTAINER_AUTHORIZATION_TOKEN"):
            credentials({URL_VARIABLE: url}, Metadata("http://127.0.0.1:9"))


class Clock:
    def __init__(self) -> None:
        self.now, self.down, self.given = BEGIN, False, 0

    def assume(self) -> Assumed:
        if self.down:
            raise Unreachable("STS does not answer")
        self.given += 1
        who = Credentials(key_id=f"ASIA{self.given}", secret="s", token="t")
        return Assumed(who=who, ends=self.now + timedelta(seconds=LASTS_S))


def test_keys_are_renewed_before_clients_ask_for_newer_ones_and_served_to_their_end_while_sts_is_down():
    clock = Clock()
    keys = Keys(clock.assume, lambda: clock.now)

    def served(url: str) -> tuple[int, str]:
        status, told = asked(url, "0123abcd")
        return status, told.get("AccessKeyId") or told["message"]

    with serving(keys) as url:
        assert served(url) == (503, "no keys of the jobs' role: STS was not asked yet")
        clock.down = True
        assert not keys.renew()
        assert served(url) == (503, "no keys of the jobs' role: STS does not answer")
        clock.down = False
        assert keys.renew()
        clock.now += timedelta(seconds=LASTS_S) - RENEW_BEFORE - timedelta(seconds=1)
        assert keys.renew()
        assert served(url) == (200, "ASIA1")
        clock.now += timedelta(seconds=2)
        clock.down = True
        assert not keys.renew()
        clock.now = BEGIN + timedelta(seconds=LASTS_S - 1)
        assert served(url) == (200, "ASIA1"), "valid to their end"
        clock.now += timedelta(seconds=1)
        assert served(url)[0] == 503, "keys that have expired are not served"
        clock.down = False
        assert keys.renew()
        assert served(url) == (200, "ASIA2")
    assert timedelta(minutes=15) < RENEW_BEFORE, "botocore asks again 15 minutes before the end"


def test_who_does_not_show_the_node_s_word_gets_nothing():
    clock = Clock()
    keys = Keys(clock.assume, lambda: clock.now)
    keys.renew()
    with serving(keys) as url:
        for shown in ("", "0123abce", "Bearer 0123abcd", "é"):
            status, told = asked(url, shown.encode("utf-8").decode("latin-1"))
            assert (status, told["code"]) == (401, "Unauthorized")
            assert "ASIA" not in str(told)
        assert asked(url.replace(PATH, "/latest"), "0123abcd")[0] == 404


def test_the_unit_s_program_serves_and_says_what_is_missing(moto, capfd):
    free = "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1])"
    port = subprocess.run([sys.executable, "-c", free], capture_output=True, text=True, check=True).stdout.strip()
    node = {"ROLE": "gpu", "INSTANCE": "i-0123456789abcdef0", "ADDRESS": "10.0.0.1", "REGION": "us-east-1"}
    node |= {"BUCKET": "artefacts", "DATA": "train", "PORT": port}
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "PLANNER_"))}
    environment = {
        **clean,
        **{f"PLANNER_{name}": value for name, value in node.items()},
        "AWS_ACCESS_KEY_ID": "AKIANODE",
        "AWS_SECRET_ACCESS_KEY": "s",
        "AWS_ENDPOINT_URL_STS": moto,
        SHOWN_VARIABLE: "0123abcd",
        # what jobs have is not where it gets its own keys
        URL_VARIABLE: "http://127.0.0.1:9/",
    }
    command = [sys.executable, "-m", job_credentials.__name__]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30)
    assert (done.returncode, "PLANNER_JOBS is not set" in done.stderr) == (1, True), done.stderr
    process = subprocess.Popen(command, env={**environment, "PLANNER_JOBS": ROLE})
    try:
        url = f"http://127.0.0.1:{port}{PATH}"

        def answers() -> bool:
            try:
                return asked(url, "0123abcd")[0] == 200
            except OSError:
                return False

        wait_until(answers, "the keys", 30)
        _, told = asked(url, "0123abcd")
        assert (
            sts(moto, Credentials(key_id=told["AccessKeyId"], secret="s", token="t"))
            .user_id()
            .endswith(":i-0123456789abcdef0")
        )
    finally:
        process.terminate()
        process.wait(10)
