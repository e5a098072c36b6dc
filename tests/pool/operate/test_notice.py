"""The notice that an instance goes: seen in metadata that ask for a token, and answered step by step in its time."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fleet_pool import settings
from fleet_pool.api import Client
from fleet_pool.operate.imds import Metadata
from fleet_pool.operate.notice import Notice, current, parse_spot, seconds_left, wait
from fleet_pool.operate.shutdown import ShutdownSteps, run_command, shut_down
from fleet_pool.problems import PoolProblem, Refused

from tests.pool.operate.answering import Asked, Say, answering, nobody, say_json
from tests.pool.operate.maps import smap

SPOT = "/latest/meta-data/spot/instance-action"
GROUP = "/latest/meta-data/autoscaling/target-lifecycle-state"
NOTICE = b'{"action": "terminate", "time": "2026-11-21T20:15:00Z"}'


def instance(paths: dict[str, bytes], tokens: list[str] | None = None) -> Callable[[Asked], Say]:
    """Metadata that know `paths`; `tokens` are given out one after another, and only the last one holds."""
    left = tokens or ["token"]

    def answer(asked: Asked) -> Say:
        if asked.path == "/latest/api/token":
            if asked.method != "PUT" or asked.headers.get("x-aws-ec2-metadata-token-ttl-seconds") != "21600":
                return Say(status=400)
            return Say(body=(left.pop(0) if len(left) > 1 else left[0]).encode())
        if asked.headers.get("x-aws-ec2-metadata-token") != left[-1]:
            return Say(status=401)
        return Say(body=paths[asked.path]) if asked.path in paths else Say(status=404)

    return answer


class TestLook:
    def test_nothing(self):
        with answering(instance({})) as server:
            assert current(Metadata(server.url, limit_s=20)) is None

    def test_a_spot_notice(self):
        with answering(instance({SPOT: NOTICE})) as server:
            found = current(Metadata(server.url, limit_s=20))
        assert found == Notice(kind="spot", action="terminate", at=datetime(2026, 11, 21, 20, 15, tzinfo=UTC))

    @pytest.mark.parametrize("text", [b"", b"{}", b"terminate", b'{"action": "stop", "time": "soon"}', b"[1]"])
    def test_a_notice_that_cannot_be_read_is_one_all_the_same(self, text):
        with answering(instance({SPOT: text})) as server:
            found = current(Metadata(server.url, limit_s=20))
        assert found is not None
        assert (found.kind, found.at) == ("spot", None)

    @pytest.mark.parametrize(("state", "going"), [(b"InService", False), (b"Detached", False), (b"Terminated", True)])
    def test_the_group_takes_it_out(self, state, going):
        with answering(instance({GROUP: state})) as server:
            found = current(Metadata(server.url, limit_s=20))
        assert (found is not None) is going
        assert found is None or found == Notice(kind="scale-in", action="terminate", at=None)

    def test_the_token_is_asked_for_once_and_again_when_it_is_of_another_life(self):
        with answering(instance({}, ["old", "new"])) as server:
            metadata = Metadata(server.url, limit_s=20)
            assert current(metadata) is None
            assert current(metadata) is None
        assert [asked.method for asked in server.asked].count("PUT") == 2

    def test_metadata_that_are_switched_off_say_so(self):
        with answering(lambda _: Say(status=403)) as server, pytest.raises(Refused, match="hop limit"):
            current(Metadata(server.url, limit_s=20))


class TestWait:
    def test_it_looks_until_there_is_one(self):
        paths: dict[str, bytes] = {}
        pauses: list[float] = []

        def sleep(pause_s: float) -> None:
            pauses.append(pause_s)
            if len(pauses) == 3:
                paths[SPOT] = NOTICE

        with answering(instance(paths)) as server:
            assert wait(Metadata(server.url, limit_s=20), pytest.fail, sleep=sleep).action == "terminate"
        assert pauses == [settings.NOTICE_POLL_S] * 3

    def test_unreadable_metadata_are_reported_once_and_their_return_too(self):
        """Three failed reads; then the metadata can be read, and a notice comes."""
        told: list[str] = []
        paths: dict[str, bytes] = {}
        with nobody() as gone, answering(instance(paths)) as server:
            metadata, pauses = Metadata(gone, limit_s=20), []

            def sleep(pause_s: float) -> None:
                pauses.append(pause_s)
                if len(pauses) == 3:
                    metadata.endpoint = server.url
                if len(pauses) == 4:
                    paths[GROUP] = b"Terminated"

            assert wait(metadata, told.append, sleep=sleep).kind == "scale-in"
        assert len(told) == 2
        assert "cannot read the instance metadata" in told[0]
        assert told[1] == "the instance metadata can be read again"


def test_time_that_is_left():
    at = datetime(2026, 11, 21, 20, 15, tzinfo=UTC)
    found = parse_spot(NOTICE.decode())
    assert seconds_left(found, at - timedelta(seconds=90)) == 90
    assert seconds_left(found, at + timedelta(seconds=5)) == 0
    assert seconds_left(Notice(kind="scale-in", action="terminate", at=None), at) == settings.NOTICE_S


def pool_of(targets: dict[str, str], url: list[str], flags: dict[str, int]) -> Callable[[Asked], Say]:
    def answer(asked: Asked) -> Say:
        if asked.method == "GET":
            return say_json(smap({"p1node00": url[0]}, targets, flags))
        for id_ in asked.json()["value"]["sids"]:
            flags[id_] = 4 if asked.json()["action"] == "start-maintenance" else 0
        return Say()

    return answer


def script(path: Path, text: str) -> tuple[str, ...]:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return (str(path),)


class TestLeave:
    notice = Notice(kind="spot", action="terminate", at=None)

    def test_the_job_hears_first_then_the_map_then_systemd_then_aws(self, tmp_path, monkeypatch):
        log = tmp_path / "log"
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
        script(tmp_path / "systemctl", f'echo "systemctl $*" >> {log}')
        before = script(tmp_path / "before", f'echo "before $POOL_NOTICE_KIND $POOL_NOTICE_ACTION" >> {log}')
        after = script(tmp_path / "after", f"echo after >> {log}")
        url: list[str] = []
        flags: dict[str, int] = {}

        def answer(asked: Asked) -> Say:
            if asked.method == "PUT":
                with log.open("a") as written:
                    written.write("drained\n")
            return pool_of({"t1node00": "http://10.0.0.1:1"}, url, flags)(asked)

        told: list[str] = []
        with answering(answer) as server:
            url.append(server.url)
            steps = ShutdownSteps(ids=("t1node00",), unit="pool.service", before=before, after=after, settle_s=0)
            assert shut_down(Client([server.url]), steps, self.notice, told.append)
        assert log.read_text().splitlines() == [
            "before spot terminate",
            "drained",
            "systemctl stop pool.service",
            "after",
        ]
        assert flags == {"t1node00": 4}
        assert told[0] == "notice: spot, this instance will terminate within 120 s"

    def test_a_failed_step_is_reported_and_the_next_ones_run(self, tmp_path):
        after = script(tmp_path / "after", f"echo after >> {tmp_path}/log")
        told: list[str] = []
        steps = ShutdownSteps(ids=("t1node00",), unit="", before=("/no/such/command",), after=after, settle_s=0)
        at = datetime.now(UTC) + timedelta(seconds=20)
        with nobody() as gone:
            notice = Notice(kind="spot", action="stop", at=at)
            assert not shut_down(Client([gone], patience_s=0.5), steps, notice, told.append)
        assert (tmp_path / "log").read_text() == "after\n"
        assert "notify the job: failed, continuing: /no/such/command: No such file or directory" in told
        assert any(line.startswith("drain: failed, continuing: ") for line in told)
        assert told[-1] == "notify AWS: done"

    def test_a_daemon_that_has_left_already_is_reported(self):
        url: list[str] = []
        told: list[str] = []
        with answering(pool_of({}, url, {})) as server:
            url.append(server.url)
            steps = ShutdownSteps(ids=("t1node00",), unit="", before=(), after=())
            assert shut_down(Client([server.url]), steps, self.notice, told.append)
        assert "t1node00 was not in the map" in told

    def test_a_command_has_its_time(self):
        with pytest.raises(PoolProblem, match=r"sleep took longer than 0\.3 s"):
            run_command(("sleep", "30"), {}, 0.3)
        with pytest.raises(PoolProblem, match="false: exit code 1"):
            run_command(("false",), {}, 10)
