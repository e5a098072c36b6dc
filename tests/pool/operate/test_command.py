"""The command as people and scripts meet it: exit codes, streams, help; and that it runs where only Python is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from fleet_pool.operate import node_commands
from fleet_pool.operate.command import main, parser
from fleet_pool.problems import Code, PoolProblem

from planner.errors import ExitCode
from tests.pool.operate.answering import Asked, Say, answering, nobody, say_json
from tests.pool.operate.maps import bmd, bucket, smap
from tests.pool.operate.maps import status as told
from tools.pool_reference import verbs

ROOT = Path(__file__).resolve().parents[3]

VERBS = [words.split()[-1] for words, _ in verbs()]


@pytest.fixture(autouse=True)
def bare(monkeypatch):
    """Nothing of the user's own environment."""
    for name in ("AIS_ENDPOINT", "AIS_CRT", "AIS_CRT_KEY", "AIS_CLIENT_CA", "AWS_PROFILE", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)


def pool(asked: Asked) -> Say:
    """One gateway with one target that is well, and the bucket train."""
    url = f"http://{asked.headers['host']}"
    what = asked.query.get("what")
    if asked.path.startswith("/v1/objects/"):
        return say_json({"message": "NoSuchKey"}, 404)
    if asked.path.startswith("/v1/buckets/") and asked.method == "GET":
        return say_json({"entries": None})
    if what == "smap":
        return say_json(smap({"p1node00": url}, {"t1node00": url}))
    if what == "bmd":
        return say_json(bmd(aws={"train": bucket()}))
    if what == "cluster_config":
        space, lru = {"lowwm": 70, "out_of_space": 95}, {"dont_evict_time": "1h0m"}
        return say_json({"space": space, "lru": lru})
    return say_json(told())


class TestExitCodes:
    def test_they_are_those_of_the_planner(self):
        assert {code.name: code.value for code in Code}.items() <= {code.name: code.value for code in ExitCode}.items()

    @pytest.mark.parametrize(
        ("words", "code"),
        [
            (["status"], Code.OK),
            (["status", "--targets", "1", "--drives", "8"], Code.OK),
            (["status", "--targets", "2"], Code.BLOCKER),
            (["status", "--drives", "9"], Code.BLOCKER),
            (["capacity"], Code.OK),
            (["capacity", "--hot-tb", "5.6"], Code.OK),
            (["capacity", "--hot-tb", "5.7"], Code.GATE),
            (["capacity", "--cold-gb-per-s", "1.5"], Code.OK),
            (["capacity", "--cold-gb-per-s", "1.6"], Code.GATE),
            (["buckets"], Code.OK),
            (["drain", "t9node00"], Code.USAGE),
            (["drain", "p1node00"], Code.USAGE),
            (["prefetch", "other", "--all"], Code.USAGE),
            (["register", "Train", "--kind", "dataset"], Code.USAGE),
            (["destroy-local", "mine"], Code.USAGE),
            (["canary", "train", "--size-mib", "101"], Code.USAGE),
        ],
    )
    def test_by_what_was_found(self, words, code, monkeypatch, capsys):
        with answering(pool) as server:
            monkeypatch.setenv("AIS_ENDPOINT", server.url)
            assert main(words) == code
        out, err = capsys.readouterr()
        assert (out == "") == (code == Code.USAGE)  # a gate that is exceeded still has its numbers
        assert (err == "") == (code != Code.USAGE)

    @pytest.mark.parametrize(
        "words",
        [
            [],
            ["stat"],
            ["status", "--timeout-s", "0"],
            ["status", "--timeout-s", "inf"],
            ["status", "--targets", "1.5"],
            ["status", "--tar", "1"],  # no abbreviations: a later option would change what they mean
            ["capacity", "--hot-tb", "-1"],
            ["prefetch", "train"],
            ["prefetch", "train", "--all", "--prefix", "a"],
            ["register", "train"],
            ["register", "train", "--kind", "mixed"],
        ],
    )
    def test_a_wrong_call_is_two(self, words, capsys):
        with pytest.raises(SystemExit) as caught:
            main(words)
        assert caught.value.code == Code.USAGE
        assert "usage:" in capsys.readouterr().err

    def test_no_answer_is_exit_code_four(self, capsys):
        with nobody() as gone:
            assert main(["status", "--endpoint", gone, "--timeout-s", "1"]) == Code.AWS
        assert "Connection refused" in capsys.readouterr().err

    def test_the_pool_must_be_given(self, capsys):
        assert main(["buckets"]) == Code.USAGE
        assert "no pool given: set --endpoint or AIS_ENDPOINT" in capsys.readouterr().err

    def test_a_bug_is_reported_without_a_traceback(self, monkeypatch, capsys):
        monkeypatch.setattr(node_commands, "client", lambda *_, **__: 1 / 0)
        assert main(["status"]) == Code.UNEXPECTED
        assert "unexpected ZeroDivisionError" in capsys.readouterr().err
        with pytest.raises(ZeroDivisionError):
            main(["status", "--debug"])

    def test_interrupted(self, monkeypatch):
        def interrupt(*_, **__):
            raise KeyboardInterrupt

        monkeypatch.setattr(node_commands, "client", interrupt)
        assert main(["status"]) == Code.INTERRUPTED

    def test_several_buckets_are_registered_as_far_as_they_can_be(self, capsys):
        """The one that is wrong is told; the lowest code counts."""
        assert issubclass(PoolProblem, Exception)

        def some(asked: Asked) -> Say:
            if asked.method == "HEAD":
                import json

                found = asked.path.endswith("/train")
                return Say(headers={"Ais-Bucket-Props": json.dumps(bucket())}) if found else Say(status=404)
            return say_json(bmd(ais={"mine": bucket("ais")})) if asked.query["what"] == "bmd" else pool(asked)

        with answering(some) as server:
            code = main(["register", "mine", "other", "train", "--kind", "dataset", "--endpoint", server.url])
        out, err = capsys.readouterr()
        assert code == Code.USAGE
        assert out == "train: registered\n"
        assert "mine: data in the pool's bucket" in err
        assert "other: S3 has no bucket" in err


class TestStreams:
    @pytest.mark.parametrize("words", [["status"], ["capacity"], ["buckets"]])
    def test_json_is_the_only_thing_on_standard_output(self, words, capsys):
        import json

        with answering(pool) as server:
            for style in (["--json"], ["-f", "json"]):
                main([*words, "--endpoint", server.url, *style])
                out, err = capsys.readouterr()
                assert json.loads(out)["schema_version"] == "1"
                assert err == ""

    @pytest.mark.parametrize(("terminal", "ci", "shown"), [(True, "", True), (True, "1", False), (False, "", False)])
    def test_progress_is_for_terminals(self, terminal, ci, shown, capsys, monkeypatch):
        ended = "2026-11-21T20:00:00Z"
        stats = {"loc-objs": "4", "loc-bytes": "4000"}
        one = {"stats": stats, "end-time": ended, "aborted": False, "err": "", "abort-err": ""}

        def answer(asked: Asked) -> Say:
            if asked.query.get("what") == "qryxstats":
                return say_json({"t1node00": [one]})
            return pool(asked) if asked.method == "GET" else Say(body=b"job1")

        monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
        monkeypatch.setenv("CI", ci)
        with answering(answer) as server:
            assert main(["prefetch", "train", "--prefix", "a/", "--endpoint", server.url]) == Code.OK
            out, err = capsys.readouterr()
            assert out.startswith("fetched 4 objects, 4 kB, in ")
            assert ("fetched 4 objects, 4 kB, " in err and "1 of 1 target done" in err) is shown
            assert (err == "") is not shown
            assert main(["evict", "train", "--all", "--no-wait", "--endpoint", server.url]) == Code.OK
        assert capsys.readouterr().out == "job1\n"


class TestWhereOnlyPythonIs:
    @pytest.mark.parametrize("verb", VERBS)
    def test_every_verb_helps_without_any_package(self, verb):
        """-S: what is installed is not seen."""
        command = [sys.executable, "-S", "-m", "fleet_pool", verb, "--help"]
        done = subprocess.run(
            command, cwd=ROOT / "pool", capture_output=True, text=True, check=True, env={"COLUMNS": "200"}
        )
        assert done.stdout.startswith(f"usage: python -m fleet_pool {verb} ")
        assert "Traceback" not in done.stderr

    @pytest.mark.parametrize(
        ("path", "name"),
        [
            ("/venv/bin/fleet-pool", "fleet-pool"),
            ("/opt/planner/planner-pool.pyz", "planner-pool"),
            ("/lib/fleet_pool/__main__.py", "python -m fleet_pool"),
        ],
    )
    def test_help_and_errors_use_the_name_that_the_command_was_started_by(self, path, name, monkeypatch, capsys):
        monkeypatch.setattr(sys, "argv", [path, "status"])
        monkeypatch.delenv("AIS_ENDPOINT", raising=False)
        assert main() == Code.USAGE
        assert capsys.readouterr().err.startswith(f"{name} status: no pool given")
        with pytest.raises(SystemExit):
            main(["--help"])
        assert capsys.readouterr().out.startswith(f"usage: {name} ")

    def test_the_planner_passes_all_arguments(self):
        planner = [sys.executable, "-m", "planner", "pool"]
        helped = subprocess.run([*planner, "drain", "-h"], cwd=ROOT, capture_output=True, text=True, check=True)
        assert helped.stdout.startswith("usage: planner pool drain ")
        wrong = subprocess.run([*planner, "status"], cwd=ROOT, capture_output=True, text=True, check=False, env={})
        assert wrong.returncode == Code.USAGE
        assert wrong.stderr.startswith("planner pool status: no pool given")

    @pytest.mark.parametrize(("line", "offered"), [("planner pool und", ["undrain"]), ("planner pool ", VERBS)])
    def test_the_shell_completes_its_verbs(self, line, offered):
        words = {"_PLANNER_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": "2", "PATH": "/usr/bin"}
        command = [sys.executable, "-c", "from planner.cli.main import run; run()"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=words)
        assert done.stdout.split() == [f"plain,{verb}" for verb in offered]

    def test_every_verb_says_what_it_does_and_every_option_what_it_means(self):
        assert parser("planner-pool").epilog
        for words, found in verbs():
            assert found.description, words
            assert all(action.help for action in found._actions), words
